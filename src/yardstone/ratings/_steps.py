"""The loop over rating periods, once for all systems that rate games as they come.

A system gives two to four functions of its own, and `batch_kernel` makes the loop with
them in it. They are kernels that take

- `rounds`: the games in the order of rating (`Rounds`);
- `rule`: what the system's parameters say, a NamedTuple of its own;
- `players`: what is kept of each player, a NamedTuple of arrays;
- `record`: what was predicted, and how each game changes its players (`Record`);
- `at`: numbers of the game, of its row in `record.change`, and of its period (`Place`).

Before a period `enter` is called for each of its games, then `predict`; after it `learn`
for each, then `settle`. `predict` must look at `players` and not change them.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from math import erfc, exp, log, log1p, pi, sqrt
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from yardstone.kernels import inlined_kernel, kernel
from yardstone.ratings.sequential import Place, Record, Rounds
from yardstone.winprob.laws import (
    EGF_CEILING,
    EGF_POLE,
    EGF_STEEPNESS,
    ELO_POINTS_PER_LOGIT,
    fast_exp,
    fast_logistic,
)

if TYPE_CHECKING:
    from yardstone.arrays import Flags, Floats, Ints, Longs


#: One of the functions of a system.
Step = Callable[[Any, Any, Any, Any, Place], None]
Replay = Callable[[Any, Any, Any, Any], None]


@inlined_kernel
def _nothing(rounds: Rounds, rule: Any, players: Any, record: Record, at: Place) -> None:
    """What a system does that has nothing to do."""


enter = predict = learn = settle = _nothing


def _replay(rounds: Rounds, rule: Any, players: Any, record: Record) -> None:
    """Predict and learn, period after period."""
    start, actions = rounds.start, rounds.actions
    if len(start) == 0:
        for g in range(len(rounds.first)):
            enter(rounds, rule, players, record, Place(g, 0, g))
            predict(rounds, rule, players, record, Place(g, 0, g))
            learn(rounds, rule, players, record, Place(g, 0, g))
            settle(rounds, rule, players, record, Place(g, 0, g))
        return
    by_turns = len(actions) == 0
    for step in range(2 * (len(start) - 1)):
        action = step if by_turns else actions[step]
        batch = action >> 1
        games = range(start[batch], start[batch + 1])
        if action & 1 == 0:
            for g in games:
                enter(rounds, rule, players, record, Place(g, g, batch))
            for g in games:
                predict(rounds, rule, players, record, Place(g, g, batch))
        else:
            for g in games:
                learn(rounds, rule, players, record, Place(g, g, batch))
            for g in games:
                settle(rounds, rule, players, record, Place(g, g, batch))


def batch_kernel(
    predict: Step, learn: Step, *, enter: Step = _nothing, settle: Step = _nothing
) -> Replay:
    """The loop with a system's kernels in it, kept with the file of `predict`."""
    home: Any = getattr(predict, "py_func", predict)
    code = _replay.__code__.replace(
        co_filename=home.__code__.co_filename,
        co_firstlineno=home.__code__.co_firstlineno,
        co_name="replay",
        co_qualname=f"{home.__name__}_replay",
    )
    steps = {"enter": enter, "predict": predict, "learn": learn, "settle": settle}
    names = {**steps, "Place": Place, "__builtins__": builtins, "__name__": home.__module__}
    return inlined_kernel(FunctionType(code, names))


class EloRule(NamedTuple):
    """`steepness` is 1/scale, by the root of 2 for the normal curve; `numbers` of `KFactor`."""

    steepness: float
    normal: bool
    furthest: float
    k: float
    numbers: Floats


class EloPlayers(NamedTuple):
    """Ratings, and what `KFactor` looks at; `present` counts games in the period `period`."""

    rating: Floats
    played: Ints
    top: Flags
    present: Ints
    period: Longs


