"""`yardstone tournament`: what a file of a tournament shows, and what may come of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from yardstone.cli.declare import (
    ADVANCED,
    Seed,
    WorkOptions,
    advanced,
    argument,
    bundle,
    check_folder,
    flag,
    given,
    named_values,
    option,
    target,
)
from yardstone.cli.output import Document, Output, TableOutput, write_out
from yardstone.cli.serve import TlsOptions
from yardstone.errors import InputError, MissingExtraError, UsageError
from yardstone.grades import parse_grade
from yardstone.tournament.files import format_to_write, read_tournament
from yardstone.tournament.formats import FORMATS
from yardstone.tournament.model import System, Tournament

if TYPE_CHECKING:
    from yardstone.tournament.forecast import Scenario


@bundle
class TournamentFile:
    """The file of a tournament, and its format."""

    PANEL: ClassVar[str] = "Input"

    file: str = argument(
        "Tournament: OpenGotha XML, H9 or FIDE's TRF, also compressed; - for standard input.",
        metavar="FILE",
    )
    kind: str | None = option(
        "Format of the file. [default: by its ending or content]",
        "--from",
        metavar="|".join(FORMATS),
    )

    def read(self) -> Tournament:
        """The tournament."""
        return read_tournament(self.file, format=self.kind)


PlayerArgument = Annotated[
    str, argument("Player's name, its beginning, or number.", metavar="PLAYER")
]
Criteria = Annotated[
    str | None,
    option("Criteria in order, such as mms,sos,sosos. [default: the file's]", metavar="NAMES"),
]
Unplayed = Annotated[
    Literal["2026", "2024", "2009", "none"] | None,
    advanced("FIDE's rules for unplayed rounds. [default: those in force when it began]"),
]
Win = Annotated[
    str | None,
    option(
        "Model of winning: fitted, kaniuk, egf or goldis by grades, elo by ratings, or a file "
        "of winprob fit --save. [default: fitted; in chess elo]",
        metavar="NAME|FILE",
    ),
]


@bundle
class Runs(WorkOptions):
    """Chance, and the processes that draw it."""

    seed: Seed = 0


def grade(text: str, option: str) -> int:
    """A grade as a whole number, 1 dan being 0."""
    try:
        value = parse_grade(text)
    except InputError as error:
        raise UsageError(f"{option}: {error}") from None
    if value != int(value):
        raise UsageError(f"{option}: {text!r} is not a whole grade")
    return int(value)


def show(file: TournamentFile, output: TableOutput) -> Document:
    """Summarise a tournament file: rounds, players, games and rules.

    Examples:
        yardstone tournament show open.xml
    """
    from yardstone.reports.standings import tournament_document

    return tournament_document(file.read())


def standings(
    file: TournamentFile,
    output: TableOutput,
    *,
    round_number: int | None = option(
        "Show the standings after this round. [default: the last complete one]", "--round", min=0
    ),
    criteria: Criteria = None,
    unplayed: Unplayed = None,
    results: bool = advanced("Show the results of each round (text and pages only).", default=True),
    everybody: bool = flag("Also list players without a game.", advanced=True),
    teams: bool = flag("Rank the teams, with the boards of their matches."),
    top: int | None = option("Show only this many players (text and pages only).", min=1),
) -> Document:
    """Show the standings after any round, by any criteria.

    Examples:
        yardstone tournament standings open.xml --round 3
        yardstone tournament standings swiss.trf --criteria pts,bh-c1,sb -o standings.html
        yardstone tournament standings teams.xml --teams
    """
    from yardstone.reports.standings import standings_document
    from yardstone.tournament.standings_table import standings as standings_of

    if {*output.formats} - {"text", "html"} and (top is not None or not results):
        raise UsageError("--top and --no-results are for text and pages")
    tournament = file.read()
    if teams:
        from yardstone.reports.standings import team_standings_document
        from yardstone.tournament.teams import team_standings

        if everybody or unplayed is not None or top is not None:
            raise UsageError("--everybody, --unplayed and --top are for standings of players")
        ranked = team_standings(tournament, round_number=round_number, criteria=criteria)
        return team_standings_document(ranked, results=results)
    table = standings_of(
        tournament,
        round_number=round_number,
        criteria=criteria,
        unplayed=unplayed,
        everybody=everybody,
    )
    return standings_document(table, results=results, top=top)


def ratings(
    file: TournamentFile,
    output: TableOutput,
    *,
    system: Literal["egf", "egf-old", "fide"] | None = option(
        "Rating system. [default: the EGF's for Go, FIDE's for chess]"
    ),
    weight: str | None = advanced(
        "Class A to D of the tournament, or a weight. [default: by the time limits]",
        "--class",
        metavar="CLASS",
    ),
    k: float | None = advanced("K of all players, for FIDE's system.", "-k", min=0.0, metavar="K"),
) -> Document:
    """Compute the rating changes before they are published.

    Examples:
        yardstone tournament ratings open.xml
        yardstone tournament ratings open.xml --class B --format csv -o changes.csv
    """
    from yardstone.reports.standings import changes_document
    from yardstone.tournament.rating_change import rating_changes

    tournament = file.read()
    chess = system == "fide" or (system is None and tournament.discipline == "chess")
    if (k is not None and not chess) or (weight is not None and chess):
        raise UsageError("-k is for FIDE's system, --class for the EGF's")
    changes = rating_changes(tournament, system=system, weight=weight, k=k)
    return changes_document(tournament, changes)


def _grades(text: str, option: str) -> list[int]:
    return [grade(each.strip(), option) for each in text.split(",")]


def _amounts(text: str, option: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"{option} {text!r}: amounts such as 300,200,100") from None


def prizes(
    file: TournamentFile,
    output: TableOutput,
    *,
    places: int = option("Places with a prize.", default=3, min=0),
    groups: Any = option(
        "Lowest grades of groups with prizes of their own, such as 1d,5k. [default: the file's "
        "categories]",
        read=_grades,
        metavar="GRADES",
    ),
    group_places: int = option("Places with a prize in a group.", default=1, min=1),
    wins: int | None = option("A prize for so many wins.", min=1),
    money: Any = option(
        "Money of the first places, such as 300,200,100.", read=_amounts, metavar="AMOUNTS"
    ),
    once: bool = flag("No prize in a group for who has one for the place."),
    criteria: Criteria = None,
) -> Document:
    """List the prizes: by place, by group of grades, by wins.

    Players with equal scores in all criteria share a place, and in equal parts the money
    of the places that they take up.

    Examples:
        yardstone tournament prizes open.xml --groups 1d,5k --wins 4
        yardstone tournament prizes open.xml --money 300,200,100 --format csv
    """
    from yardstone.reports.standings import prizes_document
    from yardstone.tournament.event.prizes import prize_list

    made = prize_list(
        file.read(),
        places=places,
        groups=groups,
        group_places=group_places,
        wins=wins,
        money=money or [],
        once=once,
        criteria=criteria,
    )
    return prizes_document(made)


def publish(
    file: TournamentFile,
    *,
    output: Path | None = option(
        "One page if it ends in .html, else a folder of pages. [default: a page beside the file]",
        "--output",
        "-o",
        metavar="PAGE|FOLDER",
        writes="folder",
    ),
) -> None:
    """Publish boards, standings, results and players as pages.

    The pages need nothing but themselves: put them on any web server, or print them.
    Publish again after each round; pages of the same names are replaced.

    Examples:
        yardstone tournament publish open.xml
        yardstone tournament publish open.xml -o pages
    """
    from yardstone.files import write_text
    from yardstone.reports.page import document_page
    from yardstone.reports.standings import publication, publication_page

    tournament = file.read()
    beside = Path("tournament.html" if file.file == "-" else file.file).with_suffix(".html")
    target = output or beside
    if target.suffix.lower() in (".html", ".htm"):
        check_folder(target)
        pages = {target: publication_page(tournament)}
        told = "boards, standings, results and players on one page"
    else:
        try:
            target.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(error.strerror or str(error), file=str(target)) from error
        pages = {target / name: document for name, document in publication(tournament).items()}
        told = f"{len(pages)} pages; begin with {target / 'index.html'}"
    for path, document in pages.items():
        write_text(path, document_page(document))
    print(f"{target}: {told}.")


def needs(
    file: TournamentFile,
    output: TableOutput,
    *,
    player: PlayerArgument,
    place: int = option("Place to reach.", default=1, min=1),
    criteria: Criteria = None,
    draws: bool | None = advanced("Allow draws. [default: in chess, or with a whole komi]"),
    win: Annotated[Win, ADVANCED] = None,
    draw_rate: float = advanced(
        "With --win elo: draw rate of equal players, for chances.", default=0.0, metavar="RATE"
    ),
    limit: int = advanced(
        "Try at most this many combinations of results; beyond, give bounds.", default=4096, min=1
    ),
    unplayed: Unplayed = None,
) -> Document:
    """Show what a player needs in the last round to reach a place.

    Combinations of results are counted; beside them stand the chances by a model of winning,
    from the entry list and the rounds so far.

    Examples:
        yardstone tournament needs open.xml 'Claes Wim' --place 3
    """
    from yardstone.reports.simulation import last_round_document
    from yardstone.tournament.last_round import last_round_needs, place_chances

    tournament = file.read()
    result = last_round_needs(
        tournament,
        tournament.find(player),
        place=place,
        criteria=criteria,
        draws=draws,
        limit=limit,
        unplayed=unplayed,
    )
    chances, reason = None, ""
    if result.exact:
        try:
            chances = place_chances(tournament, result, win=win, draw_rate=draw_rate)
        except InputError as error:
            reason = str(error)
    else:
        reason = "too many combinations; `yardstone tournament simulate` has them"
    return last_round_document(tournament, result, chances, no_chances=reason)


@bundle
class _TournamentOptions:
    """How the tournament is played, by the names of a `Scenario`."""

    PANEL: ClassVar[str] = "Tournament"

    rounds: int | None = option("Rounds. [default: the file's, or 5]", min=1)
    system: Literal["mcmahon", "swiss", "round-robin"] | None = option(
        "Pairing. [default: the file's, or mcmahon]"
    )
    bar: Any = advanced("McMahon bar, such as 3d.", read=grade, metavar="GRADE")
    floor: Any = advanced("McMahon floor, such as 20k.", read=grade, metavar="GRADE")
    handicap: int | None = advanced(
        "Most handicap stones; 0: even games only.", metavar="STONES", min=0, max=36
    )


@bundle
class _ResultOptions:
    """How games end, by the names of a `Scenario`."""

    PANEL: ClassVar[str] = "Results of games"

    win: Win = None
    advantage: float = advanced(
        "With --win elo: advantage of moving first.", default=0.0, metavar="POINTS"
    )
    draw_rate: float = advanced(
        "With --win elo: draw rate of equal players.", default=0.0, metavar="RATE"
    )
    deviation: float | None = advanced(
        "Standard deviation of true strengths about the entry list (grades, or points with elo); "
        "0: it is exact. [default: of a file, as measured in real tournaments]",
        metavar="AMOUNT",
        min=0.0,
    )


def _whole(least: int, text: str, option: str) -> int:
    try:
        number = int(text)
    except ValueError:
        raise UsageError(f"{option}: {text!r} is not a whole number") from None
    if number < least:
        raise UsageError(f"{option}: {number} is too few; at least {least}")
    return number


def _system(text: str, option: str) -> Any:
    try:
        return System(text)
    except ValueError:
        raise UsageError(f"{option}: there is no {text!r}") from None


#: What can vary, and how its values are read.
_VARIED: dict[str, Callable[[str, str], Any]] = {
    "bar": grade,
    "floor": grade,
    "rounds": partial(_whole, 1),
    "handicap": partial(_whole, 0),
    "system": _system,
    "players": partial(_whole, 2),
}


def simulate(
    file: Path | None = argument(
        "A tournament file: its players and rules; rounds that are over stay as they are. Without "
        "it, players are drawn as European tournaments have them.",
        default=None,
    ),
    *,
    tournaments: int = option("Number of tournaments.", default=1000, min=1),
    players: int = option("Number of players, without a file.", default=64, min=2),
    grades: str = option(
        "Grades of the players, without a file.", default="20k:7d", metavar="LOW:HIGH"
    ),
    rules: _TournamentOptions,
    criteria: str | None = option(
        "Criteria of the final standings, such as mms,sos,sosos.", metavar="NAMES"
    ),
    restart: bool = flag("Also replay the rounds that are over.", advanced=True),
    results: _ResultOptions,
    vary: str | None = advanced(
        f"Compare tournaments that differ in one thing: {', '.join(_VARIED)}.", metavar="NAME=A,B,C"
    ),
    top: int = option("Show this many players; 0 shows all.", default=20, min=0),
    runs: Runs,
    output: Output,
) -> Document:
    """Simulate a tournament thousands of times: who finishes where.

    Strengths are the ratings of the entry list, or the grades where there is none;
    results are drawn from the model of winning, rounds paired as `tournament pair` does.

    Examples:
        yardstone tournament simulate open.xml --tournaments 200 -o places.svg
        yardstone tournament simulate --players 32 --tournaments 200 --vary bar=1d,3d,5d
        yardstone tournament simulate swiss.trf --win elo --draw-rate 0.4 --advantage 35
    """
    from yardstone.reports.simulation import simulation_document
    from yardstone.tournament.forecast import Scenario, simulate_scenarios

    low, colon, high = grades.partition(":")
    if not colon:
        raise UsageError("--grades: write two grades, as in 20k:7d")
    changes = given(rules)
    if rules.system is not None:
        changes["system"] = System(rules.system)
    scenario = Scenario(
        tournament=None if file is None else read_tournament(file),
        players=players,
        lowest=grade(low, "--grades"),
        highest=grade(high, "--grades"),
        restart=restart,
        seed=runs.seed,
        **changes,
        **vars(results),
    )
    simulation = simulate_scenarios(
        scenario,
        tournaments,
        **_variation(vary, scenario),
        criteria=criteria,
    )
    return simulation_document(simulation, top=top)


def _variation(text: str | None, scenario: Scenario) -> dict[str, Any]:
    """What differs, and the values with their names."""
    if text is None:
        return {}
    name, _, values = text.partition("=")
    name = name.strip()
    listed = [value.strip() for value in values.split(",") if value.strip()]
    if name not in _VARIED or not listed:
        others = ", ".join([*_VARIED][1:])
        raise UsageError(f"--vary {text!r}: write it as bar=1d,3d,5d (or {others})")
    if name == "players" and scenario.tournament is not None:
        raise UsageError("--vary players: the file says who plays")
    return {
        "varied": name,
        "values": [(value, _VARIED[name](value, f"--vary {name}")) for value in listed],
    }


def _codec(name: str, _: str) -> str:
    import codecs

    try:
        codec = codecs.lookup(name)
        "a".encode(codec.name)
    except LookupError:
        raise UsageError(f"no encoding of text is called {name!r}") from None
    return codec.name


def convert(
    file: TournamentFile,
    *,
    output: Path | None = target("Write to this file.", "--output", "-o"),
    to: str | None = option(
        "Format to write. [default: by the ending of the file]", metavar="|".join(FORMATS)
    ),
    encoding: Any = advanced(
        "Encoding of an H9 file, such as iso-8859-15.",
        default="utf-8",
        read=_codec,
        metavar="NAME",
    ),
    forfeits: bool = advanced(
        "Write games decided without play into an H9 file, or half a point.", default=True
    ),
) -> None:
    """Convert a tournament between OpenGotha, H9 and TRF.

    A file in the same format keeps all that Yardstone does not use.

    Examples:
        yardstone tournament convert open.xml -o open.h9
    """
    tournament = file.read()
    form = format_to_write(output, to)
    options = {} if encoding == "utf-8" else {"encoding": encoding}
    if form.name != "h9" and (options or not forfeits):
        raise UsageError("--encoding and --no-forfeits are for H9 files")
    data = form.write(tournament, **options, **({} if forfeits else {"keep_forfeits": False}))
    write_out(data, output)


#: Where the password may stand instead of on the command line, which others may see.
PASSWORD = "YARDSTONE_DESK_PASSWORD"


#: What else can be set of the pages and of who reaches them, by the names of `DeskSettings`.
_SITE = ("title", "footer", "root_path", "public_url", "trusted_proxies")


def serve(
    file: Path = argument("Tournament: OpenGotha XML.", metavar="FILE"),
    *,
    host: str = option(
        "Address to listen on; 0.0.0.0 for the whole hall.", default="127.0.0.1", metavar="ADDRESS"
    ),
    port: int = option("Port to listen on; 0 takes any.", default=8000),
    password: str = option(
        "Password of the helpers. [default: made up and printed; none on 127.0.0.1]",
        default="",
        envvar=PASSWORD,
    ),
    register: Path | None = option("Federation's list to enter players from.", "--list"),
    tls: TlsOptions,
    site: list[str] | None = advanced(
        "Set title, footer (text, or a .txt or .md file), root_path (under which a proxy serves "
        "it), public_url (that players use) or trusted_proxies (with commas). Repeatable.",
        "--set",
        metavar="NAME=VALUE",
    ),
) -> None:
    """Run the desk of a tournament in the browser.

    Helpers enter players and results, pair rounds and print sheets, several at once;
    players read boards and standings on their phones. The file stays the only store.

    Examples:
        yardstone tournament serve open.xml
        yardstone tournament serve open.xml --host 0.0.0.0 --password 'our own secret'
    """
    try:
        from yardstone.web.desk.app import DeskSettings, run_desk
        from yardstone.web.settings import footer_text
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or "fastapi", "web") from None
    options: dict[str, Any] = {**named_values(site, *_SITE), **given(tls)}
    options["footer"] = footer_text(options.get("footer", ""))
    settings = DeskSettings(
        file=file, host=host, port=port, password=password, register=register, **options
    ).with_password()
    run_desk(settings, lambda text: print(text, flush=True))
