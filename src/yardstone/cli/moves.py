"""Moves beside results on the command line: where they are, and what is made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.cli.games import GameOptions, Names
    from yardstone.cli.go.options import NetworkOptions
    from yardstone.pool import Pool
    from yardstone.ratings.joint import Prior
    from yardstone.strength.fusion.game_moves import GameMoves

__all__ = ["FUSION", "MovesOptions"]

#: Name of the system that takes moves.
FUSION = "fusion"
#: The model for which it was fitted how much moves are believed.
FITTED = "rank"
#: The scale on which moves are judged, if the model has it: it reaches from beginners to 9 dan.
USUAL = "ogs"


@dataclass(frozen=True)
class MovesOptions:
    """Options of a command that starts players from the moves of their games."""

    PANEL: ClassVar[str] = "Moves"

    moves: Annotated[
        list[str] | None,
        typer.Option(
            "--moves",
            metavar="PATH",
            help="Start players of Go from what the moves of their earlier games show: SGF files, "
            "a folder or archive of them, or a store of `yardstone go features`. Without PATHS "
            "the results are theirs too. Repeatable.",
        ),
    ] = None
    match: Annotated[
        str | None,
        typer.Option(
            "--match",
            metavar="COLUMN",
            help="Column with the names of the games in --moves. [default: by players and date]",
            show_default=False,
        ),
    ] = None
    fit: Annotated[
        bool,
        typer.Option(
            "--fit", help="Fit how much moves are believed to the results (the earlier ones)."
        ),
    ] = False
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="NAME|FILE",
            help="Model of strength for the moves: joint, rank, full, basic or stochastic, or a "
            "file. [default: rank]",
        ),
    ] = None
    moves_scale: Annotated[
        str | None,
        typer.Option(
            "--moves-scale",
            metavar="NAME",
            help="Scale of the model on which moves are judged: ogs for all levels, fox for "
            "dan players. [default: ogs]",
            show_default=False,
        ),
    ] = None

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
        from yardstone.strength.fusion.system import MOVE_COLUMNS

        return MOVE_COLUMNS

    def read(self, network: NetworkOptions, *, strict: bool, quiet: bool) -> GameMoves:
        """What the moves show."""
        from yardstone.cli.progress import progress_bar
        from yardstone.strength.fusion.game_moves import read_moves
        from yardstone.strength.model import StrengthModel

        model = StrengthModel.load(self.model or FITTED)
        return read_moves(
            self.moves or [],
            model,
            scale=self.moves_scale or (USUAL if USUAL in model.scales else None),
            **network.as_arguments(),
            strict=strict,
            progress=progress_bar("looking at positions", quiet=quiet),
        )

    def games(
        self,
        paths: Sequence[str] | None,
        games: GameOptions,
        network: NetworkOptions,
        *,
        memory: str | None,
        bytes_a_game: int,
        levels: bool = False,
        tags: Sequence[str] = (),
        names: Names | None = None,
        quiet: bool,
    ) -> tuple[Pool, GameMoves, str]:
        """The games with what their moves show, and how many of the records belong to one."""
        from yardstone.cli.reading import report_skipped
        from yardstone.go.feature_store import ABOUT
        from yardstone.strength.fusion.matching import with_moves

        sources = list(paths or ())
        store = any((Path(path) / ABOUT).is_file() for path in self.moves or ())
        if not sources and games.query is None and not store:
            sources = list(self.moves or ())
        pool = None
        if sources or games.query is not None:
            pool = games.read_within(
                sources,
                memory,
                bytes_a_game=bytes_a_game,
                tags=(*tags, *(() if self.match is None else (self.match,))),
                levels=levels,
                names=names,
                quiet=quiet,
            )
        moves = self.read(network, strict=games.strict, quiet=quiet)
        report_skipped(moves.skipped, quiet=quiet)
        if pool is None:
            pool = moves.results()
            report_skipped(pool.skipped, quiet=quiet)
        joined, matching = with_moves(pool, moves, column=self.match)
        return joined, moves, matching.sentence

    def parameters(
        self, pool: Pool, given: dict[str, Any], moves: GameMoves | None
    ) -> tuple[dict[str, Any], str]:
        """Parameters of the system from games that may be learned from, and what was done."""
        from yardstone.strength.fusion.prior_fit import fusion_parameters

        if moves is None:
            return fusion_parameters(pool, given, fit=self.fit, scale=self.moves_scale)
        known = {"source": moves.source, **given}
        return fusion_parameters(pool, known, fit=self.fit, scale=moves.scale)

    def priors(
        self, pool: Pool, moves: GameMoves, *, average: float, join: float | None
    ) -> tuple[dict[str, Prior], str]:
        """Priors of a rating list by moves, and what was done, in a sentence."""
        from yardstone.ratings.bradley_terry import BradleyTerry
        from yardstone.strength.fusion.list_priors import moves_priors
        from yardstone.strength.fusion.system import Fusion

        parameters, sentence = self.parameters(pool, {}, moves)
        points = BradleyTerry().points_per_logit
        system = Fusion(**parameters)
        priors = moves_priors(pool, system, average=average, join=join, points_per_logit=points)
        return priors, sentence
