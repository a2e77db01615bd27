"""A server of files on this machine, as helpful or as broken as a test wants it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@dataclass
class Site:
    """What a server has, and how it behaves."""

    files: dict[str, bytes] = field(default_factory=dict)  #: Contents by path.
    ranges: bool = True  #: Whether it gives parts of files.
    breaks_after: int | None = None  #: Bytes of a reply after which it hangs up.
    moved: dict[str, str] = field(default_factory=dict)  #: Paths that are elsewhere now.
    claims: int | None = None  #: The length that it claims, in place of the true one.
    #: Each request: path and range.
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    url: str = ""


@contextmanager
def serve() -> Iterator[Site]:
    """Run a server on a free port."""
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers.get("Range")
            site.asked.append((self.path, wanted))
            path = self.path.partition("?")[0]
            if path in site.moved:
                self.reply(302, {"Location": site.moved[path]})
            elif path not in site.files:
                self.send_error(404)
            else:
                part = wanted.removeprefix("bytes=").removesuffix("-") if wanted else ""
                self.give(site.files[path], int(part) if part and site.ranges else None)

        def give(self, data: bytes, begin: int | None) -> None:
            if begin is not None and begin >= len(data):
                self.reply(416, {"Content-Range": f"bytes */{len(data)}", "Content-Length": "0"})
                return
            span = {"Content-Range": f"bytes {begin}-{len(data) - 1}/{len(data)}"}
            body = data[begin or 0 :]
            length = {"Content-Length": str(site.claims or len(body))}
            self.reply(200 if begin is None else 206, length | ({} if begin is None else span))
            self.wfile.write(body[: site.breaks_after])

        def reply(self, status: int, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    site.url = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
