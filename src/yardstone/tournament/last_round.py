"""What a player needs in the last round: which results lead to which place."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import inf

import numpy as np

from yardstone.arrays import Floats, Longs
from yardstone.errors import InputError, UsageError
from yardstone.parallel import Track
from yardstone.tournament.fide import Unplayed, rules_for
from yardstone.tournament.field import (
    ModelLaw,
    Strengths,
    WinningLaw,
    entrants_law,
    known_strength,
    usual_model,
    winning_law,
)
from yardstone.tournament.model import Game, Result, Tournament
from yardstone.tournament.standings_table import (
    RoundState,
    Scores,
    criterion,
    default_criteria,
    parse_criteria,
    standings,
    taking_part,
)
from yardstone.winprob.model import model_draws
from yardstone.winprob.players import Chance

#: So many combinations of results are tried one by one.
LIMIT = 4096
#: Criteria that no game changes.
_FIXED = ("CAT", "RANK", "RATING", "TPN")


@dataclass(frozen=True, slots=True)
class OwnResult:
    """What one result of the player's own last round leads to."""

    points: float | None  #: Own points in the round; None if nothing is open for the player
    best: int  #: `best`, `worst`: places between which the player ends.
    worst: int
    #: Number of combinations of the other results for each place; empty with bounds
    places: Counter[int] = field(default_factory=Counter)

    @property
    def combinations(self) -> int:
        """Combinations of the other results that were tried."""
        return sum(self.places.values())

    def reaching(self, place: int) -> int:
        """How many of them lead to this place or a better one."""
        return sum(n for at, n in self.places.items() if at <= place)


@dataclass(frozen=True, slots=True)
class Influence:
    """How a game of others matters: shares of combinations that lead to the place wanted."""

    game: Game
    first_wins: float
    second_wins: float


@dataclass(frozen=True, slots=True, eq=False)
class LastRoundNeeds:
    """What a player needs in the last round."""

    player: int  #: `player`, `round`: whose, and of which round.
    round: int
    #: Whether all combinations were tried with all criteria; otherwise places are bounds from the
    #: first criterion, ties going either way
    exact: bool
    combinations: int  #: How many results are possible together
    results: tuple[OwnResult, ...]  #: The best own result first
    #: Games of others that matter for `place`, the most important first
    influences: tuple[Influence, ...]
    place: int  #: The place asked about
    open_games: tuple[Game, ...] = ()  #: Games whose results are open
    draws: bool = False  #: Whether they can be drawn
    #: Where all combinations were tried: the player's place, with an axis for each open game (first
    #: wins, second wins, drawn if `draws`)
    places: Longs = field(default_factory=lambda: np.zeros(0, np.int64))

    @property
    def own_game(self) -> int | None:
        """The player's own among the open games; None if the player has none."""
        sides = [game.players for game in self.open_games]
        return next((k for k, pair in enumerate(sides) if self.player in pair), None)


