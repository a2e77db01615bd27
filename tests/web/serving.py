"""A real server for tests, with a worker that takes jobs when it is told to; light to import."""

from __future__ import annotations

import io
import socket
import threading
import time
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yardstone.examples import example

if TYPE_CHECKING:
    from requests import PreparedRequest, Response

    from yardstone.web.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
LEAGUE = example("league.csv").read_bytes()
MATCH = example("backgammon.mat").read_bytes()
SGF = example("professional.sgf").read_bytes()
PATIENCE = 60.0
#: The key of jobs that no request made.
OWNER = "the-key-of-the-tests"

Files = Sequence[tuple[str, bytes]]


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


class Server:
    """A server that answers at `url`; `worker` does jobs in this process."""

    def __init__(self, settings: Settings, url: str) -> None:
        import requests

        from yardstone.web.worker import Worker

        self.settings = settings
        self.url = url
        self.session = requests.Session()
        self.worker = Worker(settings, "test/1")
        self.keys: dict[str, str] = {}
        self.session.auth = self._as_owner

    def _as_owner(self, request: PreparedRequest) -> PreparedRequest:
        """Ask as the owner of whatever was sent or stored here; `requests.get` asks as a reader."""
        key = next((key for job, key in self.keys.items() if job in str(request.url)), OWNER)
        request.headers.setdefault("Authorization", f"Bearer {key}")
        return request

    def send(
        self, files: Files, path: str = "/api/jobs", fields: Sequence[tuple[str, str]] = ()
    ) -> Response:
        """Send files as a form."""
        parts: list[tuple[str, Any]] = [("files", file) for file in files]
        parts += [(name, (None, value)) for name, value in fields]
        answer = self.session.post(self.url + path, files=parts, timeout=PATIENCE)
        made = answer.json() if "json" in answer.headers["Content-Type"] else {}
        for each in (made, *made.get("jobs", ())):
            if "owner" in made:
                self.keys[each["id"]] = made["owner"]
        return answer

    def accepted(self, files: Files, **more: Any) -> str:
        """Send files that are taken; the address of the job."""
        answer = self.send(files, **more)
        assert answer.status_code == 202, answer.text
        return str(answer.json()["id"])

    def get(self, path: str, **more: Any) -> Response:
        return self.request("GET", path, **more)

    def request(self, method: str, path: str, **more: Any) -> Response:
        return self.session.request(method, self.url + path, timeout=PATIENCE, **more)

    def job(self, address: str) -> dict[str, Any]:
        answer = self.get(f"/api/jobs/{address}")
        assert answer.status_code == 200, answer.text
        result: dict[str, Any] = answer.json()
        return result

    def done(self, address: str) -> dict[str, Any]:
        """Have the worker do what waits; the job."""
        self.worker.work()
        return self.job(address)


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


@contextmanager
def serving(folder: Path, limits: Mapping[str, Any] | None = None, **more: Any) -> Iterator[Server]:
    """A server and its worker."""
    import uvicorn

    from yardstone.web.server import configuration

    settings = settings_for(folder, limits, **more)
    settings.data.mkdir(parents=True, exist_ok=True)
    with listening(uvicorn.Server(configuration(settings))) as url:
        result = Server(settings, url)
        try:
            yield result
        finally:
            result.session.close()
            result.worker.store.close()
