"""Ordo's head to head report: every player against every opponent (switch -j)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.reports.ordo.matches import OpponentResults, matches_by_player
from yardstone.reports.ordo.text import fixed, name_width, pad

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yardstone.reports.ordo.list import OrdoList

__all__ = ["head_to_head"]


def head_to_head(listed: OrdoList, *, decimals: int, with_errors: bool) -> str:
    """The report.

    Parameters
    ----------
    listed : OrdoList
        The ratings.
    decimals : int
        Of ratings, differences and deviations.
    with_errors : bool
        Show the deviation of each difference and the confidence for superiority.
    """
    matches = matches_by_player(listed.counts)
    names = name_width(listed.names)
    indent = len(str(len(listed.names) + 1))
    ratings = [fixed(float(value), decimals) for value in listed.rating]
    widest = max((len(ratings[player]) for player in matches), default=0)
    lines = ["Head to head statistics:", ""]
    for place, player in enumerate(listed.sorted_players(), start=1):
        name = listed.names[player]
        if player not in matches:
            lines.append(f"{place:>4} {pad(name, names + 6)} :Removed from calculation")
            continue
        widths = _Widths(matches[player])
        total = widths.total
        lines += [
            f"{place:>{indent}}) {pad(name, names)} {ratings[player]:>{widest}} : "
            f"{total.games:>{widths.games}} (+{total.wins},={total.draws},-{total.losses}), "
            f"{total.percent:5.1f} %",
            "",
        ]
        column = names + 6 + decimals
        lines.append(
            f"{'':{indent + 2}}{'vs.':<{column}} : {'games':>{widths.games}} "
            f"( {'+':>{widths.wins}}, {'=':>{widths.draws}}, {'-':>{widths.losses}}),"
            f"{'(%)':>6} : {'Diff':>{6 + decimals}}"
            + (f", {'SD':>{4 + decimals}}, CFS (%)" if with_errors else "")
        )
        for match in sorted(
            matches[player], key=lambda m: (-float(listed.rating[m.opponent]), m.opponent)
        ):
            difference = float(listed.rating[player] - listed.rating[match.opponent])
            lines.append(
                f"{'':{indent + 2}}{pad(listed.names[match.opponent], column)} : "
                f"{match.games:>{widths.games}} ( {match.wins:>{widths.wins}}, "
                f"{match.draws:>{widths.draws}}, {match.losses:>{widths.losses}}), "
                f"{match.percent:5.1f} : {difference:+{6 + decimals}.{decimals}f}"
                + (_errors(listed, player, match.opponent, decimals) if with_errors else "")
            )
        lines.append("")
    return "\n".join(lines) + "\n"


def _errors(listed: OrdoList, player: int, opponent: int, decimals: int) -> str:
    """Deviation of the difference, and confidence that `player` is the stronger."""
    superiority = listed.superiority(player, opponent)
    if superiority is None or listed.deviation_of_difference is None:
        return f", {'-':>{4 + decimals}}, {'-':>6}"
    deviation = float(listed.deviation_of_difference[player, opponent])
    return f", {deviation:{4 + decimals}.{decimals}f}, {superiority:6.1f}"


class _Widths:
    """Widths of the columns under one player, and the sum of his matches."""

    def __init__(self, matches: Sequence[OpponentResults]) -> None:
        self.total = OpponentResults.sum_of(matches)
        self.games = max(1 + len(str(self.total.games)), 6)
        self.wins = len(str(self.total.wins))
        self.draws = len(str(self.total.draws))
        self.losses = len(str(self.total.losses))