@inlined_kernel
def _surprise(
    rounds: Rounds, rule: EloRule, players: EloPlayers, record: Record, at: Place
) -> float:
    """Points of `first` above what is expected, which it records."""
    g = at.game
    i, j = rounds.first[g], rounds.second[g]
    one, other = players.rating[i], players.rating[j]
    difference = min(max(one - other + rounds.ahead[g], -rule.furthest), rule.furthest)
    if rule.normal:
        chance = 0.5 * erfc(-difference * rule.steepness)
    else:
        chance = fast_logistic(difference * rule.steepness)
    record.expected[g] = chance
    record.before[g, 0], record.before[g, 1] = one, other
    return float(rounds.score[g] - chance)


@inlined_kernel
def _predict_elo(
    rounds: Rounds, rule: EloRule, players: EloPlayers, record: Record, at: Place
) -> None:
    change = rule.k * _surprise(rounds, rule, players, record, at)
    record.change[at.slot, 0], record.change[at.slot, 1] = change, -change


@inlined_kernel
def add_changes(
    rounds: Rounds, rule: EloRule, players: EloPlayers, record: Record, at: Place
) -> None:
    """Learn: add the changes of a game to both ratings."""
    players.rating[rounds.first[at.game]] += record.change[at.slot, 0]
    players.rating[rounds.second[at.game]] += record.change[at.slot, 1]


@inlined_kernel
def _count(rounds: Rounds, rule: EloRule, players: EloPlayers, record: Record, at: Place) -> None:
    for p in (rounds.first[at.game], rounds.second[at.game]):
        if players.period[p] != at.period:
            players.period[p] = at.period
            players.present[p] = 0
        players.present[p] += 1


@inlined_kernel
def _factor(rule: EloRule, players: EloPlayers, p: int) -> float:
    """K by games and rating, less if K times the games of the period is too much."""
    number = rule.numbers
    if players.played[p] < number[1]:
        k = number[0]
    elif players.top[p] or players.rating[p] >= number[4]:
        k = number[3]
    else:
        k = number[2]
    return float(min(k, number[5] / players.present[p]))


@inlined_kernel
def _predict_by_rule(
    rounds: Rounds, rule: EloRule, players: EloPlayers, record: Record, at: Place
) -> None:
    surprise = _surprise(rounds, rule, players, record, at)
    record.change[at.slot, 0] = _factor(rule, players, rounds.first[at.game]) * surprise
    record.change[at.slot, 1] = -_factor(rule, players, rounds.second[at.game]) * surprise


@inlined_kernel
def _learn_by_rule(
    rounds: Rounds, rule: EloRule, players: EloPlayers, record: Record, at: Place
) -> None:
    add_changes(rounds, rule, players, record, at)
    players.played[rounds.first[at.game]] += 1
    players.played[rounds.second[at.game]] += 1


@inlined_kernel
def _note_top(
    rounds: Rounds, rule: EloRule, players: EloPlayers, record: Record, at: Place
) -> None:
    for p in (rounds.first[at.game], rounds.second[at.game]):
        players.top[p] = players.top[p] or players.rating[p] >= rule.numbers[4]


#: With one K for all, and with K by games and rating.
replay_elo = batch_kernel(_predict_elo, add_changes)
replay_elo_by_rule = batch_kernel(_predict_by_rule, _learn_by_rule, enter=_count, settle=_note_top)


_Q = 1.0 / ELO_POINTS_PER_LOGIT
_THREE_Q2_OVER_PI2 = 3.0 * _Q**2 / pi**2


class GlickoRule(NamedTuple):
    """`drift` is c^2; `clock` the time of each period (empty: nobody ages); squared limits."""

    clock: Floats
    drift: float
    oldest: float
    lowest: float


class Sums(NamedTuple):
    """What the games of a period say to each player; all zero between periods."""

    gain: Floats
    information: Floats
    waiting: Flags


class GlickoPlayers(NamedTuple):
    """Ratings, squared deviations, the last period of each, and room for sums."""

    rating: Floats
    variance: Floats
    last: Floats
    sums: Sums


def no_sums(players: int) -> Sums:
    """Room for the sums of so many players."""
    return Sums(np.zeros(players), np.zeros(players), np.zeros(players, np.bool_))


@kernel
def _shrink(variance: float) -> float:
    """g, from a squared deviation."""
    return 1.0 / sqrt(1.0 + _THREE_Q2_OVER_PI2 * variance)


