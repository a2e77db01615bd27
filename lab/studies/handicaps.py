"""Rules of handicap on real games: ``python -m lab.studies.handicaps GAMES.csv``.

Goldis' stones, a stone a grade, a fitted worth of a stone, and the model of winning in the
form that ships predict who won the handicap games of a table of tournament games with grades
(``go/tournaments/games.csv.gz`` of the shared data); whole events are left out of every fit
that predicts them. Beside it, Goldis' ratings and a logistic on the difference of grades on
the even games. All intervals are clustered by event. Writes ``docs/studies/handicap-tables.md``.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Iterator
from datetime import date
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lab.studies.winning.handicap_rules import fit_slope, fit_stone, log_loss, stone_interval
from yardstone.clusters import clustered_interval
from yardstone.ratings.sktlr import SktLr
from yardstone.winprob.fit import EVENT_GAMES, fit_games
from yardstone.winprob.games import GameColumns, read_games_csv
from yardstone.winprob.kaniuk import PUBLISHED
from yardstone.winprob.model import winning_model
from yardstone.winprob.players import propose_handicap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool
    from yardstone.winprob.model import WinningModel

    Array = NDArray[np.float64]

TABLE = Path(__file__).resolve().parents[2] / "docs" / "studies" / "handicap-tables.md"
COIN = float(np.log(2.0))


def with_interval(values: Array, event: NDArray[np.int64], digits: int = 3) -> str:
    """Mean over games with a 95 % interval, Student's t over events."""
    mean = float(values.mean())
    ends = clustered_interval(values, event)
    if ends is None:
        return f"{mean:.{digits}f} (too few events)"
    return f"{mean:.{digits}f} ({ends[0]:.{digits}f} to {ends[1]:.{digits}f})"


def lines(pool: Pool) -> Iterator[str]:
    """The tables."""
    first, second = (np.asarray(pool.columns[f"{side}_grade"]) for side in ("first", "second"))
    known = np.isfinite(first) & np.isfinite(second) & (pool.score != 0.5)
    known &= (np.minimum(first, second) >= -20) & (np.maximum(first, second) <= 6)
    games = pool.select(known)
    first, second, handicap = (
        np.asarray(games.columns[name], np.float64)
        for name in ("first_grade", "second_grade", "handicap")
    )
    event = np.unique(games.columns["event"], return_inverse=True)[1].ravel()
    won = games.score == 1.0
    gap = second - first
    placed = (handicap > 0) & (gap > 0)
    even = (handicap == 0) & (np.abs(gap) <= 9)
    replay = SktLr().replay(games)

    model = np.full(len(gap), np.nan)
    for each in np.unique(event[placed]):
        test, train = placed & (event == each), games.select(event != each)
        fit = fit_games(GameColumns.from_pool(train, group="event"), event_games=EVENT_GAMES).model
        model[test] = fit.probability(first[test], second[test], handicap=handicap[test])
    shipped = winning_model()
    right = np.array(
        [
            _exact(shipped, float(one), float(two)) if where else 0.0
            for one, two, where in zip(first, second, placed, strict=True)
        ]
    )
    goldis = SktLr().win_probability(-100.0 * gap, handicap=handicap)
    usual, fitted = np.full(len(gap), np.nan), np.full(len(gap), np.nan)
    for each in np.unique(event):
        test = placed & (event == each)
        train = event != each
        slope = fit_slope(gap[train & even], won[train & even])
        usual[test] = probability(slope, gap[test], handicap[test], 1.0)
        stone, own = fit_stone(*(x[train & placed] for x in (gap, handicap, won)))
        fitted[test] = probability(own, gap[test], handicap[test], stone)
        usual_even = even & (event == each)
        usual[usual_even] = probability(slope, gap[usual_even], handicap[usual_even], 1.0)
    at = event[placed]
    stone, slope = fit_stone(gap[placed], handicap[placed], won[placed])
    ends = stone_interval(gap[placed], handicap[placed], won[placed], at)
    within = "too few events" if ends is None else f"95 %: {ends[0]:.2f} to {ends[1]:.2f}"
    yield (
        f"### {int(placed.sum())} handicap games between 20 kyu and 7 dan, {len(np.unique(at))} "
        "events, Black the weaker"
    )
    yield ""
    yield f"Black won {with_interval(100.0 * won[placed], at, 1)} per cent of them."
    yield f"One stone is worth {stone:.2f} grades ({within}, jackknife over"
    yield f"events), {slope:.3f} logits a grade left over."
    yield ""
    yield "| rule | log loss | better than a coin by | Black should win | Black wins less by |"
    yield "|---|--:|--:|--:|--:|"
    for name, p in (
        ("Goldis: the ratio of strengths", goldis),
        ("a stone a grade", usual),
        ("fitted worth of a stone", fitted),
        ("model of winning, in the form that ships", model),
    ):
        loss = log_loss(p[placed], won[placed])
        yield (
            f"| {name} | {with_interval(loss, at)} | {with_interval(COIN - loss, at)} "
            f"| {100 * p[placed].mean():.0f} % "
            f"| {with_interval(100.0 * (p[placed] - won[placed]), at, 1)} |"
        )
    yield ""
    yield "### Games with the handicap that a rule gives, White keeping the rest of a stone"
    yield ""
    yield "| rule | games | Black won, per cent |"
    yield "|---|--:|--:|"
    stones = {
        "Goldis: the ratio of strengths": 10.0 ** (gap / 10.0),
        "a stone a grade": gap + 0.5,
        "fitted worth of a stone": gap / stone + 0.5,
        "model of winning as it ships": right,
    }
    for name, given in stones.items():
        same = placed & (np.floor(given) == handicap)
        share = with_interval(100.0 * won[same], event[same], 1) if same.sum() > 20 else "too few"
        yield f"| {name} | {int(same.sum())} | {share} |"
    yield ""
    yield f"### {int(even.sum())} even games up to nine grades apart"
    yield ""
    yield "| forecast | log loss | SKT-LR better by |"
    yield "|---|--:|--:|"
    there = event[even]
    skt = log_loss(replay.expected[even], won[even])
    for name, p in (
        ("SKT-LR, rating as it goes", replay.expected),
        ("published model of Kaniuk on the grades", PUBLISHED.probability(first, second)),
        ("logistic on the difference of grades, other events", usual),
    ):
        loss = log_loss(p[even], won[even])
        gain = "" if p is replay.expected else with_interval(loss - skt, there)
        yield f"| {name} | {with_interval(loss, there)} | {gain} |"
    learnt = log_loss(replay.expected[placed], won[placed])
    yield ""
    yield f"SKT-LR, rating as it goes, on the {int(placed.sum())} handicap games:"
    yield f"{with_interval(learnt, at)}, a coin {COIN:.3f}."


@cache
def _exact(model: WinningModel, black: float, white: float) -> float:
    """Stones without komi that make a game exactly even by the model."""
    stones = propose_handicap(model, black, white).exact_stones
    return 0.0 if stones is None else stones


def probability(slope: float, gap: Array, handicap: Array, stone: float) -> Array:
    from lab.studies.winning.handicap_rules import black_wins

    return black_wins(gap, handicap, stone=stone, slope=slope)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("games", type=Path)
    given = parser.parse_args()
    made = (
        f"`python -m lab.studies.handicaps GAMES`, {date.today():%Y-%m-%d}; Yardstone "
        f"{version('yardstone')}, numpy {np.__version__}, Python {platform.python_version()}. In "
        "brackets 95 % intervals over events, by Student's t."
    )
    text = "\n".join([*lines(read_games_csv(given.games)), "", made]) + "\n"
    TABLE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