def last_round_needs(
    tournament: Tournament,
    player: int,
    *,
    place: int = 1,
    criteria: str | Sequence[str] | None = None,
    draws: bool | None = None,
    limit: int = LIMIT,
    unplayed: Unplayed | str | None = None,
) -> LastRoundNeeds:
    """Which results of the last round put a player at which place.

    Args:
        tournament: The last round may be paired or not; its open results are what varies.
        player: Number of the player.
        place: The place whose conditions are wanted in detail.
        criteria: By default those of the tournament.
        draws: Whether games can be drawn; by default in chess, or with a whole komi.
        limit: Combinations that are tried at most; beyond, bounds are given.
        unplayed: FIDE's rules for rounds without a game.

    Raises:
        UsageError: Earlier rounds have open results, or nothing is open.
    """
    last = tournament.rounds
    earlier = [g for g in tournament.games if g.round < last and g.result is Result.unknown]
    if earlier or (last > 1 and not any(g.round == last - 1 for g in tournament.games)):
        raise UsageError(f"this looks at the last round ({last}); earlier ones are not complete")
    if not 0 <= player < len(tournament.players):
        raise UsageError(f"there is no player {player + 1}")
    known = tournament.discipline == "chess" or tournament.komi is not None
    possible = tournament.can_be_drawn() and known if draws is None else draws
    open_games = [g for g in tournament.games if g.round == last and g.result is Result.unknown]
    paired = any(g.round == last for g in tournament.games)
    if paired and not open_games:
        raise UsageError("every result of the last round is known: see the standings")
    if isinstance(criteria, str):
        criteria = tuple(c.name for c in parse_criteria(criteria, tournament.system))
    names = default_criteria(tournament) if criteria is None else tuple(criteria)
    rules = rules_for(tournament.begin) if unplayed is None else Unplayed(unplayed)
    kinds = (Result.first_wins, Result.second_wins, *([Result.draw] if possible else []))
    # A field of 1,000 players has more combinations than any number here should have.
    combinations = len(kinds) ** min(len(open_games), 500)
    needs = LastRoundNeeds(player, last, False, combinations, (), (), place)
    if paired and combinations <= limit:
        needs = replace(needs, exact=True, open_games=tuple(open_games), draws=possible)
        return _exact(tournament, needs, names, kinds, rules)
    bounds = _bounds(tournament, player, names, open_games, paired, kinds, rules)
    return replace(needs, results=bounds)


def _exact(
    tournament: Tournament,
    needs: LastRoundNeeds,
    names: tuple[str, ...],
    kinds: tuple[Result, ...],
    rules: Unplayed,
) -> LastRoundNeeds:
    open_games, player = needs.open_games, needs.player
    settled = tuple(game for game in tournament.games if game not in open_games)
    combos = list(product(kinds, repeat=len(open_games)))
    reached = np.zeros(len(combos), np.int64)
    for done, combination in enumerate(Track("combinations", len(combos)).over(combos)):
        games = tuple(replace(g, result=r) for g, r in zip(open_games, combination, strict=True))
        after = replace(tournament, games=settled + games, document=None)
        table = standings(after, round_number=needs.round, criteria=names, unplayed=rules)
        reached[done] = table.place[table.order.tolist().index(player)]
    places = reached.reshape((len(kinds),) * len(open_games))
    own = needs.own_game
    counts: dict[float | None, Counter[int]] = {None: Counter(reached.tolist())}
    if own is not None:
        counts = {
            replace(open_games[own], result=result).points(player): Counter(
                np.take(places, at, axis=own).ravel().tolist()
            )
            for at, result in enumerate(kinds)
        }
    results = tuple(
        OwnResult(points, min(places), max(places), places)
        for points, places in sorted(counts.items(), key=lambda item: -(item[0] or 0.0))
    )
    influences = []
    for number, game in enumerate(open_games):
        first, second = (
            float((np.take(places, side, axis=number) <= needs.place).mean()) for side in (0, 1)
        )
        if number != own and first != second:
            influences.append(Influence(game, first, second))
    influences.sort(key=lambda item: -abs(item.first_wins - item.second_wins))
    return replace(needs, results=results, influences=tuple(influences), places=places)


