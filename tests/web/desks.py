"""A desk that is served for tests, and helpers who use its forms without a browser."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from typing import Any, Self

import requests

from yardstone.examples import example
from yardstone.tournament.explanation import without_rounds
from yardstone.tournament.files import read_tournament, to_bytes
from yardstone.tournament.model import Result, Tournament
from yardstone.web.desk import app
from yardstone.web.desk.app import DeskSettings

PASSWORD = "our own secret"
PATIENCE = 60.0
_KEY = re.compile(r'name="key" value="([0-9a-f]+)"')


class Helper:
    """Somebody at a desk."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.session = requests.Session()
        self.session.headers["Accept"] = "text/html"
        self.key = ""

    def sign_in(self, name: str = "", password: str = PASSWORD) -> requests.Response:
        fields = {"password": password, "name": name, "next": "/more"}
        answer = self.session.post(f"{self.url}/sign-in", fields, timeout=PATIENCE)
        self.key = next(iter(_KEY.findall(answer.text)), "")
        return answer

    def get(self, path: str, **more: Any) -> requests.Response:
        return self.session.get(self.url + path, timeout=PATIENCE, **more)

    def page(self, path: str) -> str:
        answer = self.get(path)
        assert answer.status_code == 200, (path, answer.status_code, plain(answer.text)[-600:])
        return answer.text

    def post(self, path: str, fields: Any = (), **more: Any) -> requests.Response:
        """Send a form as a page does."""
        return self.session.post(
            self.url + path, data=[("key", self.key), *dict(fields).items()],
            timeout=PATIENCE, **more,
        )  # fmt: skip

    def result(self, number: int, first: str, second: str, result: str, stands: str = "") -> int:
        """Enter a result; the status of the answer."""
        fields = {"first": first, "second": second, "result": result, "stands": stands}
        answer = self.post(f"/results/{number}", fields, allow_redirects=False)
        return answer.status_code

    def pair(self, number: int) -> None:
        """Propose a round, and accept it."""
        shown = self.post(f"/pair/{number}")
        assert shown.status_code == 200, plain(shown.text)[-500:]
        digests = re.findall(r'name="shown" value="([0-9a-f]+)"', shown.text)
        answer = self.post(f"/pair/{number}/accept", {"shown": digests[0]}, allow_redirects=False)
        assert answer.status_code == 303, plain(answer.text)[-500:]


def plain(page: str) -> str:
    """The words of a page."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page)).split())


class DeskServer:
    """A desk that answers at `url`, of a file."""

    def __init__(self, file: Path, url: str) -> None:
        self.file = file
        self.url = url

    @property
    def tournament(self) -> Tournament:
        """What stands in the file."""
        return read_tournament(self.file)

    def helper(self, name: str = "") -> Helper:
        helper = Helper(self.url)
        assert helper.sign_in(name).status_code == 200
        return helper

    def names(self, number: int) -> list[tuple[str, str]]:
        """Who meets whom in a round."""
        made = self.tournament
        return [
            (made.players[game.first].full_name, made.players[game.second].full_name)
            for game in made.round_games(number)
        ]

    def result(self, number: int, first: str) -> Result:
        """The result of the game in which this player moves first."""
        made = self.tournament
        return made.game_of[number, made.find(first)].result


def copied(folder: Path, name: str = "open.xml") -> Path:
    """The tournament that comes with the package, before its last round: 4 of 5 are played."""
    file = folder / name
    before, _ = without_rounds(read_tournament(example("open.xml")), 5)
    file.write_bytes(to_bytes(before, file))
    return file


@contextmanager
def served(file: Path, **more: Any) -> Iterator[DeskServer]:
    """A desk on a port of its own, in a thread of this process."""
    settings = DeskSettings(file=file, **{"password": PASSWORD, **more})
    running = app.DeskServer(app.desk_configuration(settings))
    listening = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    end = time.monotonic() + PATIENCE
    while not running.started and time.monotonic() < end:
        time.sleep(0.01)
    try:
        yield DeskServer(file, f"http://127.0.0.1:{listening.getsockname()[1]}")
    finally:
        running.should_exit = True
        thread.join(PATIENCE)
        listening.close()


class DeskProcess:
    """The command, as an organiser starts it, on one port again and again."""

    def __init__(self, file: Path) -> None:
        self.file = file
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self.process is not None and self.process.poll() is None:
            self.kill()

    def start(self) -> None:
        command = [
            sys.executable, "-m", "yardstone", "tournament", "serve", str(self.file),
            "--port", str(self.port), "--password", PASSWORD,
        ]  # fmt: skip
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                if requests.get(f"{self.url}/health", timeout=5).status_code == 200:
                    return
            except requests.ConnectionError:
                time.sleep(0.05)
        raise AssertionError("the desk does not answer")

    def kill(self) -> None:
        """End it outright."""
        assert self.process is not None
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.communicate(timeout=PATIENCE)

    def end(self) -> tuple[int, str]:
        """End it as Ctrl-C does; its exit status and what it printed."""
        assert self.process is not None
        self.process.send_signal(signal.SIGINT)
        text, _ = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, text
