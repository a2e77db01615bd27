"""A player's strength from files of games."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from yardstone.choices import check_choice, checked_arguments
from yardstone.errors import WrongTypeError
from yardstone.pool import SkipReport
from yardstone.records.go_game import BLACK, WHITE, GoGame
from yardstone.strength.estimate.estimate import LEVEL, StrengthEstimate, estimate_player
from yardstone.strength.estimate.site_scales import SiteScale

if TYPE_CHECKING:
    from yardstone.go.nets.network import Network
    from yardstone.strength.estimate.calibrate import Calibration
    from yardstone.strength.model import StrengthModel

__all__ = ["estimate"]

StrPath = str | os.PathLike[str]


@checked_arguments()
def estimate(
    games: StrPath | GoGame | Iterable[StrPath | GoGame],
    player: str | None = None,
    *,
    colour: Literal["black", "white"] | None = None,
    net: StrPath | Network | None = None,
    model: StrengthModel | None = None,
    scale: str | SiteScale | Calibration | None = None,
    level: float = LEVEL,
    handicap: bool = False,
    visits: int | None = None,
    strict: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> StrengthEstimate:
    """Estimate how strong a Go player is from the moves of games: `yardstone strength estimate`.

    Parameters
    ----------
    games : path, GoGame, or several of them
        SGF files, folders, archives and patterns such as ``"games/*.sgf"``; or games of
        `yardstone.records.sgf.read_games`.
    player : str, optional
        Whose strength; by default the one player who occurs in all the games.
    colour : {"black", "white"}, optional
        Take this colour's moves of all games, whoever played it.
    net : path, str or Network, optional
        A file, or the name of a network that is kept; by default the one of the model is
        looked for, and else the one that comes with Yardstone taken.
    model, scale, level, handicap, progress
        As in `yardstone.strength.estimate.estimate.estimate_player`.
    visits : int, optional
        How far losses of moves are searched.
    strict : bool
        Raise at the first record that cannot be used.

    Raises
    ------
    MissingFileError
        A file is not there.
    InputError, NoGamesError, UsageError
        As `estimate_player`.
    """
    if colour is not None:
        check_choice("colour", colour, ("black", "white"))
    single = isinstance(games, str | os.PathLike | GoGame)
    given: list[Any] = [games] if single else list(games)  # type: ignore[arg-type]
    known = [each for each in given if isinstance(each, GoGame)]
    paths = [each for each in given if isinstance(each, str | os.PathLike)]
    if len(known) + len(paths) < len(given):
        wrong = next(each for each in given if not isinstance(each, str | os.PathLike | GoGame))
        raise WrongTypeError(f"a {type(wrong).__name__} is not a game: give paths of SGF files")
    skipped = SkipReport()
    if paths:
        from yardstone.records.sgf import SgfReader

        reader = SgfReader(*map(Path, paths), strict=strict)
        known += list(reader)
        skipped = reader.skipped
    effort = None
    if visits is not None:
        from yardstone.go.losses import LossEffort

        effort = LossEffort(visits)
    return estimate_player(
        known,
        player,
        colour=None if colour is None else BLACK if colour == "black" else WHITE,
        net=net,
        model=model,
        scale=scale,
        level=level,
        handicap=handicap,
        effort=effort,
        skipped=skipped,
        progress=progress,
    )
