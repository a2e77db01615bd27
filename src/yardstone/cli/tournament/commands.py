"""`yardstone tournament`: files, standings, rating changes and the last round."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yardstone.cli.output import check_folder, check_report, chosen_format
from yardstone.cli.progress import progress_bar
from yardstone.cli.winprob.output import Output, TableFormat, TextOrJson, write
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.tournament.model import Tournament

__all__ = []


class FileKind(StrEnum):
    """Formats of tournament files."""

    opengotha = "opengotha"
    h9 = "h9"
    trf = "trf"


class StandingsFormat(StrEnum):
    """How standings are written."""

    text = "text"
    csv = "csv"
    json = "json"
    html = "html"


class Rules(StrEnum):
    """FIDE's rules for rounds without a game."""

    y2026 = "2026"
    y2024 = "2024"
    y2009 = "2009"
    none = "none"


class RatingSystem(StrEnum):
    """Whose ratings change."""

    egf = "egf"
    egf_old = "egf-old"
    fide = "fide"


_File = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="Tournament: OpenGotha XML, H9 or FIDE's TRF, also compressed; - for standard input.",
        show_default=False,
    ),
]
_Kind = Annotated[
    FileKind | None,
    typer.Option("--from", help="Format of the file. [default: as its ending or content says]"),
]
_Criteria = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES",
        help="Criteria in their order, such as mms,sos,sosos. [default: the file's]",
    ),
]
_Unplayed = Annotated[
    Rules | None,
    typer.Option(
        help="FIDE's rules for rounds without a game. [default: those in force at its beginning]"
    ),
]


def _read(file: str, kind: FileKind | None) -> Tournament:
    from yardstone.tournament.files import read_tournament

    return read_tournament(file, format=None if kind is None else kind.value)


def show(file: _File, kind: _Kind = None, output: Output = None) -> None:
    """What a tournament file holds: rounds, players, games and rules.

    Examples
    --------
    yardstone tournament show open.xml
    """
    from yardstone.reports.tournament.standings import tournament_lines

    write("\n".join(tournament_lines(_read(file, kind))) + "\n", output)


def standings(
    file: _File,
    round_number: Annotated[
        int | None,
        typer.Option(
            "--round",
            min=0,
            metavar="NUMBER",
            help="After which round. [default: the last without an open result]",
        ),
    ] = None,
    criteria: _Criteria = None,
    unplayed: _Unplayed = None,
    results: Annotated[
        bool, typer.Option(help="Show the results of each round (text only).")
    ] = True,
    everybody: Annotated[
        bool, typer.Option("--everybody", help="List players without a game as well.")
    ] = False,
    top: Annotated[
        int | None,
        typer.Option(min=1, metavar="NUMBER", help="Show so many players only (text only)."),
    ] = None,
    form: Annotated[
        StandingsFormat | None,
        typer.Option("--format", help="Text, CSV, JSON or HTML. [default: as FILE of -o ends]"),
    ] = None,
    kind: _Kind = None,
    output: Output = None,
) -> None:
    """Standings by any criteria after any round; tied players share a place.

    Examples
    --------
    yardstone tournament standings open.xml --round 3
    yardstone tournament standings open.trf --criteria pts,bh-c1,bh,sb -o standings.html
    """
    from yardstone.reports.tournament import standings as shown
    from yardstone.tournament.standings import standings as table_of

    check_folder(output)
    form = form or _form_of(output)
    if form is not StandingsFormat.text and (top is not None or not results):
        raise UsageError("--top and --no-results are for text")
    table = table_of(
        _read(file, kind),
        round_number=round_number,
        criteria=criteria,
        unplayed=None if unplayed is None else unplayed.value,
        everybody=everybody,
    )
    if form is StandingsFormat.csv:
        write(shown.csv_standings(table), output)
    elif form is StandingsFormat.json:
        write(shown.json_standings(table), output)
    elif form is StandingsFormat.html:
        import yardstone

        write(shown.html_standings(table, version=yardstone.__version__), output)
    else:
        write(shown.text_standings(table, results=results, top=top), output)


def _form_of(output: Path | None) -> StandingsFormat:
    form = chosen_format(None, output).value
    if form not in set(StandingsFormat):
        raise UsageError(f"-o {output}: standings are not written as {form}")
    return StandingsFormat(form)


