"""A desk that is served for tests, and helpers who use its forms without a browser."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from typing import Any, Self

import requests
from fastapi import FastAPI

from tests.web.asking import FORM, ask
from tests.web.processes import until
from tests.web.serving import PATIENCE, listening
from tests.web.sites import HTML
from yardstone.examples import example
from yardstone.tournament.explanation import without_rounds
from yardstone.tournament.files import read_tournament, to_bytes
from yardstone.tournament.model import Result, Tournament
from yardstone.web.desk import app
from yardstone.web.desk.app import DeskSettings

PASSWORD = "our own secret"
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

    def get(self, path: str) -> requests.Response:
        return self.session.get(self.url + path, timeout=PATIENCE)

    def page(self, path: str) -> str:
        answer = self.get(path)
        assert answer.status_code == 200, (path, answer.status_code, plain(answer.text)[-600:])
        return answer.text

    def post(self, path: str, fields: Any = (), **more: Any) -> requests.Response:
        """Send a form as a page does."""
        data = [("key", self.key), *dict(fields).items()]
        return self.session.post(self.url + path, data=data, timeout=PATIENCE, **more)

    def result(self, number: int, first: str, second: str, result: str, stands: str = "") -> int:
        """Enter a result; the status of the answer."""
        fields = {"first": first, "second": second, "result": result, "stands": stands}
        return self.post(f"/results/{number}", fields, allow_redirects=False).status_code

    def pair(self, number: int) -> None:
        """Propose a round, and accept it."""
        shown = self.post(f"/pair/{number}")
        digests = re.findall(r'name="shown" value="([0-9a-f]+)"', shown.text)
        answer = self.post(f"/pair/{number}/accept", {"shown": digests[0]}, allow_redirects=False)
        assert answer.status_code == 303, plain(answer.text)[-500:]


def plain(page: str) -> str:
    """The words of a page."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page)).split())


def signed_in(app: FastAPI, next_page: str = "/more", password: str = PASSWORD) -> tuple[str, str]:
    """The cookie of a helper, and the key of its forms."""
    body = f"password={password}&name=Ann&next={next_page}".encode()
    answer = ask(app, "/sign-in", "POST", body=body, headers={**FORM, **HTML})
    assert answer.status == 303
    cookie = answer.headers["Set-Cookie"].partition(";")[0]
    page = ask(app, "/more", headers={"Cookie": cookie}).body.decode()
    return cookie, page.partition('name="key" value="')[2][:64]


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
        games = made.round_games(number)
        return [(made.name_of(game.first), made.name_of(game.second)) for game in games]

    def result(self, number: int, first: str) -> Result:
        """The result of the game in which this player moves first."""
        made = self.tournament
        return made.game_of[number, made.find(first)].result


def copied(folder: Path) -> Path:
    """The tournament that comes with the package, before its last round: 4 of 5 are played."""
    file = folder / "open.xml"
    before, _ = without_rounds(read_tournament(example("open.xml")), 5)
    file.write_bytes(to_bytes(before, file))
    return file


@contextmanager
def served(file: Path, **more: Any) -> Iterator[DeskServer]:
    """A desk on a port of its own, in a thread of this process."""
    settings = DeskSettings(file=file, **{"password": PASSWORD, **more})
    with listening(app.DeskServer(app.desk_configuration(settings))) as url:
        yield DeskServer(file, url)


class DeskProcess:
    """The command, as an organiser starts it, on one port again and again."""

    def __init__(self, file: Path) -> None:
        self.file = file
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.command = [sys.executable, "-m", "yardstone", "tournament", "serve", str(file),
                        "--port", str(port), "--password", PASSWORD]  # fmt: skip
        self.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.end(signal.SIGKILL)

    def start(self) -> None:
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        until(lambda: requests.get(f"{self.url}/health").status_code == 200, "the desk answers")

    def end(self, number: int) -> tuple[int, str]:
        """End it by a signal; its exit status and what it printed."""
        if self.process.returncode is None:
            self.process.send_signal(number)
            self.text, _ = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, self.text
