"""Ordo's rating list to the byte, and its further files: groups, head to head, matrices."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import pairwise
from math import floor, nan
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from yardstone.errors import ModelError
from yardstone.pool import PairCounts
from yardstone.ratings.connectivity import strong_components
from yardstone.ratings.result import Estimate, Status

#: The mark after the name: lost everything, won everything, no games.
SYMBOLS = {
    Status.NORMAL: " ",
    Status.PERFECT_LOSER: "<",
    Status.PERFECT_WINNER: ">",
    Status.NO_GAMES: "*",
}


@dataclass(frozen=True, kw_only=True)
class OrdoList:
    """A rated list."""

    #: As they stand in a PGN tag; every player of the input, with or without games.
    names: tuple[str, ...]
    rating: NDArray[np.float64]  #: (players,): 0 for a player without games.
    status: NDArray[np.int8]  #: (players,): values of `Status`.
    counts: PairCounts  #: The games that are rated.
    first_advantage: Estimate  #: `first_advantage`, `draw_rate`: rating points; 0 to 1.
    draw_rate: Estimate
    #: (players,): one standard deviation; None where no errors are shown.
    deviation: NDArray[np.float64] | None = None
    #: (players, players): of the difference of each two ratings.
    deviation_of_difference: NDArray[np.float64] | None = None
    confidence_factor: float = 1.0  #: Standard deviations in the error margin.
    discarded: int = 0  #: Games of the input that are not rated.

    @cached_property
    def totals(self) -> NDArray[np.float64]:
        """Wins, draws and losses of each player: shape (players, 3)."""
        return self.counts.player_totals()

    @cached_property
    def games(self) -> NDArray[np.float64]:
        """Games of each player."""
        games: NDArray[np.float64] = self.totals.sum(axis=1)
        return games

    @cached_property
    def points(self) -> NDArray[np.float64]:
        """Points of each player."""
        return self.totals[:, 0] + 0.5 * self.totals[:, 1]

    def superiority(self, player: int, other: int) -> float | None:
        """Confidence, in per cent, that `player` is the stronger; None if unknown."""
        if self.deviation_of_difference is None:
            return None
        difference = float(self.rating[player] - self.rating[other])
        deviation = float(self.deviation_of_difference[player, other])
        return 100.0 * NormalDist().cdf(difference / deviation) if deviation > 0.0 else None

    def sorted_players(self) -> list[int]:
        """Every player of the input from the highest rating down."""
        return listing_order(range(len(self.names)), self.rating)


@dataclass(slots=True)
class Row:
    """One line of the list: a player, his rank, and whether the rank is shown."""

    player: int
    rank: int
    ranked: bool
    superiority: float | None = None  #: Over the player on the next line, as `OrdoList` has it.


def rank_players(
    listed: OrdoList,
    *,
    threshold: int | None = None,
    older: frozenset[int] = frozenset(),
    hide_older: bool = False,
) -> list[Row]:
    """The lines of the list, from the highest rating down.

    Players with fewer games than `threshold` are left out. Those who are `older` (versions,
    by relations) are listed without a rank, or left out with `hide_older`.
    """
    shown = np.flatnonzero(listed.games >= max(threshold or 0, 1)).tolist()
    rows: list[Row] = []
    rank = 0
    for player in listing_order(shown, listed.rating):
        ranked = player not in older
        rank += ranked
        if ranked or not hide_older:
            rows.append(Row(player, rank, ranked))
    for row, below in pairwise(rows):
        row.superiority = listed.superiority(row.player, below.player)
    return rows


@dataclass(frozen=True)
class OpponentSummary:
    """About the opponents of each player: arrays (players,)."""

    rating: NDArray[np.float64]  #: Average rating, weighted by games.
    deviation: NDArray[np.float64]  #: Average deviation, likewise; 0 where deviations are unknown.
    number: NDArray[np.int64]  #: How many there were.
    #: Effective number: exponential of the entropy of the games over opponents (Ordo's manual,
    #: equation 1, with the sign of its sum repaired).
    diversity: NDArray[np.float64]

    @classmethod
    def of(cls, listed: OrdoList) -> OpponentSummary:
        """Summarise the opponents of everybody on a list."""
        counts, n = listed.counts, len(listed.names)
        player = np.concatenate([counts.first, counts.second]).astype(np.int64)
        other = np.concatenate([counts.second, counts.first]).astype(np.int64)
        games = np.concatenate([counts.games, counts.games])
        total = np.maximum(np.bincount(player, games, n), 1.0)
        rating = np.bincount(player, games * listed.rating[other], n) / total
        deviation = np.zeros(n)
        if listed.deviation is not None:
            known = np.nan_to_num(listed.deviation)
            deviation = np.bincount(player, games * known[other], n) / total
        once = np.ones(len(player), np.bool_)
        once[len(counts.first) :] = counts.first != counts.second  # a game with oneself
        pairs, where = np.unique(player[once] * n + other[once], return_inverse=True)
        met = np.bincount(where, games[once])
        who = pairs // n
        share = met / np.bincount(who, met, n)[who]
        entropy = np.bincount(who, -share * np.log(share), n)
        return cls(rating, deviation, np.bincount(who, minlength=n), np.exp(entropy))


#: A deviation at most this large is shown as unknown.
_NO_DEVIATION = 1e-8
#: How that looks; in a narrow column it sticks out.
_UNKNOWN_ERROR, _UNKNOWN_CSV = "  ----", '"-"'
#: Numbers of the columns that are shown unless others are asked for.
DEFAULT_COLUMNS = (0, 1, 2, 3, 4, 5)


@dataclass(frozen=True, kw_only=True)
class TableFormat:
    """What the list shows."""

    columns: tuple[int, ...] = DEFAULT_COLUMNS  #: Numbers of the columns, in order.
    decimals: int = 1  #: `decimals`, `score_decimals`: of ratings and errors; of percentages.
    score_decimals: int = 0
    #: Columns that differ from `COLUMNS`.
    headers: dict[int, tuple[str, int]] = field(default_factory=dict)
    simulated: bool = False  #: Whether there are simulated errors to show.

    def header(self, column: int) -> tuple[str, int]:
        """Header and least width of a column."""
        return self.headers.get(column, COLUMNS[column][:2])


class _Cells:
    """The entries of a form of the list; of one that is unknown "" stands."""

    def __init__(self, listed: OrdoList, shape: TableFormat, *, csv: bool) -> None:
        self.listed, self.shape, self.csv = listed, shape, csv

    @cached_property
    def opponents(self) -> OpponentSummary:
        """Only some columns ask for it, and it takes longer than the fit."""
        return OpponentSummary.of(self.listed)

    def entry(self, row: Row, column: int) -> str:
        return COLUMNS[column][2](self, row)

    def rating(self, row: Row) -> str:
        rating, decimals = float(self.listed.rating[row.player]), self.shape.decimals
        return fixed(rating if self.csv else rounded(rating, decimals), decimals)

    def error(self, deviation: NDArray[np.float64] | None, row: Row) -> str:
        if deviation is None or not deviation[row.player] > _NO_DEVIATION:
            return ""
        margin = float(deviation[row.player]) * self.listed.confidence_factor
        return fixed(rounded(margin, self.shape.decimals), self.shape.decimals)

    def percent(self, part: float, row: Row, csv_decimals: int) -> str:
        games = float(self.listed.games[row.player])
        percent = 100.0 * float(part) / games if games else 0.0
        return fixed(percent, csv_decimals if self.csv else self.shape.score_decimals)


#: Header, width and entries of each column, by its number in switch -U.
COLUMNS: tuple[tuple[str, int, Callable[[_Cells, Row], str]], ...] = (
    ("PLAYER", 0, lambda cells, row: cells.listed.names[row.player]),
    ("RATING", 6, _Cells.rating),
    ("ERROR", 6, lambda cells, row: cells.error(cells.listed.deviation, row)),
    ("POINTS", 7, lambda cells, row: fixed(cells.listed.points[row.player], 1 + cells.csv)),
    ("PLAYED", 7, lambda cells, row: f"{cells.listed.games[row.player]:.0f}"),
    ("(%)", 5, lambda cells, row: cells.percent(cells.listed.points[row.player], row, 2)),
    ("CFS(%)", 7, lambda _, row: "" if row.superiority is None else fixed(row.superiority, 0)),
    ("W", 4, lambda cells, row: f"{cells.listed.totals[row.player, 0]:.0f}"),
    ("D", 4, lambda cells, row: f"{cells.listed.totals[row.player, 1]:.0f}"),
    ("L", 4, lambda cells, row: f"{cells.listed.totals[row.player, 2]:.0f}"),
    ("D(%)", 5, lambda cells, row: cells.percent(cells.listed.totals[row.player, 1], row, 1)),
    ("OppAvg", 7, lambda c, row: fixed(c.opponents.rating[row.player], c.shape.decimals)),
    ("OppErr", 7, lambda cells, row: cells.error(cells.opponents.deviation, row)),
    ("OppN", 5, lambda cells, row: f"{cells.opponents.number[row.player]}"),
    ("OppDiv", 7, lambda cells, row: fixed(cells.opponents.diversity[row.player], 1)),
)
ERROR_COLUMN, SUPERIORITY_COLUMN = 2, 6


def ratings_text(listed: OrdoList, rows: Sequence[Row], shape: TableFormat) -> str:
    """The list as text, with the first-move advantage and the draw rate below it."""
    columns = list(shape.columns)
    if not shape.simulated and ERROR_COLUMN in columns:
        columns.remove(ERROR_COLUMN)
    cells = _Cells(listed, shape, csv=False)
    names = name_width(listed.names[row.player] for row in rows)
    names = max(names, display_width(shape.header(0)[0]))
    header = ""
    body = [""] * len(rows)
    for column in columns:
        title, width = shape.header(column)
        if column == 0:
            header += f"\n{'#':>4} {pad(title, names)}    :"
            for line, row in enumerate(rows):
                rank = str(row.rank) if row.ranked else ""
                symbol = SYMBOLS[Status(listed.status[row.player])]
                body[line] += f"{rank:>4} {pad(listed.names[row.player], names + 1)} {symbol} :"
            continue
        unknown = "---" if column == SUPERIORITY_COLUMN else _UNKNOWN_ERROR
        entries = [cells.entry(row, column) or unknown for row in rows]
        widest = max([display_width(title.strip()), *(len(entry.strip()) for entry in entries)])
        width = max(width, widest + 1)
        header += " " + pad(title, width, right=True)
        for line, entry in enumerate(entries):
            body[line] += f" {entry:>{width}}"
    parameters = []
    for label, estimate, scale, unit in (
        ("White advantage", listed.first_advantage, 1.0, ""),
        ("Draw rate (equal opponents)", listed.draw_rate, 100.0, " %"),
    ):
        spread = scale * estimate.deviation * listed.confidence_factor
        errors = f" +/- {fixed(spread, 2)}" if shape.simulated else ""
        parameters.append(f"{label} = {fixed(scale * estimate.value, 2)}{unit}{errors}")
    return "\n".join([header, *body, "", *parameters, "\n"])


def ratings_csv(listed: OrdoList, rows: Sequence[Row], shape: TableFormat) -> str:
    """The list as comma separated values."""
    cells = _Cells(listed, shape, csv=True)

    def line(first: str, entry: Callable[[int], str]) -> str:
        # Every entry but that of column 0 brings its comma along.
        return "".join(first if c == 0 else f",{entry(c) or _UNKNOWN_CSV}" for c in shape.columns)

    lines = [line(f'"#","{shape.header(0)[0]}"', lambda column: f'"{shape.header(column)[0]}"')]
    lines += [
        line(f'{row.rank},"{listed.names[row.player]}"', partial(cells.entry, row)) for row in rows
    ]
    return "\n".join(lines) + "\n"


#: Names wider than this stick out of their column.
MAX_NAME_WIDTH = 50

#: Ordo rounds to at most so many decimals before it prints.
_ROUNDED_DECIMALS = 5


def as_in_tag(name: str) -> str:
    """A name as it stands between the quotes of a PGN tag."""
    return name.replace("\\", "\\\\").replace('"', '\\"')


def display_width(text: str) -> int:
    """Columns that `text` takes on a terminal: two for wide characters, none for accents."""
    if text.isascii():
        return len(text)
    return sum(
        1 + (unicodedata.east_asian_width(letter) in "WF")
        for letter in text
        if not unicodedata.combining(letter)
        and unicodedata.category(letter) not in ("Mn", "Me", "Cf")
    )


def pad(text: str, width: int, *, right: bool = False) -> str:
    """`text` filled with blanks to `width` columns; to the left if `right`-aligned."""
    blanks = " " * (width - display_width(text))
    return blanks + text if right else text + blanks


def name_width(names: Iterable[str]) -> int:
    """Width of the column of names."""
    return min(max(map(display_width, names), default=0), MAX_NAME_WIDTH)


def fixed(value: float, decimals: int) -> str:
    """`value` with so many decimals, rounded to even on its binary value as C does."""
    return f"{value:.{decimals}f}"


def rounded(value: float, decimals: int) -> float:
    """`value` rounded half up, as Ordo does before it prints ratings and errors."""
    scale = float(10 ** min(max(decimals, 0), _ROUNDED_DECIMALS))
    return floor(value * scale + 0.5) / scale if -1e300 < value < 1e300 else value


def listing_order(players: Sequence[int], rating: NDArray[np.float64]) -> list[int]:
    """Players from the highest rating down, equal ratings in Ordo's order.

    Ordo sorts with a quicksort that leaves short ranges alone, then once with an
    insertion sort. Neither keeps the order of equals, so where ratings are equal
    its exchanges are repeated here.
    """
    order = list(players)
    value = {player: float(rating[player]) for player in order}
    if len(set(value.values())) == len(order):
        return sorted(order, key=value.__getitem__, reverse=True)
    _exchange_ranges(order, value)
    for start in range(len(order) - 2, -1, -1):  # a player passes those rated strictly higher
        player, place = order[start], start
        while place + 1 < len(order) and value[order[place + 1]] > value[player]:
            order[place] = order[place + 1]
            place += 1
        order[place] = player
    return order


def _exchange_ranges(order: list[int], value: Mapping[int, float]) -> None:
    """Split at a pivot, higher ratings before it, every range of seven or more."""
    ranges = [(0, len(order) - 1)]
    while ranges:
        low, high = ranges.pop()
        if high < low + 6:
            continue
        if high <= low + 12:  # the median comes to the front
            middle = low + (high - low) // 2
            for edge in (middle, high):
                other = high + middle - edge
                if value[order[other]] < value[order[edge]] < value[order[low]]:
                    order[edge], order[low] = order[low], order[edge]
        pivot = value[order[low]]
        left, right = low + 1, high
        while left < right:
            if value[order[left]] > pivot:
                left += 1
            else:
                order[left], order[right] = order[right], order[left]
                right -= 1
        place = left if value[order[left]] > pivot else left - 1
        order[place], order[low] = order[low], order[place]
        ranges += [(low, place - 1), (place + 1, high)]


@dataclass(slots=True)
class OpponentResults:
    """Results of a player against one opponent."""

    opponent: int
    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        """Number of games."""
        return self.wins + self.draws + self.losses

    @property
    def percent(self) -> float:
        """Points per game in per cent."""
        return 100.0 * (self.wins + self.draws / 2) / self.games

    @classmethod
    def sum_of(cls, matches: Iterable[OpponentResults]) -> OpponentResults:
        """All of a player's matches together; the opponent is -1."""
        results = [(match.wins, match.draws, match.losses) for match in matches]
        return cls(-1, *map(sum, zip(*results, strict=True)))


