"""Requests to an application without a server: of any bytes, from any address."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import Headers

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@dataclass
class Answer:
    """What an application says; `taken` is how many pieces of the body it has read."""

    status: int
    headers: Headers
    body: bytes
    taken: int

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> tuple[int, str]:
        """Its status, and the code of the problem, '' without one."""
        told = self.json() if self.headers.get("content-type") == "application/json" else {}
        return self.status, told.get("error", {}).get("code", "")


def ask(
    app: Any,
    path: str = "/",
    method: str = "GET",
    *,
    body: bytes | Iterable[bytes] = b"",
    headers: Mapping[str, str] = {},
    client: str = "127.0.0.1",
    scheme: str = "http",
) -> Answer:
    """Ask as a program, or with other `headers`; errors that were answered are no errors."""
    pieces = [body] if isinstance(body, bytes) else list(body)
    given = {"host": "127.0.0.1", **{name.lower(): text for name, text in headers.items()}}
    path, _, query = path.partition("?")
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method,
        "path": path, "raw_path": path.encode(), "query_string": query.encode(), "root_path": "",
        "scheme": scheme, "client": (client, 1), "server": ("127.0.0.1", 80),
        "headers": [(name.encode(), text.encode("latin-1")) for name, text in given.items()],
    }  # fmt: skip
    said: list[dict[str, Any]] = []
    taken = 0

    async def receive() -> dict[str, Any]:
        nonlocal taken
        if taken == len(pieces):
            return {"type": "http.disconnect"}
        taken += 1
        piece = pieces[taken - 1]
        return {"type": "http.request", "body": piece, "more_body": taken < len(pieces)}

    async def send(message: dict[str, Any]) -> None:
        said.append(message)

    try:
        with ThreadPoolExecutor(1) as thread:  # in this one the loop of a browser may run
            thread.submit(asyncio.run, app(scope, receive, send)).result()
    except Exception:
        if not said:
            raise
    start, *rest = said
    whole = b"".join(message.get("body", b"") for message in rest)
    return Answer(start["status"], Headers(raw=start["headers"]), whole, taken)


def form(
    files: Iterable[tuple[str, bytes]] = (), fields: Iterable[tuple[str, str]] = (), end: str = "--"
) -> dict[str, Any]:
    """Files and fields as a browser sends them: the body and the headers."""
    head = '--x\r\nContent-Disposition: form-data; name="{}"'
    parts = [head.format("files").encode() + f'; filename="{name}"\r\n\r\n'.encode() + data
             for name, data in files]  # fmt: skip
    parts += [f"{head.format(name)}\r\n\r\n{text}".encode() for name, text in fields]
    body = b"".join(part + b"\r\n" for part in parts) + f"--x{end}\r\n".encode()
    return {"body": body, "headers": {"Content-Type": "multipart/form-data; boundary=x"}}
