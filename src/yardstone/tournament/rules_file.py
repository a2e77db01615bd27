"""Rules of pairing from a JSON file: an object of names and values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from yardstone.errors import InputError

__all__ = ["read_rules"]

_MAX_BYTES = 1 << 20


def read_rules(path: Path) -> dict[str, Any]:
    """Names and values for `PairingRules.changed`.

    Raises
    ------
    InputError
        The file cannot be read, or is no such object.
    """
    try:
        with path.open("rb") as stream:
            data = stream.read(_MAX_BYTES + 1)
    except OSError as error:
        raise InputError(error.strerror or str(error), file=str(path)) from error
    if len(data) > _MAX_BYTES:
        raise InputError("too large for a file of rules", file=str(path))
    try:
        rules = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise InputError(f"no JSON: {error}", file=str(path), line=line) from error
    if not isinstance(rules, dict):
        raise InputError("rules are an object of names and values", file=str(path))
    return rules
