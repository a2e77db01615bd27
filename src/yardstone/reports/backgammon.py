"""Backgammon: analysed matches, rated players and positions as JSON values, reports and boards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.backgammon.error_rates import KINDS, Errors
from yardstone.backgammon.file_analysis import EvaluatedMove, PositionEvaluation
from yardstone.backgammon.matches import (
    FEW_DECISIONS,
    FEWEST_FOR_CLASSES,
    WINDOW,
    AnalysedMatch,
    PlayerSummary,
    play_class,
)
from yardstone.backgammon.positions import BAR, CHEQUERS, Position, move_steps
from yardstone.backgammon.rating import LEVEL, RatingAnswer
from yardstone.choices import plural
from yardstone.errors import InputError
from yardstone.records.names import similar_names
from yardstone.reports.boards import BackgammonDiagram
from yardstone.reports.chart import Axis, Band, Chart, Mark, Panel, Points, Stroke
from yardstone.reports.document import (
    UNKNOWN,
    Block,
    Column,
    Document,
    Facts,
    Kind,
    Lines,
    Picture,
    Section,
    Slides,
    Step,
    Table,
    reader,
)
from yardstone.reports.drawing import SERIES
from yardstone.reports.words import join_names, known, known_values, per_cent, picked, spellings

if TYPE_CHECKING:
    from yardstone.backgammon.analysis import MatchAnalysis


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

#: What JSON has of a class of play.
_CLASS = (
    "class=name",
    *(f"errors.{name}" for name in ("decisions", "loss", "doubtful", "errors", "blunders")),
    *("per_decision=rate.value", "per_decision_low=rate.low", "per_decision_high=rate.high"),
)

Plain = Mapping[str, Any]


def backgammon_plain(analysis: MatchAnalysis) -> dict[str, Any]:
    """An analysis as dictionaries, lists, numbers, strings and None."""
    rule = analysis.rule
    return {
        "format": FORMAT,
        **picked(analysis, "gnubg", "settings.plies", "settings.cube_plies"),
        "formula": rule.formula.name,
        "formula_doubt": rule.formula.covariance is not None,
        **picked(rule, "offset", "confidence=level"),
        "players": [_player(player, rule.level) for player in analysis.players],
        "unlisted": analysis.unlisted,
        "matches": [_match(match) for match in analysis.matches],
        "blunders": [known_values(each) | {"dice": list(each.dice)} for each in analysis.blunders],
        "unusable": [picked(file, "file", "status", "reason") for file in analysis.unusable],
    }


#: What JSON has of a `MatchEstimate`.
_ESTIMATE = ("value", "low", "high", "error", "matches=number")


def _player(player: PlayerSummary, level: float) -> dict[str, Any]:
    rates = picked(player.errors, "epm", "epc", "epd", "pr", "snowie")
    trend = zip(player.matches, player.match_ratings, player.trend(level=level), strict=True)
    return {
        "player": player.name,
        "matches": len(player.matches),
        **picked(player, "won", "lost"),
        **{name: picked(getattr(player, name), *_ESTIMATE) for name in _ESTIMATES},
        **rates,
        "memg": None if rates["epd"] is None else 1000.0 * rates["epd"],
        "luck_per_move": known(player.luck_per_move),
        **asdict(player.errors),
        "classes": [picked(each, *_CLASS) for each in player.classes],
        "trend": [
            {**_which(match), "rating": known(rating), "moving_mean": picked(mean, *_ESTIMATE)}
            for (match, _), rating, mean in trend
        ],
    }


def _which(match: AnalysedMatch) -> dict[str, Any]:
    date = None if match.date is None else match.date.isoformat()
    return {"file": match.file, "date": date, "length": match.length}


def _match(match: AnalysedMatch) -> dict[str, Any]:
    row = _which(match) | {"winner": None if match.winner is None else match.winner + 1}
    row |= picked(match, "games", "luck_adjusted_1=luck_adjusted")
    for side in (0, 1):
        figures = picked(match, f"player=players.{side}", f"points=score.{side}")
        figures |= {"close_2003": match.close_2003[side], **asdict(match.errors[side])}
        del figures["opponent_moves"]
        row |= {f"{name}_{side + 1}": value for name, value in figures.items()}
    return row


def backgammon_document(
    plain: Plain, *, title: str = "Backgammon", matches: int | None = None
) -> Document:
    """The report of what `backgammon_plain` made.

    People are shown the first `matches` of the matches, or all.
    """
    players, blunders, level = plain["players"], plain["blunders"], per_cent(plain["confidence"])
    drawing = partial(trend_chart, plain)
    table = _players(plain)
    sections = [Section(blocks=[table]), Section(blocks=[Lines(_notes(plain))])]
    if drawn := with_trend(plain):
        names = join_names([player["player"] for player in drawn])
        words = f"Ratings of single matches and moving means over time of {names}."
        sections.append(Section("Trend", [Picture(drawing, words)], name="trend"))
    title_of_kinds = "Errors by kind of decision: number, and share of the total loss"
    sections.append(Section(title_of_kinds, [_kinds(players)]))
    sections.append(_class_section(players, level))
    title_of_luck = "Luck of the dice, in points of normalised equity"
    sections.append(Section(title_of_luck, [_luck(players, level)]))
    if blunders:
        boards = Slides("Worst blunders", list(blunder_steps(blunders)))
        words = "Worst blunders, in normalised equity"
        sections.append(Section(words, [_blunders(blunders), boards], name="blunders"))
    sections.append(Section("Matches", [match_table(plain, limit=matches)], name="matches"))
    unusable = plain["unusable"]
    lines = [f"{each['file']}: {each['reason']}" for each in unusable[:NAMED]]
    lines += [f"… and {len(unusable) - NAMED:,} more"] * (len(unusable) > NAMED)
    words = f"Files without a match: {len(unusable):,}"
    sections.append(Section(words, [Lines(lines)], caution=True))
    everybody = {match[f"player_{side}"] for match in plain["matches"] for side in (1, 2)}
    number = plural(len(plain["matches"]), "match", "matches")
    lead = f"{number} of {plural(len(everybody), 'player')}, analysed by {analyser(plain)}"
    return Document(title, [lead], sections, table, lambda: dict(plain), drawing)


def _notes(plain: Plain) -> list[str]:
    """What the numbers mean."""
    doubt = "the formula was published without errors."
    if plain.get("formula_doubt"):
        doubt = "intervals hold the doubt about the formula too."
    lines = [
        f"Rating: perfect play is {plain['offset']:g}; errors by the {plain['formula']} "
        f"formula, averaged over matches; {doubt}",
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


def _estimated(name: str, heading: str = "", **more: Any) -> list[Column]:
    """An estimate, and for files its interval and error."""
    ends = Column.files(*(f"{name}_{end}={name}.{end}" for end in ("low", "high", "error")))
    return [Column(name, f"{name}.value", heading, "number", **more), *ends]


def _ends(low: float | None, high: float | None, form: str) -> str:
    """The ends of an interval: JSON has no number for an infinite one."""
    ends = ("−∞" if low is None else format(low, form), "∞" if high is None else format(high, form))
    return " to ".join(ends)


def _between(name: str, form: str, level: str) -> Column:

    def words(row: Plain) -> str:
        estimate = row[name]
        known = estimate["error"] is not None
        return _ends(estimate["low"], estimate["high"], form) if known else UNKNOWN

    return Column("", words, level, left=False)


_NAME = Column("", "player", "Player", strong=True)


def _players(plain: Plain) -> Table:
    rates = {
        "epm": field("epm", "EPM", scale=1000.0, ascending=True, gives_way=3),
        "epc": field("epc", "EPC", scale=1000.0, ascending=True, gives_way=3),
        "pr": field("pr", "PR", form=".2f", ascending=True),
    }
    columns = [
        field("player", "Player", "text", strong=True),
        field("matches", "Matches", "integer"),
        field("won", "Won", "integer", gives_way=2),
        field("lost", "Lost", "integer", gives_way=2),
        *_estimated("rating", "Rating", form=".0f", strong=True),
        _between("rating", ".0f", per_cent(plain["confidence"])),
        *_estimated("relative", "To gnubg", form=".0f", gives_way=1),
        *(column for name in _ESTIMATES[2:] for column in _estimated(name)),
        *(rates.get(name, field(name)) for name in _RATES),
        *(field(name, kind=kind) for name, kind in ERRORS.items()),
    ]
    return Table(columns, plain["players"], noun="player")


def _kinds(players: Sequence[Plain]) -> Table:
    def loss(row: Plain) -> float:
        return float(sum(row[kind] for kind in KINDS))

    def errors(kind: str, words: str) -> Column:
        def show(row: Plain) -> str:
            share = 100.0 * row[kind] / loss(row) if loss(row) else 0.0
            return f"{row[_NUMBERS[kind]]:,} ({share:.0f} %)"

        # The classes of play have the answers too.
        way = 3 if kind in ("wrong_take", "wrong_pass") else 0
        return Column("", _NUMBERS[kind], words.capitalize(), "integer", show=show, gives_way=way)

    columns = [
        _NAME,
        Column("", lambda row: row["unforced"] + row["close"], "Decisions", "integer", gives_way=1),
        Column("", lambda r: loss(r) / r["matches"], "Error a match", "number", ".3f", gives_way=2),
        *(errors(kind, words) for kind, words in KINDS.items()),
    ]
    return Table(columns, players, noun="player")


def _luck(players: Sequence[Plain], level: str) -> Table:
    def result(row: Plain) -> float | None:
        score = row["luck_adjusted_score"]["value"]
        return None if score is None else 100.0 * score

    columns = [
        _NAME,
        Column("", "luck_per_move", "Luck a move", "number", "+.4f"),
        Column("", "luck", "In all", "number", "+.2f", gives_way=1),
        Column("", result, "Luck-adjusted result %", "number"),
        Column("", "luck_adjusted.value", "In points ahead", "number", "+.0f"),
        _between("luck_adjusted", "+.0f", level),
    ]
    return Table(columns, players, noun="player")


def _blunders(blunders: Sequence[Plain]) -> Table:
    def equity(which: str) -> Column:
        def show(row: Plain) -> str:
            value = row.get(f"{which}_equity")
            return UNKNOWN if value is None else signed(value)

        return Column("", show, "Equity", left=False, gives_way=4)

    def ids(row: Plain) -> str:
        return f"{row['position']}:{row['match']}"

    columns = [
        Column("", "error", "Lost", "number", ".3f"),
        _NAME,
        Column("", "kind", "Kind", gives_way=3),
        Column("", lambda row: "".join(map(str, row["dice"])), "Dice"),
        Column("", "played", "Played"),
        equity("played"),
        Column("", "best", "Best"),
        equity("best"),
        # On pages they stand beside the boards.
        Column("", ids, "Position ID:Match ID", gives_way=2, on_pages=False),
        Column("", lambda row: f"{short(row['file'])}, game {row['game']}", "Where", gives_way=1),
    ]
    return Table(columns, blunders, noun="blunder")


#: The counts and sums of `Errors`, with the kinds of their columns.
ERRORS: dict[str, Kind] = {
    field.name: "integer" if field.type == "int" else "number" for field in fields(Errors)
}


def field(name: str, heading: str = "", kind: Kind = "number", **more: Any) -> Column:
    """A column that reads one field of a row."""
    return Column(name, heading=heading, kind=kind, **more)


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

    own: dict[str, Kind] = {n: kind for n, kind in ERRORS.items() if n != "opponent_moves"}

    def sides(cell: Callable[[Plain, int], str], mark: str = " / ") -> Callable[[Plain], str]:
        return lambda row: mark.join(cell(row, side) for side in (1, 2))

    def rating(row: Plain, side: int) -> str:
        value = ratings.get((row[f"player_{side}"], row["file"], row["date"]))
        return UNKNOWN if value is None else f"{value:.0f}"

    def pr(row: Plain, side: int) -> str:
        value = known(Errors(**{name: row[f"{name}_{side}"] for name in own}).pr)
        return UNKNOWN if value is None else f"{value:.2f}"

    def length(row: Plain) -> str:
        return str(row["length"] or "money")

    columns = [
        field("file", "Match", "text", show=lambda row: short(row["file"])),
        field("date", "Date", "date", left=True, gives_way=3),
        field("length", "Length", "integer", gives_way=2, show=length),
        Column("", sides(lambda row, side: row[f"player_{side}"], " – "), "Players"),
        *Column.files("player_1", "player_2", kind="text"),
        *Column.files("points_1", "points_2", "winner", "games", kind="integer"),
        field("luck_adjusted_1"),
        Column("", sides(lambda row, side: str(row[f"points_{side}"]), "–"), "Points", left=False),
        Column("", sides(rating), "Ratings", left=False, gives_way=4),
        Column("", sides(pr), "PR", left=False),
        Column("", sides(lambda r, k: f"{r[f'luck_{k}']:+.2f}"), "Luck", left=False, gives_way=1),
        *(
            field(f"{name}_{side}", kind=kind)
            for side in (1, 2)
            for name, kind in (*own.items(), ("close_2003", "integer"))
        ),
    ]
    rows, remedy = plain["matches"], "--table FILE writes all"
    caption = "Both players’ figures, in the order of their names"
    return Table(columns, rows, noun="match", limit=limit, remedy=remedy, caption=caption)


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


def _class_section(players: Sequence[Plain], level: str) -> Section:
    """The classes of the first players; empty for a result that was kept without them."""
    shown = [player for player in players if player.get("classes")][:_SHOWN]
    if not shown:
        return Section()
    rows: list[Plain] = []
    breaks = {}
    for player in shown:
        if len(shown) > 1:
            breaks[len(rows)] = player["player"]
        whole = sum(each["loss"] for each in player["classes"]) or 1.0
        rows += [{**each, "share": 100.0 * each["loss"] / whole} for each in player["classes"]]

    def interval(row: Plain) -> str:
        low, high = row["per_decision_low"], row["per_decision_high"]
        return UNKNOWN if low is None else _ends(1000 * low, high and 1000 * high, ".1f")

    columns = [
        Column("", lambda row: _CUBE.get(row["class"], row["class"]), "Class", strong=True),
        Column("", "decisions", "Number", "integer"),
        Column("", lambda row: 1000 * row["per_decision"], "Lost each", "number", ascending=True),
        Column("", interval, level, left=False, gives_way=1),
        Column("", "share", "Share %", "number", ".0f", gives_way=2),
        Column("", "doubtful", "Doubtful", "integer", gives_way=3),
        Column("", "errors", "Errors", "integer"),
        Column("", "blunders", "Blunders", "integer"),
    ]
    caption = "Unforced moves and close cube decisions"
    more = "" if len(shown) == len(players) else f" of the first {len(shown)} players"
    note = (
        "Doubtful from 0.03 of equity, an error from 0.06, a blunder from 0.12. An interval stands "
        f"only where a test shows that it holds: from {FEWEST_FOR_CLASSES} matches on, in some "
        "classes."
    )
    table = Table(columns, rows, breaks, noun="class", caption=caption)
    blocks: list[Block] = [table, Lines([note]), Lines(_MEANING, bullets=True, aside=True)]
    title = f"Errors by class of play{more}, in thousandths of equity"
    return Section(title, blocks, name="classes")


#: How rates are said, of the rate and a thousand times it.
_RATES_SAID = {
    "epm": "EPM {1:.2f} thousandths of equity a move ({0:.5f})",
    "epc": "EPC {1:.2f} thousandths of equity a close cube decision ({0:.5f})",
    "epd": "EPD {1:.2f} thousandths of equity a decision ({0:.5f})",
    "memg": "GNU Backgammon {0:.2f} mEMG a decision",
    "pr": "PR {0:.2f}",
    "snowie": "Snowie {0:.2f}",
}
#: Names of their columns.
_INTERVALS = {
    "interval": "rating",
    "difference_interval": "difference",
    "probability_interval": "probability",
}


def rating_document(answer: RatingAnswer) -> Document:
    """An answer in words, as a row and as JSON."""
    plain = {name: value for name, value in asdict(answer).items() if value is not None}
    row = {name: value for name, value in plain.items() if name not in _INTERVALS}
    for name, of in _INTERVALS.items():
        if name in plain:
            low, high = plain[name]
            row |= {f"{of}_low": low, f"{of}_high": high}
            plain[name] = {"low": low, "high": high, "level": LEVEL}
    return Document("Backgammon rating", _lines(answer), (), Table.of_record(row), lambda: plain)


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
        lines.append(
            "The formula was published without errors, so the rating has no interval: "
            "--formula refit or people has one"
        )
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
        rates = ((getattr(answer, name), form) for name, form in _RATES_SAID.items())
        lines.append(", ".join(form.format(v, 1000 * v) for v, form in rates if v is not None))
    return lines


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
    y = Axis("Rating", grid=True)
    known = [m["rating"] for p in players for m in p["trend"] if m["rating"] is not None]
    if known:  # the most extreme matches lie outside, so that the means can be seen
        least, most = np.percentile(known, [1.0, 100.0])
        room = 0.06 * max(most - least, 1.0)
        y = replace(y, low=float(least - room), high=float(most + room))
    bands_of = f"{100 * plain['confidence']:g} % bands"
    title = f"Ratings by errors: matches, and means of {WINDOW} with {bands_of}"
    x_axis = Axis(scale="date") if dated else Axis("Matches", whole=True)
    panel = Panel(x_axis, y, [*dots, *bands, *lines], direct=True)
    note = "" if players else f"No player has {FEWEST} rated matches."
    return Chart([panel], title, note=note, height=340.0)


_CHANCES = {
    "win": "Win %",
    "win_gammon": "Gammon %",
    "win_backgammon": "Backgammon %",
    "lose_gammon": "Lose gammon %",
    "lose_backgammon": "Lose backgammon %",
}
_COLOURS = ("Black", "White")


def position_document(
    position: Position, evaluation: PositionEvaluation | None = None, *, note: str = ""
) -> Document:
    """The report of a position; `note` says why there is no evaluation, or what was assumed."""
    best = evaluation.moves[0].move if evaluation is not None and evaluation.moves else ""
    words, steps = board_words(position), move_steps(best) if best else ()
    board = Picture(
        lambda: BackgammonDiagram(words, position, steps=steps, best=True),
        f"GNU Backgammon’s choice: {best}." if best else "",
        instead=Lines(text_board(position), exact=True),
    )
    sections = [Section(blocks=[board]), Section(blocks=[Facts(_facts(position))], name="ids")]
    if evaluation is not None:
        by = picked(evaluation, "gnubg", "plies", "cube_plies")
        answer: Block = Lines(["No move is legal."])
        if not position.dice:
            answer = Facts(list(_cube(position, evaluation)))
        elif evaluation.moves:
            answer = _moves(evaluation.moves)
        heading = f"{analyser(by)}, position class {evaluation.position_class}"
        sections.append(Section(heading, [answer]))
    if note:
        sections.append(Section(blocks=[Lines([note])]))
    lead = f"{_COLOURS[position.to_decide]} on roll"
    if position.doubled:
        lead = f"{_COLOURS[position.to_decide]} is doubled to {2 * position.cube}: take or pass?"
    elif position.dice:
        lead = f"{_COLOURS[position.to_decide]} to play {position.dice[0]}{position.dice[1]}"
    plain, draw = _plain(position, evaluation), partial(BackgammonDiagram, words, position)
    title = "Position of backgammon"
    return Document(title, [lead], sections, _records(plain), lambda: plain, draw)


def analyser(plain: Plain) -> str:
    """Say which program looked, and how deep."""
    plies, cube = plain["plies"], plain["cube_plies"]
    words = f"GNU Backgammon {plain['gnubg']} at {plural(plies, 'ply', 'plies')}"
    return words if cube == plies else f"{words} ({cube} for the cube)"


def _facts(position: Position) -> list[tuple[str, str]]:
    decider = position.to_decide
    one, two = _COLOURS[decider], _COLOURS[1 - decider]
    pips = position.pips if decider == position.on_roll else position.pips[::-1]
    owner = "in the middle" if position.owner is None else f"{_COLOURS[position.owner]}’s"
    cube = f"{position.cube}, {owner}"
    if position.length:
        own, other = position.score[decider], position.score[1 - decider]
        score = f"{one} {own}, {two} {other} in a match to {position.length}"
        if position.crawford:
            cube = "none: the Crawford game"
    else:
        used = {"Jacoby’s rule": position.jacoby, "beavers": position.beavers}
        rules = " and ".join(word for word, here in used.items() if here)
        score = f"money game, {rules}" if rules else "money game"
    return [
        ("Score", score),
        ("Cube", cube),
        ("Pips", f"{one} {pips[0]}, {two} {pips[1]}"),
        ("Class of play", play_class(*_chequers(position))),
        ("Position ID", position.position_id),
        ("Match ID", position.match_id),
        ("XGID", position.xgid),
    ]


def _moves(moves: Sequence[EvaluatedMove]) -> Table:
    best = moves[0].equity

    def chance(place: int, heading: str) -> Column:
        way = 5 - place if place else 0
        share = reader(f"chances.{place}")
        return Column("", lambda each: 100.0 * share(each), heading, "number", gives_way=way)

    columns = [
        Column("", "move", "Move", strong=True),
        Column("", lambda each: signed(each.equity), "Equity", left=False),
        Column(
            "", lambda m: "" if m.equity == best else signed(m.equity - best), "Behind", left=False
        ),
        *(chance(place, heading) for place, heading in enumerate(_CHANCES.values())),
    ]
    return Table(columns, moves, noun="move")


def _cube(position: Position, evaluation: PositionEvaluation) -> Iterator[tuple[str, str]]:
    """Equities of the decision, and the verdict."""
    no_double, take, verdict = evaluation.no_double, evaluation.take, evaluation.verdict
    assert no_double is not None
    if take is None:
        yield "Verdict", "the player on roll may not double"
        yield "Equity", signed(no_double)
    else:
        if position.doubled:
            verdict = ("take" if take <= 1.0 else "pass") + f" (GNU Backgammon: {verdict})"
        yield "Verdict", verdict
        yield "No double", signed(no_double)
        yield "Double, take", signed(take)
        yield "Double, pass", signed(1.0)
    win, *gammons = evaluation.chances
    ways = ("Wins", win, gammons[:2]), ("Loses", 1.0 - win, gammons[2:])
    for label, every, (gammon, backgammon) in ways:
        shares = f"gammons {100 * gammon:.1f} %, backgammons {100 * backgammon:.1f} %"
        yield label, f"{100 * every:.1f} %, {shares}"


_IDS = ("position_id", "match_id", "xgid")


def _plain(position: Position, evaluation: PositionEvaluation | None) -> dict[str, Any]:
    sides = ("own", "other", "on_roll", "to_decide", "dice", "doubled", "cube", "owner", "length")
    plain = picked(position, *_IDS, *sides, *("score", "crawford", "jacoby", "beavers", "pips"))
    if evaluation is None:
        return plain | {"evaluation": None}
    said = picked(evaluation, "gnubg", "plies", "cube_plies", "class=position_class")
    said["moves"] = [
        picked(each, "move", "equity") | dict(zip(_CHANCES, each.chances, strict=True))
        for each in evaluation.moves
    ]
    said |= picked(evaluation, "no_double", "take", "verdict")
    chances = evaluation.chances or [None] * len(_CHANCES)
    return plain | {"evaluation": said | dict(zip(_CHANCES, chances, strict=True))}


def _records(plain: Plain) -> Table:
    """One row per move, or a single row if there is no move."""
    ids, said = {name: plain[name] for name in _IDS}, plain["evaluation"] or {}
    rows = [ids | move for move in said.get("moves", ())]
    if not rows and said.get("no_double") is not None:
        cube = ("no_double", "take", "verdict", *_CHANCES)
        rows = [ids | {name: said[name] for name in cube}]
    texts = {*_IDS, "move", "verdict"}
    columns = [Column(name, kind="text" if name in texts else "number") for name in (*rows, ids)[0]]
    return Table(columns, rows or [ids], noun="move")


def signed(equity: float) -> str:
    """An equity with its sign: +0.123."""
    return f"{equity:+.3f}".replace("-", "\N{MINUS SIGN}")


def blunder_steps(blunders: Sequence[Plain]) -> Iterator[Step]:
    """A title, boards and sentences for each blunder, the worst first."""
    for place, blunder in enumerate(blunders, 1):
        position = Position.from_gnu_id(blunder["position"], blunder["match"])
        dice = "".join(map(str, blunder["dice"]))
        what = f"{dice}, {blunder['played']}" if dice else str(blunder["kind"])
        if not dice and blunder.get("remark"):
            what += f" ({blunder['remark']})"
        file = short(blunder["file"])
        score = f"A money game, cube at {position.cube}."
        if position.length:
            own, other = position.score[position.to_decide], position.score[1 - position.to_decide]
            cube = "Crawford game" if position.crawford else f"cube at {position.cube}"
            score = f"Score {own}\N{EN DASH}{other} in a match to {position.length}, {cube}."
        lines = [
            f"Game {blunder['game']} of {file}, against {blunder['opponent']}. {score}",
            f"Played: {_choice(blunder, 'played')}. Best: {_choice(blunder, 'best')}.",
            f"Position ID `{blunder['position']}`, match ID `{blunder['match']}`",
            f"`{position.xgid}`",
        ]
        title = f"{place}. {blunder['player']} lost {blunder['error']:.3f}: {what}"
        yield Step(title, _pictures(blunder, position), lines)


def _choice(blunder: Plain, which: str) -> str:
    """What was played or best, with its equity in brackets where that is known."""
    equity = blunder.get(f"{which}_equity")
    return f"{blunder[which]}" if equity is None else f"{blunder[which]} ({signed(equity)})"


def _pictures(blunder: Plain, position: Position) -> list[Picture]:
    """The move and the better one, a board each; one board for a cube decision."""
    names = (blunder["player"], blunder["opponent"])  # who blundered had to decide
    if position.to_decide:
        names = names[::-1]
    words = board_words(position, names)
    try:
        steps = {which: move_steps(blunder[which]) for which in ("played", "best")}
    except InputError:  # a decision about the cube
        return [Picture(lambda: BackgammonDiagram(words, position, names))]

    def picture(which: str, verb: str) -> Picture:
        caption = f"{verb}: {_choice(blunder, which)}."
        label = f"{words} {caption}"
        return Picture(
            lambda: BackgammonDiagram(label, position, names, steps[which], which == "best"),
            caption,
        )

    return [picture("played", "Played"), picture("best", "Better")]


def board_words(position: Position, names: tuple[str, str] = ("", "")) -> str:
    """The position in words: where the chequers of both sides are, cube and dice."""
    parts, players = [], (position.to_decide, 1 - position.to_decide)
    for player, chequers in zip(players, _chequers(position), strict=True):
        name = names[player] or _COLOURS[player]
        places = ", ".join(
            f"{number} on {'the bar' if place == BAR else place}"
            for place, number in enumerate(chequers, 1)
            if number
        )
        parts.append(f"{name} ({_COLOURS[player].lower()}) has {places}")
    dice = f" Dice {position.dice[0]} and {position.dice[1]}." if position.dice else ""
    doubled = " The cube is offered." if position.doubled else ""
    return f"{'; '.join(parts)}, by each side’s own points.{dice}{doubled}"


#: Rows of chequers above and below the middle; a number stands where there are more.
_ROWS = 5
_SIGNS = ("X", "O")


def text_board(position: Position) -> list[str]:
    """The lines of the board, from the side of the player who decides.

    Examples:
        >>> for line in text_board(Position(dice=(5, 2))):
        ...     print(line)
          13 14 15 16 17 18     19 20 21 22 23 24
         +------------------+--+------------------+  O  Black, pips 167
         | X           O    |  | O              X |
         | X           O    |  | O              X |
         | X           O    |  | O                |
         | X                |  | O                |
         | X                |  | O                |
         |                  |  |                  |  X plays 52, cube 1 in the middle
         | O                |  | X                |
         | O                |  | X                |
         | O           X    |  | X                |
         | O           X    |  | X              O |
         | O           X    |  | X              O |
         +------------------+--+------------------+  X  White, pips 167
          12 11 10  9  8  7      6  5  4  3  2  1
    """
    top, bottom = range(13, 25), range(12, 0, -1)
    owner = "in the middle"
    if position.owner is not None:
        owner = f"of {_SIGNS[int(position.owner != position.to_decide)]}"
    turn = "X plays " + "".join(map(str, position.dice)) if position.dice else "X is on roll"
    turn += ", Crawford game" if position.crawford else f", cube {position.cube} {owner}"
    if position.doubled:
        turn = f"X is doubled to {2 * position.cube}"
    lines = [
        _line([f"{place:>3}" for place in top], edge="", bar="    "),
        f"{_line(['---'] * 12, edge='+', bar='--')}  {_side(position, 1)}",
        *(_row(position, top, height) for height in range(_ROWS)),
        f"{_line(['   '] * 12)}  {turn}",
        *(_row(position, bottom, height) for height in reversed(range(_ROWS))),
        f"{_line(['---'] * 12, edge='+', bar='--')}  {_side(position, 0)}",
        _line([f"{place:>3}" for place in bottom], edge="", bar="    "),
    ]
    return [line.rstrip() for line in lines]


def _line(cells: Sequence[str], *, edge: str = "|", bar: str = "  ") -> str:
    """Two halves of six points, and the bar between them."""
    left, right = "".join(cells[:6]), "".join(cells[6:])
    return f" {edge}{left}{edge}{bar}{edge}{right}{edge}"


def _chequers(position: Position) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The chequers of the player who decides, and those of the opponent."""
    sides = (position.own, position.other)
    return sides if position.to_decide == position.on_roll else (sides[1], sides[0])


