"""How help looks: options in panels, commands by subject, and nothing that reads like code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from copy import copy
from typing import Annotated, Any

from typer.core import TyperArgument, TyperCommand

from yardstone.cli.table import Command, Family

__all__ = ["PanelledCommand", "epilog", "panelled", "write_commands"]

#: A command with no more options than this shows them in one panel.
FEW_OPTIONS = 12
#: The panel of options that have none.
OWN = "Options"
#: The panel that stands last, for the few who need it.
LAST = "Memory and machines"
_TYPES = {"str": "TEXT", "int": "NUMBER", "int range": "NUMBER", "float": "NUMBER"}
_TYPE = re.compile(r"<(?:list\[)?([a-z ]+?)\]?>")
_RANGE = re.compile(r"(; |\[)[0-9.]*(?:<=?)?x[<>]=?[0-9.]+(?=\])")


class PanelledCommand(TyperCommand):
    """A command whose help has its options in panels."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The words after the command, as people write them: ``FILES...``, ``[PATHS]...``."""
        pieces = super().collect_usage_pieces(ctx)
        return [str(piece).replace("{", "").replace("}", "") for piece in pieces]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write what the command takes, each panel under its name."""
        panels: dict[str, list[tuple[str, str]]] = {"Arguments": [], OWN: []}
        parameters = sorted(self.get_params(ctx), key=_place)
        few = len(parameters) <= FEW_OPTIONS
        for parameter in parameters:
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            if isinstance(parameter, TyperArgument):
                panels["Arguments"].append(_argument(record))
            else:
                panel = getattr(parameter, "rich_help_panel", None)
                panels.setdefault(panel if panel and not few else OWN, []).append(_option(record))
        for name, records in panels.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records)


def _place(parameter: Any) -> int:
    """Order of the options: what few need after the rest, and ``--help`` at the end."""
    last = getattr(parameter, "rich_help_panel", None) == LAST
    return 2 if parameter.name == "help" else int(last)


def _argument(record: tuple[str, str]) -> tuple[str, str]:
    name, about = record
    name = re.sub(r" <[^>]*>$", "", name).replace("[", "").replace("]", "").replace("...", "")
    return name, about.replace("  [required]", "").strip()


def _option(record: tuple[str, str]) -> tuple[str, str]:
    name, about = record
    name = _TYPE.sub(lambda match: _TYPES.get(match[1], match[0]), name)
    name = name.replace("<", "").replace(">", "") if "|" in name else name
    about = _RANGE.sub(lambda match: "" if match[1] == "; " else "[", about)
    return name, about.replace("  []", "").strip()


def panelled(option: Any, panel: str | None) -> Any:
    """The annotation of an option, shown in this panel, if any."""
    if panel is None or not hasattr(option, "__metadata__"):
        return option
    parts = [copy(part) for part in option.__metadata__]  # others share this annotation
    for part in parts:
        if getattr(part, "rich_help_panel", panel) is None:
            part.rich_help_panel = panel
    return Annotated[option.__origin__, *parts]


def write_commands(
    formatter: Any,
    entries: Mapping[str, Command | Family],
    panels: Mapping[str, tuple[str, ...]],
) -> None:
    """Write the commands, each panel under its name."""
    width = max(map(len, entries))
    for panel, names in panels.items():
        with formatter.section(panel):
            formatter.write_dl([(name.ljust(width), entries[name].about) for name in names])


def epilog(lines: Iterable[str]) -> str:
    """The examples at the end of a command's help, as they are typed."""
    return "\b\nExamples:" + "".join(f"\n  {line}" for line in lines)