@inlined_kernel
def _aged(rule: GlickoRule, players: GlickoPlayers, p: int, period: int) -> float:
    """Step 1: squared deviation at the onset of a period."""
    variance = players.variance[p]
    idle = rule.clock[period] - players.last[p] if len(rule.clock) > 0 else 0.0
    if idle <= 0.0:
        return float(variance)
    return float(max(variance, min(variance + rule.drift * idle, rule.oldest)))


@inlined_kernel
def _predict_glicko(
    rounds: Rounds, rule: GlickoRule, players: GlickoPlayers, record: Record, at: Place
) -> None:
    g, slot = at.game, at.slot
    i, j = rounds.first[g], rounds.second[g]
    variance_i = _aged(rule, players, i, at.period)
    variance_j = _aged(rule, players, j, at.period)
    difference = players.rating[i] - players.rating[j] + rounds.ahead[g]
    record.before[g, 0], record.before[g, 1] = players.rating[i], sqrt(variance_i)
    record.before[g, 2], record.before[g, 3] = players.rating[j], sqrt(variance_j)
    record.expected[g] = fast_logistic(_Q * _shrink(variance_i + variance_j) * difference)
    g_i, g_j = _shrink(variance_i), _shrink(variance_j)
    e_i, e_j = fast_logistic(_Q * g_j * difference), fast_logistic(-_Q * g_i * difference)
    record.change[slot, 0] = _Q * g_j * (rounds.score[g] - e_i)
    record.change[slot, 1] = _Q * g_i * (1.0 - rounds.score[g] - e_j)
    record.change[slot, 2] = (_Q * g_j) ** 2 * e_i * (1.0 - e_i)
    record.change[slot, 3] = (_Q * g_i) ** 2 * e_j * (1.0 - e_j)


@inlined_kernel
def add_up(rounds: Rounds, rule: Any, players: Any, record: Record, at: Place) -> None:
    """Learn: add gains and informations of a game to the sums of both players."""
    if len(rounds.start) == 0:
        return
    sums = players.sums
    for side in range(2):
        p = rounds.first[at.game] if side == 0 else rounds.second[at.game]
        sums.gain[p] += record.change[at.slot, side]
        sums.information[p] += record.change[at.slot, 2 + side]
        sums.waiting[p] = True


@inlined_kernel
def taken(
    rounds: Rounds, sums: Sums, record: Record, p: int, side: int
) -> tuple[bool, float, float]:
    """Whether a player learns now, once a period; and the gain and information of the period."""
    if len(rounds.start) == 0:
        return True, record.change[0, side], record.change[0, 2 + side]
    waiting, gain, information = sums.waiting[p], sums.gain[p], sums.information[p]
    sums.gain[p] = sums.information[p] = 0.0
    sums.waiting[p] = False
    return waiting, gain, information


@inlined_kernel
def _settle_glicko(
    rounds: Rounds, rule: GlickoRule, players: GlickoPlayers, record: Record, at: Place
) -> None:
    for side in range(2):
        p = rounds.first[at.game] if side == 0 else rounds.second[at.game]
        learns, gain, information = taken(rounds, players.sums, record, p, side)
        if learns:
            variance = 1.0 / (1.0 / _aged(rule, players, p, at.period) + information)
            players.rating[p] += variance * gain
            players.variance[p] = max(variance, rule.lowest)
            if len(rule.clock) > 0:
                players.last[p] = rule.clock[at.period]


replay_glicko = batch_kernel(_predict_glicko, add_up, settle=_settle_glicko)


_THREE_OVER_PI_SQUARED = 3.0 / pi**2
#: ln(sigma^2) is found to within this.
_TOLERANCE = 1e-10
_NEWTON_STEPS = 10
_ILLINOIS_STEPS = 200


@kernel
def shrink(variance: float) -> float:
    """g of step 3, from phi squared."""
    return 1.0 / sqrt(1.0 + _THREE_OVER_PI_SQUARED * variance)


@kernel
def _f(x: float, delta2: float, phi2_v: float, a: float, per_tau2: float) -> tuple[float, float]:
    """f of step 5 and its slope; `phi2_v` is phi^2 + v."""
    y = fast_exp(x)
    total = phi2_v + y
    half = 0.5 * y / (total * total)
    value = half * (delta2 - total) - (x - a) * per_tau2
    slope = half * (delta2 * (phi2_v - y) - phi2_v * total) / total - per_tau2
    return value, slope


