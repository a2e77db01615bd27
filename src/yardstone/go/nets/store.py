"""Networks that are there: the included one and the user's folder; adding, removing, finding."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from yardstone.errors import InputError
from yardstone.files import replaced, sync_folder
from yardstone.go.nets.catalogue import full_name
from yardstone.go.nets.model_file import Header, read_header, read_model

__all__ = [
    "ENVIRONMENT",
    "INCLUDED",
    "StoredNetwork",
    "add_network",
    "file_sha256",
    "find_network",
    "list_networks",
    "network_name",
    "networks_folder",
    "remove_network",
    "stored_network",
]

#: Names the network to take where none is given: a file, or a name in the folder.
ENVIRONMENT = "YARDSTONE_NET"

#: The small network that comes with Yardstone: taken where there is no other.
INCLUDED = Path(__file__).parent / "data" / "yardstone-b6c64.bin.gz"

_ENDINGS = (".bin.gz", ".txt.gz", ".bin", ".txt", ".gz")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,199}")
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class StoredNetwork:
    """The included network, or a file in the user's folder.

    Attributes
    ----------
    name : str
        What to call it: the file's name without its ending.
    path : Path
        Where it is.
    size : int
        In bytes.
    header : Header or None
        What its beginning says; None if it is no network.
    problem : str or None
        Why it is no network.
    """

    name: str
    path: Path
    size: int
    header: Header | None
    problem: str | None

    @property
    def sha256(self) -> str:
        """The SHA-256 of the file, in hexadecimal."""
        return file_sha256(self.path)

    @property
    def included(self) -> bool:
        """Whether it comes with Yardstone."""
        return self.path == INCLUDED


def networks_folder() -> Path:
    """Where networks are kept: ``yardstone/nets`` in the user's cache.

    That is ``$XDG_CACHE_HOME``, or ``~/.cache`` where it is not set.
    """
    base = os.environ.get("XDG_CACHE_HOME", "")
    cache = Path(base) if base and Path(base).is_absolute() else Path.home() / ".cache"
    return cache / "yardstone" / "nets"


def network_name(file: str | os.PathLike[str]) -> str:
    """The name of a network file without its ending."""
    name = Path(file).name
    ending = next((each for each in _ENDINGS if name.lower().endswith(each)), "")
    return name[: len(name) - len(ending)]


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                digest.update(piece)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=str(path)) from None
    return digest.hexdigest()


def _described(path: Path) -> StoredNetwork:
    header: Header | None = None
    problem: str | None = None
    try:
        header = read_header(path)
    except InputError as error:
        problem = error.message
    return StoredNetwork(network_name(path), path, path.stat().st_size, header, problem)


def _files() -> list[Path]:
    folder = networks_folder()
    if not folder.is_dir():
        return []
    return sorted(
        path
        for path in folder.iterdir()
        if path.name.lower().endswith(_ENDINGS) and not path.name.startswith(".") and path.is_file()
    )


def list_networks() -> list[StoredNetwork]:
    """The included network and those in the user's folder, as far as their beginnings tell."""
    return [_described(path) for path in (INCLUDED, *_files())]


def _named(name: str) -> Path | None:
    names = {name, full_name(name)}
    paths = (INCLUDED, *_files())
    return next((path for path in paths if names & {network_name(path), path.name}), None)


def stored_network(name: str) -> StoredNetwork:
    """The network of this name: the included one, or one in the user's folder.

    Raises
    ------
    InputError
        There is none.
    """
    path = _named(name)
    if path is None:
        raise InputError(f"there is no network {name!r}", hint=_known_names())
    return _described(path)


def _known_names() -> str:
    return f"there are: {', '.join(network_name(path) for path in (INCLUDED, *_files()))}"


