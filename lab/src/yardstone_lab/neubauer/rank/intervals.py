"""How well ranks are told: games drawn from a rank group, and games of one player.

The protocol of Chen, Shih and Wu (ICLR 2025) and of Kuboki and others (AIIDE 2025): the
games of n draws from a group are put together, and the group is to be named.

Intervals of a rank model, calibrated on players that models like it have not seen.

What the model says of such players, from one game of theirs and from several, from whole
games and from one phase of them, is compared with their rank groups; its intervals are
fitted to that. In training the players of each fold are judged by the model that was
trained on the other folds.

Of a player of Fox only the rank group is known, so that each stands for strengths spread evenly
over that group; of one of OGS the rating is. Distributions that are too sure are first
blurred, as far as makes the true groups likeliest; then the quantiles are moved to where they
held on those players (Kuleshov, Fenner and Ermon 2018), for few moves and for many by
themselves, with the allowance of conformal prediction for the number of players.

Where strengths are known, the quantiles can be fitted near several strengths, to the players
thereabouts above all: conditional on the truth (as Vovk 2012 does for classes), so that the
ends of a scale, where a model errs most, do not live on the middle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import NoGamesError
from yardstone.go.analysis import PHASES as GAME_PHASES
from yardstone.strength.evidence import PHASES
from yardstone.strength.intervals import (
    LEVELS,
    TRACE,
    IntervalTable,
    blurred,
    blurring,
    cumulated,
    scale_ends,
)
from yardstone.strength.model import StrengthModel
from yardstone.strength.strengths import PARTS

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from yardstone.strength.intervals import Interval
    from yardstone.strength.model_scale import ModelScale
    from yardstone_lab.neubauer.rank.pool import RankPool
    from yardstone_lab.neubauer.rank.training import TrainedRank

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

__all__ = [
    "Accuracy",
    "accuracy",
    "knot_probabilities",
    "draw_games",
    "draw_players",
    "judged_by_fold",
    "MODEL_PHASES",
    "UNLIKELY",
    "Unseen",
    "calibrated",
    "draw_unseen",
    "fit_tables",
    "unseen_players",
    "with_intervals",
    "MOVES",
    "even_strengths",
    "fit_intervals",
    "Coverage",
    "coverage",
    "tails_near",
    "widened_near",
]


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How often the group was named."""

    draws: int
    #: `exact`, `near`: share of draws with the right group, and with it or a neighbour.
    exact: float
    near: float
    error: float  #: Mean distance from the right group, in groups.
    log_likelihood: float  #: Mean logarithm of the probability of the right group.


def accuracy(probabilities: Array, truth: Ints) -> Accuracy:
    """Accuracy of probabilities of the groups.

    Args:
        probabilities: float64 [n, groups].
        truth: int64 [n].
    """
    if not len(truth):
        raise NoGamesError("there is nothing to judge")
    away = np.abs(probabilities.argmax(axis=1) - truth)
    right = probabilities[np.arange(len(truth)), truth]
    return Accuracy(
        draws=len(truth),
        exact=float((away == 0).mean()),
        near=float((away <= 1).mean()),
        error=float(away.mean()),
        log_likelihood=float(np.log(np.maximum(right, np.finfo(float).tiny)).mean()),
    )


def knot_probabilities(scale: ModelScale, statistics: Array, *, one_player: bool = False) -> Array:
    """Probability of each knot of a scale's spread for games of many of its players.

    Unlike in `ModelScale.density` the moves are taken for those of average players there: nobody
    lies between two knots. `statistics`: [..., phases + 1 + scores]. `one_player`: the games are
    of one player, whose own part of the covariance stays whole.
    """
    parts = []
    for each in scale.spreads:
        distance = each.distances(statistics, each.usual, one_player=one_player)
        density = np.exp(-0.5 * (distance - distance.min(axis=-1, keepdims=True)))
        parts.append(density / density.sum(axis=-1, keepdims=True))
    return np.asarray(np.mean(parts, axis=0))


