"""A server of files on this machine, as helpful or as broken as a test wants it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

__all__ = ["Site", "serve"]


@dataclass
class Site:
    """What a server has, and how it behaves.

    Attributes:
        files: Contents by path.
        ranges: Whether it gives parts of files.
        breaks_after: Bytes of a reply after which it hangs up.
        moved: Paths that are elsewhere now.
        claims: The length that it claims, in place of the true one.
        asked: Each request: path and range.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    ranges: bool = True
    breaks_after: int | None = None
    moved: dict[str, str] = field(default_factory=dict)
    claims: int | None = None
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    url: str = ""


@contextmanager
def serve() -> Iterator[Site]:
    """Run a server on a free port until the end of the block."""
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = self.headers.get("Range")
            site.asked.append((self.path, asked))
            path = self.path.partition("?")[0]
            if path in site.moved:
                self.send_response(302)
                self.send_header("Location", site.moved[path])
                self.end_headers()
                return
            if path not in site.files:
                self.send_error(404)
                return
            self._give(site.files[path], asked)

        def _give(self, data: bytes, asked: str | None) -> None:
            begin = 0
            if asked is not None and site.ranges:
                result = re.fullmatch(r"bytes=(\d+)-", asked)
                assert result is not None
                begin = int(result[1])
                if begin >= len(data):
                    self.send_response(416)
                    self.send_header("Content-Range", f"bytes */{len(data)}")
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                self.send_response(206)
                last = len(data) - 1
                self.send_header("Content-Range", f"bytes {begin}-{last}/{len(data)}")
            else:
                self.send_response(200)
            body = data[begin:]
            self.send_header("Content-Length", str(site.claims or len(body)))
            self.end_headers()
            self.wfile.write(body[: site.breaks_after])

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
