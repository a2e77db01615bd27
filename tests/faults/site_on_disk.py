"""A server whose data lie on a disk of some pages: `python -m tests.faults.site_on_disk FOLDER`.

Less and less is free; the jobs it took, and no others, must be done once there is room again.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing, suppress
from pathlib import Path

from tests.web.serving import PATIENCE, small_results
from tests.web.sites import Site, serving
from yardstone.errors import YardstoneError

#: Bytes that are left, one after another.
_ROOMS = (1_200_000, 1_100_000, 200_000, 60_000, 20_000, 8_192, 4_096, 0)
#: Seconds in which the worker does something.
_PAUSE = 0.2


def main(folder: Path) -> None:
    disk = folder / "served"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "none", disk], check=True)
    with serving(folder) as server:
        threading.Thread(target=_work, args=(server,), daemon=True).start()
        taken = [server.send([("first.csv", small_results())]).json()["id"]]
        refused = 0
        for number, room in enumerate(_ROOMS):
            _fill(disk, room)
            for each in range(4):
                file = (f"{number}{each}.csv", small_results("Ann", f"Bob {number} {each}"))
                answer = server.send([file])
                # Taken, or told that there is no room at the moment.
                assert answer.status in (202, 503, 507), f"{room}: {answer.body!r}"
                assert b"Traceback" not in answer.body
                if answer.status == 202:
                    taken.append(str(answer.json()["id"]))
                refused += answer.status != 202
            time.sleep(_PAUSE)
        (disk / "ballast").unlink()
        taken.append(server.send([("last.csv", small_results("Eve", "Bob"))]).json()["id"])
        end = time.monotonic() + PATIENCE
        while (states := {server.job(job)["status"] for job in taken}) != {"done"}:
            assert time.monotonic() < end, states
            time.sleep(_PAUSE)
    with closing(sqlite3.connect(disk / "jobs.sqlite")) as base:
        assert base.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert refused, "the disk was never full"


def _fill(disk: Path, room: int) -> None:
    for _ in range(100):  # the server takes pages meanwhile
        with (disk / "ballast").open("wb") as file, suppress(OSError):
            about = os.statvfs(disk)
            if (size := about.f_bavail * about.f_frsize - room) > 0:
                os.posix_fallocate(file.fileno(), 0, size)
            return
    raise AssertionError("the disk cannot be filled")


def _work(server: Site) -> None:
    while True:
        with suppress(YardstoneError):
            if server.worker.work():
                continue
        time.sleep(_PAUSE)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