def draw_games(
    statistics: Array,
    group: Ints,
    game: Ints,
    *,
    games: int,
    draws: int,
    random: np.random.Generator,
    one_colour: bool = False,
) -> tuple[Array, Ints]:
    """Sums over the sides of games drawn from a group, without putting them back.

    Args:
        statistics (float64 [s, m]): A row a side, that are added up
            (`StrengthModel.game_statistics`).
        group, game (int64 [s]): Of each side.
        games: Games of a draw; a group with fewer gives no draw.
        draws: For each group.
        one_colour: Take one side of each game, drawn as well, in place of both.

    Returns:
        float64 [groups × draws, m], int64 [groups × draws]: The sums, and the group of each.
    """
    sums, truth = [], []
    for number in np.unique(group):
        rows = np.flatnonzero(group == number)
        _, place = np.unique(game[rows], return_inverse=True)
        order = rows[np.argsort(place, kind="stable")]
        size = np.bincount(place)
        if len(size) < games:
            continue
        start = np.concatenate([[0], np.cumsum(size)[:-1]])
        whole = np.add.reduceat(statistics[order], start, axis=0)
        for _ in range(draws):
            chosen = random.choice(len(size), games, replace=False)
            if one_colour:
                side = start[chosen] + random.integers(0, size[chosen])
                sums.append(statistics[order[side]].sum(axis=0))
            else:
                sums.append(whole[chosen].sum(axis=0))
            truth.append(number)
    return np.array(sums).reshape(-1, statistics.shape[1]), np.array(truth, np.int64)


def draw_players(
    statistics: Array,
    group: Ints,
    player: NDArray[Any],
    *,
    games: int,
    draws: int,
    random: np.random.Generator,
    players: Sequence[tuple[int, str]] | None = None,
) -> tuple[Array, Ints, Ints]:
    """Sums over games drawn from those of one player within one group.

    Args:
        statistics, group, games, random: As in `draw_games`.
        player: str array [s].
        draws: For each player.
        players (sequence of (int, str)): Groups and names of the players wanted; all by default.

    Returns:
        float64 [n, m], int64 [n], int64 [n]: The sums, the group of each, and a number that tells
            the players apart. A player with fewer games is left out; without a name nobody is a
            player.
    """
    place: dict[tuple[int, str], list[int]] = {}
    for row, key in enumerate(zip(group.tolist(), player.tolist(), strict=True)):
        if key[1]:
            place.setdefault(key, []).append(row)
    sums, truth, who = [], [], []
    for number, key in enumerate(place if players is None else players):
        rows = np.array(place.get(key, []), np.int64)
        if len(rows) < games:
            continue
        for _ in range(draws):
            sums.append(statistics[random.choice(rows, games, replace=False)].sum(axis=0))
            truth.append(key[0])
            who.append(number)
    drawn = np.array(sums).reshape(-1, statistics.shape[1])
    return drawn, np.array(truth, np.int64), np.array(who, np.int64)


def judged_by_fold(
    drawn: Callable[[Ints], tuple[Array, Ints]],
    judge: Callable[[int, Array], Array],
    fold: Ints,
) -> tuple[Array, Ints]:
    """Draws from each fold, judged by the model that has not seen it.

    Args:
        drawn: Gives sums and groups of draws from the sides at some rows.
        judge: Probabilities of the groups by a fold's model.
        fold: int64 [s].

    Returns:
        float64 [n, groups], int64 [n]: For `accuracy`.
    """
    judged = []
    for number in np.unique(fold):
        sums, truth = drawn(np.flatnonzero(fold == number))
        if len(truth):
            judged.append((judge(int(number), sums), truth))
    if not judged:
        raise NoGamesError("there is nothing to judge")
    probabilities, groups = zip(*judged, strict=True)
    return np.concatenate(probabilities), np.concatenate(groups)