def _bounds(
    tournament: Tournament,
    player: int,
    names: tuple[str, ...],
    open_games: list[Game],
    paired: bool,
    kinds: tuple[Result, ...],
    rules: Unplayed,
) -> tuple[OwnResult, ...]:
    base, gain = _main_scores(tournament, player, names, rules)
    own = next((g for g in open_games if player in g.players), None)
    last = tournament.rounds
    idle = {
        row
        for row, each in enumerate(tournament.players)
        if not each.takes_part(last) or (last, row) in tournament.bye_of
    }
    listed = {
        row
        for row, there in enumerate(taking_part(tournament))
        if row != player and (there or not (paired or row in idle))
    }
    choices: tuple[float | None, ...] = (1.0, 0.5, 0.0) if Result.draw in kinds else (1.0, 0.0)
    if (paired and own is None) or player in idle:
        choices = (None,)
    results = []
    for points in choices:
        mine = base[player] + (0.0 if points is None else gain(points))
        best = worst = 1
        free = set(listed)
        if own is not None and points is not None:
            rival = own.opponent(player)
            score = base[rival] + gain(1.0 - points)
            best, worst = best + (score > mine), worst + (score >= mine)
            free.discard(rival)
        for game in (game for game in open_games if game is not own):
            counts = []
            for result in kinds:
                pair = zip(game.players, result.points, strict=True)
                scores = [base[row] + gain(got) for row, got in pair]
                counts.append((sum(s > mine for s in scores), sum(s >= mine for s in scores)))
            best += min(above for above, _ in counts)
            worst += max(level for _, level in counts)
            free -= set(game.players)
        for row in free:
            free_to_win = not paired and row not in idle
            least, most = (base[row] + (gain(g) if free_to_win else 0.0) for g in (0.0, 1.0))
            best, worst = best + (least > mine), worst + (most >= mine)
        results.append(OwnResult(points, best, worst))
    return tuple(results)


def _main_scores(
    tournament: Tournament, player: int, names: tuple[str, ...], rules: Unplayed
) -> tuple[list[float], Callable[[float], float]]:
    """The score after the last round if open games bring nothing, and what a result adds.

    Criteria that no game changes, if they come first, put others infinitely far away.
    """
    none_yet = replace(
        tournament, scoring=replace(tournament.scoring, open_game=0.0), document=None
    )
    state = RoundState(Scores.of(none_yet), tournament.rounds, rules)
    place = 0
    apart = [0.0] * len(tournament.players)
    while place < len(names) - 1 and names[place] in _FIXED:
        values = criterion(names[place], tournament.system).values(state).tolist()
        for row, value in enumerate(values):
            if not apart[row] and value != values[player]:
                apart[row] = inf if value > values[player] else -inf
        place += 1
    main = criterion(names[place], tournament.system)
    if main.name not in ("NBW", "MMS", "PTS"):
        raise UsageError(
            f"bounds need the wins, the McMahon score or the points as main criterion, "
            f"not {main.name}: allow more combinations"
        )
    scoring = tournament.scoring
    points = {1.0: scoring.win, 0.5: scoring.draw, 0.0: scoring.loss}
    gain: Callable[[float], float] = (lambda got: points[got]) if main.name == "PTS" else float
    scores = [float(v) + far for v, far in zip(main.values(state), apart, strict=True)]
    return scores, gain


#: Strengths, and models, that are drawn; with a fixed seed, so equal files give equal chances.
_STRENGTHS, _MODELS, _SEED = 200, 200, 0


@dataclass(frozen=True)
class PlaceChances:
    """Chances of a place."""

    model: str  #: `model`, `about`: the model of winning, and what it is.
    about: str
    no_interval: str  #: Why there are no intervals, where there are none
    overall: Chance  #: Of the place or a better one
    #: For each own result of `LastRoundNeeds.results`: its chance, and that of the place after it
    results: tuple[tuple[Chance, Chance], ...]
    level: float = 0.95  #: Of the intervals


