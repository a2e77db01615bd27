"""A calibration to a site's ratings as text and as plain values."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import exp
from typing import Any

from yardstone.reports.aligned import aligned
from yardstone.reports.statements import plural
from yardstone.strength.estimate.calibrate import Calibration, ScoreCost
from yardstone.strength.estimate.collection import PlayerEstimate
from yardstone.strength.estimate.site_scales import fox_rank

__all__ = ["CalibrationReport", "calibration_csv", "calibration_text", "plain_calibration"]

#: Players in a text, those furthest from the line; the others are counted.
_PLAYERS = 20


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """A calibration and what it rests upon.

    Attributes
    ----------
    calibration : Calibration
    players : sequence of (PlayerEstimate, float)
        Each with the site's rating.
    cost : ScoreCost or None
        None if there are no results between the players.
    missing : sequence of str
        Players with a rating of whom there is no game.
    """

    calibration: Calibration
    players: Sequence[tuple[PlayerEstimate, float]]
    cost: ScoreCost | None
    missing: Sequence[str]


def plain_calibration(report: CalibrationReport) -> dict[str, Any]:
    """All of it as dictionaries, lists, numbers, strings and None."""
    return {
        "calibration": asdict(report.calibration),
        "players": _rows(report),
        "cost": None if report.cost is None else asdict(report.cost),
        "missing": list(report.missing),
    }


def _rows(report: CalibrationReport) -> list[dict[str, Any]]:
    line = report.calibration
    return [
        {
            "player": each.player,
            "games": each.games,
            "moves": each.moves,
            "estimate": round(each.rating, 4),
            "rating": rating,
            "fitted": round(float(line.rating(each.rating)), 2),
        }
        for each, rating in report.players
    ]


def calibration_csv(report: CalibrationReport) -> str:
    """A row a player: a table that `strength calibrate` reads again without the games."""
    out = io.StringIO()
    rows = _rows(report)
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def calibration_text(report: CalibrationReport) -> str:
    """The calibration for people; ends with a newline."""
    line = report.calibration
    lines = [
        f"{line.site} = {line.slope:.1f} (± {line.slope_error:.1f}) × rank of Fox "
        f"{'+' if line.intercept >= 0 else '-'} {abs(line.intercept):.0f} "
        f"(± {line.intercept_error:.0f}), one standard error",
        f"{plural(line.players, 'player')} from {line.lowest:.1f} ({fox_rank(line.lowest)}) to "
        f"{line.highest:.1f} ({fox_rank(line.highest)}); ratings lie {line.deviation:.0f} points "
        f"about the line{_own(line)}; R² {line.determined:.2f}",
    ]
    blocks = [lines, _cost(report), _players(report)]
    if report.missing:
        shown = ", ".join(report.missing[:8])
        rest = len(report.missing) - 8
        others = f" and {rest:,} more" if rest > 0 else ""
        blocks.append([f"Without a game: {shown}{others}"])
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _own(line: Calibration) -> str:
    if line.unexplained == line.deviation:
        return ""
    return f", {line.unexplained:.0f} of it beyond the estimates' own errors"


def _cost(report: CalibrationReport) -> list[str]:
    cost = report.cost
    if cost is None:
        return ["No results between these players: what the line costs in prediction is unknown."]
    loss = cost.best - cost.site
    side = "too sure" if cost.site_slope > cost.best_slope else "not sure enough"
    return [
        f"Predicting {plural(cost.games, 'game')} between them, log-likelihood a game:",
        *(
            f"  {line}"
            for line in aligned(
                [
                    ["equal chances", f"{cost.even:.4f}"],
                    ["ratings on this line", f"{cost.site:.4f}"],
                    ["estimates, with the slope that fits best", f"{cost.best:.4f}"],
                ],
                left={0},
            )
        ),
        f"The line costs {loss:.4f} a game (it makes results {exp(loss):.3f} times less likely): "
        f"its ratings are {side}, {cost.site_slope:.3f} logits a rank against "
        f"{cost.best_slope:.3f} at best.",
    ]


def _players(report: CalibrationReport) -> list[str]:
    line = report.calibration
    far = sorted(
        report.players, key=lambda each: -abs(each[1] - float(line.rating(each[0].rating)))
    )
    rows = [["Player", "Games", "Moves", "Estimate", "Rating", "On the line", "Off"]]
    for each, rating in far[:_PLAYERS]:
        fitted = float(line.rating(each.rating))
        rows.append(
            [
                each.player,
                f"{each.games:,}" if each.games else "–",
                f"{each.moves:,}" if each.moves else "–",
                f"{each.rating:.2f}",
                f"{rating:.0f}",
                f"{fitted:.0f}",
                f"{round(rating - fitted):+d}",
            ]
        )
    title = "Players, those furthest from the line first:"
    more = len(far) - _PLAYERS
    return [
        title,
        *aligned(rows, left={0}),
        *([f"… and {plural(more, 'other')}"] if more > 0 else []),
    ]