def matches_by_player(counts: PairCounts) -> dict[int, list[OpponentResults]]:
    """The matches of each player."""
    table: defaultdict[int, dict[int, OpponentResults]] = defaultdict(dict)
    columns = (counts.first, counts.second, counts.wins, counts.draws, counts.losses)
    for first, second, wins, draws, losses in zip(*(c.tolist() for c in columns), strict=True):
        sides = [(first, second, wins, losses), (second, first, losses, wins)]
        for player, opponent, won, lost in sides[: 1 if first == second else 2]:
            match = table[player].setdefault(opponent, OpponentResults(opponent))
            match.wins += int(won)
            match.draws += int(draws)
            match.losses += int(lost)
    return {player: list(opponents.values()) for player, opponents in table.items()}


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
            f"{games:5.0f} {100.0 * points / games:7.1f} % "
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
            errors = f", {'-':>{4 + decimals}}, {'-':>6}" if with_errors else ""
            sure = listed.superiority(player, match.opponent) if with_errors else None
            if sure is not None and listed.deviation_of_difference is not None:
                deviation = float(listed.deviation_of_difference[player, match.opponent])
                errors = f", {deviation:{4 + decimals}.{decimals}f}, {sure:6.1f}"
            lines.append(
                f"{'':{indent + 2}}{pad(listed.names[match.opponent], column)} : "
                f"{match.games:>{games}} ( {match.wins:>{won}}, "
                f"{match.draws:>{drawn}}, {match.losses:>{lost}}), "
                f"{match.percent:5.1f} : {difference:+{6 + decimals}.{decimals}f}{errors}"
            )
        lines.append("")
    return "\n".join(lines) + "\n"


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
        links = "has incomplete links with the rest (only wins or losses)"
        lines.append(f" \\---> this group {'is isolated from the rest' if isolated else links}")
    return "\n".join(lines) + "\n\n"


