"""Analysed games as text for people."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from yardstone.go.analysis import PHASES
from yardstone.go.losses import DECIDED
from yardstone.go.points import colour_name, point_name
from yardstone.go.totals import WHOLE_GAME, Total
from yardstone.reports.aligned import aligned
from yardstone.reports.go.analysis import game_title
from yardstone.reports.statements import plural

if TYPE_CHECKING:
    from yardstone.go.analysis import GameAnalysis
    from yardstone.reports.go.analysis import AnalysisReport

__all__ = [
    "conditions",
    "legend",
    "mistake_table",
    "move_table",
    "place_line",
    "text_analysis",
    "totals_table",
]


def text_analysis(report: AnalysisReport, *, moves: bool, top: int) -> str:
    """The games as text without colours; ends with a newline.

    Parameters
    ----------
    report : AnalysisReport
    moves : bool
        List every move.
    top : int
        Mistakes to list for each game.
    """
    blocks: list[list[str]] = []
    for found in report.games:
        blocks.append([game_title(found), *place_line(found), *conditions(report, found)])
        if moves:
            blocks.append(aligned(move_table(found), left={1, 2, 9}))
        totals = report.totals(found)
        if totals:
            blocks.append(aligned(totals_table(totals, players=True), left={0, 1}))
        blocks.append(_mistakes(report, found, top))
    if len(report.games) > 1:
        title = f"All {len(report.games):,} games, by player"
        blocks.append([title, *aligned(totals_table(report.players(), players=True), left={0, 1})])
    blocks.append(legend(report))
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def place_line(found: GameAnalysis) -> list[str]:
    """Where the game was played, when, and how it ended."""
    game = found.game
    date = "" if np.isnat(game.date) else str(game.date)[:10]
    known = [game.event, date, f"result {game.result}" if game.result else ""]
    return [", ".join(part for part in known if part)] if any(known) else []


def conditions(report: AnalysisReport, found: GameAnalysis) -> list[str]:
    """What the network was told, and what the reader must know."""
    told = found.conditions
    handicap = f", handicap {found.game.handicap}" if found.game.handicap > 1 else ""
    lines = [
        f"{plural(len(found), 'move')} on {found.game.size}x{found.game.size}{handicap}, "
        f"{told.rules.name} rules, komi {told.komi:g}; network {report.network}"
    ]
    return [*lines, *([f"Mind: {found.remark}"] if found.remark else [])]


def _percent(value: float, digits: int = 1) -> str:
    return "–" if isnan(value) else f"{100.0 * value:.{digits}f}"


def _points(value: float, digits: int = 1) -> str:
    return "–" if isnan(value) else f"{round(float(value), digits) + 0.0:.{digits}f}"


def move_table(found: GameAnalysis) -> list[list[str]]:
    """Headings and cells: a row a move."""
    heading = ["Move", "", "", "White wins %", "White leads", "Lost %", "Lost points"]
    rows = [[*heading, "Policy %", "Rank", "Best", "%"]]
    size, win_loss, point_loss = found.game.size, found.win_loss, found.point_loss
    for k in range(len(found)):
        rank = int(found.rank[k])
        rows.append(
            [
                str(found.number[k]),
                colour_name(int(found.colour[k]))[0],
                point_name(int(found.point[k]), size),
                _percent(found.white_winrate[k + 1]),
                _points(found.white_lead[k + 1]),
                _percent(win_loss[k]),
                _points(point_loss[k]),
                _percent(found.policy[k]),
                str(rank) if rank else "–",
                point_name(int(found.best[k]), size),
                _percent(found.best_policy[k]),
            ]
        )
    return rows


def totals_table(totals: Sequence[Total], *, players: bool) -> list[list[str]]:
    """Headings and cells: a row for each player and phase; names are not repeated."""
    rows = [
        [
            "Player",
            "Phase",
            "Moves",
            "Points a move",
            "% a move",
            "Policy %",
            "First choice %",
            "Mistakes",
        ]
    ]
    for total in totals:
        whole = total.phase == WHOLE_GAME
        colour = f" ({colour_name(total.colour)[0]})" if total.colour else ""
        games = "" if total.games == 1 or not whole else f", {plural(total.games, 'game')}"
        rows.append(
            [
                f"{total.player}{colour}{games}" if whole and players else "",
                "all" if whole else total.phase,
                f"{total.moves:,}",
                _points(total.point_loss, 2),
                _percent(total.win_loss, 2),
                _percent(total.policy),
                _percent(total.first_choice),
                f"{total.mistakes:,}",
            ]
        )
    return rows


def mistake_table(report: AnalysisReport, found: GameAnalysis, top: int) -> list[list[str]]:
    """Headings and cells of the worst moves; only the headings if there are none."""
    heading = ["Move", "", "", "Lost points", "Error", "Lost %", "Policy %", "Rank", "Better"]
    rows = [[*heading, "Phase"]]
    size, losses = found.game.size, found.losses
    for k in found.mistakes(report.mistake)[:top]:
        rank = int(found.rank[k])
        rows.append(
            [
                str(found.number[k]),
                colour_name(int(found.colour[k]))[0],
                point_name(int(found.point[k]), size),
                _points(losses.points[k]),
                f"± {_points(losses.error[k])}",
                _percent(losses.win[k]),
                _percent(found.policy[k]),
                str(rank) if rank else "–",
                point_name(int(losses.best[k]), size),
                PHASES[found.phase[k]],
            ]
        )
    return rows


def _mistakes(report: AnalysisReport, found: GameAnalysis, top: int) -> list[str]:
    number = len(found.mistakes(report.mistake))
    if not number:
        return [f"No move stands out from the noise with {report.mistake:g} points or more."]
    moves = "1 move" if number == 1 else f"{number:,} moves"
    shown = f"; the worst {top}" if number > top else ""
    title = f"{moves} cost {report.mistake:g} points or more{shown}:"
    if top == 0:
        return [title.replace("; the worst 0:", ".")]
    return [title, *aligned(mistake_table(report, found, top), left={1, 2, 8, 9})]


def legend(report: AnalysisReport) -> list[str]:
    """How to read the figures."""
    ends = report.phases
    sizes = sorted({found.game.size for found in report.games})
    small = [size for size in sizes if size != 19]
    scaled = "".join(
        f"; on {size}x{size} {first} and {middle}"
        for size in small[:3]
        for first, middle in [ends.ends(size)]
    )
    return [
        "A loss is what the move left its player, less what the best move found would have left:",
        "never below 0, and – where the game was decided, one side having more than",
        f"{100.0 * DECIDED:g} % before and after the move. Mistakes are losses of at least twice "
        "their error.",
        f"{PHASES[0].capitalize()}: moves 1 to {ends.opening}; {PHASES[1]}: to "
        f"{ends.middle}; then {PHASES[2]}{scaled}.",
    ]
