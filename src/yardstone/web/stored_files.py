"""The files of uploads, kept in the database piece by piece."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, insert, select

from yardstone.web.problems import RequestProblem
from yardstone.web.tables import chunks

if TYPE_CHECKING:
    from yardstone.web.database import Database

__all__ = ["PIECE", "fetch_files", "file_name", "insert_chunks"]

#: Bytes of a piece.
PIECE = 1 << 18


def file_name(number: int, format: str) -> str:
    """The name of a file of an upload, which archives are known by."""
    return f"{number:04d}.zip" if format == "zip" else f"{number:04d}"


def insert_chunks(connection: Connection, upload: str, files: Mapping[int, Path]) -> None:
    """Store files under their numbers, as part of a transaction; a piece at a time is read."""
    for number, path in files.items():
        with path.open("rb") as file:
            for place, piece in enumerate(iter(lambda: file.read(PIECE), b"")):
                connection.execute(
                    insert(chunks).values(upload=upload, file=number, place=place, data=piece)
                )


def fetch_files(
    database: Database, upload: str, files: Sequence[Mapping[str, Any]], folder: Path
) -> None:
    """Write the files of an upload into a folder, a piece at a time.

    `files` are as a job names them; those that nobody can read were not kept.

    Raises
    ------
    RequestProblem
        They are not there any more.
    """
    for number, file in enumerate(files):
        if file["format"] == "unknown":
            continue
        path = folder / file_name(number, file["format"])
        with path.open("wb") as out:
            for piece in _pieces(database, upload, number):
                out.write(piece)
        if path.stat().st_size != file["size"]:
            raise RequestProblem(
                500, "files_gone", "The files of this job are not there.", "Send them again."
            )


def _pieces(database: Database, upload: str, number: int) -> Iterator[bytes]:
    own = (chunks.c.upload == upload) & (chunks.c.file == number)
    place = 0
    while row := database.row(select(chunks.c.data).where(own, chunks.c.place == place)):
        yield bytes(row.data)
        place += 1