@kernel
def _illinois(delta2: float, phi2_v: float, a: float, per_tau2: float, tau: float) -> float:
    """Root of f by the Illinois method, as step 5 has it."""
    high = a
    if delta2 > phi2_v:
        low = log(delta2 - phi2_v)
    else:
        low = a - tau
        while _f(low, delta2, phi2_v, a, per_tau2)[0] < 0.0:
            low -= tau
    at_high, at_low = (
        _f(high, delta2, phi2_v, a, per_tau2)[0],
        _f(low, delta2, phi2_v, a, per_tau2)[0],
    )
    for _ in range(_ILLINOIS_STEPS):
        if abs(low - high) <= _TOLERANCE or at_low == at_high:
            break
        middle = high + (high - low) * at_high / (at_low - at_high)
        value = _f(middle, delta2, phi2_v, a, per_tau2)[0]
        if value * at_low <= 0.0:
            high, at_high = low, at_low
        else:
            at_high *= 0.5
        low, at_low = middle, value
    return high


@kernel
def new_volatility(phi2: float, volatility: float, v: float, delta: float, tau: float) -> float:
    """Step 5: the volatility after a period.

    Newton's method from the old volatility, which takes two or three steps where the
    Illinois method of the paper takes ten; where f is not safely falling, the latter.
    """
    if tau <= 0.0:
        return volatility
    a = 2.0 * log(volatility)
    delta2, phi2_v, per_tau2 = delta * delta, phi2 + v, 1.0 / (tau * tau)
    x = a
    for _ in range(_NEWTON_STEPS):
        value, slope = _f(x, delta2, phi2_v, a, per_tau2)
        if slope > -0.5 * per_tau2:
            break
        step = value / slope
        x -= step
        if abs(step) <= _TOLERANCE:
            return exp(0.5 * x)
    return exp(0.5 * _illinois(delta2, phi2_v, a, per_tau2, tau))


@kernel
def update(
    mu: float, phi2: float, volatility: float, gain: float, information: float, tau: float
) -> tuple[float, float, float]:
    """Steps 4 to 7: new mu, phi squared and volatility.

    `gain` is the sum of g(s - E) over the games, `information` that of g^2 E(1 - E), or 1/v.
    """
    if information <= 0.0:  # games without any doubt teach nothing
        return mu, phi2 + volatility * volatility, volatility
    v = 1.0 / information
    volatility = new_volatility(phi2, volatility, v, v * gain, tau)
    phi2 = 1.0 / (1.0 / (phi2 + volatility * volatility) + information)
    return mu + phi2 * gain, phi2, volatility


class Clock(NamedTuple):
    """How deviations age.

    `time` is that of each rating period in periods (empty: nobody ages), `active` of which belong
    to a player's last one itself; idleness raises phi squared to `oldest` at most.
    """

    time: Floats
    active: float
    oldest: float


class Glicko2Rule(NamedTuple):
    """What the parameters say.

    `ratio` (empty: none) multiplies the distance of `first` from `zero`, the mu of rating
    0, where the opponent and the prediction look at it, and divides that of `second` where
    `first` looks at it. `limits` are the lowest and highest mu, phi squared and volatility.
    """

    tau: float
    clock: Clock
    limits: Floats
    ratio: Floats
    zero: float


class Glicko2Players(NamedTuple):
    """mu, phi squared, volatility and the last period of each player, and room for sums."""

    mu: Floats
    phi2: Floats
    volatility: Floats
    last: Floats
    sums: Sums


@inlined_kernel
def aged(clock: Clock, players: Any, p: int, period: int) -> float:
    """Phi squared of a player, as `Glicko2Players` have it, before a period."""
    phi2 = players.phi2[p]
    if len(clock.time) == 0:
        return float(phi2)
    idle = clock.time[period] - players.last[p] - clock.active
    if idle <= 0.0:
        return float(phi2)
    return float(max(phi2, min(phi2 + idle * players.volatility[p] ** 2, clock.oldest)))


