"""Receives a form with files: streamed to the disk, with everything counted on the way.

There they stay until they are whole and in the database.
"""

from __future__ import annotations

import asyncio
import secrets
import shutil
import time
from collections.abc import AsyncIterable, AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO
from urllib.parse import parse_qsl

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request

from yardstone.web.problems import RequestProblem, refusal
from yardstone.web.sent_files import file_label
from yardstone.web.settings import Limits

#: Bytes gathered before they are written to the disk.
_PIECE = 1 << 20
#: Bytes of a field that is no file, fields of a form, and bytes of one without files.
_FIELD_BYTES = 4096
_FIELDS = 64
_FORM_BYTES = 4 * _FIELD_BYTES
#: Bytes of the headers of a part.
_HEADER_BYTES = 4096
#: Bytes that the form may have beside its files, and a second time for each file.
_WRAPPING = 64 << 10
_PER_FILE = 1024
#: Bytes and seconds for which a request that was refused is still listened to.
_DRAINED = 64 << 20
_PATIENCE = 5.0


@dataclass
class Upload:
    """What a form held.

    `id` is the name of its folder, where its files are as ``0000``, ``0001`` …; `files` have names,
    fit to be shown, and sizes in bytes; `fields` are the other fields.
    """

    id: str
    folder: Path
    files: list[tuple[str, int]] = field(default_factory=list)
    fields: dict[str, list[str]] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(size for _, size in self.files)

    def discard(self) -> None:
        """Delete its files."""
        shutil.rmtree(self.folder, ignore_errors=True)


async def receive_form(request: Request, folder: Path, limits: Limits) -> Upload:
    """Receive the form of a request into a new folder below `folder`.

    Raises RequestProblem if it is no such form, is too large, or does not come.
    """
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    boundary = options.get(b"boundary", b"") if kind == b"multipart/form-data" else b""
    if not boundary and kind != b"application/x-www-form-urlencoded":
        raise refusal("bad_form/type")
    if len(boundary) > 200:
        raise refusal("bad_form")
    whole = limits.request_bytes + _WRAPPING + _PER_FILE * limits.files
    written = request.headers.get("content-length", "")
    if written.isdecimal() and int(written) > whole:
        raise _too_large(limits)
    name = secrets.token_hex(16)
    upload = Upload(name, folder / name)
    upload.folder.mkdir(mode=0o700)
    stream = request.stream()
    pieces = _in_time(stream, whole, limits)
    try:
        if boundary:
            await _read_parts(pieces, _Parts(boundary, upload, limits))
        else:
            upload.fields = await read_fields(pieces)
    except BaseException as error:
        await run_in_threadpool(upload.discard)
        if isinstance(error, RequestProblem) and error.status != 408:
            await _drain(stream)
        raise
    return upload


async def read_fields(pieces: AsyncIterable[bytes]) -> dict[str, list[str]]:
    """Read a form without files, as ``application/x-www-form-urlencoded`` has it.

    Raises RequestProblem if it is too long or not in UTF-8.
    """
    body = b""
    async for piece in pieces:
        body += piece
        if len(body) > _FORM_BYTES:
            raise refusal("bad_form/long")
    try:
        pairs = parse_qsl(body.decode("utf-8"), keep_blank_values=True, errors="strict")
    except UnicodeDecodeError:
        raise refusal("bad_form/text") from None
    fields: dict[str, list[str]] = {}
    for name, value in pairs:
        _add_field(fields, name, value)
    return fields


def _add_field(fields: dict[str, list[str]], name: str, value: str) -> None:
    if sum(map(len, fields.values())) >= _FIELDS or len(value) > _FIELD_BYTES:
        raise refusal("bad_form/long")
    if name:
        fields.setdefault(name, []).append(value)


async def _drain(stream: AsyncIterator[bytes]) -> None:
    """Take what still comes for a while: who is busy sending does not read an answer."""
    received = 0
    with suppress(TimeoutError, ClientDisconnect):
        async with asyncio.timeout(_PATIENCE):
            async for piece in stream:
                received += len(piece)
                if received > _DRAINED:
                    return


def _too_large(limits: Limits) -> RequestProblem:
    return refusal("too_large", most=limits.request_bytes >> 20)


