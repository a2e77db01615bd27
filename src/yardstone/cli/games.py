"""Games as commands take them: results, moves beside them, systems, files that grow."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias, TypedDict, Unpack

from yardstone.choices import plural
from yardstone.cli import declare
from yardstone.cli.declare import Engine, Memory, Strict, advanced, argument, bundle, flag, option
from yardstone.cli.output import report_skipped
from yardstone.errors import NoGamesError, SkippedWarning, UsageError

if TYPE_CHECKING:
    import numpy as np

    from yardstone.cli.go import NetworkOptions
    from yardstone.pool import Pool, Skipped, SkipReport
    from yardstone.ratings.bradley_terry import CountedGames
    from yardstone.ratings.joint import Prior
    from yardstone.records.sources import Source
    from yardstone.records.streaming import GameStream
    from yardstone.strength.fusion_moves import GameMoves

    Paths: TypeAlias = Sequence[str | Source] | None


class _Wanted(TypedDict, total=False):
    """What a command wants of the games besides players and result."""

    tags: Sequence[str]  #: Further tags or columns that are kept; with `every` all of them.
    every: bool
    levels: bool  #: Grades, ratings and handicaps.
    times: bool  #: On unless it is said.
    names: Names | None


@bundle
class Names:
    """Files of players' names."""

    PANEL: ClassVar[str] = "Input"

    include: Path | None = advanced("Use only games of the players in this file.")
    exclude: Path | None = advanced("Leave out games of the players in this file.")
    synonyms: Path | None = option("Treat names as one player: lines of NAME,OTHER,OTHER,...")


