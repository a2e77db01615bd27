"""Analysed matches of backgammon: the JSON value, and the report that is made from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from yardstone.backgammon.error_rates import KINDS
from yardstone.backgammon.matches import FEW_DECISIONS
from yardstone.records.names import similar_names
from yardstone.reports.backgammon.boards import blunder_steps, signed
from yardstone.reports.backgammon.classes import class_section, classes_plain
from yardstone.reports.backgammon.match_table import ERRORS, field, match_table, short
from yardstone.reports.charts.backgammon import trend_chart, with_trend
from yardstone.reports.document import (
    UNKNOWN,
    Block,
    Column,
    Document,
    Lines,
    Picture,
    Section,
    Slides,
    Table,
)
from yardstone.reports.words import join_names, known, per_cent, plural, spellings

if TYPE_CHECKING:
    from yardstone.backgammon.analysis import MatchAnalysis
    from yardstone.backgammon.matches import AnalysedMatch, Blunder, PlayerSummary
    from yardstone.backgammon.rating import MatchEstimate

__all__ = ["backgammon_document", "backgammon_plain"]

#: Version of the shape of `backgammon_plain`; keys are only ever added to one.
FORMAT = 1
#: Refused files named in a report.
NAMED = 20
_ESTIMATES = ("rating", "relative", "pooled", "luck_adjusted", "luck_adjusted_score")
_RATES = ("epm", "epc", "epd", "memg", "pr", "snowie", "luck_per_move")
#: The number of errors of each kind, by the names of the sums.
_NUMBERS = {
    "chequer": "chequer_errors",
    "missed_double": "missed_doubles",
    "wrong_double": "wrong_doubles",
    "wrong_take": "wrong_takes",
    "wrong_pass": "wrong_passes",
}

Plain = Mapping[str, Any]


def backgammon_plain(analysis: MatchAnalysis) -> dict[str, Any]:
    """An analysis as dictionaries, lists, numbers, strings and None."""
    return {
        "format": FORMAT,
        "gnubg": analysis.gnubg,
        "plies": analysis.settings.plies,
        "cube_plies": analysis.settings.cube_plies,
        "formula": analysis.rule.formula.name,
        "formula_doubt": analysis.rule.formula.covariance is not None,
        "offset": analysis.rule.offset,
        "confidence": analysis.rule.level,
        "players": [_player(player, analysis.rule.level) for player in analysis.players],
        "unlisted": analysis.unlisted,
        "matches": [_match(match) for match in analysis.matches],
        "blunders": [_blunder(each) for each in analysis.blunders],
        "unusable": [
            {"file": file.file, "status": file.status, "reason": file.reason}
            for file in analysis.unusable
        ],
    }


def _blunder(blunder: Blunder) -> dict[str, Any]:
    equities = {name: known(getattr(blunder, name)) for name in ("played_equity", "best_equity")}
    return {**asdict(blunder), "dice": list(blunder.dice), **equities}


def _estimate(estimate: MatchEstimate) -> dict[str, Any]:
    ends = {name: known(getattr(estimate, name)) for name in ("value", "low", "high", "error")}
    return {**ends, "matches": estimate.number}


def _player(player: PlayerSummary, level: float) -> dict[str, Any]:
    errors = player.errors
    rates = {name: known(getattr(errors, name)) for name in ("epm", "epc", "epd", "pr", "snowie")}
    means = player.trend(level=level)
    return {
        "player": player.name,
        "matches": len(player.matches),
        "won": player.won,
        "lost": player.lost,
        **{name: _estimate(getattr(player, name)) for name in _ESTIMATES},
        **rates,
        "memg": None if rates["epd"] is None else 1000.0 * rates["epd"],
        "luck_per_move": known(player.luck_per_move),
        **asdict(errors),
        "classes": classes_plain(player),
        "trend": [
            {
                "file": match.file,
                "date": None if match.date is None else match.date.isoformat(),
                "length": match.length,
                "rating": known(rating),
                "moving_mean": _estimate(mean),
            }
            for (match, _), rating, mean in zip(
                player.matches, player.match_ratings, means, strict=True
            )
        ],
    }


def _match(match: AnalysedMatch) -> dict[str, Any]:
    row: dict[str, Any] = {
        "file": match.file,
        "date": None if match.date is None else match.date.isoformat(),
        "length": match.length,
        "winner": None if match.winner is None else match.winner + 1,
        "games": match.games,
        "luck_adjusted_1": known(match.luck_adjusted),
    }
    for side in (0, 1):
        row[f"player_{side + 1}"] = match.players[side]
        row[f"points_{side + 1}"] = match.score[side]
        row[f"close_2003_{side + 1}"] = match.close_2003[side]
        for name, value in asdict(match.errors[side]).items():
            if name != "opponent_moves":
                row[f"{name}_{side + 1}"] = value
    return row


def backgammon_document(
    plain: Plain, *, title: str = "Backgammon", matches: int | None = None
) -> Document:
    """The report of what `backgammon_plain` made.

    People are shown the first `matches` of the matches, or all.
    """
    players, blunders = plain["players"], plain["blunders"]
    drawn = with_trend(plain)
    names = join_names([player["player"] for player in drawn])
    picture = Picture(
        lambda: trend_chart(plain),
        f"Ratings of single matches and moving means over time of {names}.",
    )
    sections = [Section(blocks=[_players(plain)]), Section(blocks=[Lines(_notes(plain))])]
    if drawn:
        sections.append(Section("Trend", [picture], name="trend"))
    sections += [
        Section(
            "Errors by kind of decision: number, and share of the total loss",
            [_kinds(players)],
        ),
        Section(
            "Luck of the dice, in points of normalised equity",
            [_luck(players, per_cent(plain["confidence"]))],
        ),
    ]
    if classes := class_section(players, per_cent(plain["confidence"])):
        sections.insert(len(sections) - 1, classes)
    if blunders:
        boards = Slides("Worst blunders", blunder_steps(blunders))
        sections.append(
            Section(
                "Worst blunders, in normalised equity", [_blunders(blunders), boards],
                name="blunders",
            )
        )  # fmt: skip
    sections.append(Section("Matches", [match_table(plain, limit=matches)], name="matches"))
    if unusable := plain["unusable"]:
        lines = [f"{each['file']}: {each['reason']}" for each in unusable]
        more = [f"… and {len(lines) - NAMED:,} more"] if len(lines) > NAMED else []
        blocks: list[Block] = [Lines([*lines[:NAMED], *more])]
        sections.append(Section(f"Files without a match: {len(lines):,}", blocks, caution=True))
    return Document(
        title,
        [_headline(plain)],
        sections,
        records=_players(plain),
        plain=lambda: dict(plain),
        drawing=lambda: trend_chart(plain),
    )


def _headline(plain: Plain) -> str:
    names = {match[f"player_{side}"] for match in plain["matches"] for side in (1, 2)}
    cube = plain["cube_plies"]
    return (
        f"{plural(len(plain['matches']), 'match', 'matches')} of "
        f"{plural(len(names), 'player')}, analysed by GNU Backgammon {plain['gnubg']} at "
        f"{plural(plain['plies'], 'ply', 'plies')}"
        + (f" ({cube} for the cube)" if cube != plain["plies"] else "")
    )


def _notes(plain: Plain) -> list[str]:
    """What the numbers mean."""
    lines = [
        f"Rating: perfect play is {plain['offset']:g}; errors by the {plain['formula']} "
        "formula, averaged over matches; "
        + (
            "intervals hold the doubt about the formula too."
            if plain.get("formula_doubt")
            else "the formula was published without errors."
        ),
        f"Intervals are of {per_cent(plain['confidence'])}; a single match has none. EPM and "
        "EPC are in thousandths of equity, as `backgammon rating` takes them too.",
        "Luck-adjusted: points ahead of the opponents met, by results without the luck of the "
        "dice.",
    ]
    few = sum(each["unforced"] + each["close"] < FEW_DECISIONS for each in plain["players"])
    if few:
        lines.append(
            f"{plural(few, 'player')} with fewer than {FEW_DECISIONS} decisions "
            f"{'stand' if few > 1 else 'stands'} last: so few do not measure strength."
        )
    if plain.get("unlisted"):
        lines.append(f"{plain['unlisted']:,} players with fewer matches are not listed.")
    sides = ("player_1", "player_2")
    names = [*dict.fromkeys(match[side] for match in plain["matches"] for side in sides)]
    lines += spellings(names, alike := similar_names(names))
    return [*lines, "--synonyms FILE merges names of the same player."] if alike else lines


def _value(name: str, heading: str = "", **more: Any) -> Column:
    return Column(name, lambda row: row[name]["value"], heading, "number", **more)


def _ends(name: str) -> list[Column]:
    def column(end: str) -> Column:
        return Column(f"{name}_{end}", lambda row: row[name][end], kind="number")

    return [column(end) for end in ("low", "high", "error")]


def _between(estimate: Plain, form: str, mark: str = " to ") -> str:
    """The ends of an interval; where there is one, a number that JSON lacks is infinite."""
    if estimate["error"] is None:
        return UNKNOWN
    low, high = estimate["low"], estimate["high"]
    return mark.join(
        ("−∞" if low is None else form.format(low), "∞" if high is None else form.format(high))
    )


def _name() -> Column:
    return Column("", lambda row: row["player"], "Player", strong=True)


def _thousandths(name: str, heading: str, **more: Any) -> Column:
    def show(row: Plain) -> str:
        return UNKNOWN if row[name] is None else f"{1000 * row[name]:.1f}"

    return field(name, heading, show=show, ascending=True, **more)


def _players(plain: Plain) -> Table:
    rates: dict[str, Column] = {
        "epm": _thousandths("epm", "EPM", gives_way=3),
        "epc": _thousandths("epc", "EPC", gives_way=3),
        "pr": field("pr", "PR", form=".2f", ascending=True),
    }
    columns = [
        field("player", "Player", "text", strong=True),
        field("matches", "Matches", "integer"),
        field("won", "Won", "integer", gives_way=2),
        field("lost", "Lost", "integer", gives_way=2),
        _value("rating", "Rating", form=".0f", strong=True),
        Column(
            "",
            lambda row: _between(row["rating"], "{:.0f}"),
            per_cent(plain["confidence"]),
            left=False,
        ),
        *_ends("rating"),
        _value("relative", "To gnubg", form=".0f", gives_way=1),
        *_ends("relative"),
    ]
    for name in _ESTIMATES[2:]:
        columns += [_value(name), *_ends(name)]
    columns += [rates.get(name, field(name)) for name in _RATES]
    columns += [field(name, kind=kind) for name, kind in ERRORS.items()]
    return Table(columns, plain["players"], noun="player")


def _kinds(players: Sequence[Plain]) -> Table:
    def whole(row: Plain) -> float:
        return float(sum(row[kind] for kind in KINDS))

    def errors(kind: str, words: str) -> Column:
        def number(row: Plain) -> int:
            return int(row[_NUMBERS[kind]])

        def with_share(row: Plain) -> str:
            share = 100.0 * row[kind] / whole(row) if whole(row) else 0.0
            return f"{number(row):,} ({share:.0f} %)"

        answers = kind in ("wrong_take", "wrong_pass")  # the classes of play have them too
        way = 3 if answers else 0
        return Column("", number, words.capitalize(), "integer", show=with_share, gives_way=way)

    columns = [
        _name(),
        Column("", lambda row: row["unforced"] + row["close"], "Decisions", "integer", gives_way=1),
        Column(
            "",
            lambda row: whole(row) / row["matches"],
            "Error a match",
            "number",
            ".3f",
            gives_way=2,
        ),
        *(errors(kind, words) for kind, words in KINDS.items()),
    ]
    return Table(columns, players, noun="player")


def _luck(players: Sequence[Plain], level: str) -> Table:
    columns = [
        _name(),
        Column("", lambda row: row["luck_per_move"], "Luck a move", "number", "+.4f"),
        Column("", lambda row: row["luck"], "In all", "number", "+.2f", gives_way=1),
        Column(
            "",
            lambda row: (
                None if (score := row["luck_adjusted_score"]["value"]) is None else 100.0 * score
            ),
            "Luck-adjusted result %",
            "number",
        ),
        Column("", lambda row: row["luck_adjusted"]["value"], "In points ahead", "number", "+.0f"),
        Column("", lambda row: _between(row["luck_adjusted"], "{:+.0f}"), level, left=False),
    ]
    return Table(columns, players, noun="player")


def _blunders(blunders: Sequence[Plain]) -> Table:
    def equity(which: str) -> Column:
        def show(row: Plain) -> str:
            value = row.get(f"{which}_equity")
            return UNKNOWN if value is None else signed(value)

        return Column("", show, "Equity", left=False, gives_way=4)

    columns = [
        Column("", lambda row: row["error"], "Lost", "number", ".3f"),
        _name(),
        Column("", lambda row: row["kind"], "Kind", gives_way=3),
        Column("", lambda row: "".join(map(str, row["dice"])), "Dice"),
        Column("", lambda row: row["played"], "Played"),
        equity("played"),
        Column("", lambda row: row["best"], "Best"),
        equity("best"),
        Column(
            "",
            lambda row: f"{row['position']}:{row['match']}",
            "Position ID:Match ID",
            gives_way=2,
            on_pages=False,  # there they stand beside the boards
        ),
        Column("", lambda row: f"{short(row['file'])}, game {row['game']}", "Where", gives_way=1),
    ]
    return Table(columns, blunders, noun="blunder")
