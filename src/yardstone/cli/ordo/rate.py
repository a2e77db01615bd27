"""From Ordo's switches to a rating system, its fit and its errors."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from yardstone.cli.ordo.files import warn
from yardstone.cli.ordo.known import SMALLEST_DEVIATION, Known
from yardstone.cli.ordo.options import OrdoOptions, Refused
from yardstone.errors import InputError, ModelError, UsageError
from yardstone.ratings import BradleyTerry, Estimate, JointRatings, Prior, Status
from yardstone.ratings.connectivity import strong_components
from yardstone.reports.ordo.text import as_in_tag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from yardstone.pool import PairCounts
    from yardstone.ratings.simulation import Simulated

__all__ = ["check_connection", "fit", "perfect_players", "rating_system", "run_simulation"]

#: Where Ordo's search for an infinite first-move advantage ends: ten steps from
#: 10 points on, each half as long again as the one before.
_UNBOUNDED_ADVANTAGE = 20.0 * (1.5**10 - 1.0)

NOT_CONNECTED = """

********************[ WARNING ]**********************
*     Database is not well connected by games       *
* Run switch -g to find what groups need more games *
*****************************************************
 ====> Groups detected: {}


"""

NOT_CONNECTED_EVEN_THEN = """

*************************[ WARNING ]*************************
*       Database is not well connected by games...          *
* ...even after purging players with all-wins/all-losses    *
*                                                           *
*    Run switch -g to find what groups need more games      *
*   Run switch -G to ignore warnings and force calculation  *
*   (Attempting it may be very slow and may not converge)   *
*************************************************************"""


def rating_system(options: OrdoOptions, known: Known, anchor: str | None) -> BradleyTerry:
    """The system that the switches describe."""
    advantage: float | str | Prior = options.white or 0.0
    if options.white_auto:
        advantage = "auto"
    elif options.white_error is not None and options.white_error > SMALLEST_DEVIATION:
        advantage = Prior(options.white or 0.0, options.white_error)
    percent = 50.0 if options.draw is None else options.draw
    draw_rate: float | str | Prior = percent / 100.0
    if options.draw_auto:
        draw_rate = "auto"
    elif options.draw_error is not None and options.draw_error > SMALLEST_DEVIATION:
        draw_rate = Prior(percent / 100.0, options.draw_error / 100.0)
    try:
        return BradleyTerry(
            average=2300.0 if options.average is None else options.average,
            anchor=anchor,
            anchors=known.anchors,
            loose_anchors=known.loose,
            relations=tuple(known.relations),
            first_advantage=advantage,  # type: ignore[arg-type]
            draw_rate=draw_rate,  # type: ignore[arg-type]
            method="likelihood" if options.likelihood_needed else "score",
            scale=options.scale,
            reference="mean" if options.pool_relative else "anchor",
            bounds="ordo",
            covariance=_errors_wanted(options),
        )
    except UsageError as error:
        raise Refused(str(error)) from None


def _errors_wanted(options: OrdoOptions) -> bool:
    """Whether errors are to be shown that are not simulated."""
    asked = options.cfs_show or options.error_matrix is not None or options.cfs_matrix is not None
    return asked and not options.simulations


def perfect_players(
    names: Sequence[str], counts: PairCounts, known: Known
) -> tuple[NDArray[np.bool_], tuple[int, int, int]]:
    """Players to set apart, and how many have no games, only wins and only losses.

    Those about whom something is known beforehand can be rated all the same.
    """
    totals = counts.player_totals()
    games = totals.sum(axis=1)
    nothing = games == 0
    all_won = (totals[:, 0] == games) & ~nothing
    all_lost = (totals[:, 2] == games) & ~nothing
    informed = np.array([name in known.players for name in names], np.bool_)
    apart = nothing | ((all_won | all_lost) & ~informed)
    return apart, (int(nothing.sum()), int(all_won.sum()), int(all_lost.sum()))


def check_connection(
    names: Sequence[str], counts: PairCounts, apart: NDArray[np.bool_], known: Known
) -> None:
    """Refuse games that do not put the players on one scale.

    Relations count as links; and groups need no link where each holds a player
    whose rating is fixed or known beforehand.
    """
    active = ~apart
    number = {name: row for row, name in enumerate(names)}
    ties = [(number[relation.player], number[relation.other]) for relation in known.relations]
    grounded = [number[name] for name in (*known.anchors, *known.loose) if active[number[name]]]
    ties += pairwise(grounded)
    ties = [(a, b) for a, b in ties if active[a] and active[b]]
    label = strong_components(
        counts, active, ties=np.array(ties, np.int32).reshape(-1, 2), names=names
    )
    if int(label.max(initial=-1)) != 0:
        raise Refused(NOT_CONNECTED_EVEN_THEN)


def fit(
    system: BradleyTerry, names: tuple[str, ...], counts: PairCounts, games: int
) -> tuple[BradleyTerry, JointRatings]:
    """Rate, to Ordo's digits; `games` counts those of the input.

    Returns the system as well: a first-move advantage without bound is fixed where
    Ordo's search for it ends.
    """
    from yardstone.ratings.ordo_search import as_ordo_ends

    try:
        ratings = system.fit_counts(names, counts)
    except ModelError as error:
        if system.first_advantage != "auto":
            raise Refused(f"yardstone: {error}") from None
        fixed = _without_bound(system, names, counts, games, error)
        return fixed, replace(
            as_ordo_ends(system, counts, fixed.fit_counts(names, counts), all_games=games),
            first_advantage=Estimate(float(fixed.first_advantage)),  # type: ignore[arg-type]
        )
    except (InputError, UsageError) as error:
        raise Refused(f"yardstone: {error}") from None
    return system, as_ordo_ends(system, counts, ratings, all_games=games)


def _without_bound(
    system: BradleyTerry, names: tuple[str, ...], counts: PairCounts, games: int, error: ModelError
) -> BradleyTerry:
    """The system with the first-move advantage fixed where Ordo's search for it ends."""
    from yardstone.ratings.ordo_search import SEARCHED, as_ordo_ends

    level = replace(system, first_advantage=0.0).fit_counts(names, counts)
    searched = as_ordo_ends(system, counts, level, all_games=games)
    advantage = searched.first_advantage.value
    if SEARCHED not in searched.extras:
        advantage = _UNBOUNDED_ADVANTAGE
        if counts.losses.any() or counts.draws.any():
            advantage = -advantage
        if counts.draws.any() or (counts.losses.any() and counts.wins.any()):
            raise Refused(f"yardstone: {error}")
    warn(f"{error}; the list shows where the search for one ends")
    return replace(system, first_advantage=advantage)