@inlined_kernel
def _predict_glicko2(
    rounds: Rounds, rule: Glicko2Rule, players: Glicko2Players, record: Record, at: Place
) -> None:
    g, slot = at.game, at.slot
    i, j = rounds.first[g], rounds.second[g]
    mu_i, mu_j = players.mu[i], players.mu[j]
    phi2_i = aged(rule.clock, players, i, at.period)
    phi2_j = aged(rule.clock, players, j, at.period)
    two = mu_i - mu_j + rounds.ahead[g]
    one = two
    if len(rule.ratio) > 0:
        one += (mu_i - rule.zero) * (rule.ratio[g] - 1.0)
        two += (mu_j - rule.zero) * (1.0 - 1.0 / rule.ratio[g])
    record.before[g, 0], record.before[g, 1] = mu_i, sqrt(phi2_i)
    record.before[g, 2], record.before[g, 3] = mu_j, sqrt(phi2_j)
    record.expected[g] = fast_logistic(shrink(phi2_i + phi2_j) * one)
    g_i, g_j = shrink(phi2_i), shrink(phi2_j)
    e_i, e_j = fast_logistic(g_j * two), fast_logistic(-g_i * one)
    record.change[slot, 0] = g_j * (rounds.score[g] - e_i)
    record.change[slot, 1] = g_i * (1.0 - rounds.score[g] - e_j)
    record.change[slot, 2] = g_j * g_j * e_i * (1.0 - e_i)
    record.change[slot, 3] = g_i * g_i * e_j * (1.0 - e_j)


@inlined_kernel
def _settle_glicko2(
    rounds: Rounds, rule: Glicko2Rule, players: Glicko2Players, record: Record, at: Place
) -> None:
    limits = rule.limits
    for side in range(2):
        p = rounds.first[at.game] if side == 0 else rounds.second[at.game]
        learns, gain, information = taken(rounds, players.sums, record, p, side)
        if not learns:
            continue
        phi2 = aged(rule.clock, players, p, at.period)
        if len(rule.clock.time) > 0:
            players.last[p] = rule.clock.time[at.period]
        mu, phi2, volatility = update(
            players.mu[p], phi2, players.volatility[p], gain, information, rule.tau
        )
        players.mu[p] = min(max(mu, limits[0]), limits[1])
        players.phi2[p] = min(max(phi2, limits[2]), limits[3])
        players.volatility[p] = min(max(volatility, limits[4]), limits[5])


replay_glicko2 = batch_kernel(_predict_glicko2, add_up, settle=_settle_glicko2)


#: con of the old system at 100, 200, ... 2700; linear between.
OLD_CON = np.array(
    [
        116.0, 110.0, 105.0, 100.0, 95.0, 90.0, 85.0, 80.0, 75.0,
        70.0, 65.0, 60.0, 55.0, 51.0, 47.0, 43.0, 39.0, 35.0,
        31.0, 27.0, 24.0, 21.0, 18.0, 15.0, 13.0, 11.0, 10.0,
    ]
)  # fmt: skip


@kernel
def beta(rating: float) -> float:
    """-7 ln(3300 - r): its differences are log odds."""
    return -EGF_STEEPNESS * log(EGF_POLE - min(rating, EGF_CEILING))


@kernel
def con(rating: float) -> float:
    """Points for a surprise of one point: ((3300 - r)/200)^1.6."""
    return float(((EGF_POLE - min(rating, EGF_CEILING)) / 200.0) ** 1.6)


@kernel
def bonus(rating: float) -> float:
    """Points for each game, against deflation: ln(1 + exp((2300 - r)/80))/5."""
    x = (2300.0 - rating) / 80.0
    return (max(x, 0.0) + log1p(exp(-abs(x)))) / 5.0


@kernel
def slope_of_old(rating: float) -> float:
    """The old system's a, by the weaker player's rating: 200 at 100 down to 70 at 2700."""
    return min(max(205.0 - rating / 20.0, 70.0), 200.0)


@kernel
def _con_of_old(rating: float) -> float:
    place = min(max(rating / 100.0 - 1.0, 0.0), len(OLD_CON) - 1.0)
    low = min(int(place), len(OLD_CON) - 2)
    return float(OLD_CON[low] + (place - low) * (OLD_CON[low + 1] - OLD_CON[low]))


