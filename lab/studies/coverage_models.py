"""How often intervals of saved models hold the truth: ``python -m lab.studies.coverage_models``.

Games are drawn of events, or of players, that differ: each event has a slope of its own, each
player a strength of his own about the grade. Models are fitted as `winprob fit --save` does, and
the intervals of probabilities compared with what the same form says of very many such games.
Writes ``docs/studies/coverage-models-tables.md``.
"""

from __future__ import annotations

import argparse
import platform
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import ModelError, UsageError
from yardstone.files import write_text
from yardstone.grades import usual_komi
from yardstone.pool import Pool
from yardstone.winprob.fit import EVENT_GAMES, FREE, fit_games, fit_winning_model
from yardstone.winprob.games import GameColumns
from yardstone.winprob.kaniuk import PUBLISHED, TABLE_1, GradeModel, Kaniuk

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

TABLE = Path(__file__).resolve().parents[2] / "docs" / "studies" / "coverage-models-tables.md"
#: First, second and stones of the games whose probability is looked at.
GAMES = np.array(
    [(1, 3, 0), (-10, -9, 0), (-15, -9, 0), (-3, 5, 0), (-18, -4, 0), (-5, 0, 3), (-12, -4, 6)],
    np.float64,
).T
SHIPS = GradeModel(Kaniuk.from_parameters({"u1": 0.2, "K": 0.04}), {"stone": 1.0}, "logistic")
FLAT = GradeModel(Kaniuk.from_parameters({"u1": 0.12}), {"stone": 1.0}, "logistic")
KANIUK = GradeModel(PUBLISHED, {"stone": 1.0})
EDGE = GradeModel(Kaniuk.from_parameters(dict(PUBLISHED.parameters) | {"u3": 0.0}), {"stone": 1.0})


@dataclass(frozen=True, eq=False)
class Setting:
    """What is drawn and fitted.

    Attributes:
        model: From which games are drawn.
        events: 0: players without events.
        differ: Deviation of the logarithm of an event's slope, or of a player's strength in grades.
        event_games: As in `fit_winning_model`.
    """

    title: str
    model: GradeModel
    free: tuple[str, ...]
    events: int
    games: int
    differ: float
    event_games: float | None = EVENT_GAMES


SETTINGS = (
    Setting("form that ships, 100 events", SHIPS, FREE, 100, 7_000, 0.3),
    Setting("form that ships, 25 events", SHIPS, FREE, 25, 2_500, 0.3),
    Setting("form that ships, 25 events, games alike", SHIPS, FREE, 25, 2_500, 0.3, None),
    Setting("K at its bound, 60 events", FLAT, FREE, 60, 3_000, 0.2),
    Setting("Kaniuk's five, 60 events", KANIUK, (*TABLE_1, "stone"), 60, 6_000, 0.0, None),
    Setting("Kaniuk's five, u3 at its bound", EDGE, (*TABLE_1, "stone"), 60, 6_000, 0.0, None),
    Setting("form that ships, 40 players, no events", SHIPS, FREE, 0, 600, 1.0, None),
    Setting("form that ships, 200 players, no events", SHIPS, FREE, 0, 3_000, 1.0, None),
)


def drawn(rng: Generator, setting: Setting, *, many: bool = False) -> Pool:
    """Games; `many` for what is true of all such games."""
    return _of_events(rng, setting, many) if setting.events else _of_players(rng, setting, many)


def _of_events(rng: Generator, setting: Setting, many: bool) -> Pool:
    if many:
        sizes = np.full(1500, 150)
    else:  # a few large events, and many small ones
        share = rng.pareto(1.2, setting.events) + 0.3
        sizes = np.maximum((setting.games * share / share.sum()).astype(np.int64), 3)
    event = np.repeat(np.arange(len(sizes)), sizes)
    first = rng.integers(-18, 6, len(event)).astype(np.float64)
    second = np.clip(first + rng.integers(-6, 7, len(event)), -25, 8)
    handicap = np.where(rng.random(len(event)) < 0.2, np.maximum(second - first, 0.0), 0.0)
    slope = np.exp(rng.normal(0.0, setting.differ, len(sizes)))[event]
    p = setting.model.probability(first, second, handicap=handicap)
    if setting.differ:
        p = 1.0 / (1.0 + ((1.0 - p) / p) ** slope)
    players = np.arange(2 * len(event), dtype=np.int32).reshape(2, -1)
    return _pool(players, first, second, handicap, rng.random(len(event)) < p, event)