def warn_of_traps(
    options: OrdoOptions, anchor: str | None, ratings: JointRatings, groups: int
) -> None:
    """Say on standard error what the list does not show."""
    if groups > 1:
        warn(
            f"{groups} groups of players share no scale: each is rated on its own, "
            "and ratings may be compared within a group only"
        )
    if anchor is not None and options.loose_anchors is not None:
        warn("the anchor of -A has no effect: the loose anchors of -y set the level")
    if anchor is not None:
        held = ratings.status[ratings.index(anchor)] == Status.NORMAL
        if not held:
            warn(
                f'the anchor "{as_in_tag(anchor)}" won or lost every game: '
                "the level rests on a bound"
            )


def run_simulation(
    system: BradleyTerry, counts: PairCounts, ratings: JointRatings, options: OrdoOptions
) -> Simulated:
    """Simulated replays, with Ordo's signs of progress."""
    from yardstone.ratings.simulation import simulate

    progress = _Progress(
        options.simulations,
        stars=options.show_simulation or (not options.quiet and options.cpus > 1),
        heads=not options.quiet and options.cpus == 1,
    )
    progress.start()
    try:
        simulated = simulate(
            system, counts, ratings, options.simulations, workers=options.cpus, progress=progress
        )
    except ModelError as error:
        raise Refused(f"yardstone: {error}") from None
    progress.end()
    return simulated


class _Progress:
    """Stars that grow to 51 while the replays are made, or a line for each."""

    def __init__(self, simulations: int, *, stars: bool, heads: bool) -> None:
        self._simulations = simulations
        self._stars = stars
        self._heads = heads
        self._shown = 0

    def start(self) -> None:
        if self._stars:
            self._say("0   10   20   30   40   50   60   70   80   90   100 (%)\n")
            self._say("|----|----|----|----|----|----|----|----|----|----|\n")

    def __call__(self, done: int, total: int) -> None:
        if self._heads:
            for number in range(self._shown + 1, done + 1):
                self._say(f"\n==> Simulation:{number}/{total}\n")
            self._shown = max(self._shown, done)
        elif self._stars:
            stars = min(done * 50 // total, 50)
            self._say("*" * (stars - self._shown))
            self._shown = max(self._shown, stars)

    def end(self) -> None:
        if self._stars:
            self._say("*" * (51 - self._shown) + "\n")

    @staticmethod
    def _say(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()