def _row(position: Position, places: range, height: int) -> str:
    """One line of chequers; `height` counts from the rim."""
    own, other = _chequers(position)
    cells = []
    for place in places:
        mine, theirs = own[place - 1], other[24 - place]
        cells.append(_cell(mine or theirs, "X" if mine else "O", height))
    upper = places[0] > 12  # chequers on the bar stand in the half in which they come in
    on_bar = (own if upper else other)[BAR - 1]
    bar = _cell(on_bar, "X" if upper else "O", _ROWS - 1 - height).strip() or " "
    return _line(cells, bar=f"{bar:>2}")


def _cell(number: int, sign: str, height: int) -> str:
    if height == 0 and number > _ROWS:
        return f"{number:>2} "
    return f" {sign} " if height < number else "   "


def _side(position: Position, place: int) -> str:
    """Sign, points, pips and chequers borne off of the upper (1) or lower player (0)."""
    player = position.to_decide if place == 0 else 1 - position.to_decide
    pips = position.pips[0 if player == position.on_roll else 1]
    points = f"{position.score[player]} of {position.length} points, " if position.length else ""
    gone = CHEQUERS - sum(_chequers(position)[place])
    off = f", {gone} off" if gone else ""
    return f"{_SIGNS[place]}  {_COLOURS[player]}, {points}pips {pips}{off}"