def find_network(network: str | os.PathLike[str] | None = None) -> Path:
    """The file of the network that is meant.

    Parameters
    ----------
    network : path or str, optional
        A file, or the name of a network in the user's folder or of the included one.
        Without it the environment variable YARDSTONE_NET says which, or else it is the
        only one in the folder, or the included one if there is none.

    Raises
    ------
    InputError
        There is no such network, or it is not clear which is meant.
    """
    where = ""
    if network is None and os.environ.get(ENVIRONMENT):
        network, where = os.environ[ENVIRONMENT], f"{ENVIRONMENT}: "
    if network is not None:
        text = os.fspath(network)
        path = Path(text)
        if path.is_dir():
            raise InputError(f"{where}is a folder, not a network", file=text)
        file = path if path.exists() else _named(text)
        if file is None:
            raise InputError(f"{where}no such network file", file=text, hint=_known_names())
        return file
    files = _files()
    if len(files) > 1:
        raise InputError(
            "no network is given, and several are kept",
            hint=f"name one (--net NAME), or set {ENVIRONMENT}; {_known_names()}",
        )
    return files[0] if files else INCLUDED


def checked_name(name: str) -> str:
    """A name that can be a file's in the user's folder."""
    if _NAME.fullmatch(name) is None:
        raise InputError(
            f"{name!r} cannot be the name of a network",
            hint="letters, digits and . _ + - only, at most 200",
        )
    return name


def add_network(
    file: str | os.PathLike[str], *, name: str | None = None, replace: bool = False
) -> StoredNetwork:
    """Copy a network into the user's folder, once it has been read whole.

    Parameters
    ----------
    file : path
        A network file.
    name : str, optional
        What to call it; by default the file's name.
    replace : bool
        Take the place of another network of that name.

    Raises
    ------
    InputError
        The file is no network, or another one of that name is there.
    """
    source = Path(file)
    model = read_model(source)
    target = place_for(name or network_name(source), source.name, model.sha256, replace=replace)
    if target.exists() and file_sha256(target) == model.sha256:
        return _described(target)
    digest = hashlib.sha256()
    with (
        replaced(target) as temporary,
        temporary.open("wb") as copy,
        source.open("rb") as original,
    ):
        while piece := original.read(_PIECE):
            digest.update(piece)
            copy.write(piece)
        if digest.hexdigest() != model.sha256:
            raise InputError("changed while it was copied", file=str(source))
    _take_others_away(target)
    return _described(target)


def place_for(name: str, file_name: str, sha256: str | None, *, replace: bool) -> Path:
    """Where a network of this name goes; the folder is made.

    Raises
    ------
    InputError
        Another network of that name is there and is not to be replaced, or comes with
        Yardstone, or the folder cannot be made.
    """
    lower = file_name.lower()
    ending = next((each for each in _ENDINGS if lower.endswith(each)), ".bin.gz")
    folder = networks_folder()
    target = folder / (checked_name(name) + ending)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror}", file=str(folder)) from None
    other = _named(name)
    if other == INCLUDED and replace:
        raise InputError(
            "this network comes with Yardstone, and stays",
            file=str(other),
            hint="give the new one another --name",
        )
    if other is not None and not replace and (sha256 is None or file_sha256(other) != sha256):
        raise InputError(
            f"another network is called {name!r}",
            file=str(other),
            hint="give it another --name, or --replace the old one",
        )
    return target if other is None or replace else other


def settle(temporary: Path, target: Path) -> None:
    """Give a complete file its place, and take away others of its name."""
    with temporary.open("rb") as file:
        os.fsync(file.fileno())
    temporary.chmod(0o644)
    temporary.replace(target)
    sync_folder(target.parent)
    _take_others_away(target)


def _take_others_away(target: Path) -> None:
    for ending in _ENDINGS:
        other = target.with_name(network_name(target) + ending)
        if other != target:
            other.unlink(missing_ok=True)


def remove_network(name: str) -> Path:
    """Delete a network from the user's folder, and say which file it was.

    Raises
    ------
    InputError
        There is none of this name, it cannot be deleted, or it comes with Yardstone.
    """
    path = stored_network(name).path
    if path == INCLUDED:
        raise InputError("this network comes with Yardstone, and stays", file=str(path))
    try:
        path.unlink()
    except OSError as error:
        raise InputError(f"cannot be deleted: {error.strerror}", file=str(path)) from None
    return path
