"""Work in stages, each kept in a folder: whole or not at all, and redone when it must be.

What a stage depends on is written down with it: its settings, and the fingerprints of
the stages and files that it takes from. If any of these has changed, the stage is done
again, and so is all that takes from it; everything else is kept.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import NoneType
from typing import Any

from yardstone.errors import InputError
from yardstone.files import unwritable

__all__ = ["Stages", "file_facts"]

_ABOUT = "stage.json"
_FORMAT = 1


@dataclass(slots=True)
class Stages:
    """The stages of one experiment in a folder.

    Attributes
    ----------
    folder : Path
        Made if it is not there.
    say : callable
        Told in words what is kept, done and redone, and why.
    prints : dict of str to str
        Fingerprints of the stages run so far, by name.
    """

    folder: Path
    say: Callable[[str], object] = print
    prints: dict[str, str] = field(default_factory=dict)

    def run(
        self,
        name: str,
        make: Callable[[Path], object],
        settings: Mapping[str, Any],
        needs: Sequence[str] = (),
    ) -> Path:
        """The folder of a stage, which is made if it is missing or out of date.

        Parameters
        ----------
        name : str
            Of the stage, and of its folder.
        make : callable
            Fills a folder. It is called with the same folder again if it was killed,
            unless something that it depends on has changed since.
        settings : mapping
            All that the stage depends on beside `needs`; what JSON can hold.
        needs : sequence of str
            Stages that it takes from; they have been run.
        """
        about = {
            "format": _FORMAT,
            "settings": json.loads(json.dumps(settings)),
            "needs": {each: self.prints[each] for each in needs},
        }
        text = json.dumps(about, sort_keys=True)
        self.prints[name] = hashlib.blake2b(text.encode(), digest_size=12).hexdigest()
        home, part = self.folder / name, self.folder / f".{name}.part"
        known = _read(home / _ABOUT)
        if known is not None and _depends(known) == _depends(about):
            self.say(f"{name}: kept")
            return home
        if home.exists():
            self.say(f"{name}: done again, for {_difference(known, about)}")
        else:
            self.say(f"{name}: begun")
        try:
            if part.exists() and _depends(_read(part / _ABOUT) or {}) != _depends(about):
                shutil.rmtree(part)
            part.mkdir(parents=True, exist_ok=True)
            (part / _ABOUT).write_text(text, "utf-8")
            began = time.monotonic()
            make(part)
            about["seconds"] = round(time.monotonic() - began, 1)
            (part / _ABOUT).write_text(json.dumps(about, indent=2) + "\n", "utf-8")
            if home.exists():
                (home / _ABOUT).unlink(missing_ok=True)  # half removed it is nothing any more
                shutil.rmtree(home)
            part.rename(home)
        except InputError:
            raise
        except OSError as error:
            raise unwritable(error, error.filename or home) from error
        self.say(f"{name}: done in {about['seconds']:.0f} s")
        return home


def file_facts(paths: Sequence[str]) -> list[list[Any]]:
    """What tells whether files have changed: name, size and a digest of what they hold.

    Not the time of the last change, which a copy or a fresh checkout has anew.
    """
    facts = []
    for path in paths:
        try:
            with Path(path).open("rb") as file:
                digest = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=12))
                facts.append([str(path), file.tell(), digest.hexdigest()])
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", file=path) from None
    return facts


def _read(path: Path) -> dict[str, Any] | None:
    """What a stage says of itself; None if there is nothing that can be read."""
    try:
        facts = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    parts = [facts, facts.get("settings"), facts.get("needs")] if isinstance(facts, dict) else [[]]
    return facts if all(isinstance(part, dict | NoneType) for part in parts) else None


def _depends(about: Mapping[str, Any]) -> list[Any]:
    return [about.get(name) for name in ("format", "settings", "needs")]


def _difference(known: Mapping[str, Any] | None, about: Mapping[str, Any]) -> str:
    """Why a stage is out of date, in words."""
    if known is None:
        return "its folder is damaged"
    if known.get("format") != about["format"]:
        return "it was made by another version"
    before, now = known.get("settings") or {}, about["settings"]
    for name in now:
        if before.get(name) != now[name]:
            if isinstance(now[name], str | int | float | bool | None):
                return f"{name} is {now[name]}, and was {before.get(name)}"
            return f"{name} has changed"
    changed = [
        name
        for name in about["needs"]
        if (known.get("needs") or {}).get(name) != about["needs"][name]
    ]
    return f"{' and '.join(changed)} changed" if changed else "a setting is gone"
