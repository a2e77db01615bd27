"""Analysed matches as rows, plain values and text."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from math import isfinite
from typing import TYPE_CHECKING, Any

from yardstone.backgammon.error_rates import KINDS, Errors
from yardstone.reports.aligned import aligned

if TYPE_CHECKING:
    from yardstone.backgammon.analyse import Outcome
    from yardstone.backgammon.intervals import Interval
    from yardstone.backgammon.matches import AnalysedMatch, Blunder
    from yardstone.backgammon.summary import PlayerSummary

__all__ = [
    "MATCH_COLUMNS",
    "PLAYER_COLUMNS",
    "AnalysisReport",
    "blunder_table",
    "csv_matches",
    "csv_players",
    "decision_table",
    "headline",
    "notes",
    "plain_report",
    "player_table",
    "text_report",
    "unusable",
]

#: Version of the shape of `plain_report`; keys are only ever added to one.
FORMAT = 1
#: Refused files named in a text.
NAMED = 20
_ERROR_COLUMNS = {
    field.name: "BIGINT" if field.type == "int" else "DOUBLE" for field in fields(Errors)
}
#: Columns of `csv_matches`, a row a match, with their types in SQL.
MATCH_COLUMNS = {
    "file": "VARCHAR",
    "date": "DATE",
    "length": "BIGINT",
    "player_1": "VARCHAR",
    "player_2": "VARCHAR",
    "points_1": "BIGINT",
    "points_2": "BIGINT",
    "winner": "BIGINT",
    "games": "BIGINT",
    "luck_adjusted_1": "DOUBLE",
    **{
        f"{name}_{side}": kind
        for side in (1, 2)
        for name, kind in (*_ERROR_COLUMNS.items(), ("close_2003", "BIGINT"))
        if name != "opponent_moves"
    },
}
#: Columns of `csv_players`, a row a player.
PLAYER_COLUMNS = {
    "player": "VARCHAR",
    "matches": "BIGINT",
    "won": "BIGINT",
    "lost": "BIGINT",
    **{
        f"{name}{end}": "DOUBLE"
        for name in ("rating", "relative", "pooled", "luck_adjusted", "luck_adjusted_score")
        for end in ("", "_low", "_high", "_error")
    },
    **dict.fromkeys(("epm", "epc", "epd", "memg", "pr", "snowie", "luck_per_move"), "DOUBLE"),
    **_ERROR_COLUMNS,
}


@dataclass(frozen=True)
class AnalysisReport:
    """What a report of analysed matches shows; frozen.

    Attributes
    ----------
    outcomes : sequence of Outcome
        Of all files.
    matches : sequence of AnalysedMatch
    players : sequence of PlayerSummary
        Those to show, in order.
    others : int
        Players left out for too few matches.
    blunders : sequence of Blunder
    offset, level : float
        Rating of perfect play, and the level of intervals (0 to 1).
    about : mapping
        How it was analysed and rated, in words.
    """

    outcomes: Sequence[Outcome]
    matches: Sequence[AnalysedMatch]
    players: Sequence[PlayerSummary]
    others: int
    blunders: Sequence[Blunder]
    offset: float
    level: float
    about: Mapping[str, Any]


def headline(report: AnalysisReport) -> str:
    """What was analysed."""
    number = len(report.matches)
    names = {name for match in report.matches for name in match.players}
    return (
        f"{number:,} match{'es' if number != 1 else ''} of {len(names):,} players, analysed by "
        f"GNU Backgammon {report.about['gnubg']} at {report.about['plies']} plies"
        + (
            f" ({report.about['cube_plies']} for the cube)"
            if report.about["cube_plies"] != report.about["plies"]
            else ""
        )
    )


def notes(report: AnalysisReport) -> list[str]:
    """What the numbers mean."""
    level = f"{100 * report.level:g} %"
    lines = [
        f"Rating: perfect play is {report.offset:g}; errors by the {report.about['formula']} "
        "formula, averaged over matches.",
        f"Intervals are of {level}; a single match has none. EPM and "
        "EPC are in thousandths of equity, as `backgammon rating` takes them too.",
        "Luck-adjusted: points ahead of the opponents met, by results without the luck of the "
        "dice.",
    ]
    if report.others:
        lines.append(f"{report.others:,} players with fewer matches are not listed.")
    return lines


def _known(value: float, digits: int = 0, scale: float = 1.0) -> str:
    return f"{scale * value:.{digits}f}" if isfinite(value) else "–"


def _ends(found: Interval) -> str:
    if not isfinite(found.low):
        return "–"
    return f"{found.low:.0f} to {found.high:.0f}"


def _bracket(found: Interval) -> str:
    if not isfinite(found.value):
        return "–"
    ends = [
        f"{end:+.0f}" if isfinite(end) else "−∞" if end < 0 else "∞"
        for end in (found.low, found.high)
        if end == end
    ]
    return f"{found.value:+.0f}" + (f" [{', '.join(ends)}]" if ends else "")


def player_table(report: AnalysisReport) -> list[list[str]]:
    """Headings and cells: a row a player."""
    rows = [
        [
            "Player",
            "Matches",
            "Won",
            "Lost",
            "Rating",
            f"{100 * report.level:g} %",
            "To gnubg",
            "EPM",
            "EPC",
            "PR",
            "Luck-adjusted",
        ]
    ]
    for player in report.players:
        errors = player.errors
        rows.append(
            [
                player.name,
                f"{len(player.matches):,}",
                f"{player.won:,}",
                f"{player.lost:,}",
                _known(player.rating.value),
                _ends(player.rating),
                _known(player.relative.value),
                _known(errors.epm, 1, 1000.0),
                _known(errors.epc, 1, 1000.0),
                _known(errors.pr, 2),
                _bracket(player.luck_adjusted),
            ]
        )
    return rows


def decision_table(report: AnalysisReport) -> list[list[str]]:
    """Headings and cells: where each player's errors come from."""
    headings = ["Player", "Decisions", "Error a match"]
    for kind in KINDS.values():
        headings += [kind.capitalize(), "%"]
    rows = [headings]
    for player in report.players:
        errors = player.errors
        whole = errors.chequer + errors.cube
        numbers = [
            errors.chequer_errors,
            errors.missed_doubles,
            errors.wrong_doubles,
            errors.wrong_takes,
            errors.wrong_passes,
        ]
        row = [player.name, f"{errors.decisions:,}", f"{whole / len(player.matches):.3f}"]
        for name, number in zip(KINDS, numbers, strict=True):
            share = getattr(errors, name) / whole if whole else 0.0
            row += [f"{number:,}", f"{100 * share:.0f}"]
        rows.append(row)
    return rows