@bundle
class GameOptions:
    """Options of a command that reads results: what they mean and what to do with bad ones."""

    PANEL: ClassVar[str] = "Input"

    columns: list[str] | None = option(
        "Which columns of a table hold what: first=NAME,second=NAME,score=NAME,time=NAME; instead "
        "of score also first_score=NAME,second_score=NAME or margin=NAME.",
        metavar="MAP",
    )
    first: Literal["white", "black"] | None = advanced(
        "Colour that moves first in a table, and whose win 1-0 is, where columns and results do "
        "not say; in PGN always White."
    )
    results: str | None = advanced(
        "What the values of the result mean for the first player: 'H=win,D=draw,A=loss,P=skip'.",
        metavar="MAP",
    )
    dates: Literal["dmy", "mdy", "ymd"] | None = advanced(
        "Order of day, month and year in dates such as 5/6/2024."
    )
    query: str | None = advanced(
        "Read the games with this SQL query; PATHS is then a database, if any.", metavar="SQL"
    )
    where: str | None = option(
        "Use only games for which this holds, by tags or columns: \"Termination <> 'time forfeit' "
        'AND WhiteElo >= 2400".',
        metavar="CONDITION",
    )
    strict: Strict = False
    skip_unread: bool = flag(
        "Go on even if a value of the result, or more than 5 % of the records, cannot be "
        "understood.",
        advanced=True,
    )
    engine: Engine = None

    def read(
        self,
        paths: Paths,
        *,
        format: str | None = None,
        report: bool = True,
        **wanted: Unpack[_Wanted],
    ) -> Pool:
        """The games of the files or of the query; what was left out goes to standard error.

        With `report` false it is left to the caller to say what was left out.
        """
        from yardstone import records

        options = self._options(**wanted)
        with _skipped_said_later():
            if self.query is not None:
                pool = records.query(self.query, *self._database(paths), **options)
            else:
                pool = records.read(*_named(paths), format=format, **options)
        if report:
            report_skipped(pool.skipped, always=True)
        return pool

    def stream(self, paths: Paths, *, memory: int, **wanted: Unpack[_Wanted]) -> GameStream:
        """The same piece by piece, while tables take so many bytes of `memory` at most.

        What is left out is for the caller to say, when all games have been given.
        """
        from yardstone.records.streaming import game_stream

        options = self._options(**wanted)
        if self.query is not None:
            return game_stream(*self._database(paths), query=self.query, memory=memory, **options)
        return game_stream(*_named(paths), memory=memory, **options)

    def counted(self, paths: Paths, *, memory: int, names: Names | None = None) -> CountedGames:
        """The games of the files or of the query, of which only counts of pairs are kept."""
        from yardstone.ratings.bradley_terry import CountedGames

        stream = self.stream(paths, memory=memory // 3, times=False, names=names)
        with _skipped_said_later():
            games = CountedGames.of_stream(stream)
        report_skipped(games.skipped, always=True)
        return games

    def _bytes(self, paths: Paths, bytes_a_game: int) -> int:
        """What all games together take, by their estimated number.

        What nobody can tell beforehand takes nothing: standard input.
        """
        if self.query is not None:
            from yardstone.records.databases import queried_games

            games = queried_games(self.query, *self._database(paths))
        else:
            from yardstone.records.reading import estimated_games

            games = estimated_games(paths or ())
        return games * bytes_a_game

    def _database(self, paths: Paths) -> list[str]:
        """The database that the query goes to, if there is one."""
        if len(paths or ()) > 1:
            raise UsageError("--query takes one database at most")
        return [str(path) for path in paths or ()]

    def _options(
        self,
        *,
        tags: Sequence[str] = (),
        every: bool = False,
        levels: bool = False,
        times: bool = True,
        names: Names | None = None,
    ) -> dict[str, Any]:
        columns = {tag: tag for tag in tags} | (declare.columns(self.columns or []) or {})
        return {
            "columns": columns or ("all" if every else None),
            "times": times or self.dates is not None,
            "levels": levels,
            **{name: getattr(self, name) for name in _MEANINGS},
            **asdict(names or Names()),
        }


@bundle
class ManyGames(GameOptions):
    """The same for a command that takes more games than fit in memory."""

    memory: Memory = None

    def fits(self, paths: Paths, *, bytes_a_game: int) -> bool:
        """Whether all games together fit in memory; one takes `bytes_a_game` of it."""
        from yardstone.memory import LEAST, working_memory

        given = self.memory is not None
        room = working_memory(self.memory) if given else LEAST
        size = self._bytes(paths, bytes_a_game)
        # What the machine has is asked only where it matters: that takes longer than few games.
        return size <= room or (not given and size <= working_memory(None))

    def read_within(self, paths: Paths, *, bytes_a_game: int, **wanted: Unpack[_Wanted]) -> Pool:
        """The games as `read` gives them, or on disk in order of time where they do not fit.

        `bytes_a_game` is what the work takes in memory.
        """
        if self.fits(paths, bytes_a_game=bytes_a_game):
            return self.read(paths, **wanted)
        from yardstone.memory import working_memory
        from yardstone.pool import stored_games

        room = working_memory(self.memory)
        with _skipped_said_later():
            pool = stored_games(self.stream(paths, memory=room // 2, **wanted), memory=room // 2)
        report_skipped(pool.skipped, always=True)
        return pool


#: Options that mean to `yardstone.records.read` what they mean here.
_MEANINGS = ("first", "dates", "results", "where", "strict", "skip_unread")


def _named(paths: Paths) -> Sequence[str | Source]:
    if not paths:
        raise UsageError("name a file of results, or - for standard input")
    return paths


@contextmanager
def _skipped_said_later() -> Iterator[None]:
    """Leave out the warnings of what is left out: it is said with places."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkippedWarning)
        yield


#: What a game takes while it is read, rated and kept, in bytes.
_BYTES_A_GAME = 250

RatedGamesPaths = Annotated[
    list[str] | None,
    argument("Files of results, or - for standard input; with --state, of new games."),
]


@bundle
class SystemOptions:
    """Options of a command that rates games over time: by which system, and from what on."""

    PANEL: ClassVar[str] = "Rating system"

    system: str | None = option("Rate by this system. [default: glicko2]", metavar="NAME")
    parameter: list[str] | None = option(
        "Set a parameter of the system. Repeatable.", "--set", metavar="NAME=VALUE"
    )
    state: Path | None = option("Continue from a file written by `yardstone history --save`.")

    def read(
        self,
        paths: Sequence[str] | None,
        games: ManyGames,
        moves: MovesOptions,
        network: NetworkOptions,
    ) -> tuple[dict[str, Any], list[str]]:
        """What `yardstone.evaluation.history.rating_history` takes, and notes on moves.

        The former are games, system with its parameters, and state.
        """
        from yardstone.evaluation.history import takes_levels
        from yardstone.evaluation.ledger import load_state

        ledger = None if self.state is None else load_state(self.state)
        moves.check_system(self.system if ledger is None else ledger.name)
        if moves.fit and ledger is not None:
            raise UsageError("--state has its parameters: leave out --fit")
        system = FUSION if moves.moves and ledger is None else self.system
        name = system or "glicko2"
        parameters = settings(self.parameter or [], [name])[name]
        pool, shown, notes = None, None, []
        if moves.moves:
            pool, shown, sentence = moves.games(paths, games, network, bytes_a_game=_BYTES_A_GAME)
            notes.append(sentence)
            if ledger is not None and ledger.parameters.get("source", "") != shown.source:
                known = ledger.parameters.get("source") or "a table"
                raise UsageError(
                    f"the strengths in --state are those of {known}, and these of {shown.source}"
                )
        elif paths or games.query is not None:
            pool = games.read_within(
                paths,
                bytes_a_game=_BYTES_A_GAME,
                tags=moves.columns(name if ledger is None else ledger.name),
                levels=takes_levels(self.system, ledger, parameters),
            )
        if name == FUSION and ledger is None and pool is not None:
            parameters, sentence = moves.parameters(pool, parameters, shown)
            notes.append(sentence)
        given = {"games": pool, "system": system, "parameters": parameters, "state": ledger}
        return given, notes


def settings(texts: Sequence[str], names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Parameters by system: SYSTEM.PARAMETER=VALUE, or PARAMETER=VALUE for all of them."""
    fixed: dict[str, dict[str, Any]] = {name: {} for name in names}
    for text in texts:
        place, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"--set {text!r}: write it as SYSTEM.PARAMETER=VALUE")
        system, dot, parameter = place.strip().rpartition(".")
        if dot and system not in fixed:
            raise UsageError(f"--set {text!r}: {system!r} is not among the systems")
        for name in [system] if dot else names:
            fixed[name][parameter] = declare.plain_value(value.strip())
    return fixed


def moment(text: str, option: str) -> np.datetime64:
    """A date, or a date and a time, as ISO 8601 writes them."""
    import numpy as np

    wrong = UsageError(f"{option} {text!r}: write a date as 2024-05-31, or 2024-05-31T12:00")
    try:
        value = np.datetime64(text.strip().replace(" ", "T"))
    except ValueError:
        raise wrong from None
    if np.isnat(value):
        raise wrong
    return value


#: Name of the system that takes moves.
FUSION = "fusion"
#: The model for which it was fitted how much moves are believed.
FITTED = "rank"
#: The scale on which moves are judged, if the model has it: it reaches from beginners to 9 dan.
_USUAL = "ogs"


@bundle
class MovesOptions:
    """Options of a command that starts players from the moves of their games."""

    PANEL: ClassVar[str] = "Moves"

    moves: list[str] | None = option(
        "Start players of Go from what the moves of their earlier games show: SGF files, a folder "
        "or archive of them, or a store of `yardstone go features`. Without PATHS the results are "
        "theirs too. Repeatable.",
        metavar="PATH",
    )
    match: str | None = advanced(
        "Column with the names of the games in --moves. [default: by players and date]",
        metavar="COLUMN",
    )
    fit: bool = flag(
        "Fit how much moves are believed to the results (the earlier ones).", advanced=True
    )
    model: str | None = advanced(
        "Model of strength for the moves: joint, rank, full, basic or stochastic, or a file. "
        "[default: rank]",
        metavar="NAME|FILE",
    )
    moves_scale: str | None = advanced(
        "Scale of the model on which moves are judged: ogs for all levels, fox for dan players. "
        "[default: ogs]",
        metavar="NAME",
    )

    def __post_init__(self) -> None:
        """Refuse options that need moves."""
        if not self.moves:
            for name in ("match", "model"):
                if getattr(self, name) is not None:
                    raise UsageError(f"--{name} goes with --moves")

    def check_system(self, name: str | None) -> None:
        """Refuse moves beside a system that takes none."""
        if self.moves and name not in (None, FUSION):
            raise UsageError(f"--moves is for the system {FUSION}, not for {name}")
        if self.fit and not self.moves and name != FUSION:
            raise UsageError(
                f"--fit is for the system {FUSION}: give --moves, or --system {FUSION}"
            )

    @staticmethod
    def columns(system: str) -> tuple[str, ...]:
        """Columns of a table of results that say what moves show, where they are wanted."""
        if system != FUSION:
            return ()
        from yardstone.strength.fusion import MOVE_COLUMNS

        return MOVE_COLUMNS

    def games(
        self,
        paths: Sequence[str] | None,
        games: ManyGames,
        network: NetworkOptions,
        *,
        bytes_a_game: int,
        **wanted: Unpack[_Wanted],
    ) -> tuple[Pool, GameMoves, str]:
        """The games with what their moves show, and how many of the records belong to one."""
        from yardstone.go.feature_store import ABOUT
        from yardstone.strength.fusion_moves import read_moves, with_moves
        from yardstone.strength.model import StrengthModel

        sources = list(paths or ())
        store = any((Path(path) / ABOUT).is_file() for path in self.moves or ())
        if not sources and games.query is None and not store:
            sources = list(self.moves or ())
        pool = None
        if sources or games.query is not None:
            if self.match is not None:
                wanted["tags"] = [*wanted.get("tags", ()), self.match]
            pool = games.read_within(sources, bytes_a_game=bytes_a_game, **wanted)
        model = StrengthModel.load(self.model or FITTED)
        moves = read_moves(
            self.moves or [],
            model,
            scale=self.moves_scale or (_USUAL if _USUAL in model.scales else None),
            **network.as_arguments(),
            strict=games.strict,
        )
        report_skipped(moves.skipped)
        if pool is None:
            pool = moves.results()
            report_skipped(pool.skipped)
        joined, matching = with_moves(pool, moves, column=self.match)
        return joined, moves, matching.sentence

    def parameters(
        self, pool: Pool, given: dict[str, Any], moves: GameMoves | None
    ) -> tuple[dict[str, Any], str]:
        """Parameters of the system from games that may be learned from, and what was done."""
        from yardstone.strength.fusion_priors import fusion_parameters

        scale = self.moves_scale
        if moves is not None:
            given, scale = {"source": moves.source, **given}, moves.scale
        return fusion_parameters(pool, given, fit=self.fit, scale=scale)

    def priors(
        self, pool: Pool, moves: GameMoves, *, average: float, join: float | None
    ) -> tuple[dict[str, Prior], str]:
        """Priors of a rating list by moves, and what was done, in a sentence."""
        from yardstone.ratings.bradley_terry import BradleyTerry
        from yardstone.strength.fusion import Fusion
        from yardstone.strength.fusion_priors import moves_priors

        parameters, sentence = self.parameters(pool, {}, moves)
        points = BradleyTerry().points_per_logit
        system = Fusion(**parameters)
        priors = moves_priors(pool, system, average=average, join=join, points_per_logit=points)
        return priors, sentence


#: Exit status of a watch that was ended by hand; the same as of anything interrupted.
_INTERRUPTED = 130
#: So many records that were left out are named at a time.
_PLACES = 5


@bundle
class Watching:
    """Options of a command that can look at its files again and again."""

    watch: bool = flag("Look again whenever the files grow, until Ctrl-C.")
    interval: float = advanced("With --watch: how often.", default=2.0, metavar="SECONDS")

    def follow(
        self,
        paths: Sequence[str],
        look: Callable[[Sequence[Source], bool], bool],
        *,
        query: str | None = None,
    ) -> int:
        """Call `look` whenever there are new whole games, until it is satisfied or Ctrl-C.

        Args:
            look: Takes the files as far as they are written, and whether this is the last look;
                says whether it has seen enough. Before the last look there may be no games yet.
            query: What was asked for in place of files, which cannot be followed.

        Returns:
            Exit status: 0, or 130 after Ctrl-C.
        """
        from yardstone.records.reading import growing_sources

        if query is not None or "-" in paths or not paths:
            instead = "" if query is None else ", not a query"
            raise UsageError(f"--watch needs files that grow{instead}")
        if not self.interval > 0.0:
            raise UsageError("--interval must be above 0 seconds")
        before: object = None
        try:
            while True:
                sources = growing_sources(paths)
                now = [_state(source) for source in sources]
                if sources and now != before:
                    before = now
                    with suppress(NoGamesError):  # there will be some
                        if look(sources, False):
                            return 0
                elif before is None:
                    print(f"yardstone: waiting for {', '.join(paths)}", file=sys.stderr)
                    before = []
                time.sleep(self.interval)
        except KeyboardInterrupt:
            pass
        for source in (sources := growing_sources(paths)):
            source.limit = None
        if sources:
            look(sources, True)
        return _INTERRUPTED


def _state(source: Source) -> tuple[object, ...]:
    """What changes when there is something new to read."""
    if source.limit is not None or source.path is None:
        return source.name, source.limit
    status = source.path.stat()
    return source.name, status.st_size, status.st_mtime_ns


class News:
    """Says what was left out, each record once."""

    def __init__(self) -> None:
        self._known: set[Skipped] = set()

    def tell(self, skipped: SkipReport) -> None:
        """Name the records that were not named before, on standard error."""
        fresh = [record for record in skipped.details if record not in self._known]
        self._known.update(fresh)
        for record in fresh[:_PLACES]:
            print(f"yardstone: skipped: {record}", file=sys.stderr)
        if (more := len(fresh) - _PLACES) > 0:
            print(f"yardstone: … and {plural(more, 'other')}", file=sys.stderr)
