"""The three files of EloStat, as Ordo writes them (switch -E)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.reports.ordo.matches import OpponentResults, matches_by_player
from yardstone.reports.ordo.text import fixed, name_width, pad

if TYPE_CHECKING:
    from yardstone.reports.ordo.list import OrdoList

__all__ = ["general_dat", "programs_dat", "rating_dat"]


def rating_dat(listed: OrdoList, *, threshold: int | None, decimals: int) -> str:
    """The list of ratings; players with fewer games than `threshold` are left out."""
    names = name_width(listed.names)
    width = 4 + (decimals + 1 if decimals else 0)
    matches = matches_by_player(listed.counts)
    lines = [
        "",
        "",
        f"     {pad('Program', names)}     {'Elo':>{width}} {'+':>{width}} {'-':>{width}} "
        "  Games   Score   Av.Op.  Draws",
        "",
    ]
    rank = 0
    for player in listed.sorted_players():
        games = float(listed.games[player])
        if games < max(threshold or 0, 1):
            continue
        rank += 1
        points = float(listed.points[player])
        mark = "<" if points == 0.0 else ">" if points == games else " "
        error = 0.0
        if listed.deviation is not None:
            error = float(np.nan_to_num(listed.deviation[player])) * listed.confidence_factor
        met = matches[player]
        played = sum(match.games for match in met)  # one with oneself counts once
        level = sum(match.games * float(listed.rating[match.opponent]) for match in met) / played
        draws = 100.0 * sum(match.draws for match in met) / played
        lines.append(
            f"{rank:>4} {pad(listed.names[player], names + 1)} {mark} : "
            f"{fixed(float(listed.rating[player]), decimals):>{width}} "
            f"{fixed(error, decimals):>{width}} {fixed(error, decimals):>{width}} "
            f"{games:5.0f} {listed.score_percent(player):7.1f} % "
            f"{level:6.0f} {draws:6.1f} %"
        )
    return "\n".join(lines) + "\n"


def programs_dat(listed: OrdoList, *, decimals: int) -> str:
    """Every player against every opponent."""
    matches = matches_by_player(listed.counts)
    names = name_width(listed.names)
    number = len(str(len(listed.names) + 1))
    lines = ["Individual statistics:", ""]
    for place, player in enumerate(listed.sorted_players(), start=1):
        name = listed.names[player]
        if player not in matches:
            lines.append(f"{place:>4} {pad(name, names + 1)} :Removed from calculation")
            continue
        total = OpponentResults.sum_of(matches[player])
        lines += [
            f"{place} {pad(name, names + number - len(str(place)))} :"
            f"{fixed(float(listed.rating[player]), decimals):>5} {_results(total)}",
            "",
        ]
        for match in sorted(matches[player], key=lambda m: _ordo_order(player, m), reverse=True):
            opponent = pad(listed.names[match.opponent], names + number + 1)
            lines.append(f"{opponent} : {_results(match)}")
        lines.append("")
    return "\n".join(lines) + "\n"


def _ordo_order(player: int, match: OpponentResults) -> tuple[int, int]:
    """The key by which Ordo sorts the matches of a player, largest first."""
    return min(player, match.opponent), max(player, match.opponent)


def _results(match: OpponentResults) -> str:
    won, drawn, lost = f"+{match.wins:3}", f"={match.draws:3}", f"-{match.losses:3}"
    return f"{match.games} ({won},{drawn},{lost}), {match.percent:4.1f} %"


def general_dat(listed: OrdoList) -> str:
    """Totals of the whole pool."""
    counts = listed.counts
    wins, draws, losses = (int(c.sum()) for c in (counts.wins, counts.draws, counts.losses))
    games = wins + draws + losses
    if not games:
        return "\nGames        : 0 (finished)\n\n"
    of_white, of_black, drawn = wins / games, losses / games, draws / games
    return (
        f"\nGames        : {games} (finished)\n\n"
        f"White Wins   : {wins} ({100 * of_white:.1f} %)\n"
        f"Black Wins   : {losses} ({100 * of_black:.1f} %)\n"
        f"Draws        : {draws} ({100 * drawn:.1f} %)\n"
        f"Unfinished   : {listed.discarded}\n\n"
        f"White Score  : {100 * (of_white + drawn / 2):.1f} %\n"
        f"Black Score  : {100 * (of_black + drawn / 2):.1f} %\n\n"
    )
