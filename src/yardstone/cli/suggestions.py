"""What a misspelt command, option or file name was meant to be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from yardstone.choices import nearest, one_of
from yardstone.cli.table import COMMANDS, OWN_SWITCHES, Command, Family, with_plugins

__all__ = ["file_hint", "option_hint", "unknown_command"]

_MOST = 3
#: What a file is most likely for, where it stands in the place of a command.
_FOR_FILES = {
    **dict.fromkeys((".pgn", ".csv", ".json", ".parquet"), "rate"),
    **dict.fromkeys((".xml", ".h9", ".trf"), "tournament standings"),
    ".sgf": "strength estimate",
    ".mat": "backgammon analyse",
}


def unknown_command(word: str, path: str, names: list[str]) -> str:
    """The message for a command that is not there.

    Parameters
    ----------
    word : str
        What was typed.
    path : str
        The command before it, such as ``yardstone go``.
    names : list of str
        The commands that there are in its place.
    """
    message = f"no such command: {word}"
    if (near := nearest(word, names)) is not None:
        return f"{message}. Did you mean '{path} {near}'?"
    suffixes = [each.lower() for each in Path(word).suffixes if each != ".gz"]
    if (used := _FOR_FILES.get(suffixes[-1] if suffixes else "")) and Path(word).is_file():
        return f"{message}. Did you mean 'yardstone {used} {word}'?"
    places = {" ".join(each): each[-1] for each in _paths((), {**COMMANDS, **OWN_SWITCHES})}
    near = nearest(word, places.values())
    meant = [f"yardstone {place}" for place, name in places.items() if name == near]
    return f"{message}. Did you mean {one_of(meant[:_MOST])}?" if meant else message


def _paths(
    path: tuple[str, ...], entries: Mapping[str, Command | Family]
) -> Iterator[tuple[str, ...]]:
    for name, entry in with_plugins(entries, *path).items():
        yield (*path, name)
        if isinstance(entry, Family):
            yield from _paths((*path, name), entry.commands)


def option_hint(word: str, context: Any) -> str:
    """A question that names the option meant; empty if none is near."""
    parameters = context.command.get_params(context) if context is not None else ()
    options = {name for each in parameters for name in (*each.opts, *each.secondary_opts)}
    begins = sorted(name for name in options if name.startswith(word) and word != "--")
    near = nearest(word, sorted(options))
    meant = begins[:_MOST] if begins else [near] if near is not None else []
    return f"Did you mean {' or '.join(meant)}?" if meant else ""


def file_hint(name: str | None) -> str:
    """A question that names the files meant, or where the example of that name is."""
    from difflib import get_close_matches

    from yardstone.examples import example_files

    if not name:
        return ""
    path = Path(name)
    if path.name in example_files():
        return f"{path.name} is an example: 'yardstone demo --copy .' puts it into this folder."
    try:
        there = {each.name.casefold(): each.name for each in path.parent.iterdir()}
    except OSError:
        return ""
    close = get_close_matches(path.name.casefold(), there, n=_MOST, cutoff=0.75)
    stem = path.name.partition(".")[0].casefold()
    close += [key for key in there if key.partition(".")[0] == stem and key not in close]
    meant = [str(path.with_name(there[key])) for key in close[:_MOST]]
    return f"Did you mean {one_of(meant)}?" if meant else ""
