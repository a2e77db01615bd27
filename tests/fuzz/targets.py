"""The targets of fuzzing: each a reader, what it is tried with and what it may take.

A target is a function of a file. It reads the file as Yardstone does and may say by
`Wrong` that what was read is wrong; whatever it raises besides Yardstone's own errors is
a fault. Targets stand in the modules of `tests.fuzz.readers`, a subject each, in a tuple
`TARGETS`; their examples in `corpus/NAME/`, and inputs that once were faults in
`regressions/NAME/`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

__all__ = [
    "FUZZ", "MODULES", "Target", "Wrong", "copied", "group", "saved", "target", "targets",
]  # fmt: skip

#: The folder of the fuzzers, with the corpus.
FUZZ = Path(__file__).resolve().parent


class Wrong(Exception):
    """What a reader gave is wrong: not finite, not what another reader reads, not closed."""


@dataclass(frozen=True)
class Target:
    """A reader to be fuzzed.

    Attributes:
        name: Its folder in the corpus: ``MODULE-FORMAT``, the module being where it stands.
        read: Reads a file, and compares what it read with an oracle where there is one.
        suffix: The ending of the file.
        made: Makes further examples by name, for formats that a program writes better than a
            repository keeps.
        seconds: The processor's time that one input may take.
        megabytes: The memory that one input may take.
        most_bytes: The size of the largest input.
        words: What stands in such files and a mutation would not find by chance.
    """

    name: str
    read: Callable[[Path], object]
    suffix: str = ""
    made: Callable[[], Mapping[str, bytes]] | None = None
    seconds: float = 2.0
    megabytes: int = 512
    most_bytes: int = 1 << 16
    words: tuple[str, ...] = ()

    def examples_folder(self) -> Path:
        """The folder of its corpus."""
        return FUZZ / "corpus" / self.name

    def seeds(self) -> dict[str, bytes]:
        """Its examples by name: of the corpus, of the regressions, and those that are made."""
        files = [*_files(self.examples_folder()), *self.regressions()]
        seeds = {path.name: path.read_bytes() for path in files}
        return seeds | dict(self.made() if self.made is not None else {})

    def regressions(self) -> list[Path]:
        """Inputs that once were faults."""
        return _files(FUZZ / "regressions" / self.name)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*") if path.is_file())


def saved(save: Callable[[Path], object]) -> bytes:
    """What a function writes to a file."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        save(path)
        return path.read_bytes()


def copied(path: Path, name: str) -> Path:
    """The input under the name that belongs to it."""
    place = path.with_name(name)
    place.write_bytes(path.read_bytes())
    return place


#: The modules of readers.
MODULES = sorted(path.stem for path in (FUZZ / "readers").glob("*.py"))


def group(module: str) -> tuple[Target, ...]:
    """The targets of a module of readers."""
    result: tuple[Target, ...] = import_module(f"tests.fuzz.readers.{module}").TARGETS
    return result


@cache
def targets() -> dict[str, Target]:
    """All targets by name."""
    every = [each for name in MODULES for each in group(name)]
    result = {each.name: each for each in every}
    if len(result) < len(every):
        raise ValueError("two targets share a name")
    return dict(sorted(result.items()))


def target(name: str) -> Target:
    """The target of this name."""
    module = name.partition("-")[0]
    if module in MODULES:  # without the imports of all the others
        for each in group(module):
            if each.name == name:
                return each
    try:
        return targets()[name]
    except KeyError:
        raise SystemExit(f"no target {name!r}; there are {', '.join(targets())}") from None
