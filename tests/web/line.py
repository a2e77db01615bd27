"""A line to a server that can be cut, stalled and restored: a proxy on a port of its own."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from collections.abc import Coroutine
from typing import Any, Self
from urllib.parse import urlsplit

_PIECE = 1 << 16
_PATIENCE = 30.0


class Line:
    """Passes bytes on to a port of this machine and back, while it is whole."""

    def __init__(self, port: int) -> None:
        self._far = port
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._pairs: set[_Pair] = set()
        self._whole = asyncio.Event()
        self._broken = False
        self._last_words: bytes | None = None
        self.losses = 0
        self.port: int = self._do(self._open())

    def address(self, url: str) -> str:
        """The address of a database, by way of this line."""
        parts = urlsplit(url)
        host = f"{parts.hostname}:{parts.port}"
        return parts._replace(netloc=parts.netloc.replace(host, f"127.0.0.1:{self.port}")).geturl()

    # What happens to the line

    def cut(self) -> None:
        """Break all connections, and refuse new ones."""
        self._do(self._set(whole=False, broken=True))

    def stall(self, *, forget: bool = False) -> None:
        """Accept everything and answer nothing; what was sent arrives when it is restored.

        With `forget`, as a router that is switched off and on does, the connections of
        now stay dumb for ever.
        """
        self._do(self._set(whole=False, forget=forget))

    def restore(self) -> None:
        """Make it whole again."""
        self._do(self._set(whole=True))

    def lose_answer(self, to: bytes) -> None:
        """Pass on the next request that holds these bytes, and cut its connection then."""
        self._last_words = to

    # Inside the thread

    def _do(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(_PATIENCE)

    async def _open(self) -> int:
        self._whole.set()
        self._server = await asyncio.start_server(self._join, "127.0.0.1", 0)
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def _set(self, *, whole: bool, broken: bool = False, forget: bool = False) -> None:
        self._broken = broken
        for pair in list(self._pairs) if broken or forget else ():
            pair.dumb = True
            if broken:
                pair.end()
        (self._whole.set if whole else self._whole.clear)()

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        pair = _Pair(writer)
        self._pairs.add(pair)
        try:
            if not self._broken:
                await self._whole.wait()
                far_reader, pair.far = await asyncio.open_connection("127.0.0.1", self._far)
                there = asyncio.ensure_future(self._pass(pair, reader, pair.far, asks=True))
                back = asyncio.ensure_future(self._pass(pair, far_reader, writer, asks=False))
                await asyncio.wait((there, back), return_when=asyncio.FIRST_COMPLETED)
                there.cancel()
                back.cancel()
                await asyncio.gather(there, back, return_exceptions=True)
        except (OSError, asyncio.CancelledError):
            pass  # the server is away, or this line is at its end
        finally:
            pair.end()
            self._pairs.discard(pair)

    async def _pass(
        self, pair: _Pair, source: asyncio.StreamReader, target: asyncio.StreamWriter, *, asks: bool
    ) -> None:
        try:
            while piece := await source.read(_PIECE):
                if pair.dumb:
                    continue
                await self._whole.wait()
                if asks and self._last_words and self._last_words in piece:
                    self._last_words, pair.last = None, True
                elif pair.last and not asks:
                    self.losses += 1
                    return
                if not pair.dumb:
                    target.write(piece)
                    await target.drain()
        except OSError:
            return

    async def _close(self) -> None:
        self._server.close()
        for pair in list(self._pairs):
            pair.end()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._do(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_PATIENCE)
        self._loop.close()


class _Pair:
    """The two connections of one client: its own, and that to the server."""

    def __init__(self, near: asyncio.StreamWriter) -> None:
        self.near = near
        self.far: asyncio.StreamWriter | None = None
        #: Nothing passes any more; the next answer is lost.
        self.dumb = False
        self.last = False

    def end(self) -> None:
        for writer in filter(None, (self.near, self.far)):
            if (end := writer.get_extra_info("socket")) is not None and end.fileno() >= 0:
                # Closed without a farewell, as a broken line is.
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()