def blunder_table(report: AnalysisReport) -> list[list[str]]:
    """Headings and cells: the worst blunders."""
    headings = ["Lost", "Player", "Kind", "Dice", "Played", "Best", "Position ID:Match ID", "Where"]
    cells = [
        [
            f"{blunder.error:.3f}",
            blunder.player,
            blunder.kind,
            "".join(map(str, blunder.dice)),
            blunder.played,
            blunder.best,
            f"{blunder.position}:{blunder.match}",
            f"{blunder.file.rpartition('/')[2]}, game {blunder.game}",
        ]
        for blunder in report.blunders
    ]
    return [headings, *cells]


def unusable(report: AnalysisReport) -> list[str]:
    """The files that gave no match, with the reasons."""
    return [
        f"{outcome.file}: {outcome.reason}"
        for outcome in report.outcomes
        if outcome.status != "analysed"
    ]


def text_report(report: AnalysisReport) -> str:
    """The report as text without colours; ends with a newline."""
    blocks = [[headline(report)], aligned(player_table(report), left={0})]
    blocks.append([*notes(report)])
    blocks.append(
        [
            "Errors by kind of decision: their number, and their share of all that was lost",
            *aligned(decision_table(report), left={0}),
        ]
    )
    if report.blunders:
        table = aligned(blunder_table(report), left={1, 2, 4, 5, 6, 7})
        blocks.append(["Worst blunders, in normalised equity", *table])
    if lines := unusable(report):
        more = [f"… and {len(lines) - NAMED:,} more"] if len(lines) > NAMED else []
        blocks.append([f"Files without a match: {len(lines):,}", *lines[:NAMED], *more])
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _plain(value: float) -> float | None:
    return value if isfinite(value) else None