@kernel
def _expected(one: float, other: float, ahead: float, old: bool) -> float:
    if old:
        return fast_logistic((one + ahead - other) / slope_of_old(min(one, other)))
    return fast_logistic(beta(one + ahead) - beta(other))


@kernel
def _change(rating: float, score: float, chance: float, old: bool, deflation: float) -> float:
    if old:
        return _con_of_old(rating) * (score - chance + 0.5 * deflation)
    return con(rating) * (score - chance) + bonus(rating)


class EgfRule(NamedTuple):
    """Which formulas hold, and what the pool says of each game and its players.

    `entry` is the rating with which each player would enter: (games, 2), NaN for `initial`.
    """

    old: bool
    deflation: float
    initial: float
    floor: float
    weight: Floats
    entry: Floats


class EgfPlayers(NamedTuple):
    """A rating of NaN is that of a player who has not entered."""

    rating: Floats


@inlined_kernel
def _enter(rounds: Rounds, rule: EgfRule, players: EgfPlayers, record: Record, at: Place) -> None:
    for side in range(2):
        p = rounds.first[at.game] if side == 0 else rounds.second[at.game]
        if np.isnan(players.rating[p]):
            level = rule.entry[at.game, side]
            enters = rule.initial if np.isnan(level) else level
            players.rating[p] = min(max(enters, rule.floor), EGF_CEILING)


@inlined_kernel
def _predict_egf(
    rounds: Rounds, rule: EgfRule, players: EgfPlayers, record: Record, at: Place
) -> None:
    g = at.game
    one, other = players.rating[rounds.first[g]], players.rating[rounds.second[g]]
    chance = _expected(one, other, rounds.ahead[g], rule.old)
    record.expected[g] = chance
    record.before[g, 0], record.before[g, 1] = one, other
    weight, points = rule.weight[g], rounds.score[g]
    record.change[at.slot, 0] = weight * _change(one, points, chance, rule.old, rule.deflation)
    record.change[at.slot, 1] = weight * _change(
        other, 1.0 - points, 1.0 - chance, rule.old, rule.deflation
    )


@inlined_kernel
def _learn_egf(
    rounds: Rounds, rule: EgfRule, players: EgfPlayers, record: Record, at: Place
) -> None:
    for side in range(2):
        p = rounds.first[at.game] if side == 0 else rounds.second[at.game]
        players.rating[p] = max(players.rating[p] + record.change[at.slot, side], rule.floor)


replay_egf = batch_kernel(_predict_egf, _learn_egf, enter=_enter)


class FibsRule(NamedTuple):
    """`root` is that of each match's length, `steepness` the log odds of a point at length 1."""

    root: Floats
    steepness: float
    unit: float
    first_factor: float
    ramp: float


class FibsPlayers(NamedTuple):
    """Ratings, and the sums of the lengths played."""

    rating: Floats
    experience: Floats


@inlined_kernel
def _predict_fibs(
    rounds: Rounds, rule: FibsRule, players: FibsPlayers, record: Record, at: Place
) -> None:
    g = at.game
    i, j, root = rounds.first[g], rounds.second[g], rule.root[g]
    one, other = players.rating[i], players.rating[j]
    chance = fast_logistic((one - other) * root * rule.steepness)
    record.expected[g] = chance
    record.before[g, 0], record.before[g, 1] = one, other
    moved = rule.unit * root * (rounds.score[g] - chance)
    for side in range(2):
        played = players.experience[i if side == 0 else j] + root * root
        factor = max(1.0, rule.first_factor - played / rule.ramp)
        record.change[at.slot, side] = (moved if side == 0 else -moved) * factor


@inlined_kernel
def _learn_fibs(
    rounds: Rounds, rule: FibsRule, players: FibsPlayers, record: Record, at: Place
) -> None:
    root = rule.root[at.game]
    for side in range(2):
        p = rounds.first[at.game] if side == 0 else rounds.second[at.game]
        players.rating[p] += record.change[at.slot, side]
        players.experience[p] += root * root


replay_fibs = batch_kernel(_predict_fibs, _learn_fibs)
