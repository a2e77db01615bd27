"""Analysed matches and rated players of backgammon: JSON values, reports, the chart of a trend."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.backgammon.error_rates import KINDS, Errors
from yardstone.backgammon.matches import FEW_DECISIONS, FEWEST_FOR_CLASSES, WINDOW
from yardstone.backgammon.rating import LEVEL
from yardstone.records.names import similar_names
from yardstone.reports.backgammon_positions import blunder_steps, signed
from yardstone.reports.chart import Axis, Band, Chart, Mark, Panel, Points, Stroke
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
from yardstone.reports.panels import SERIES
from yardstone.reports.words import join_names, known, per_cent, plural, spellings

if TYPE_CHECKING:
    from yardstone.backgammon.analysis import MatchAnalysis
    from yardstone.backgammon.matches import AnalysedMatch, Blunder, PlayerSummary
    from yardstone.backgammon.rating import MatchEstimate, RatingAnswer
    from yardstone.reports.document import Kind


__all__ = [
    "backgammon_document",
    "backgammon_plain",
    "ERRORS",
    "field",
    "match_table",
    "short",
    "class_section",
    "classes_plain",
    "rating_document",
    "trend_chart",
    "with_trend",
]


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


#: The counts and sums of `Errors`, with the kinds of their columns.
ERRORS: dict[str, Kind] = {
    field.name: "integer" if field.type == "int" else "number" for field in fields(Errors)
}


def field(name: str, heading: str = "", kind: Kind = "number", **more: Any) -> Column:
    """A column that reads one field of a row."""
    return Column(name, lambda row: row[name], heading, kind, **more)


def short(file: str) -> str:
    """The name of a file without its folder."""
    return file.rpartition("/")[2]


def match_table(plain: Plain, *, limit: int | None = None) -> Table:
    """A row for each match; files have the errors of both players, all that fits need."""
    ratings = {
        (player["player"], match["file"], match["date"]): match["rating"]
        for player in plain["players"]
        for match in player["trend"]
    }

    def sides(cell: Callable[[Plain, int], str], mark: str = " / ") -> Callable[[Plain], str]:
        return lambda row: mark.join(cell(row, side) for side in (1, 2))

    def rating(row: Plain, side: int) -> str:
        value = ratings.get((row[f"player_{side}"], row["file"], row["date"]))
        return UNKNOWN if value is None else f"{value:.0f}"

    def pr(row: Plain, side: int) -> str:
        names = [name for name in ERRORS if name != "opponent_moves"]
        value = known(Errors(**{name: row[f"{name}_{side}"] for name in names}).pr)
        return UNKNOWN if value is None else f"{value:.2f}"

    columns = [
        field("file", "Match", "text", show=lambda row: short(row["file"])),
        field("date", "Date", "date", left=True, gives_way=3),
        field(
            "length", "Length", "integer", gives_way=2,
            show=lambda row: str(row["length"]) if row["length"] else "money",
        ),
        Column("", sides(lambda row, side: row[f"player_{side}"], " – "), "Players"),
        field("player_1", kind="text"),
        field("player_2", kind="text"),
        field("points_1", kind="integer"),
        field("points_2", kind="integer"),
        field("winner", kind="integer"),
        field("games", kind="integer"),
        field("luck_adjusted_1"),
        Column("", sides(lambda row, side: str(row[f"points_{side}"]), "–"), "Points", left=False),
        Column("", sides(rating), "Ratings", left=False, gives_way=4),
        Column("", sides(pr), "PR", left=False),
        Column(
            "", sides(lambda row, side: f"{row[f'luck_{side}']:+.2f}"), "Luck", left=False,
            gives_way=1,
        ),
    ]  # fmt: skip
    for side in (1, 2):
        columns += [
            field(f"{name}_{side}", kind=kind)
            for name, kind in {**ERRORS, "close_2003": "integer"}.items()
            if name != "opponent_moves"
        ]
    return Table(
        columns,
        plain["matches"],
        noun="match",
        limit=limit,
        remedy="--table FILE writes all",
        caption="Both players’ figures, in the order of their names",
    )


#: Players whose classes people are shown.
_SHOWN = 4
_CUBE = {
    "no double": "no double (missed doubles)",
    "double": "double (wrong doubles)",
    "take": "take (wrong takes)",
    "pass": "pass (wrong passes)",
}
#: What the classes mean, for pages.
_MEANING = (
    "Opening: the first three turns of each player. Race: no contact, not all home. Bear-off: "
    "no contact, all home.",
    "Contact bear-in: contact, and all the player’s chequers in the own half of the board; contact "
    "bear-off: all home, and still contact.",
    "Back game: a side has two anchors on its points 20 to 24 and is behind in pips. Priming game: "
    "a side has five points in a row with a chequer behind them. Holding game: a side is behind, "
    "holds its 18, 20 or 21 point, and the other has brought its rear chequers past.",
    "Crashed is GNU Backgammon’s own class: a side has hardly a chequer left to play with. Middle "
    "game: any other contact. The first class that fits counts.",
)


def classes_plain(player: PlayerSummary) -> list[dict[str, Any]]:
    """The classes of a player as plain values."""
    return [
        {
            "class": each.name,
            "decisions": each.errors.decisions,
            "loss": each.errors.loss,
            "doubtful": each.errors.doubtful,
            "errors": each.errors.errors,
            "blunders": each.errors.blunders,
            **{name: known(getattr(each.rate, end)) for name, end in _CLASS_RATES.items()},
        }
        for each in player.classes
    ]


_CLASS_RATES = {"per_decision": "value", "per_decision_low": "low", "per_decision_high": "high"}


def class_section(players: Sequence[Plain], level: str) -> Section | None:
    """The classes of the first players; None for a result that was kept without them."""
    shown = [player for player in players if player.get("classes")][:_SHOWN]
    if not shown:
        return None
    rows: list[Plain] = []
    breaks = {}
    for player in shown:
        if len(shown) > 1:
            breaks[len(rows)] = player["player"]
        whole = sum(each["loss"] for each in player["classes"]) or 1.0
        rows += [{**each, "share": 100.0 * each["loss"] / whole} for each in player["classes"]]
    more = "" if len(shown) == len(players) else f" of the first {len(shown)} players"
    notes = [
        "Doubtful from 0.03 of equity, an error from 0.06, a blunder from 0.12. An interval stands "
        f"only where a test shows that it holds: from {FEWEST_FOR_CLASSES} matches on, in some "
        "classes."
    ]
    return Section(
        f"Errors by class of play{more}, in thousandths of equity",
        [
            Table(
                _columns(level),
                rows,
                breaks,
                noun="class",
                caption="Unforced moves and close cube decisions",
            ),
            Lines(notes),
            Lines(_MEANING, bullets=True, aside=True),
        ],
        name="classes",
    )


def _columns(level: str) -> list[Column]:
    def interval(row: Plain) -> str:
        low, high = row["per_decision_low"], row["per_decision_high"]
        if low is None:
            return UNKNOWN
        return f"{1000 * low:.1f} to " + ("∞" if high is None else f"{1000 * high:.1f}")

    def number(name: str, heading: str, **more: Any) -> Column:
        return Column("", lambda row: row[name], heading, "integer", **more)

    return [
        Column("", lambda row: _CUBE.get(row["class"], row["class"]), "Class", strong=True),
        number("decisions", "Number"),
        Column("", lambda row: 1000 * row["per_decision"], "Lost each", "number", ascending=True),
        Column("", interval, level, left=False, gives_way=1),
        Column("", lambda row: row["share"], "Share %", "number", ".0f", gives_way=2),
        number("doubtful", "Doubtful", gives_way=3),
        number("errors", "Errors"),
        number("blunders", "Blunders"),
    ]


_RATING_RATES = {
    "epm": ("EPM", "a move"),
    "epc": ("EPC", "a close cube decision"),
    "epd": ("EPD", "a decision"),
}
#: Names of their columns.
_INTERVALS = {
    "interval": "rating",
    "difference_interval": "difference",
    "probability_interval": "probability",
}
#: Said of a rating by a formula that has no errors.
_NO_INTERVAL = (
    "The formula was published without errors, so the rating has no interval: "
    "--formula refit or people has one"
)
_OTHERS = {
    "memg": ("GNU Backgammon", "{:.2f} mEMG a decision"),
    "pr": ("PR", "{:.2f}"),
    "snowie": ("Snowie", "{:.2f}"),
}


def rating_document(answer: RatingAnswer) -> Document:
    """An answer in words, as a row and as JSON."""
    row: dict[str, Any] = {}
    plain: dict[str, Any] = {}
    for name, value in asdict(answer).items():
        if value is None:
            continue
        if name not in _INTERVALS:
            row[name] = plain[name] = value
            continue
        low, high = value
        row |= {f"{_INTERVALS[name]}_low": low, f"{_INTERVALS[name]}_high": high}
        plain[name] = {"low": low, "high": high, "level": LEVEL}
    records = Table.of_record(row)
    return Document("Backgammon rating", _lines(answer), records=records, plain=lambda: plain)


def _lines(answer: RatingAnswer) -> list[str]:
    match = f"matches to {plural(answer.length, 'point')}, {answer.formula} formula"
    lines = []
    if answer.rating is not None:
        line = f"Rating {answer.rating:.1f}"
        if answer.relative is not None:
            line += f", {answer.relative:+.1f} to perfect play at {answer.offset:g}"
        lines.append(f"{line} ({match})")
    doubt = f"{per_cent(LEVEL)} for the doubt about this formula alone:"
    if answer.interval is not None and answer.relative is not None:
        lines.append(f"{doubt} {answer.interval[0]:.1f} to {answer.interval[1]:.1f}")
    elif answer.relative is not None:
        lines.append(_NO_INTERVAL)
    if answer.about is not None:
        lines.append(f"The {answer.formula} formula was {answer.about}")
    if answer.chequer_loss is not None:
        cube = f"the cube {answer.cube_loss:.1f}"
        if answer.length == 1:
            cube = "and a match to one point has no cube, so no cube error counts"
        lines.append(f"Chequer play costs {answer.chequer_loss:.1f} points, {cube}")
    if answer.difference is not None:
        lines.append(f"{answer.difference:+.1f} points apart ({match})")
        if answer.difference_interval is not None:
            low, high = answer.difference_interval
            lines.append(f"{doubt} {low:+.1f} to {high:+.1f} points")
        if answer.rating is None:
            lines.append("A difference alone gives no rating: add --against, the opponent's")
    if answer.probability is not None:
        opponent = "" if answer.against is None else f" against {answer.against:g}"
        line = f"Wins {100 * answer.probability:.2f} % of such matches{opponent}"
        if answer.probability_interval is not None:
            low, high = (100 * end for end in answer.probability_interval)
            line += f" ({per_cent(LEVEL)}: {low:.2f} to {high:.2f} %)"
        lines.append(line)
    if answer.relative is not None:
        lines.append(", ".join(_rates(asdict(answer))))
    return lines


def _rates(values: dict[str, Any]) -> list[str]:
    """The unit of `backgammon analyse`, with the equity that other programs give."""
    rates = [
        f"{title} {1000 * values[name]:.2f} thousandths of equity {of} ({values[name]:.5f})"
        for name, (title, of) in _RATING_RATES.items()
        if values[name] is not None
    ]
    return rates + [
        f"{title} {form.format(values[name])}"
        for name, (title, form) in _OTHERS.items()
        if values[name] is not None
    ]


#: Players in the picture, and the fewest matches for a trend.
DRAWN, FEWEST = 4, 5


def with_trend(plain: Plain) -> list[Plain]:
    """The players whose trend is drawn."""
    return [
        player
        for player in plain["players"]
        if sum(match["rating"] is not None for match in player["trend"]) >= FEWEST
    ][:DRAWN]


def trend_chart(plain: Plain) -> Chart:
    """Each match's rating as a dot, and the moving mean of 20 matches with its band.

    `plain` is the JSON value of an analysis. Against the date where most matches have one,
    those without are then left out; else against their number.
    """
    players = with_trend(plain)
    dates = [match["date"] for player in players for match in player["trend"]]
    dated = 2 * sum(date is not None for date in dates) > len(dates)
    dots: list[Mark] = []
    bands: list[Mark] = []
    lines: list[Mark] = []
    for player, colour in zip(players, SERIES, strict=False):
        matches = [match for match in player["trend"] if match["date"] or not dated]
        x = np.arange(1, len(matches) + 1)
        if dated:
            x = np.array([match["date"] for match in matches], "datetime64[D]")
        rating = np.array([match["rating"] for match in matches], np.float64)
        mean, low, high = (
            np.array([match["moving_mean"][name] for match in matches], np.float64)
            for name in ("value", "low", "high")
        )
        steady = slice(FEWEST - 1, None)  # the first few means wander
        dots.append(Points(x, rating, colour, size=2.0, opacity=0.4))
        bands.append(Band(x[steady], low[steady], high[steady], colour))
        lines.append(Stroke(x[steady], mean[steady], colour, player["player"]))
    title = (
        f"Ratings by errors: matches, and means of {WINDOW} with {100 * plain['confidence']:g} % "
        "bands"
    )
    low_end, high_end = _reach(players)
    panel = Panel(
        Axis(scale="date") if dated else Axis("Matches", whole=True),
        Axis("Rating", low=low_end, high=high_end, grid=True),
        [*dots, *bands, *lines],
        direct=True,
    )
    note = "" if players else f"No player has {FEWEST} rated matches."
    return Chart([panel], title, note=note, height=340.0)


def _reach(players: list[Plain]) -> tuple[float | None, float | None]:
    """Leave the most extreme matches outside, so that the means can be seen."""
    known = [m["rating"] for p in players for m in p["trend"] if m["rating"] is not None]
    if not known:
        return None, None
    low, high = np.percentile(known, [1.0, 100.0])
    room = 0.06 * max(high - low, 1.0)
    return float(low - room), float(high + room)