#: Share of estimates of players like those of the training that are called unlikely.
UNLIKELY = 0.01
#: A number of games with fewer estimates is fitted together with the next one.
_FEWEST = 100
#: Games of one player that are put together.
_GAMES = (1, 2, 3, 4, 5)
#: The model's phases that make up those of an estimate, nearly: its third ends at move 140.
MODEL_PHASES = dict(zip(GAME_PHASES, ([0, 1], [2, 3], [4]), strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class Unseen:
    """Estimates of players whom their model has not seen."""

    density: Array  #: [n, m]: `StrengthModel.density` of each.
    statistics: Array  #: [n, phases + 1 + k]: what it rests upon.
    distance: Array  #: [n]: `StrengthModel.distance` of each.
    strengths: Array  #: [n, e]: strengths that the player may have, all as likely.
    #: `group`, `player`, `games`, `fold` [n]: the player's group and number, the games put
    #: together, the player's fold.
    group: Ints
    player: Ints
    games: Ints
    fold: Ints

    @property
    def moves(self) -> Ints:
        """The moves that each rests upon."""
        return np.asarray(self.statistics[:, :PHASES].sum(axis=1), np.int64)

    def __len__(self) -> int:
        """Number of estimates."""
        return len(self.group)

    def select(self, rows: NDArray[Any]) -> Unseen:
        """Some of the estimates."""
        return Unseen(**{each.name: getattr(self, each.name)[rows] for each in fields(self)})

    @classmethod
    def joined(cls, parts: Sequence[Unseen]) -> Unseen:
        """Those of several."""
        return cls(
            **{
                each.name: np.concatenate([getattr(part, each.name) for part in parts])
                for each in fields(cls)
            }
        )

    def table(self, edges: Array, near: Sequence[float] = ()) -> IntervalTable:
        """Intervals on a scale with such groups, fitted for each number of games by itself.

        `near` as in `fit_intervals`; the intervals near those strengths are as wide as
        `tails_near` finds to be needed.
        """
        table = fit_intervals(
            self.density,
            self.group,
            self.moves,
            edges=edges,
            strengths=self.strengths,
            players=self.player,
            classes=self.games,
            fewest=_FEWEST,
            near=near,
        )
        return widened_near(table, tails_near(table, self)) if near else table

    def farthest(self) -> float:
        """The distance from the nearest strength that all but a few of them keep."""
        return float(np.quantile(self.distance, 1.0 - UNLIKELY))


def draw_unseen(
    scale: ModelScale,
    statistics: Array,
    group: Ints,
    player: Ints,
    fold: Ints,
    *,
    strengths: Array | None = None,
    games: Sequence[int],
    draws: int,
    random: np.random.Generator,
) -> Unseen:
    """Put games of each player together, and say what a model makes of them.

    Args:
        scale: Of a model that has not seen the players.
        statistics (float64 [s, phases + 1 + k]): Of sides; those without a move are left out.
        group, player, fold (int64 [s]): Of each side; players have numbers of their own in each
            group, and one fold.
        strengths (float64 [s]): Of each side's player; by default they are spread evenly over the
            group.
        games: Numbers of games; a player with fewer is left out.
        draws: For each player and number of games.
    """
    some = statistics[:, :PHASES].sum(axis=1) > 0
    whose = np.unique(np.column_stack([group, player, fold])[some], axis=0)
    keys = [(int(of_group), str(number)) for of_group, number, _ in whose]
    drawn = [
        draw_players(
            statistics[some],
            group[some],
            player[some].astype(np.str_),
            games=number,
            draws=draws,
            random=random,
            players=keys,
        )
        for number in games
    ]
    whole = np.concatenate([sums for sums, _, _ in drawn])
    person = np.concatenate([who for _, _, who in drawn])
    if strengths is None:
        known = even_strengths(whose[:, 0], scale.edges)
    else:
        of_player = {int(who): value for who, value in zip(player, strengths, strict=True)}
        known = np.array([[of_player[int(who)]] for who in whose[:, 1]]).reshape(-1, 1)
    return Unseen(
        density=scale.density(whole),
        statistics=whole,
        distance=scale.distance(whole),
        strengths=known[person],
        group=whose[person, 0],
        player=whose[person, 1],
        games=np.repeat(np.array(games, np.int64), [len(who) for _, _, who in drawn]),
        fold=whose[person, 2],
    )


def fit_tables(
    unseen: Mapping[str, Unseen], edges: Array, near: Sequence[float] = ()
) -> dict[str, IntervalTable]:
    """A table of intervals for each of `PARTS`; a phase that no game has is as the whole."""
    return {
        part: (unseen[part] if len(unseen[part]) else unseen["whole"]).table(edges, near)
        for part in PARTS
    }


def unseen_players(
    trained: TrainedRank, pool: RankPool, random: np.random.Generator
) -> dict[str, Unseen]:
    """What models of other folds say of the players of a pool, for each of `PARTS`.

    Args:
        pool: What it was trained on.
    """
    outside = trained.out_of_fold
    named = pool.player != ""
    _, player = np.unique(
        np.char.add(np.char.add(pool.group.astype(str), " "), pool.player), return_inverse=True
    )
    # Who has no name is a player of one game.
    player = np.where(named, player, len(player) + np.arange(len(player))).astype(np.int64)
    parts: dict[str, Unseen] = {}
    for part in PARTS:
        statistics = outside.statistics(MODEL_PHASES.get(part, list(range(PHASES))))
        drawn = []
        for number, model in enumerate(outside.models):
            rows = outside.fold == number
            drawn.append(
                draw_unseen(
                    model.scale(),
                    statistics[rows],
                    pool.group[rows],
                    player[rows],
                    outside.fold[rows],
                    games=_GAMES,
                    draws=1,
                    random=random,
                )
            )
        parts[part] = Unseen.joined(drawn)
    return parts


def with_intervals(trained: TrainedRank, pool: RankPool, seed: int) -> StrengthModel:
    """The trained model with calibrated intervals on its card, as ``intervals``.

    Args:
        pool: What it was trained on.
        seed: Of the games that are drawn.
    """
    unseen = unseen_players(trained, pool, np.random.default_rng(seed))
    return calibrated(trained.model, trained.model.scale().name, unseen)


def calibrated(
    model: StrengthModel,
    scale: str,
    unseen: Mapping[str, Unseen],
    near: Sequence[float] = (),
) -> StrengthModel:
    """The model with what is fitted to such estimates on one of its scales on its card.

    For each scale and each of `PARTS` ``intervals`` has a table (`fit_intervals`), and
    ``farthest`` says how far from the nearest strength all but a share `UNLIKELY` of the
    estimates lie.
    """
    tables = fit_tables(unseen, model.scale(scale).edges, near)
    fitted: dict[str, dict[str, Any]] = {
        "intervals": {part: table.as_dict() for part, table in tables.items()},
        "farthest": {part: round(each.farthest(), 2) for part, each in unseen.items() if len(each)},
    }
    card = dict(model.card)
    for name, value in fitted.items():
        card[name] = {**(card.get(name) or {}), scale: value}
    return StrengthModel(model.scorer, list(model.scales.values()), card)


#: Edges of the classes by number of moves, unless told otherwise.
MOVES = (0, 20, 50, 100, 200, 400, 800, 1600, 3200)
#: No class is fitted to fewer estimates than this: it joins its neighbour.
_FEWEST_ESTIMATES = 200
#: Nor to fewer of any one group than this part of that number.
_GROUP_SHARE = 20
#: Blurs that are tried, in ranks.
_BLURS = np.round(np.arange(0.0, 3.01, 0.1), 1)
#: Strengths of a group that each of its players stands for.
_EVEN = 9
#: Players so many ranks from a strength count six tenths near it.
_NEAR = 8.0
#: The least that is left of the tails near a strength, and the step of the search.
_LEAST_TAILS, _TAILS_STEP = 0.1, 0.05
_SMALL = 1e-9


def fit_intervals(
    density: ArrayLike,
    groups: ArrayLike,
    moves: ArrayLike,
    *,
    edges: ArrayLike,
    strengths: ArrayLike | None = None,
    players: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    by_moves: Sequence[int] = MOVES,
    fewest: int = _FEWEST_ESTIMATES,
    near: Sequence[float] = (),
) -> IntervalTable:
    """Fit intervals to estimates of players whom the model has not seen.

    Args:
        density (float array [n, m]): What the model said of each (`ModelScale.density`).
        groups (int array [n]): The true group of each, from 0.
        moves (int array [n]): The player's moves that each estimate rests upon.
        edges (float array [g + 1]): Where the groups begin, and where the last one ends.
        strengths (float array [n, e]): Strengths that each may have had, all as likely; by default
            spread evenly over the group.
        players (int array [n]): Whose estimate each is; everyone counts alike, however often. By
            default each is another player's.
        classes (int array [n]): What is fitted by itself, such as the number of games; by default
            `by_moves` tells.
        by_moves: Where classes by number of moves begin.
        fewest: A class with fewer estimates, or with few of one of the groups, joins the one before
            it.
        near: Strengths near which the levels are fitted by themselves; none for all alike.

    Returns:
        Within a class all groups count alike, however many of each there are: who has many games is
            often of the strongest group. Near strengths all players do, the closer ones the more.
    """
    group, number = np.asarray(groups, np.int64), np.asarray(moves, np.float64)
    if not len(group):
        raise NoGamesError("intervals cannot be fitted to no estimates")
    p = np.atleast_2d(np.asarray(density, np.float64))
    who = np.arange(len(group)) if players is None else np.asarray(players, np.int64)
    place = (
        np.searchsorted(np.asarray(by_moves), number, side="right")
        if classes is None
        else np.asarray(classes, np.int64)
    )
    borders = np.asarray(edges, np.float64)
    true = even_strengths(group, borders) if strengths is None else np.asarray(strengths)
    rows_of = _classes(place, group, fewest)
    typical = [max(float(np.exp(np.log(np.maximum(number[r], 1.0)).mean())), 1.0) for r in rows_of]
    order = np.argsort(typical)
    blurs, at, people = [], [], []
    for rows in (rows_of[k] for k in order):
        weight = _weights(group[rows], who[rows])
        people.append(len(np.unique(who[rows])))
        blurs.append(_best_blur(p[rows], group[rows], weight, borders))
        players_at = _TrueLevels.of(p[rows], blurs[-1], true[rows], borders)
        if near:
            alike = _weights(np.zeros(len(rows), np.int64), who[rows])
            moved = players_at.moved_to(near, alike)
            at.append([_levels(*each, people[-1]) for each in moved])
        else:
            at.append([_levels(players_at, weight, people[-1])])
    return IntervalTable(
        np.array(typical)[order],
        np.array(blurs),
        LEVELS,
        np.array(at),
        np.array([len(rows_of[k]) for k in order], np.int64),
        np.array(people, np.int64),
        scale_ends(borders),
        np.array(near or [0.0], np.float64),
    )


def tails_near(table: IntervalTable, unseen: Unseen, level: float = 0.9) -> Array:
    """How much of the tails may be left out near each strength, so that intervals hold there.

    Levels lie on the straight line between the strengths that they were fitted near, and are
    fitted to the players round about too: of those nearest to one fewer may be held.

    Args:
        table: Fitted near several strengths.
        unseen: Estimates of players whose strength is known, each of one; players count alike.
        level: That must be held by the players nearest to each strength.

    Returns:
        float64 [k]: For `widened_near`: 1 where the intervals do.
    """
    true, knots = unseen.strengths[:, 0], table.strengths
    begin, weak, strong, end = table.ends.tolist()
    # An end within the weakest or the strongest group is none.
    low, high = np.maximum(true, weak), np.minimum(true, strong)
    below = np.empty((2, len(true)))
    for place, (density, moves) in enumerate(zip(unseen.density, unseen.moves, strict=True)):
        places, cdf = cumulated(blurred(density, table.blur_of(int(moves)), begin, end), begin, end)
        below[:, place] = np.interp([low[place], high[place]], places, cdf)
    by_moves = _hats(np.log(np.maximum(unseen.moves, 1)), np.log(table.moves))
    by_low, by_high = _hats(low, knots), _hats(high, knots)
    near = _hats(true, knots).argmax(axis=1)
    weight = _weights(near, unseen.player)
    tails = np.ones(len(knots))
    while True:
        wider = widened_near(table, tails)
        levels = [wider.levels_of(level, round(moves)) for moves in table.moves.tolist()]
        lowest, highest = np.array(levels).transpose(1, 0, 2)
        held = np.einsum("nm,mk,nk->n", by_moves, lowest, by_low) <= below[0]
        held &= below[1] <= np.einsum("nm,mk,nk->n", by_moves, highest, by_high)
        share = np.bincount(near, weight * held, len(knots))
        some = np.bincount(near, minlength=len(knots)) > 0
        short = some & (share < level - _SMALL) & (tails > _LEAST_TAILS)
        if not short.any():
            return tails
        tails[short] = np.round(tails[short] - _TAILS_STEP, 2)


def _hats(values: Array, knots: Array) -> Array:
    """How much each of some growing knots says of a value on the line between two: [n, k]."""
    return np.array([np.interp(values, knots, row) for row in np.eye(len(knots))]).T


def widened_near(table: IntervalTable, tails: Array) -> IntervalTable:
    """The table with such a share of its tails near each of its strengths, 0 to 1."""
    below = np.minimum(table.levels, 1.0 - table.levels)
    x = np.concatenate([[0.0], table.levels, [1.0]])
    at = table.at.copy()
    for place, share in enumerate(tails.tolist()):
        wanted = np.where(table.levels < 0.5, below * share, 1.0 - below * share)
        wanted[table.levels == 0.5] = 0.5
        for row in at:
            row[place] = np.interp(wanted, x, np.concatenate([[0.0], row[place], [1.0]]))
    return replace(table, at=at)


def even_strengths(group: Ints, edges: Array) -> Array:
    """Strengths that players of these groups stand for."""
    share = (np.arange(_EVEN) + 0.5) / _EVEN
    return np.asarray(edges[group, None] + share * (edges[group + 1] - edges[group])[:, None])


def _weights(group: Ints, who: Ints) -> Array:
    """What each estimate counts: players alike within a group, and groups alike."""
    _, person = np.unique(who, return_inverse=True)
    weight = 1.0 / np.bincount(person)[person]
    return np.asarray(weight / np.bincount(group, weight)[group])


def _classes(place: Ints, group: Ints, fewest: int) -> list[Ints]:
    """Rows of each class, none of them small or without some group."""
    groups = np.unique(group)
    classes: list[Ints] = []
    rest = np.empty(0, np.int64)
    for k in np.unique(place):
        rest = np.concatenate([rest, np.flatnonzero(place == k)])
        least = np.bincount(group[rest], minlength=groups[-1] + 1)[groups].min()
        if len(rest) >= fewest and least >= fewest / _GROUP_SHARE:
            classes.append(rest)
            rest = np.empty(0, np.int64)
    if len(rest):
        if classes:
            classes[-1] = np.concatenate([classes[-1], rest])
        else:
            classes.append(rest)
    return classes


def _best_blur(density: Array, group: Ints, weight: Array, edges: Array) -> float:
    """Of the blurs that are tried the one under which the true groups are likeliest."""
    steps = np.linspace(edges[0], edges[-1], density.shape[1] + 1)[:-1]
    of_step = np.searchsorted(edges, steps + _SMALL, side="right") - 1
    within = np.eye(len(edges) - 1)[of_step]
    a_rank = len(steps) / (edges[-1] - edges[0])
    best, chosen = -np.inf, 0.0
    for blur in _BLURS:
        of_group = blurring(len(steps), float(blur * a_rank)) @ within if blur > 0.0 else within
        inside = (density @ of_group)[np.arange(len(group)), group]
        fits = float(np.average(np.log(inside + TRACE), weights=weight))
        if fits > best:
            best, chosen = fits, float(blur)
    return chosen


@dataclass(frozen=True, slots=True, eq=False)
class _TrueLevels:
    """Levels of players' distributions at the strengths that they may have."""

    at: Array  #: [n, e]: levels of the blurred distributions there.
    strengths: Array  #: [n, e]
    #: `weak`, `strong` [n]: levels where the outermost groups end and begin: there ends what an
    #: interval can have as an end.
    weak: Array
    strong: Array

    @classmethod
    def of(cls, density: Array, blur: float, strengths: Array, edges: Array) -> _TrueLevels:
        """From distributions, and a blur."""
        begin, weakest, strongest, end = scale_ends(edges).tolist()
        places, cdf = cumulated(blurred(density, blur, begin, end), begin, end)
        at = [np.interp(row, places, values) for row, values in zip(strengths, cdf, strict=True)]
        weak, strong = (
            np.array([np.interp(edge, places, values) for values in cdf])
            for edge in (weakest, strongest)
        )
        return cls(np.array(at), strengths, weak, strong)

    def within(self, low: float, high: float) -> NDArray[np.bool_]:
        """Whether intervals between two levels hold the strengths: bool [n, e].

        An interval that reaches into an outermost group holds all of it.
        """
        begin = np.where(low < self.weak, -1.0, np.minimum(low, self.strong))[:, None]
        end = np.where(high > self.strong, 2.0, np.maximum(high, self.weak))[:, None]
        return np.asarray((begin <= self.at) & (self.at <= end))

    def moved_to(self, near: Sequence[float], weight: Array) -> Iterator[tuple[_TrueLevels, Array]]:
        """As if all players had each of some strengths, and what each of them counts there.

        Who is stronger is drawn to the middle from above: as far as a straight line through
        the levels, as deviates of a normal distribution, tells, they are brought to what they
        would be.
        """
        from scipy.special import ndtr, ndtri

        deviates = ndtri(np.clip(self.at, _SMALL, 1.0 - _SMALL))
        own = self.strengths.mean(axis=1)
        share = np.sqrt(weight)
        _, slope = np.polynomial.polynomial.polyfit(own, deviates.mean(axis=1), 1, w=share)
        for strength in near:
            moved = ndtr(deviates + slope * (strength - self.strengths))
            close = np.exp(-0.5 * ((own - strength) / _NEAR) ** 2)
            yield replace(self, at=moved), weight * close


def _levels(players: _TrueLevels, weight: Array, people: int) -> Array:
    """Levels of the blurred distributions whose intervals hold what they promise.

    The promise is raised by what conformal prediction allows for n players, (n + 1) / n
    times.
    """
    number = players.at.shape[1]
    each = np.repeat(weight / number, number)
    order = np.argsort(players.at, axis=None, kind="stable")
    total = np.cumsum(each[order])
    moved = np.interp(LEVELS, (total - 0.5 * each[order]) / total[-1], players.at.ravel()[order])
    tails = len(LEVELS) // 2  # the other half mirrors them, with the middle between
    held = np.array(
        [
            np.average(players.within(moved[k], moved[-1 - k]).mean(axis=1), weights=weight)
            for k in range(tails + 1)
        ]
    )
    promised = (1.0 - 2.0 * LEVELS[: tails + 1]) * (people + 1.0) / people
    # Of what is held the tails follow, from the widest interval to the narrowest.
    grows = np.concatenate([[True], np.diff(held) < 0.0])
    chosen = np.interp(-promised, -held[grows], LEVELS[: tails + 1][grows], left=0.0)
    lower = np.interp(chosen, [0.0, *LEVELS], [0.0, *moved])
    upper = np.interp(1.0 - chosen, [*LEVELS, 1.0], [*moved, 1.0])
    return np.maximum.accumulate(np.concatenate([lower, upper[:-1][::-1]]))


@dataclass(frozen=True, slots=True)
class Coverage:
    """How often intervals held."""

    count: int  #: `count`, `players`: estimates, and players that they are of.
    players: int
    level: float  #: What was promised.
    #: Share of strengths within the intervals, if those of a player are spread evenly over the
    #: player's rank group.
    held: float
    error: float  #: Its standard error, clustered by player.
    reach: float  #: Share of intervals that reach into the player's group at all.
    #: Mean width of the intervals, in ranks; one without an end goes to that of the scale.
    width: float
    bounds: float  #: Share of intervals that lack an end.


def coverage(
    intervals: Sequence[Interval],
    groups: ArrayLike,
    *,
    level: float,
    edges: ArrayLike,
    players: ArrayLike | None = None,
) -> Coverage:
    """How often intervals hold the strengths of players of some rank groups.

    Args:
        intervals (sequence of (float or None, float or None)): Of players that neither the model
            nor its table of intervals was fitted to.
        groups (int array [n]): The true group of each, from 0.
        level: What they promise.
        edges (float array [g + 1]): Where the groups begin, and where the last one ends.
        players (int array [n]): Whose each is; by default each is another player's.
    """
    group, border = np.asarray(groups, np.int64), np.asarray(edges, np.float64)
    if not len(group):
        raise NoGamesError("there is no interval to look at")
    who = np.arange(len(group)) if players is None else np.asarray(players, np.int64)
    ends = np.array(
        [
            (border[0] if low is None else low, border[-1] if high is None else high)
            for low, high in intervals
        ]
    )
    begin, end = border[group], border[group + 1]
    inside = np.minimum(end, ends[:, 1]) - np.maximum(begin, ends[:, 0])
    held = np.maximum(inside, 0.0) / (end - begin)
    _, person = np.unique(who, return_inverse=True)
    number = int(person.max()) + 1
    away = np.bincount(person, held - held.mean())
    error = float(np.sqrt((away**2).sum() * number / max(number - 1, 1)) / len(held))
    return Coverage(
        count=len(held),
        players=number,
        level=level,
        held=float(held.mean()),
        error=error,
        reach=float((inside > 0.0).mean()),
        width=float((ends[:, 1] - ends[:, 0]).mean()),
        bounds=float(np.mean([None in each for each in intervals])),
    )