def _plain_interval(found: Interval) -> dict[str, Any]:
    parts = {name: _plain(getattr(found, name)) for name in ("value", "low", "high", "error")}
    return {**parts, "matches": found.number}


def _player_row(player: PlayerSummary) -> dict[str, Any]:
    row: dict[str, Any] = {
        "player": player.name,
        "matches": len(player.matches),
        "won": player.won,
        "lost": player.lost,
    }
    for name in ("rating", "relative", "pooled", "luck_adjusted", "luck_adjusted_score"):
        found: Interval = getattr(player, name)
        row[name] = _plain(found.value)
        row |= {f"{name}_{end}": _plain(getattr(found, end)) for end in ("low", "high", "error")}
    errors = player.errors
    rates = {name: _plain(getattr(errors, name)) for name in ("epm", "epc", "epd", "pr", "snowie")}
    row |= rates
    row["memg"] = None if rates["epd"] is None else 1000.0 * rates["epd"]
    row["luck_per_move"] = _plain(player.luck_per_move)
    return row | asdict(errors)


def _match_row(match: AnalysedMatch) -> dict[str, Any]:
    row: dict[str, Any] = {
        "file": match.file,
        "date": None if match.date is None else match.date.isoformat(),
        "length": match.length,
        "winner": None if match.winner is None else match.winner + 1,
        "games": match.games,
        "luck_adjusted_1": _plain(match.luck_adjusted),
    }
    for side in (0, 1):
        row[f"player_{side + 1}"] = match.players[side]
        row[f"points_{side + 1}"] = match.score[side]
        row[f"close_2003_{side + 1}"] = match.close_2003[side]
        for name, value in asdict(match.errors[side]).items():
            if name != "opponent_moves":
                row[f"{name}_{side + 1}"] = value
    return row


def _csv(columns: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def csv_players(report: AnalysisReport) -> str:
    """A row a player."""
    return _csv(PLAYER_COLUMNS, [_player_row(player) for player in report.players])


def csv_matches(matches: Sequence[AnalysedMatch]) -> str:
    """A row a match, with the errors of both players: all that fits need."""
    return _csv(MATCH_COLUMNS, [_match_row(match) for match in matches])


def plain_report(report: AnalysisReport) -> dict[str, Any]:
    """The report as dictionaries, lists, numbers, strings and None."""
    players = []
    for player in report.players:
        row = _player_row(player)
        for name in ("rating", "relative", "pooled", "luck_adjusted", "luck_adjusted_score"):
            for end in ("low", "high", "error"):
                del row[f"{name}_{end}"]
            row[name] = _plain_interval(getattr(player, name))
        row["trend"] = [
            {
                "file": match.file,
                "date": None if match.date is None else match.date.isoformat(),
                "length": match.length,
                "rating": _plain(float(rating)),
                "moving_mean": _plain_interval(mean),
            }
            for (match, _), rating, mean in zip(
                player.matches, player.match_ratings, player.trend(level=report.level), strict=True
            )
        ]
        players.append(row)
    return {
        "format": FORMAT,
        **report.about,
        "offset": report.offset,
        "confidence": report.level,
        "players": players,
        "matches": [_match_row(match) for match in report.matches],
        "blunders": [
            {**asdict(blunder), "dice": list(blunder.dice)} for blunder in report.blunders
        ],
        "unusable": [
            {"file": outcome.file, "status": outcome.status, "reason": outcome.reason}
            for outcome in report.outcomes
            if outcome.status != "analysed"
        ],
    }