def _of_players(rng: Generator, setting: Setting, many: bool) -> Pool:
    number = 40_000 if many else setting.games // 15
    games = 300_000 if many else setting.games
    grade = rng.integers(-15, 6, number).astype(np.float64)
    strength = grade + rng.normal(0.0, setting.differ, number)
    active = rng.pareto(1.5, number) + 0.2
    pairs = rng.choice(number, (2, games), p=active / active.sum())
    pairs = pairs[:, pairs[0] != pairs[1]]
    one, two = pairs
    head = np.clip(grade[two] - grade[one], 0.0, 9.0)
    handicap = np.where(rng.random(len(one)) < 0.3, head, 0.0)
    p = setting.model.probability(strength[one], strength[two], handicap=handicap)
    won = rng.random(len(one)) < p
    return _pool(pairs.astype(np.int32), grade[one], grade[two], handicap, won, None)


def _pool(
    pairs: NDArray[np.int32],
    first: Array,
    second: Array,
    handicap: Array,
    won: NDArray[np.bool_],
    event: NDArray[np.int64] | None,
) -> Pool:
    columns = {
        "first_grade": first,
        "second_grade": second,
        "handicap": handicap,
        "komi": usual_komi(handicap),
    }
    if event is not None:
        columns["event"] = np.array([f"event {each}" for each in event])
    names = tuple(f"P{each}" for each in range(int(pairs.max()) + 1))
    return Pool(names, pairs[0], pairs[1], won.astype(np.float64), columns=columns)


@cache
def truth(setting: Setting) -> Array:
    """Probabilities of `GAMES` by the fit to very many games."""
    model = setting.model
    if setting.differ:
        many = drawn(np.random.default_rng(0), setting, many=True)
        model = fit_games(GameColumns.from_pool(many), free=setting.free, link=model.link).model
    return model.probability(GAMES[0], GAMES[1], handicap=GAMES[2])


def held(setting: Setting, repetitions: int, seed: int) -> tuple[Array, int]:
    """How often the interval of each of `GAMES` held the truth, and of how many."""
    inside, times = np.zeros(GAMES.shape[1]), 0
    for rng in np.random.default_rng(seed).spawn(repetitions):
        try:
            result = fit_winning_model(
                drawn(rng, setting),
                free=setting.free,
                link=setting.model.link,
                event_games=setting.event_games,
            )
        except (ModelError, UsageError):
            continue
        ends = result.model.interval(GAMES[0], GAMES[1], handicap=GAMES[2], average=True)
        if ends is not None:
            inside += (ends[0] <= truth(setting) + 1e-12) & (truth(setting) <= ends[1] + 1e-12)
            times += 1
    return inside, times


def rows(setting: Setting, repetitions: int, seed: int) -> list[str]:
    """The lines of a setting: even games and handicap games."""
    inside, times = held(setting, repetitions, seed)
    lines = []
    for kind, where in (("even games", GAMES[2] == 0), ("handicap games", GAMES[2] > 0)):
        held_of, number = int(inside[where].sum()), times * int(where.sum())
        share = 100.0 * held_of / max(number, 1)
        lines.append(f"| {setting.title} | {kind} | {held_of:,} | {number:,} | {share:.1f} |")
    return lines


def kept(title: str) -> list[str]:
    """The lines of a setting that the table has."""
    lines = TABLE.read_text("utf-8").splitlines() if TABLE.is_file() else []
    return [line for line in lines if line.startswith(f"| {title} |")]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repetitions", type=int, default=200)
    parser.add_argument("--only", default="", help="settings with this in their title; others stay")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    made = (
        "`python -m lab.studies.coverage_models`, a part at a time with `--only` and the "
        f"`--repetitions` that the counts show, seed {given.seed}, {date.today():%Y-%m-%d}; "
        f"Yardstone {version('yardstone')}, numpy {np.__version__}, Python "
        f"{platform.python_version()}. Promised: 95 %."
    )
    head = ["| fitted to | intervals of | held | of | per cent |", "|---|---|--:|--:|--:|"]
    for setting in SETTINGS:
        if given.only not in setting.title:
            continue
        result = rows(setting, given.repetitions, given.seed)
        print("\n".join(result), flush=True)
        table = [
            line for each in SETTINGS for line in (result if each is setting else kept(each.title))
        ]
        write_text(TABLE, "\n".join([*head, *table, "", made]) + "\n")


if __name__ == "__main__":
    main()
