"""Games of results as commands take them: the options, and reading by them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from yardstone.cli import values
from yardstone.cli.options import Engine
from yardstone.cli.progress import progress_bar
from yardstone.cli.reading import report_skipped
from yardstone.errors import SkippedWarning, UsageError

if TYPE_CHECKING:
    from yardstone.pool import Pool
    from yardstone.ratings.bradley_terry import CountedGames
    from yardstone.records.sources import Source
    from yardstone.records.streaming import GameStream

__all__ = ["GameOptions", "Names"]

_NO_FILES = "name a file of results, or - for standard input"


@dataclass(frozen=True)
class Names:
    """Files of players' names."""

    PANEL: ClassVar[str] = "Input"

    include: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Use only games of the players in this file."),
    ] = None
    exclude: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Leave out games of the players in this file."),
    ] = None
    synonyms: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Treat names as one player: lines of NAME,OTHER,OTHER,..."
        ),
    ] = None


@dataclass(frozen=True)
class GameOptions:
    """Options of a command that reads results: what they mean and what to do with bad ones."""

    PANEL: ClassVar[str] = "Input"

    columns: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MAP",
            help="Which columns of a table hold what: "
            "first=NAME,second=NAME,score=NAME,time=NAME; instead of score also "
            "first_score=NAME,second_score=NAME or margin=NAME.",
        ),
    ] = None
    first: Annotated[
        Literal["white", "black"] | None,
        typer.Option(
            "--first",
            help="Colour that moves first in a table, and whose win 1-0 is, where columns and "
            "results do not say; in PGN always White.",
            show_default=False,
        ),
    ] = None
    results: Annotated[
        str | None,
        typer.Option(
            "--results",
            metavar="MAP",
            help="What the values of the result mean for the first player: "
            "'H=win,D=draw,A=loss,P=skip'.",
        ),
    ] = None
    dates: Annotated[
        Literal["dmy", "mdy", "ymd"] | None,
        typer.Option(
            "--dates",
            help="Order of day, month and year in dates such as 5/6/2024.",
            show_default=False,
        ),
    ] = None
    query: Annotated[
        str | None,
        typer.Option(
            metavar="SQL",
            help="Read the games with this SQL query; PATHS is then a database, if any.",
        ),
    ] = None
    where: Annotated[
        str | None,
        typer.Option(
            "--where",
            metavar="CONDITION",
            help="Use only games for which this holds, by tags or columns: \"Termination <> 'time "
            "forfeit' AND WhiteElo >= 2400\".",
        ),
    ] = None
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at the first record that cannot be used.")
    ] = False
    skip_unread: Annotated[
        bool,
        typer.Option(
            "--skip-unread",
            help="Go on even if a value of the result, or more than 5 % of the records, cannot "
            "be understood.",
        ),
    ] = False
    engine: Engine = None

    def read(
        self,
        paths: Sequence[str | Source] | None,
        *,
        format: str | None = None,
        tags: Sequence[str] = (),
        every: bool = False,
        levels: bool = False,
        times: bool = True,
        names: Names | None = None,
        quiet: bool = False,
        report: bool = True,
    ) -> Pool:
        """The games of the files or of the query; what was left out goes to standard error.

        `tags` are further tags or columns that are kept, with `every` all of them; `levels`
        asks for grades, ratings and handicaps. With `report` false it is left to the caller
        to say what was left out.
        """
        from yardstone import records

        options = self._options(tags, every=every, levels=levels, times=times, names=names)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SkippedWarning)  # said below, with places
            if self.query is not None:
                pool = records.query(self.query, *self._database(paths), **options)
            elif paths:
                progress = progress_bar("reading", quiet=quiet)
                pool = records.read(*paths, format=format, progress=progress, **options)
            else:
                raise UsageError(_NO_FILES)
        if report:
            report_skipped(pool.skipped)
        return pool

    def stream(
        self,
        paths: Sequence[str | Source] | None,
        *,
        memory: int,
        tags: Sequence[str] = (),
        levels: bool = False,
        times: bool = True,
        names: Names | None = None,
        quiet: bool = False,
    ) -> GameStream:
        """The same piece by piece, while tables take so many bytes of `memory` at most.

        What is left out is for the caller to say, when all games have been given.
        """
        from yardstone.records.streaming import game_stream

        options = self._options(tags, levels=levels, times=times, names=names)
        if self.query is not None:
            return game_stream(*self._database(paths), query=self.query, memory=memory, **options)
        if not paths:
            raise UsageError(_NO_FILES)
        return game_stream(
            *paths, progress=progress_bar("reading", quiet=quiet), memory=memory, **options
        )

    def counted(
        self,
        paths: Sequence[str | Source] | None,
        *,
        memory: int,
        names: Names | None = None,
        quiet: bool = False,
    ) -> CountedGames:
        """The games of the files or of the query, of which only counts of pairs are kept."""
        from yardstone.ratings.bradley_terry import CountedGames

        stream = self.stream(paths, memory=memory // 3, times=False, names=names, quiet=quiet)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SkippedWarning)  # said below, with places
            games = CountedGames.of_stream(stream)
        report_skipped(games.skipped)
        return games

    def read_within(
        self,
        paths: Sequence[str | Source] | None,
        memory: str | None,
        *,
        bytes_a_game: int,
        tags: Sequence[str] = (),
        levels: bool = False,
        names: Names | None = None,
        quiet: bool = False,
    ) -> Pool:
        """The games as `read` gives them, or on disk in order of time where they do not fit.

        `memory` is what the user says of it, `bytes_a_game` what the work takes in memory.
        """
        from yardstone.memory import bytes_of, usable_memory

        room = usable_memory() if memory is None else bytes_of(memory)
        if self.fits(paths, room, bytes_a_game=bytes_a_game):
            return self.read(paths, tags=tags, levels=levels, names=names, quiet=quiet)
        from yardstone.records.stored import stored_games

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SkippedWarning)  # said below, with places
            games = self.stream(
                paths, memory=room // 2, tags=tags, levels=levels, names=names, quiet=quiet
            )
            pool = stored_games(games, memory=room // 2)
        report_skipped(pool.skipped)
        return pool

    def fits(
        self, paths: Sequence[str | Source] | None, memory: int, *, bytes_a_game: int = 100
    ) -> bool:
        """Whether all games together, by their estimated number, fit in so much memory.

        What nobody can tell beforehand fits: standard input.
        """
        if self.query is not None:
            from yardstone.records.databases import queried_games

            games = queried_games(self.query, *self._database(paths))
        else:
            from yardstone.records.size import estimated_games

            games = estimated_games(paths or ())
        return games * bytes_a_game <= memory

    def _database(self, paths: Sequence[str | Source] | None) -> list[str]:
        """The database that the query goes to, if there is one."""
        if len(paths or ()) > 1:
            raise UsageError("--query takes one database at most")
        return [str(path) for path in paths or ()]

    def _options(
        self,
        tags: Sequence[str],
        *,
        every: bool = False,
        levels: bool = False,
        times: bool = True,
        names: Names | None = None,
    ) -> dict[str, Any]:
        columns = {tag: tag for tag in tags} | (values.columns(self.columns or []) or {})
        return {
            "columns": columns or ("all" if every else None),
            "first": self.first,
            "times": times or self.dates is not None,
            "dates": self.dates,
            "levels": levels,
            "results": self.results,
            "where": self.where,
            "strict": self.strict,
            "skip_unread": self.skip_unread,
            **asdict(names or Names()),
        }