def convert(
    file: _File,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write to this file."),
    ] = None,
    to: Annotated[
        FileKind | None, typer.Option(help="Format to write. [default: as FILE of -o ends]")
    ] = None,
    kind: _Kind = None,
    encoding: Annotated[
        str, typer.Option(metavar="NAME", help="Encoding of an H9 file, such as iso-8859-15.")
    ] = "utf-8",
    forfeits: Annotated[
        bool,
        typer.Option(help="Write games decided without play into an H9 file, or half a point."),
    ] = True,
) -> None:
    """Write a tournament in another format, or the same one.

    A file in the same format keeps all that Yardstone does not use.

    Examples
    --------
    yardstone tournament convert open.xml -o open.h9
    """
    from yardstone.files import replaced
    from yardstone.tournament.files import to_bytes
    from yardstone.tournament.h9_write import write_h9

    check_folder(output)
    tournament = _read(file, kind)
    if to is FileKind.h9 or (to is None and output is not None and output.suffix.lower() == ".h9"):
        data = write_h9(tournament, encoding=_codec(encoding), keep_forfeits=forfeits)
    elif encoding != "utf-8" or not forfeits:
        raise UsageError("--encoding and --no-forfeits are for H9 files")
    else:
        data = to_bytes(tournament, output, format=None if to is None else to.value)
    if output is None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    with replaced(output) as temporary:
        temporary.write_bytes(data)


def _codec(name: str) -> str:
    import codecs

    try:
        found = codecs.lookup(name)
        "a".encode(found.name)
    except LookupError:
        raise UsageError(f"no encoding of text is called {name!r}") from None
    return found.name


def ratings(
    file: _File,
    system: Annotated[
        RatingSystem | None,
        typer.Option(help="Whose system. [default: the EGF's for Go, FIDE's for chess]"),
    ] = None,
    weight: Annotated[
        str | None,
        typer.Option(
            "--class",
            metavar="CLASS",
            help="Class A to D of the tournament, or a weight. [default: by the time limits]",
        ),
    ] = None,
    k: Annotated[
        float | None,
        typer.Option("-k", min=0.0, metavar="K", help="K of all players, for FIDE's system."),
    ] = None,
    form: Annotated[TableFormat, typer.Option("--format", help="Text, CSV or JSON.")] = (
        TableFormat.text
    ),
    kind: _Kind = None,
    output: Output = None,
) -> None:
    """Rating changes by the ratings in the file, before they are published.

    Examples
    --------
    yardstone tournament ratings open.xml
    yardstone tournament ratings open.xml --class B --format csv -o changes.csv
    """
    from yardstone.reports.tournament import changes as shown
    from yardstone.tournament.rating_changes import rating_changes

    check_report(output, form)
    tournament = _read(file, kind)
    chess = system is RatingSystem.fide or (system is None and tournament.discipline == "chess")
    if (k is not None and not chess) or (weight is not None and chess):
        raise UsageError("-k is for FIDE's system, --class for the EGF's")
    found = rating_changes(
        tournament, system=None if system is None else system.value, weight=weight, k=k
    )
    if form is TableFormat.csv:
        write(shown.csv_changes(tournament, found), output)
    elif form is TableFormat.json:
        write(shown.json_changes(tournament, found), output)
    else:
        write(shown.text_changes(tournament, found), output)


def needs(
    file: _File,
    player: Annotated[
        str,
        typer.Argument(
            metavar="PLAYER", help="Name, its beginning, or number.", show_default=False
        ),
    ],
    place: Annotated[
        int, typer.Option(min=1, metavar="NUMBER", help="The place that is wanted.")
    ] = 1,
    criteria: _Criteria = None,
    draws: Annotated[
        bool | None,
        typer.Option(
            "--draws/--no-draws",
            help="Can games be drawn? [default: in chess, or with a whole komi]",
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="NUMBER",
            help="Try so many combinations of results at most; beyond, give bounds. "
            "[default: 4096]",
        ),
    ] = None,
    unplayed: _Unplayed = None,
    form: Annotated[TextOrJson, typer.Option("--format", help="Text or JSON.")] = TextOrJson.text,
    kind: _Kind = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    output: Output = None,
) -> None:
    """What a player needs in the last round for which place.

    Examples
    --------
    yardstone tournament needs open.xml 'Ann Lee' --place 3
    """
    from yardstone.reports.tournament import changes as shown
    from yardstone.tournament.criteria import parse_criteria
    from yardstone.tournament.needs import LIMIT
    from yardstone.tournament.needs import needs as find

    check_report(output, form)
    tournament = _read(file, kind)
    names = None
    if criteria is not None:
        names = tuple(c.name for c in parse_criteria(criteria, tournament.system))
    found = find(
        tournament,
        tournament.find(player),
        place=place,
        criteria=names,
        draws=draws,
        limit=limit or LIMIT,
        unplayed=None if unplayed is None else unplayed.value,
        progress=progress_bar("Combinations", quiet=quiet),
    )
    text = shown.text_needs if form is TextOrJson.text else shown.json_needs
    write(text(tournament, found), output)
