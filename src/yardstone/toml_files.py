"""Files of settings in TOML, which people write."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from yardstone.errors import InputError

__all__ = ["read_toml"]

#: A page of text; a file beyond this is something else.
_LARGEST = 1 << 16
#: A key of many parts (a.b.c) takes the reader of TOML time and memory with their square.
_MOST_PARTS = 100
_LONG_KEY = re.compile(
    rb"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){%d}""" % _MOST_PARTS
)


def read_toml(path: Path) -> dict[str, Any]:
    """What stands in a file of TOML.

    Raises
    ------
    InputError
        It cannot be read, is not TOML, or is far longer than people write.
    """
    try:
        with path.open("rb") as stream:
            data = stream.read(_LARGEST + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=str(path)) from None
    if len(data) > _LARGEST:
        raise InputError(
            f"too large for a file of settings: more than {_LARGEST >> 10} KiB", file=str(path)
        )
    if (key := _LONG_KEY.search(data)) is not None:
        raise InputError(
            f"a name of more than {_MOST_PARTS} parts",
            file=str(path),
            line=data.count(b"\n", 0, key.start()) + 1,
            hint="give each name of a list a line of its own",
        )
    try:
        return tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:  # tomllib's error is one of these
        raise InputError(f"is not TOML: {error}", file=str(path)) from None