def place_chances(
    tournament: Tournament,
    needs: LastRoundNeeds,
    *,
    win: str | os.PathLike[str] | None = None,
    draw_rate: float = 0.0,
    level: float = 0.95,
) -> PlaceChances:
    """The chances of the place that was asked about.

    Args:
        tournament: Of which `needs` was computed.
        needs: With all combinations (`exact`).
        win: Model of winning; by default the fitted one, in chess Elo's.
        draw_rate: Of equal players, on rating points.
        level: Of the intervals.

    Raises:
        UsageError: The combinations were not tried, or there is no such model.
        InputError: A player has neither grade nor rating, or games can be drawn and no draw rate is
            given.
    """
    if not needs.exact:
        raise UsageError("chances need all combinations: allow more of them")
    law = winning_law(win or usual_model(tournament), draw_rate=draw_rate)
    points = law.model.scale == "points"
    if points and needs.draws and not draw_rate:
        raise InputError(
            "games can be drawn, and no draw rate is given",
            hint="name that of equal players with --draw-rate (in Python draw_rate=)",
        )
    strength = known_strength(tournament, points=points)
    before = tournament.before(tournament.rounds)
    rng = np.random.default_rng(_SEED)
    noise = rng.standard_normal((_STRENGTHS, len(strength)))

    def shares(law: ModelLaw) -> Floats:
        true_law, spread = entrants_law(law, strength)
        known = Strengths.known(
            strength, spread, true_law, Scores.of(before), tournament.rounds - 1
        )
        root = known.root
        drawn = known.mean + (noise * root if root.ndim == 1 else noise @ root.T)
        return _shares(needs, _outcomes(true_law, needs.open_games, drawn, draws=needs.draws))

    middle = shares(law)
    models = model_draws(law.model, _MODELS, rng)
    drawn = [shares(replace(law, model=each)) for each in models]
    tail = 0.5 * (1.0 - level)

    def chance(*at: int) -> Chance:
        value = float(middle[at])
        if not drawn:
            return Chance(value)
        # The place after a result that cannot be has no chance.
        known = [each[at] for each in drawn if not np.isnan(each[at])] or [np.nan]
        # Draws may lie to one side of what is most probable; the interval holds that too.
        low, high = np.quantile(known, [tail, 1.0 - tail])
        return Chance(value, min(value, float(low)), max(value, float(high)))

    return PlaceChances(
        law.model.name,
        law.model.about,
        "" if drawn else law.model.no_interval,
        chance(len(needs.results), 1),
        tuple((chance(row, 0), chance(row, 1)) for row in range(len(needs.results))),
        level,
    )


def _outcomes(
    law: WinningLaw, games: Sequence[Game], strength: Floats, *, draws: bool
) -> list[Floats]:
    """For each open game the chances (draws of strengths, results) as in `needs.places`."""
    outcomes = []
    for game in games:
        stones = np.full(len(strength), float(game.handicap))
        win, draw = law(strength[:, game.first], strength[:, game.second], stones)
        loss = 1.0 - win - draw
        ends = [win, loss, draw] if draws else [win / (win + loss), loss / (win + loss)]
        outcomes.append(np.column_stack(ends))
    return outcomes


def _shares(needs: LastRoundNeeds, outcomes: list[Floats]) -> Floats:
    """Chance of each own result and of the place after it; last that of the place."""
    reached = (needs.places <= needs.place).astype(np.float64)
    shape = tuple(each.shape[1] for each in outcomes)
    own = needs.own_game
    mean = np.zeros((len(needs.results), 2))
    for row, result in enumerate(needs.results):
        left, at = reached.reshape(shape), 0
        if own is not None:  # where the result stands in the order of the places
            first = needs.open_games[own].first == needs.player
            at = 2 if result.points == 0.5 else int((result.points == 1.0) != first)
            left = np.take(left, at, axis=own)
        total = np.broadcast_to(left, (len(outcomes[0]), *left.shape))
        for number, each in enumerate(outcomes):
            if number != own:
                weights = each.reshape(*each.shape, *[1] * (total.ndim - 2))
                total = np.asarray((total * weights).sum(axis=1))
        happens = np.ones(len(total)) if own is None else outcomes[own][:, at]
        mean[row] = happens.mean(), (total * happens).mean()
    with np.errstate(invalid="ignore", divide="ignore"):
        after = mean[:, 1] / mean[:, 0]
    return np.vstack([np.column_stack([mean[:, 0], after]), [1.0, mean[:, 1].sum()]])
