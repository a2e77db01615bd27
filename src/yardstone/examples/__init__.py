"""The example files: real games and tournaments, to try every command on.

``README.md`` in this folder says what each is and where it comes from.
"""

from __future__ import annotations

from pathlib import Path

from yardstone.errors import InputError
from yardstone.files import write_bytes

__all__ = ["copy_examples", "example", "example_files"]

_FOLDER = Path(__file__).resolve().parent
_NOT_EXAMPLES = (".py", ".md")


def example_files() -> dict[str, Path]:
    """Every example file by its name, in alphabetical order."""
    return {
        path.name: path
        for path in sorted(_FOLDER.iterdir())
        if path.is_file() and path.suffix not in _NOT_EXAMPLES
    }


def example(name: str) -> Path:
    """The path of one example file.

    Args:
        name: Name of the file, such as ``league.csv``.

    Raises:
        InputError: No example has that name.
    """
    files = example_files()
    if name not in files:
        raise InputError(f"no example is called {name!r}", hint=f"there are {', '.join(files)}")
    return files[name]


def copy_examples(folder: str | Path) -> list[Path]:
    """Copy every example file to a folder, which is made if need be.

    Returns:
        The files in that folder.

    Raises:
        InputError: A file of that name with other content is there already; then nothing is copied.
            Or the folder cannot be written.
    """
    folder = Path(folder)
    copies = {folder / name: source.read_bytes() for name, source in example_files().items()}
    for path, content in copies.items():
        if path.exists() and not (path.is_file() and path.read_bytes() == content):
            hint = "it is not overwritten; choose another folder"
            raise InputError("this is another file than the example", file=str(path), hint=hint)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror}", file=str(folder)) from error
    for path, content in copies.items():
        if not path.exists():
            write_bytes(path, content)
    return list(copies)
