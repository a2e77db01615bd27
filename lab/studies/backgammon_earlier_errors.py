"""Errors of earlier matches as a forecast: ``python -m lab.studies.backgammon_earlier_errors``.

Van den Doel's formula as a system of ratings, beside systems that look at results alone, on
the dated matches between people of ``lab/studies/backgammon_people.csv.gz``. Each match is
predicted from those before it. The result is written to
``docs/studies/backgammon-earlier-errors-tables.md``.
"""

from __future__ import annotations

import argparse
import platform
import warnings
from collections.abc import Iterator
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone import read
from yardstone.backgammon.error_system import ErrorRates
from yardstone.errors import SkippedWarning
from yardstone.evaluation import evaluate
from yardstone.ratings.systems import SYSTEMS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool

HERE = Path(__file__).resolve().parent
MATCHES = HERE / "backgammon_people.csv.gz"
TABLE = HERE.parent / "docs" / "studies" / "backgammon-earlier-errors-tables.md"
BASE = "vandendoel"
#: Systems of results alone.
RESULTS = ("fibs", "elo", "glicko2", "decaying-bradley-terry", "whr")
TRIALS = 30


def systems() -> dict[str, Any]:
    """By name: as they come, and the formula without what a newcomer's mean is worth."""
    hardly = {"epm_weight": 0.01, "epc_weight": 0.01, "usual_players": 0.01}
    all_mean = {"epm_weight": 1e9, "epc_weight": 1e9}
    return {
        BASE: ErrorRates(),
        "vandendoel-refit": ErrorRates(formula="refit"),
        "vandendoel-people": ErrorRates(formula="people"),
        "vandendoel, rates as they are": ErrorRates(**hardly),
        "vandendoel, all alike": ErrorRates(**all_mean),
        **{name: SYSTEMS[name].make() for name in RESULTS},
    }


def by_opponents(pool: Pool, last: NDArray[np.int64]) -> dict[str, str]:
    """How far each system is ahead, with the busiest person taken as given.

    Matches are kept together by the player who has fewer of them.
    """
    first, second, score = pool.first[last], pool.second[last], pool.score[last]
    games = np.bincount(np.concatenate([first, second]), minlength=len(pool.players))
    rarer = np.where(games[first] < games[second], first, second)
    even = np.full(len(last), 0.5)
    chance = {name: each.replay(pool).expected[last] for name, each in systems().items()}
    chance["50:50"] = even
    scores = {
        name: np.log(np.where(score > 0.5, expected, 1.0 - expected))
        for name, expected in chance.items()
    }
    ahead = {}
    for name, own in scores.items():
        difference = own - scores[BASE]
        mean = float(difference.mean())
        sums = np.bincount(rarer, weights=difference - mean)
        reach = 1.96 * float(np.sqrt((sums**2).sum())) / len(last)
        ahead[name] = f"{1000 * mean:+.1f} ± {1000 * reach:.1f}" if name != BASE else ""
    return ahead


def comparison(pool: Pool, last: NDArray[np.int64], replicates: int, seed: int) -> Iterator[str]:
    """A line for each system: untuned, and tuned on the earlier matches."""
    plain = evaluate(pool, systems(), replicates=replicates, seed=seed)
    given = by_opponents(pool, last)
    names = [BASE, "vandendoel-refit", "vandendoel-people", *RESULTS]
    tuned = evaluate(pool, names, tune=TRIALS, replicates=replicates, seed=seed)
    for each in plain.ranked:
        name = each.name
        cells = [name, f"{each.value('log_likelihood'):.4f}", given[name], _behind(plain, name)]
        known = name in names
        score = tuned[name].value("log_likelihood") if known else None
        cells += [f"{score:.4f}", _behind(tuned, name)] if score is not None else ["", ""]
        yield f"| {' | '.join(cells)} |"
    even = plain["50:50"].value("log_likelihood")
    yield f"| 50:50 | {even:.4f} | {given['50:50']} | {_behind(plain, '50:50')} | | |"


def _behind(evaluation: Any, name: str) -> str:
    """How much worse than the formula, in thousandths of a nat, with its interval."""
    if name == BASE:
        return ""
    lag = evaluation.difference(name, BASE)
    return f"{1000 * lag.estimate:+.1f} ({1000 * lag.low:+.1f} to {1000 * lag.high:+.1f})"


def known_players(pool: Pool, later: int) -> tuple[int, int]:
    """Of the later matches those of which both players, and one at least, had played before."""
    seen: set[int] = set()
    both = one = 0
    order = np.argsort(pool.time, kind="stable")
    for place, game in enumerate(order.tolist()):
        players = int(pool.first[game]), int(pool.second[game])
        before = [player in seen for player in players]
        if place >= len(pool) - later:
            both += all(before)
            one += any(before)
        seen.update(players)
    return both, one


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--table", type=Path, default=MATCHES)
    parser.add_argument("--replicates", type=int, default=2000, help="of the bootstrap")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkippedWarning)  # matches that were not finished
        pool = read(arguments.table, times=True)
    assert pool.time is not None
    pool = pool.select(~np.isnat(pool.time))
    later = len(pool) - int(0.7 * len(pool))
    last = np.argsort(pool.time, kind="stable")[-later:]
    lines = [
        f"| system | log score | ahead of `{BASE}`, by opponents | by all players | tuned "
        "| ahead, by all players |",
        "|---|--:|--:|--:|--:|--:|",
        *comparison(pool, last, arguments.replicates, arguments.seed),
    ]
    both, one = known_players(pool, later)
    busiest = int(np.bincount(np.concatenate([pool.first[last], pool.second[last]])).max())
    made = (
        "`python -m lab.studies.backgammon_earlier_errors --replicates "
        f"{arguments.replicates} --seed {arguments.seed}`, {date.today():%Y-%m-%d}; "
        f"Yardstone {version('yardstone')}, numpy {np.__version__}, "
        f"Python {platform.python_version()}. {len(pool)} dated matches with a "
        f"winner, each predicted from those before it; scored are the later {later}: of {both} "
        f"both players had played before, of {one} one of them at least, and of the rest nobody; "
        f"one person played in {busiest}. Log scores are in nats a match; ahead in "
        "thousandths of them, with intervals of 95 %: over the opponents, the busiest person "
        "taken as given, and over all players (matches that share one are kept together). "
        f"Tuned: the best of {TRIALS} sets of parameters on the earlier matches."
    )
    TABLE.write_text("\n".join(lines) + f"\n\n{made}\n", encoding="utf-8")
    print(TABLE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
