"""A server of files on this machine, as helpful or as broken as a test wants it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@dataclass
class Site:
    """What a server has, how it behaves, and what it was asked for."""

    files: dict[str, bytes] = field(default_factory=dict)  #: Contents by path.
    moved: dict[str, str] = field(default_factory=dict)  #: Paths that are elsewhere now.
    ranges: bool = True  #: Whether it gives parts of files.
    breaks_after: int | None = None  #: Bytes of a reply after which it hangs up.
    claims: int | None = None  #: The length that it claims, in place of the true one.
    asked: list[tuple[str, str | None]] = field(default_factory=list)  #: Paths and ranges.
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
                self.reply(302, Location=site.moved[path])
            elif path not in site.files:
                self.send_error(404)
            else:
                self.give(site.files[path], int(wanted[6:-1]) if wanted and site.ranges else 0)

        def give(self, data: bytes, begin: int) -> None:
            if begin and begin >= len(data):
                self.reply(416, Content_Range=f"bytes */{len(data)}", Content_Length="0")
                return
            span = {"Content_Range": f"bytes {begin}-{len(data) - 1}/{len(data)}"} if begin else {}
            length = str(site.claims or len(data) - begin)
            self.reply(206 if begin else 200, Content_Length=length, **span)
            self.wfile.write(data[begin:][: site.breaks_after])

        def reply(self, status: int, **headers: str) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
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
