"""A site, with a server or without: its application, its worker, and pages that keep all rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.web.asking import Answer, ask, form
from tests.web.made_results import store_result
from tests.web.reading import Element, check_page
from tests.web.serving import OWNER, listening, settings_for
from yardstone.web.server import configuration, make_app
from yardstone.web.worker import Worker

JSON = {"Accept": "application/json"}
HTML = {"Accept": "text/html,application/xhtml+xml"}


class Site:
    """Asks as the owner of whatever was sent or stored here."""

    url = ""

    def __init__(self, folder: Path, limits: Mapping[str, Any] | None = None, **more: Any) -> None:
        settings = settings_for(folder, {"queue_client": 400, **(limits or {})}, **more)
        self.app = make_app(settings)
        self.worker = Worker(settings, "site/1")
        self.store = self.worker.store
        self.keys: dict[str, str] = {}

    def ask(
        self,
        path: str,
        method: str = "GET",
        *,
        owned: bool = True,
        headers: Mapping[str, str] = {},
        **more: Any,
    ) -> Answer:
        """Ask for something, with the owner's key unless it is not `owned`."""
        key = next((key for job, key in self.keys.items() if job in path), OWNER)
        given = {**({"Authorization": f"Bearer {key}"} if owned else {}), **headers}
        return ask(self.app, path, method, headers=given, **more)

    def send(
        self,
        files: Any,
        path: str = "/api/jobs",
        fields: Any = (),
        headers: Mapping[str, str] = {},
    ) -> Answer:
        """Send a form with files."""
        whole = form(files, fields)
        answer = ask(self.app, path, "POST", body=whole["body"],
                     headers={**whole["headers"], **headers})  # fmt: skip
        if answer.headers.get("content-type") == "application/json":
            made = answer.json()
            for each in (made, *made.get("jobs", ())):
                self.keys[each.get("id", "none")] = made.get("owner", OWNER)
        return answer

    def job(self, address: str) -> dict[str, Any]:
        job: dict[str, Any] = self.ask(f"/api/jobs/{address}").json()
        return job

    def done(self, files: Any, **more: Any) -> dict[str, Any]:
        """Send files, and have all work done that waits; the job."""
        answer = self.send(files, **more)
        assert answer.status == 202, answer.body
        while self.worker.work():
            pass
        return self.job(answer.json()["id"])

    def stored(self, kind: str, result: Any = None, **ended: Any) -> str:
        """The page of a job that has ended."""
        return "/r/" + store_result(self.store, kind, result, **ended)

    def page(self, path: str, status: int = 200, **more: Any) -> Element:
        """A page that keeps all rules."""
        answer = self.ask(path, headers=HTML, **more)
        assert answer.status == status, answer.body
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        return check_page(answer.body.decode())

    def post(self, path: str, body: bytes = b"", **headers: str) -> Answer:
        """Send a form without files, as a page does."""
        kind = {"Content-Type": "application/x-www-form-urlencoded", **HTML}
        return self.ask(path, "POST", body=body, headers={**kind, **headers})


@contextmanager
def site(folder: Path, limits: Mapping[str, Any] | None = None, **more: Any) -> Iterator[Site]:
    """A site that is closed in the end."""
    made = Site(folder, limits, **more)
    yield made
    made.store.close()
    made.app.state.service.store.close()


@contextmanager
def serving(folder: Path, limits: Mapping[str, Any] | None = None, **more: Any) -> Iterator[Site]:
    """A site that answers at `url` as well."""
    import uvicorn

    with (
        site(folder, limits, **more) as made,
        listening(uvicorn.Server(configuration(made.worker.settings))) as made.url,
    ):
        yield made
