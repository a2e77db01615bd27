"""The targets of fuzzing: each a reader, what it is tried with and what it may take.

Targets stand in the modules of `tests.fuzz.readers`, a subject each, in a tuple `TARGETS`; their
examples in `corpus/NAME/`, and inputs that once were faults in `regressions/NAME/`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import ArrayLike

#: The folder of the fuzzers, with the corpus.
FUZZ = Path(__file__).resolve().parent
ROOT = FUZZ.parent.parent
EXAMPLES = ROOT / "src/yardstone/examples"
#: The modules of readers.
MODULES = sorted(path.stem for path in (FUZZ / "readers").glob("*.py"))


class Wrong(Exception):
    """What a reader gave is wrong: not finite, not what another reader reads, not closed."""


def finite(values: ArrayLike, what: str = "rating") -> None:
    if not np.isfinite(values).all():
        raise Wrong(f"a {what} is not finite")


@dataclass(frozen=True)
class Target:
    """A reader to be fuzzed."""

    name: str  #: Its folder in the corpus: ``MODULE-FORMAT``, the module being where it stands.
    #: Reads a file as Yardstone does. It may say by `Wrong` that what was read is wrong; whatever
    #: it raises besides Yardstone's own errors is a fault.
    read: Callable[[Path], object]
    suffix: str = ""
    #: Further examples by name, of formats that a program writes better than a repository keeps.
    made: Callable[[], Mapping[str, bytes]] = dict
    seconds: float = 2.0  #: The processor's time that one input may take.
    megabytes: int = 512
    words: tuple[str, ...] = ()  #: What mutations would not find by chance.

    def examples(self) -> dict[str, bytes]:
        return {**contents(FUZZ / "corpus" / self.name), **self.made()}

    def seeds(self) -> dict[str, bytes]:
        return contents(FUZZ / "regressions" / self.name) | self.examples()


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*")) if path.is_file()}


def saved(save: Callable[[Path], object], name: str = "file") -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        save(path)
        return path.read_bytes()


def copied(path: Path, *parts: str) -> Path:
    place = path.parent.joinpath(*parts)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(path.read_bytes())
    return place


def group(module: str) -> dict[str, Target]:
    return {each.name: each for each in import_module(f"tests.fuzz.readers.{module}").TARGETS}


@cache
def targets() -> dict[str, Target]:
    return {name: each for module in MODULES for name, each in sorted(group(module).items())}


def target(name: str) -> Target:
    """The target of this name, without the imports of all the others."""
    module = name.partition("-")[0]
    found = group(module) if module in MODULES else {}
    if name not in found:
        raise SystemExit(f"no target {name!r}; there are {', '.join(found or MODULES)}")
    return found[name]
