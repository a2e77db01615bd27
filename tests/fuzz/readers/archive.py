"""Archives and compressed files, whatever is in them."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from pathlib import Path

from tests.fuzz.targets import Target
from yardstone.pool import SkipReport
from yardstone.records.sources import find_sources

GAME = b'[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 1-0\n'


def read_archive(path: Path) -> None:
    for source in find_sources([path], (".pgn", ".sgf", ".csv"), SkipReport()):
        source.content(1 << 24)


def zips() -> dict[str, bytes]:
    kinds = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    return {f"{kind}.zip": zipped(kind) for kind in kinds}


def zipped(kind: int) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", kind) as archive:
        for name in ("a.pgn", "folder/b.pgn", "c.zip"):
            archive.writestr(zipfile.ZipInfo(name), GAME, kind)
    return packed.getvalue()


def tars() -> dict[str, bytes]:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name in ("a.pgn", "folder/b.pgn"):
            info = tarfile.TarInfo(name)
            info.size = len(GAME)
            archive.addfile(info, io.BytesIO(GAME))
    return {"plain.tar": packed.getvalue(), **compressed(packed.getvalue())}


def compressed(data: bytes = GAME) -> dict[str, bytes]:
    import zstandard

    return {
        "gz": gzip.compress(data, mtime=0),
        "bz2": bz2.compress(data),
        "xz": lzma.compress(data),
        "zst": zstandard.ZstdCompressor().compress(data),
    }


TARGETS = (
    Target("archive-tar", read_archive, ".tar", made=tars),
    Target("archive-zip", read_archive, ".zip", made=zips),
    Target("archive-compressed", read_archive, ".pgn", made=compressed),
)
