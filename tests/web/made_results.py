"""Results in the shape that workers store, made without a network and without gnubg."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.web.serving import OWNER

if TYPE_CHECKING:
    from yardstone.strength.calibration import Calibration
    from yardstone.web.store import JobStore

SCRIPT = "<script>document.title='owned'</script>"


def go_result(games: int = 3) -> dict[str, Any]:
    """An estimate as before there were other scales: figures and gaps on the moves of one game."""
    from yardstone.web.pages.job_pages import sample_result

    rng = np.random.default_rng(5)
    made: dict[str, Any] = json.loads(json.dumps(sample_result("go")))
    for name in ("scales", "on_scales", "others", "colour", "unlikely", "contradictory"):
        del made[name]

    def shown(rating: float, reach: float) -> dict[str, Any]:
        rank = f"{int(rating)}d" if rating >= 1 else f"{1 - int(np.floor(rating))}k"
        ends = {"rating": rating, "low": rating - reach, "high": rating + 0.9 * reach}
        return {"rank": rank, **{name: round(value, 2) for name, value in ends.items()}}

    made["by_game"] = [
        {
            **made["by_game"][0], **shown(3.4 + rng.normal(0, 0.3), 2.6),
            "date": None if number == 2 else f"2024-03-{number % 28 + 1:02d}",
            "opponent": SCRIPT if number == 3 else f"Opponent {number}",
            "file": f"game {number}.sgf", "running": shown(3.4 + rng.normal(0, 0.3), 2.6),
        }
        for number in range(1, games + 1)
    ]  # fmt: skip
    for part in made["phases"]:
        part.update(shown(3.4, 1.9))
    for group, gap in (("costliest_moves", "policy"), ("indicative_moves", "points_lost")):
        made[group] = made[group][:2]
        for place, move in enumerate(made[group]):
            move["game"] = (place + 1) % games
            del move["position"]["steps"]
        made[group][1][gap] = None
    made["indicative_moves"][1]["effect"] = -0.16
    share = np.exp(-0.5 * ((np.arange(11) - 4.4) / 1.1) ** 2)
    for each, chance in zip(made["probabilities"], share / share.sum(), strict=True):
        each["probability"] = round(float(chance), 4)
    ranks = {"low_rank": "2d", "high_rank": "4d"}
    return {**made, **shown(3.42, 1.3), **ranks, "games": games, "moves": 137 * games}


def calibration(model: str) -> Calibration:
    """The scale of a club."""
    from yardstone.strength.calibration import Calibration

    return Calibration(
        site="Club", kind="ogs", model=model, basis="fox", players=30, slope=95.0, intercept=1200.0,
        slope_error=5.0, intercept_error=20.0, deviation=150.0, unexplained=140.0,
        determined=0.8, lowest=-4.0, highest=8.0,
    )  # fmt: skip


def results_csv(players: int = 8, games: int = 160) -> bytes:
    """Results with a stranger pair, a loser of all games and a script for a name."""
    rng = np.random.default_rng(3)
    names, rows = [f"Engine {number:02d}" for number in range(players)], []
    for _ in range(games):
        one, other = rng.choice(players, 2, replace=False)
        chance = 0.8 / (1 + 10 ** (60 * (one - other) / 400))
        score = rng.choice([1, 0.5, 0], p=[chance, 0.2, 0.8 - chance])
        rows.append(f"{names[one]},{names[other]},{score:g}")
    rows += [f"{SCRIPT},{names[1]},0.5", f"Hopeless,{names[2]},0", "Lone A,Lone B,1"]
    return "\n".join(["white,black,score", *rows]).encode() + b"\n"


def backgammon_result(matches: int = 7) -> dict[str, Any]:
    """Matches of two people, with made-up errors."""
    from yardstone.backgammon.analysis import MatchAnalysis, RatingRule
    from yardstone.backgammon.error_rates import Errors
    from yardstone.backgammon.file_analysis import AnalysisSettings
    from yardstone.backgammon.matches import AnalysedMatch, summarise
    from yardstone.reports.backgammon import backgammon_plain

    rng = np.random.default_rng(9)

    def errors() -> Errors:
        return Errors(
            moves=150, opponent_moves=150, unforced=120, close=14, wrong_take=0.12,
            chequer=float(rng.uniform(1.5, 3.5)), missed_double=float(rng.uniform(0, 0.4)),
            chequer_errors=21, missed_doubles=3, wrong_takes=1, luck=float(rng.normal(0, 1)),
        )  # fmt: skip

    played = [
        AnalysedMatch(
            file=f"match {number}.mat", players=("Anna", SCRIPT), length=7, date=None,
            errors=(errors(), errors()), score=(7, int(rng.integers(0, 7))), winner=0, games=5,
            close_2003=(9, 9), luck_adjusted=float(rng.uniform(0.4, 0.7)),
        )
        for number in range(1, matches + 1)
    ]  # fmt: skip
    own = summarise(played)
    return backgammon_plain(
        MatchAnalysis([], played, own, 0, [], RatingRule(), AnalysisSettings(), "1.08.003")
    )


def store_result(
    store: JobStore, kind: str, result: dict[str, Any] | None = None, **ended: Any
) -> str:
    """A job of `OWNER` that has ended, as a worker would have left it; gives its address."""
    from yardstone.web.store import key_mark, new_id

    usual: dict[str, Any] = {"scale": "fox", "level": 0.9} if kind == "go" else {}
    options = [ended.pop("options", usual)]
    file = {"name": f"{kind}.sgf", "size": 1, "format": "sgf"}
    (address,) = store.add(kind, "tests", new_id(), [file], options, owner=key_mark(OWNER))
    job = store.claim("tests/1")
    assert job is not None
    assert job.id == address
    text = None if result is None else json.dumps(result, allow_nan=False)
    assert store.finish(job, ended.pop("status", "done"), result=text, **ended)
    return address
