"""An extraction of features on its way to a store: parts on disk, then put together.

Each batch of games is a part: a folder with arrays and one JSON file, made under
another name and renamed when it is complete. When all parts are there, their arrays
are copied one after the other into the arrays of the store, each at its place, and
removed once they are copied. Whenever the program is killed, what is on disk says what
is still to be done, and doing it gives the same bytes.
"""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib import format as npy

from yardstone import files
from yardstone.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Skipped

__all__ = [
    "GAME_COLUMNS",
    "PARTS",
    "locked",
    "merge",
    "part_folder",
    "read_part",
    "write_part",
    "write_whole",
]

#: The folder of parts within a store, gone when the store is complete.
PARTS = "parts"
_ABOUT = "part.json"
_UNFINISHED = ".unfinished"
_LOCK = "lock"
_SKIPPED = ("file", "line", "reason")
#: What a part says of itself.
_OF_PART: Mapping[str, type] = {"fingerprint": str, "games": list, "skipped": list, "arrays": dict}

#: Columns of the table of games and what they hold.
GAME_COLUMNS: Mapping[str, type] = {
    "file": str,
    "line": int,
    "game": int,
    "name": str,
    "black": str,
    "white": str,
    "black_rank": str,
    "white_rank": str,
    "date": str,
    "result": str,
    "winner": int,
    "size": int,
    "komi": float,
    "rules": str,
    "handicap": int,
    "moves": int,
    "white_winrate": float,
    "white_lead": float,
    "black_start": int,
    "white_start": int,
    "end": int,
}


def part_folder(store: Path, number: int) -> Path:
    """Where a part lies."""
    return store / PARTS / f"{number:08d}"


def write_whole(path: Path, text: str) -> None:
    """Write a small file so that it is there whole, or not at all."""
    temporary = path.with_name(path.name + _UNFINISHED)
    with temporary.open("w", encoding="utf-8", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def write_part(
    store: Path, number: int, about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write a part whole.

    Parameters
    ----------
    store : path
    number : int
        Of the part, from 0.
    about : mapping
        ``fingerprint`` of its games, ``games`` (rows without their places) and
        ``skipped``.
    arrays : mapping of names to arrays
        A row a move.
    """
    folder = part_folder(store, number)
    # A worker can outlive a program that was killed, so each has a name of its own.
    unfinished = folder.with_name(f"{folder.name}-{os.getpid()}{_UNFINISHED}")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    shapes = {}
    for name, values in arrays.items():
        shapes[name] = {"dtype": values.dtype.str, "shape": list(values.shape)}
        with (unfinished / name).open("wb") as file:
            np.ascontiguousarray(values).tofile(file)
            file.flush()
            os.fsync(file.fileno())
    write_whole(unfinished / _ABOUT, json.dumps({**about, "arrays": shapes}))
    try:
        unfinished.rename(folder)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        shutil.rmtree(unfinished)  # another worker was faster, with the same part


def read_part(store: Path, number: int) -> dict[str, Any] | None:
    """What a part says of itself; None if it is not there."""
    path = part_folder(store, number) / _ABOUT
    try:
        about: dict[str, Any] = json.loads(path.read_text("utf-8"))
        if not all(isinstance(about[name], kind) for name, kind in _OF_PART.items()):
            raise ValueError("something in it is of the wrong kind")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(
            f"a part of the store is damaged: {error}",
            file=str(path),
            hint="remove the folder and run the command again",
        ) from None
    return about


def locked(store: Path) -> AbstractContextManager[None]:
    """Keep other processes from working on the same store."""
    (store / PARTS).mkdir(parents=True, exist_ok=True)
    return files.locked(store, "making this store", name=f"{PARTS}/{_LOCK}")


def merge(
    store: Path,
    number: int,
    unread: Sequence[Skipped] = (),
    progress: Callable[[int, int], None] | None = None,
) -> tuple[int, int, int]:
    """Put parts 0 to `number` - 1 together.

    `unread` are records that were left out before. Returns how many games, moves and
    records left out there are.
    """
    parts = [part for k in range(number) if (part := read_part(store, k)) is not None]
    starts = np.cumsum([0, *(_rows(part) for part in parts)]).tolist()
    names = list(parts[0]["arrays"]) if parts else []
    for place, name in enumerate(names):
        _merge_array(store, name, parts, starts)
        if progress is not None:
            progress(place + 1, len(names))
    games: list[dict[str, Any]] = []
    skipped = [asdict(record) for record in unread]
    for start, part in zip(starts, parts, strict=False):
        for row in part["games"]:
            at = start + row["black_start"], start + row["white_start"], start + row["end"]
            games.append(
                {**row, **dict(zip(("black_start", "white_start", "end"), at, strict=True))}
            )
        skipped += part["skipped"]
    write_whole(store / "games.csv", _table(tuple(GAME_COLUMNS), games))
    write_whole(store / "skipped.csv", _table(_SKIPPED, skipped))
    return len(games), starts[-1], len(skipped)


def _rows(part: Mapping[str, Any]) -> int:
    return int(part["arrays"]["number"]["shape"][0])


def _merge_array(
    store: Path, name: str, parts: Sequence[Mapping[str, Any]], starts: Sequence[int]
) -> None:
    """Copy one array of all parts to its place, and remove what has been copied."""
    final = store / f"{name}.npy"
    if final.exists():
        return
    # An empty part knows no shape of its own, so the first with rows tells it.
    shown = next((part for part in parts if _rows(part)), parts[0])["arrays"][name]
    dtype, shape = np.dtype(shown["dtype"]), (starts[-1], *shown["shape"][1:])
    header = io.BytesIO()
    npy.write_array_header_1_0(header, {"descr": dtype.str, "fortran_order": False, "shape": shape})
    row = dtype.itemsize * int(np.prod(shape[1:], dtype=np.int64))
    unfinished = store / f"{name}{_UNFINISHED}"
    with unfinished.open("r+b" if unfinished.exists() else "w+b") as target:
        target.truncate(header.tell() + row * starts[-1])
        target.write(header.getvalue())
        for place, start in enumerate(starts[:-1]):
            source = part_folder(store, place) / name
            if not source.exists():  # copied before the program was killed
                continue
            target.seek(header.tell() + row * start)
            with source.open("rb") as piece:
                shutil.copyfileobj(piece, target, 1 << 22)
            target.flush()
            os.fsync(target.fileno())
            source.unlink()
    unfinished.rename(final)


def _table(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
