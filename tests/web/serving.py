"""What a server is made of for tests: settings, files, and a port of its own; light to import."""

from __future__ import annotations

import io
import socket
import threading
import time
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yardstone.examples import example

if TYPE_CHECKING:
    from yardstone.web.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
LEAGUE = example("league.csv").read_bytes()
MATCH = example("backgammon.mat").read_bytes()
SGF = example("professional.sgf").read_bytes()
PATIENCE = 60.0
#: The key of jobs that no request made.
OWNER = "the-key-of-the-tests"


def small_results(first: str = "Ann", second: str = "Bob") -> bytes:
    """Four results of two players."""
    rows = [f"{first},{second},1", f"{second},{first},1", f"{first},{second},0.5"]
    return "\n".join(["white,black,score", *rows, rows[0]]).encode() + b"\n"


def packed(files: Mapping[str, bytes]) -> bytes:
    """A zip archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def settings_for(folder: Path, limits: Mapping[str, Any] | None = None, **more: Any) -> Settings:
    """Settings of a server in a folder, with which tests do not wait."""
    from yardstone.web.settings import Limits, Settings

    known: dict[str, Any] = {"posts_minute": 6000, "requests_minute": 60_000, **(limits or {})}
    return Settings(data=folder / "served", limits=Limits.of_plain(known), port=0, **more)


@contextmanager
def listening(running: Any) -> Iterator[str]:
    """Run a server of uvicorn on a port of its own, in a thread of this process; its address."""
    # Taken by its number, as the server does: only so asyncio sees that it is TCP, and waits for
    # no further bytes before it sends.
    place = socket.socket(fileno=socket.create_server(("127.0.0.1", 0)).detach())
    thread = threading.Thread(target=running.run, kwargs={"sockets": [place]}, daemon=True)
    thread.start()
    end = time.monotonic() + PATIENCE
    while not running.started and time.monotonic() < end:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{place.getsockname()[1]}"
    finally:
        running.should_exit = True
        thread.join(PATIENCE)
        place.close()