async def _in_time(
    stream: AsyncIterator[bytes], whole: int, limits: Limits
) -> AsyncIterator[bytes]:
    """Hand on the body while it comes quickly enough and is not too long."""
    end = time.monotonic() + limits.upload_seconds
    received = 0
    while True:
        left = end - time.monotonic()
        try:
            async with asyncio.timeout(min(limits.idle_seconds, max(left, 0.001))):
                piece = await anext(stream, None)
        except TimeoutError:
            raise refusal("too_slow") from None
        if piece is None:
            return
        received += len(piece)
        if received > whole:
            raise _too_large(limits)
        yield piece


async def _read_parts(pieces: AsyncIterator[bytes], parts: _Parts) -> None:
    try:
        async for piece in pieces:
            parts.parser.write(piece)
            if parts.buffered >= _PIECE:
                await run_in_threadpool(parts.flush)
        parts.parser.finalize()
        if not parts.complete:
            raise refusal("bad_form")
        await run_in_threadpool(parts.close)
    except FormParserError:
        raise refusal("bad_form") from None
    finally:
        parts.drop()


class _Parts:
    """A form with files: takes its bytes one piece after the other."""

    def __init__(self, boundary: bytes, upload: Upload, limits: Limits) -> None:
        self.upload = upload
        self.limits = limits
        self.buffered = 0
        self.complete = False
        self.parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin,
                "on_header_field": partial(self._header_part, 0),
                "on_header_value": partial(self._header_part, 1),
                "on_header_end": self._header_end,
                "on_headers_finished": self._headers_end,
                "on_part_data": self._data,
                "on_part_end": self._end,
                "on_end": partial(setattr, self, "complete", True),
            },
        )
        self._file: IO[bytes] | None = None
        self._pending: list[bytes] = []
        self._begin()

    def _begin(self) -> None:
        self._header = [b"", b""]
        self._header_bytes = 0
        self._headers: dict[bytes, bytes] = {}
        self._field = b""
        self._label: str | None = None
        self._content = b""
        self._size = 0

    def _header_part(self, place: int, data: bytes, start: int, end: int) -> None:
        """Take a piece of the name or the value of a header."""
        self._header[place] += data[start:end]
        self._header_bytes += end - start
        if self._header_bytes > _HEADER_BYTES:
            raise refusal("bad_form")

    def _header_end(self) -> None:
        name, value = self._header
        self._headers[name.lower()] = value
        self._header = [b"", b""]

    def _headers_end(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        self._field = options.get(b"name", b"")
        if b"filename" not in options:
            return
        name = options[b"filename"].decode("utf-8", "replace")
        if not name and self._field == b"files":  # a file field that was left empty
            self._label = ""
            return
        limits, upload = self.limits, self.upload
        if len(upload.files) >= limits.files:
            raise refusal("too_many_files", most=limits.files)
        self._label = file_label(name, limits.name_length)
        if self._field != b"files":
            raise refusal("bad_form/name", file=self._label)
        self._file = (upload.folder / f"{len(upload.files):04d}").open("wb")

    def _data(self, data: bytes, start: int, end: int) -> None:
        piece = data[start:end]
        if self._label is None:
            if len(self._content) + len(piece) > _FIELD_BYTES:
                raise refusal("bad_form/long")
            self._content += piece
            return
        self._size += len(piece)
        if self._size > self.limits.file_bytes:
            most = self.limits.file_bytes >> 20
            raise refusal("too_large/file", most=most, file=self._label)
        if self.upload.size + self._size > self.limits.request_bytes:
            raise _too_large(self.limits)
        if self._file is not None:
            self._pending.append(piece)
            self.buffered += len(piece)

    def _end(self) -> None:
        if self._label is None:
            try:
                name, value = self._field.decode("utf-8"), self._content.decode("utf-8")
            except UnicodeDecodeError:
                raise refusal("bad_form/text") from None
            _add_field(self.upload.fields, name, value)
        elif self._file is not None:
            self.close()
            self.upload.files.append((self._label, self._size))

    def flush(self) -> None:
        if self._file is not None:
            self._file.writelines(self._pending)
        self._pending.clear()
        self.buffered = 0

    def close(self) -> None:
        """Close the file that is open."""
        if self._file is not None:
            self.flush()
            self._file.close()
            self._file = None

    def drop(self) -> None:
        """Close it without what is still to be written: the disk may be full."""
        self._pending.clear()
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            self._file = None
