"""A recorded round beside what the weights choose, as text and plain values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from yardstone.reports.statements import plural
from yardstone.reports.tournament.words import WORDS, round_title

if TYPE_CHECKING:
    from yardstone.tournament.comparison import Difference
    from yardstone.tournament.model import Tournament
    from yardstone.tournament.pairing import Board, Pairing

__all__ = ["comparison_text", "plain_comparison"]


def comparison_text(recorded: Pairing, ours: Pairing, found: Sequence[Difference]) -> str:
    """A recorded round beside what the weights choose."""
    tournament = recorded.entrants.tournament
    same = len(recorded.boards) - sum(
        board.second >= 0 for difference in found for board in difference.recorded
    )
    gain = ours.weight - recorded.weight
    weighs = "as much as" if gain == 0 else f"{gain:,} more than"
    lines = [
        f"{round_title(tournament, recorded.round)} paired again: {same} of "
        f"{plural(len(recorded.boards), 'board')} the same, "
        f"and the whole weighs {weighs} the recorded one."
    ]
    for difference in found:
        lines.append("")
        lines.append(f"  recorded  {_board_names(tournament, difference.recorded)}")
        lines.append(f"  here      {_board_names(tournament, difference.ours)}")
        if difference.gains:
            parts = [
                f"{WORDS[name]} {gain:+,}"
                for name, gain in sorted(difference.gains.items(), key=lambda item: -abs(item[1]))
            ]
            lines.append(f"            {difference.gain:+,}: {', '.join(parts)}")
        else:
            lines.append("            the same weight: both are best")
    return "\n".join(lines) + "\n"


def _board_names(tournament: Tournament, boards: Sequence[Board]) -> str:
    return "; ".join(
        f"{tournament.players[board.first].full_name} - "
        + ("bye" if board.second < 0 else tournament.players[board.second].full_name)
        for board in boards
    )


def plain_comparison(
    recorded: Pairing, ours: Pairing, found: Sequence[Difference]
) -> dict[str, Any]:
    """The same as plain values."""
    tournament = recorded.entrants.tournament

    def names(boards: Sequence[Board]) -> list[list[str | None]]:
        return [
            [
                None if player < 0 else tournament.players[player].full_name
                for player in (board.first, board.second)
            ]
            for board in boards
        ]

    changed = sum(board.second >= 0 for difference in found for board in difference.recorded)
    return {
        "round": recorded.round,
        "boards": len(recorded.boards),
        "same": len(recorded.boards) - changed,
        "recorded_weight": recorded.weight,
        "weight": ours.weight,
        "differences": [
            {
                "recorded": names(difference.recorded),
                "ours": names(difference.ours),
                "gain": difference.gain,
                "gains": difference.gains,
            }
            for difference in found
        ],
    }
