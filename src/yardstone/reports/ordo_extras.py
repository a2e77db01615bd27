"""Ordo's further files: EloStat's three, groups, head to head, and the two matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from yardstone.errors import ModelError
from yardstone.ratings.connectivity import strong_components
from yardstone.reports.ordo import (
    OpponentResults,
    OrdoList,
    fixed,
    matches_by_player,
    name_width,
    pad,
)

if TYPE_CHECKING:
    from yardstone.pool import PairCounts


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
        # Ordo sorts the matches of a player by both numbers.
        for match in sorted(matches[player], key=lambda m: sorted((player, m.opponent)))[::-1]:
            opponent = pad(listed.names[match.opponent], names + number + 1)
            lines.append(f"{opponent} : {_results(match)}")
        lines.append("")
    return "\n".join(lines) + "\n"


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


def head_to_head(listed: OrdoList, *, decimals: int, with_errors: bool) -> str:
    """Every player against every opponent, with differences of ratings.

    `with_errors` shows the deviation of each difference and the confidence for superiority.
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
        total = OpponentResults.sum_of(matches[player])
        games = max(1 + len(str(total.games)), 6)
        won, drawn, lost = (len(str(each)) for each in (total.wins, total.draws, total.losses))
        lines += [
            f"{place:>{indent}}) {pad(name, names)} {ratings[player]:>{widest}} : "
            f"{total.games:>{games}} (+{total.wins},={total.draws},-{total.losses}), "
            f"{total.percent:5.1f} %",
            "",
        ]
        column = names + 6 + decimals
        lines.append(
            f"{'':{indent + 2}}{'vs.':<{column}} : {'games':>{games}} "
            f"( {'+':>{won}}, {'=':>{drawn}}, {'-':>{lost}}),"
            f"{'(%)':>6} : {'Diff':>{6 + decimals}}"
            + (f", {'SD':>{4 + decimals}}, CFS (%)" if with_errors else "")
        )
        for match in sorted(
            matches[player], key=lambda m: (-float(listed.rating[m.opponent]), m.opponent)
        ):
            difference = float(listed.rating[player] - listed.rating[match.opponent])
            lines.append(
                f"{'':{indent + 2}}{pad(listed.names[match.opponent], column)} : "
                f"{match.games:>{games}} ( {match.wins:>{won}}, "
                f"{match.draws:>{drawn}}, {match.losses:>{lost}}), "
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


@dataclass(frozen=True)
class Groups:
    """Groups of players with a common scale, the largest first."""

    label: NDArray[np.int32]  #: (players,): group of each player from 0; -1 without games.
    members: list[list[int]]  #: Players of each group in byte order of their names.
    isolated: list[bool]  #: Whether nobody outside the group was met at all.
    within: int  #: `within`, `between`: pairings (with colours) inside the groups and across them.
    between: int

    def __len__(self) -> int:
        return len(self.members)


def find_groups(names: Sequence[str], counts: PairCounts) -> Groups:
    """Groups among the players who have games."""
    active = np.zeros(counts.players, np.bool_)
    active[counts.first] = active[counts.second] = True
    label = strong_components(counts, active, names=names)
    number = int(label.max(initial=-1)) + 1
    members: list[list[int]] = [[] for _ in range(number)]
    for player in np.flatnonzero(active):
        members[label[player]].append(int(player))
    for group in members:
        group.sort(key=lambda player: names[player].encode())
    inside = label[counts.first] == label[counts.second]
    linked = np.concatenate([label[counts.first[~inside]], label[counts.second[~inside]]])
    isolated = ~np.isin(np.arange(number), linked)
    within = int(inside.sum())
    return Groups(label, members, isolated.tolist(), within, len(inside) - within)


def groups_text(names: Sequence[str], groups: Groups) -> str:
    """The report of the groups."""
    if len(groups) == 1:
        return "Group connectivity: **PASSED**\nAll players are connected into only one group.\n"
    lines = ["Group connectivity: **FAILED**"]
    for number, (group, isolated) in enumerate(zip(groups.members, groups.isolated, strict=True)):
        lines += ["", f"Group {number + 1}"]
        lines += [f" | {names[player]}" for player in group]
        state = "is isolated from the rest"
        if not isolated:
            state = "has incomplete links with the rest (only wins or losses)"
        lines.append(f" \\---> this group {state}")
    return "\n".join(lines) + "\n\n"


def _matrix(listed: OrdoList, players: Sequence[int], rows: Sequence[Sequence[str]]) -> str:
    header = ['"N"', '"NAME"', *map(str, range(len(players)))]
    lines = [",".join(header)]
    for number, (player, entries) in enumerate(zip(players, rows, strict=True)):
        lines.append(",".join([str(number), f'"{listed.names[player]}"', *entries]))
    return "\n".join(lines) + "\n"


def error_matrix(listed: OrdoList, players: Sequence[int]) -> str:
    """Error margin of the difference of each two ratings, below the diagonal.

    Empty where it is unknown. `players` are the rows, in their order.
    """
    deviation = listed.deviation_of_difference
    if deviation is None:
        raise ModelError("the deviations of differences were not computed")
    rows = []
    for place, player in enumerate(players):
        margins = [float(deviation[player, o]) * listed.confidence_factor for o in players[:place]]
        rows.append(["" if margin != margin else fixed(margin, 1) for margin in margins])
    return _matrix(listed, players, rows)


def superiority_matrix(listed: OrdoList, players: Sequence[int]) -> str:
    """Confidence, in per cent, that the row's player is stronger than the column's.

    Empty on the diagonal and where it is unknown.
    """
    rows = []
    for player in players:
        known = [None if o == player else listed.superiority(player, o) for o in players]
        rows.append(["" if value is None else fixed(value, 1) for value in known])
    return _matrix(listed, players, rows)