def _matrix(listed: OrdoList, players: Sequence[int], rows: Sequence[Iterable[float]]) -> str:
    """The numbers of each player, empty where one is unknown."""
    lines = [",".join(['"N"', '"NAME"', *map(str, range(len(players)))])]
    for number, (player, row) in enumerate(zip(players, rows, strict=True)):
        entries = ["" if value != value else fixed(value, 1) for value in row]
        lines.append(",".join([str(number), f'"{listed.names[player]}"', *entries]))
    return "\n".join(lines) + "\n"


def error_matrix(listed: OrdoList, players: Sequence[int]) -> str:
    """Error margin of the difference of each two ratings, below the diagonal.

    Empty where it is unknown. `players` are the rows, in their order.
    """
    if listed.deviation_of_difference is None:
        raise ModelError("the deviations of differences were not computed")
    margins = listed.deviation_of_difference * listed.confidence_factor
    rows = [margins[player, players[:place]] for place, player in enumerate(players)]
    return _matrix(listed, players, rows)


def superiority_matrix(listed: OrdoList, players: Sequence[int]) -> str:
    """Confidence, in per cent, that the row's player is stronger than the column's.

    Empty on the diagonal and where it is unknown.
    """

    def percent(player: int, other: int) -> float:
        known = None if player == other else listed.superiority(player, other)
        return nan if known is None else known

    return _matrix(listed, players, [[percent(p, other) for other in players] for p in players])
