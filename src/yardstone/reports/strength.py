"""An estimate of strength as a document, in words and as charts, made of its plain value.

What is shown is what `yardstone.strength.Estimate.as_dict` gives, so that an estimate
kept as JSON can be shown again. Its intervals may lack an end.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import floor, inf, nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from yardstone.reports.boards import BoardDiagram
from yardstone.reports.chart import Axis, Band, Bars, Chart, Guide, Label, Panel, Points, Stroke
from yardstone.reports.document import (
    UNKNOWN,
    Alternative,
    Answer,
    Block,
    Choices,
    Column,
    Document,
    Lines,
    Picture,
    Range,
    Section,
    Slides,
    Step,
    Table,
    reader,
)
from yardstone.reports.words import per_cent, picked, plural
from yardstone.strength.site_scales import SITE_SCALES, fox_rank
from yardstone.winprob.scales import convert, grade_of_fox

if TYPE_CHECKING:
    from yardstone.strength.estimation import StrengthEstimate

#: Games in a text; the others are counted.
_GAMES = 40
#: Records that are listed one by one where they were left out.
_RECORDS = 50
_COLOURS = {"black": "Black", "white": "White"}

Plain = Mapping[str, Any]


def strength_document(estimate: StrengthEstimate) -> Document:
    """Return the document of an estimate as Python made it."""
    return estimate_document(estimate.as_dict())


def estimate_document(
    plain: Plain,
    *,
    games: Sequence[int] | None = None,
    link: Callable[[int], str] | None = None,
    views: Sequence[Choices] = (),
    scale_link: Callable[[str], str] | None = None,
) -> Document:
    """The document of an estimate.

    Args:
        plain: As ``strength estimate --format json`` has it.
        games: Numbers from 0 of the games whose curves are drawn; all of them by default.
        link: Takes the number of a game: where its curves are on a page.
        views: Other results of the same games.
        scale_link: Takes the name of a scale: where the estimate is shown on it; "" for nowhere.
    """
    axis = RANK_AXES.get(plain["scale"])
    places = range(len(plain["by_game"])) if games is None else games
    sections = [
        Section("", views),
        _answer(plain, axis, scale_link or (lambda name: "")),
        _ranks(plain),
        *_used(plain),
        Section("", [_phases(plain)]),
        _moved(plain, link or (lambda place: f"#game-{place + 1}")),
        *_moves(plain),
        Section("Note:", [Lines(plain["notes"], bullets=True)], caution=True),
        *(_curves(place, plain, opened=place == places[0]) for place in places),
        Section("", [Lines([f"Network {plain['network']}, model {plain['model']}."])]),
    ]
    title, records = f"How strong is {plain['player']}?", estimate_records(plain)
    chart = partial(estimate_chart, plain)
    return Document(title, headline(plain), sections, records, lambda: plain, chart)


def _answer(plain: Plain, axis: RankAxis | None, link: Callable[[str], str]) -> Section:
    """The strength in large letters, on a scale of ranks, and on the other scales."""
    rating = rating_words(plain["scale"], plain["rating"])
    lines = [f"{scale_name(plain)} rating {rating}{switch_words(plain)}", headline(plain)[1]]
    answer = Answer(plain["rank"] or rating, lines)
    if plain.get("contradictory"):
        lines = ["The scales contradict each other, so that neither is to be believed."]
        answer, axis = Answer("No rank", lines), None
    blocks: list[Block] = [answer]
    if axis is not None:
        words = f"{plain['rank'] or 'Rating'} ({rating}) on a scale of ranks. {level_words(plain)}."
        blocks.append(Picture(lambda: scale_chart(plain, words), axis.words))
    if scales := plain.get("scales"):
        blocks.append(Choices("Scale", [_scale(plain, name, link(name)) for name in scales]))
    return Section("", blocks)


def _scale(plain: Plain, name: str, address: str) -> Alternative:
    """The strength on one of the scales, with its interval and the error of the conversion."""
    part = plain["scales"][name]
    own = name == plain["scale"]
    strength = rank_and_rating(name, part) if own else elsewhere_words(name, part, rated=True)
    interval = "no interval"
    if part.get("unlikely"):
        strength, interval = "unknown", "such moves nobody plays there"
    elif (part["low"], part["high"]) != (None, None):
        interval = f"{per_cent(plain['level'])}: {ends_words(name, part)}"
    error = "the model’s own scale"
    if deviation := part["deviation"]:
        error = f"from {SITE_SCALES[part.get('basis', 'fox')].title}, ± {deviation:.1f} ranks"
    return Alternative(part["title"], [strength, interval, error], address, own)


def _used(plain: Plain) -> list[Section]:
    """How many of the games were used, and why the others were not: for a page."""
    left_out = plain["skipped"]
    if not left_out["total"]:
        return []
    games = plain["games"]
    lines = [f"{number} × {reason}" for reason, number in left_out["reasons"].items()]
    blocks = [Lines(lines, bullets=True, aside=True)]
    if len(left_out["first"]) > 1:
        records = []
        for each in left_out["first"][:_RECORDS]:
            line = f", line {each['line']}" if each["line"] else ""
            place = f"{each['file']}{line}: " if each["file"] else ""
            records.append(f"{place}{each['reason']}")
        if more := left_out["total"] - len(records):
            records.append(f"… and {more} more")
        blocks += [Lines(["One by one:"], aside=True), Lines(records, bullets=True, aside=True)]
    title = f"{games} of {plural(games + left_out['total'], 'game')} used"
    return [Section(title, blocks, folded=True, name="used")]


def _ranks(plain: Plain) -> Section:
    """The probability of each rank: a table for texts, bars on a page."""
    groups = plain["probabilities"]
    if not groups:
        return Section()
    first = f"{scale_name(plain)} rank" if plain["rank"] else scale_name(plain)
    shares = [f"{100.0 * group['probability']:.0f}" for group in groups]
    table = Table.of_cells([first, *(group["rank"] for group in groups)], [["likely %", *shares]])
    words = f"Probability of each {scale_name(plain)} rank, in per cent."
    basis = plain["scales"][plain["scale"]].get("basis", "fox") if plain.get("scales") else "fox"
    if plain["scale"] not in (basis, "ogs", "ogs-2020"):
        words += (
            f" These are the ranks of {SITE_SCALES[basis].title}, shifted: the error of the shift "
            "is not in them."
        )
    return Section("", [Picture(lambda: rank_chart(plain, words), words, instead=table)])


def _phases(plain: Plain) -> Table:
    scale = plain["scale"]

    def on_scale(part: Plain) -> Range | None:
        if part["rating"] is None:
            return None
        (low,), (high,) = _ends([part])
        words = f"{rating_words(scale, part['rating'])}, interval {ends_words(scale, part)}"
        return Range(part["rating"], low, high, words)

    columns = [
        Column("", "phase", "Phase"),
        Column("", "moves", "Moves", "integer", gives_way=1),
        Column("", "rank", "Rank", left=False),
        *_strength_columns("Rating", scale, ""),
        Column("", on_scale, "On the scale", "range"),
    ]
    caption = "From the moves of each phase alone"
    return Table(columns, plain["phases"], caption=caption, noun="phase")


def _strength_columns(heading: str, scale: str, part: str) -> list[Column]:
    """The rating of a part of the moves, at a path, and its interval."""
    rating = reader(f"{part}rating")

    def ends(row: Any) -> str | None:
        if rating(row) is None:
            return None
        return ends_words(scale, picked(row, f"{part}low", f"{part}high"))

    return [
        Column("", rating, heading, "number", show=lambda row: rating_words(scale, rating(row))),
        Column("", ends, "Interval", left=False, gives_way=2),
    ]


def _moved(plain: Plain, link: Callable[[int], str]) -> Section:
    """The games one by one, alone and with those before them."""
    scale, games = plain["scale"], plain["by_game"]
    rows = list(enumerate(games))

    def number(row: tuple[int, Plain]) -> int:
        return row[0] + 1

    columns = [
        Column("", number, "Game", "integer", link=lambda row: link(row[0]), ascending=True),
        Column("", lambda row: row[1]["date"] or None, "Date", left=False, gives_way=3),
        Column("", lambda row: row[1]["opponent"] or None, "Opponent"),
        Column("", lambda row: row[1]["colour"][0].upper(), " ", left=True),
        Column("", lambda row: row[1]["result"] or None, "Result", gives_way=4),
        Column("", "1.moves", "Moves", "integer", gives_way=2),
        Column("", lambda r: mean_loss(r[1]["loss"]), "Lost a move", "number", ".2f", gives_way=1),
        *_strength_columns("Alone", scale, "1."),
        *_strength_columns("So far", scale, "1.running."),
    ]
    caption = (
        "Alone: from the moves of that game only. So far: from it and all games before. "
        f"Intervals of {per_cent(plain['level'])}."
    )
    blocks: list[Block] = [Table(columns, rows, noun="game", limit=_GAMES, caption=caption)]
    if len(games) > 1:
        words = "The estimate after each game, with its interval, and what each game says alone."
        blocks.insert(0, Picture(lambda: estimate_chart(plain), words))
    return Section("", blocks, name="games")


def _moves(plain: Plain) -> Iterator[Section]:
    """The costliest moves, and those typical of stronger or weaker players."""

    def section(title: str, moves: Sequence[Plain], name: str) -> Section:
        shown = [move for move in moves if move.get("position")]
        steps = [_step(move, plain["by_game"][move["game"]]) for move in shown]
        boards = [Slides("These moves on the board", steps)] if steps else []
        return Section(title, [_move_table(moves), *boards], name=name)

    if costly := plain["costliest_moves"]:
        title = "The costliest moves (with one standard deviation of the loss)"
        yield section(title, costly, "costly")
    else:
        yield Section("", [Lines(["No move stands out from the noise as costly."])], name="costly")
    if typical := plain["indicative_moves"]:
        title = "The moves that raised (+) or lowered (-) the estimate most, in ranks"
        yield section(title, typical, "typical")


def _move_table(moves: Sequence[Plain]) -> Table:
    typical = "effect" in moves[0]

    def error(move: Plain) -> str:
        return UNKNOWN if move["points_lost"] is None else f"± {move['error']:.1f}"

    def policy(move: Plain) -> float | None:
        return None if move["policy"] is None else 100.0 * move["policy"]

    columns = [
        Column("", lambda move: move["game"] + 1, "Game", "integer"),
        Column("", "move", "Move", "integer"),
        Column("", lambda move: move["colour"][0].upper(), " ", left=True),
        Column("", "point", "Point"),
        *([Column("", "effect", "Ranks", "number", "+.2f")] if typical else []),
        Column("", "points_lost", "Lost points", "number"),
        Column("", error, "Error", left=False, gives_way=2),
        Column("", policy, "Policy %", "number", gives_way=1),
        Column("", "best", "First choice" if typical else "Better"),
    ]
    return Table(columns, moves, noun="move")


def _curves(place: int, plain: Plain, *, opened: bool) -> Section:
    """The winrate and the losses of one game, for a page."""
    game = plain["by_game"][place]
    moves = [*plain["costliest_moves"], *plain["indicative_moves"]]
    marked = [move["move"] for move in moves if move["game"] == place]
    words = [f"Winrate of {plain['player']} after each move. {_winrate_words(game)}"]
    if lost := [loss for loss in game["loss"] if loss is not None]:
        words.append(
            f"Points that each move cost, while the game was not decided: {sum(lost):.0f} in all, "
            f"{sum(lost) / len(lost):.2f} a move."
        )
    if marked:
        words.append("Dots and orange bars: the moves shown above.")
    caption = " ".join(words)
    picture = Picture(lambda: game_chart(game, caption, marked=marked), caption)
    colour, opponent = game["colour"], game.get("opponent") or _UNNAMED
    title = f"Game {place + 1}: {_COLOURS.get(colour, colour)} against {opponent}"
    title += f", {game['date']}" if game.get("date") else ""
    return Section(title, [picture], folded=True, opened=opened, name=f"game-{place + 1}")


def _winrate_words(game: Plain) -> str:
    values = [(value, k) for k, value in enumerate(game["winrate"]) if value is not None]
    if not values:
        return "No winrate is known."
    lowest, highest = min(values), max(values, key=lambda each: (each[0], -each[1]))
    return (
        f"From {100 * values[0][0]:.0f} % to {100 * values[-1][0]:.0f} % at the end; lowest "
        f"{100 * lowest[0]:.0f} % after move {lowest[1]}, highest {100 * highest[0]:.0f} % after "
        f"move {highest[1]}."
    )


#: A mean loss of fewer moves than this is not shown.
_FEWEST = 10


def mean_loss(losses: Sequence[float | None]) -> float | None:
    """Mean loss while the game was not decided; None if that were too few moves."""
    known = [loss for loss in losses if loss is not None]
    return round(sum(known) / len(known), 3) if len(known) >= _FEWEST else None


def estimate_records(plain: Plain) -> Table:
    """A row for all games together, one for each phase, and one for each game."""
    strength = ("rank", "rating", "low", "high")
    facts = ("file", "line", "date", "opponent", "colour", "result", "won", "moves")
    same = picked(plain, "player", "scale", "level")
    losses = [value for game in plain["by_game"] for value in game["loss"]]
    paths = (*facts, *strength, *(f"running_{name}=running.{name}" for name in strength))
    rows = [{"part": "all", "points_lost": mean_loss(losses)}]
    rows[0] |= picked(plain, "games", "moves", *strength)
    rows += [
        {"part": "phase", **picked(part, "phase", "moves", *strength)} for part in plain["phases"]
    ]
    rows += [
        {"part": "game", "games": 1, "points_lost": mean_loss(game["loss"]), **picked(game, *paths)}
        for game in plain["by_game"]
    ]
    none = dict.fromkeys(column.name for column in _COLUMNS)
    return Table(_COLUMNS, [none | same | row for row in rows])


#: Columns of CSV and Parquet.
_COLUMNS = (
    *Column.files("player", "scale", kind="text"),
    *Column.files("level"),
    *Column.files("part", "phase", "file", kind="text"),
    *Column.files("line", kind="integer"),
    *Column.files("date", "opponent", "colour", "result", "won", kind="text"),
    *Column.files("games", "moves", kind="integer"),
    Column("rank"),
    *Column.files("rating", "low", "high"),
    Column("running_rank"),
    *Column.files("running_rating", "running_low", "running_high", "points_lost"),
)


_UNNAMED = "an unnamed player"


def _move_words(point: str) -> str:
    return "a pass" if point == "pass" else point


def _step(move: Plain, game: Plain) -> Step:
    """A title, boards and sentences for a move of which the position is known."""
    point, effect = move["point"], move.get("effect")
    lines = [f"Game {move['game'] + 1} against {game.get('opponent') or _UNNAMED}."]
    if effect is None:
        lost, error = move["points_lost"], move["error"]
        lines.append(f"It cost {lost:.1f} points, give or take {error:.1f}.")
    else:
        side, verb = ("stronger", "raises") if effect > 0.0 else ("weaker", "lowers")
        size = f"{abs(effect):.2f} ranks"
        lines.append(f"Typical of a {side} player: it {verb} the estimate by {size}.")
    colour = str(move["colour"]).capitalize()
    title = f"Move {move['move']}: {colour} {_move_words(point)}"
    return Step(title, list(_move_pictures(move, colour)), [*lines, _network(move)])


def _move_pictures(move: Plain, colour: str) -> Iterator[Picture]:
    """The move on the board before it, the moves that followed, and the better move."""
    point, best, number, position = move["point"], move["best"], move["move"], move["position"]
    best = None if best == point else best
    other = None if best == "pass" else best
    ring = f"{_move_words(point)} is marked with a ring" if point != "pass" else "a pass"
    choice = f", the network’s choice with A ({other})" if other else ""
    prefers = "" if best is None else f"; the network prefers {_move_words(best)}"
    label = (
        f"The board at move {number}: {colour} plays {_move_words(point)}{prefers}. "
        f"{len(position['black'])} black and {len(position['white'])} white stones."
    )
    before = list(enumerate(position["before"], number - len(position["before"])))
    marks = {"numbered": before, "played": (move["colour"], point), "best": best}
    draw = partial(_board, position, label, (), **marks)
    yield Picture(draw, f"Before the move: {ring}{choice}.")
    steps = position.get("steps")
    if not steps:
        return
    count = len(steps) - 1
    went = f", and the {count} moves that followed" if count > 1 else ""
    points = ", ".join(_move_words(step["point"]) for step in steps)
    label = f"The board after move {number + count}: {colour} began {points}."
    numbered = list(enumerate((step["point"] for step in steps), number))
    played = [(step["colour"], step["point"], step["takes"]) for step in steps]
    draw = partial(_board, position, label, played, numbered=numbered)
    yield Picture(draw, f"After {_move_words(point)}{went}.")
    if other and "effect" not in move:
        label = f"The board after the network’s choice, {colour} {other}."
        choices = [(move["colour"], other, position["best_takes"])]
        draw = partial(_board, position, label, choices, played=(move["colour"], other))
        yield Picture(draw, f"The network’s choice: {colour} {other} instead.")


def _board(
    position: Plain, label: str, moves: Sequence[tuple[str, str, Sequence[str]]], **shown: Any
) -> BoardDiagram:
    """The board after moves: of whom, where, and what they take."""
    stones = {point: colour for colour in _COLOURS for point in position[colour]}
    for colour, point, takes in moves:
        if point != "pass":
            stones[point] = colour
        for taken in takes:
            stones.pop(taken, None)
    black, white = ([at for at, stone in stones.items() if stone == colour] for colour in _COLOURS)
    return BoardDiagram(label, position["size"], black, white, **shown)


def _network(move: Plain) -> str:
    policy, best = move.get("policy"), move.get("best")
    if best == move["point"]:
        chance = "" if policy is None else f", with {_percent(policy)}"
        return f"It is the network’s own choice{chance}."
    if policy is None:
        return "It is not allowed under the rules that the network was given."
    chance = f"The network gives it {_percent(policy)}"
    if best is None:
        return f"{chance}."
    if "effect" in move:
        return f"{chance} and prefers {_move_words(best)}."
    return f"{chance}; {_move_words(best)} is better."


def _percent(share: float) -> str:
    value = 100.0 * share
    if value < 0.1:
        return "less than 0.1\u00a0%"
    return f"{value:.1f}\u00a0%" if value < 10.0 else f"{value:.0f}\u00a0%"


def rank_words(low: str | None, high: str | None) -> str:
    """The ranks of the ends of an interval, of which at least one is there.

    Examples:
        >>> [rank_words(*ends) for ends in (("1k", "2d"), (None, "5k"), ("9d", None), ("3d", "3d"))]
        ['1k to 2d', '5k or weaker', '9d or stronger', '3d']
    """
    if low is None or high is None:
        return f"{high} or weaker" if low is None else f"{low} or stronger"
    return low if low == high else f"{low} to {high}"


def rating_words(scale: str, value: float | None) -> str:
    """A rating as it is written on a scale; a dash where there is none.

    Fox has one digit, and it is cut, not rounded: 8.97 is 8 dan, and no 9.0.
    """
    if value is None:
        return UNKNOWN
    return f"{floor(10.0 * value) / 10.0:.1f}" if scale == "fox" else f"{value:.0f}"


def scale_name(plain: Plain) -> str:
    """What people call the scale of an estimate."""
    scale = SITE_SCALES.get(plain["scale"])
    return str(plain["scale"]) if scale is None else scale.title


def rank_and_rating(scale: str, part: Plain) -> str:
    """A rank with its rating in parentheses, or the rating alone where there are no ranks."""
    rank, rating = part["rank"], rating_words(scale, part["rating"])
    return f"{rank} ({rating})" if rank else rating


def headline(plain: Plain) -> list[str]:
    """Who, how strong, how sure, from what, and on other scales."""
    strength = f"{rank_and_rating(plain['scale'], plain)} on the scale of {scale_name(plain)}"
    if contradicts := plain.get("contradictory", False):
        strength = "no rank, for the scales contradict each other"
    seen = f"from {plural(plain['moves'], 'move')} in {plural(plain['games'], 'game')}"
    lines = [f"{plain['player']}: {strength}{switch_words(plain)}", f"{level_words(plain)}; {seen}"]
    others = [
        f"{part['title']} {elsewhere_words(name, part)}"
        for name, part in (plain.get("scales") or {}).items()
        if (contradicts or name != plain["scale"]) and not part.get("unlikely")
    ]
    if contradicts:
        return [lines[0], seen.capitalize(), f"By itself each would say: {', '.join(others)}"]
    return [*lines, f"On other scales: {', '.join(others)}"] if others else lines


def switch_words(plain: Plain) -> str:
    """Why the strength is told on the scale of OGS and not on that of Fox, where it is."""
    scales = plain.get("scales") or {}
    if plain.get("basis") != "ogs" or plain.get("contradictory") or "fox" not in scales:
        return ""
    if scales["fox"].get("unlikely"):
        return ", for nobody at Fox plays such moves"
    return ", being weaker than all whom the model knows at Fox"


def elsewhere_words(scale: str, part: Plain, *, rated: bool = False) -> str:
    """The strength on another scale: a rank, or only a bound where nothing else is known.

    `rated` puts the rating behind the rank.
    """
    rank: str | None = part["rank"]
    ends = part["low_rank"], part["high_rank"]
    if rank and ends.count(None) == 1 and " or " not in rank:
        return rank_words(*ends)
    return rank_and_rating(scale, part) if rated or not rank else rank


def level_words(plain: Plain) -> str:
    """The interval of the whole estimate with its level."""
    level = per_cent(plain["level"])
    if plain["low"] is None and plain["high"] is None:
        return f"No interval of {level} can be given"
    kind = "interval" if None not in (plain["low"], plain["high"]) else "bound"
    ranks = plain["low_rank"], plain["high_rank"]
    span = "" if ranks == (None, None) else f": {rank_words(*ranks)}"
    return f"{level} {kind} {ends_words(plain['scale'], plain)}{span}"


def ends_words(scale: str, part: Plain) -> str:
    """The interval of a part of the estimate, or a bound where it lacks an end.

    Examples:
        >>> ends = (1, 2), (None, 2), (1, None), (None, None)
        >>> [ends_words("egf", {"low": low, "high": high}) for low, high in ends]
        ['1 to 2', 'below 2', 'above 1', 'none']
    """
    low, high = rating_words(scale, part["low"]), rating_words(scale, part["high"])
    if part["low"] is None:
        return "none" if part["high"] is None else f"below {high}"
    return f"above {low}" if part["high"] is None else f"{low} to {high}"


#: Ranks that the axis knows: 30 kyu to 9 dan, as numbers in which 1 dan is 1 and 1 kyu 0.
_LOWEST, _HIGHEST = -29, 9


@dataclass(frozen=True, slots=True)
class RankAxis:
    """A scale of ratings with the ranks on it."""

    borders: tuple[float, ...]  #: Rating at which each rank begins, from 30 kyu to 9 dan.
    words: str  #: How to read a rating, in one sentence.

    def ends(self, low: float, high: float) -> tuple[float, float]:
        """Ends of an axis that shows these ratings and whole ranks around them."""
        first = max(bisect_right(self.borders, low) - 2, 0)
        last = min(bisect_right(self.borders, high) + 1, len(self.borders) - 1)
        reach = self.borders[last - 1], self.borders[last]
        end = reach[1] if last < len(self.borders) - 1 else 2 * reach[1] - reach[0]
        return min(self.borders[first], low), max(end, high)

    def ticks(self, low: float, high: float) -> list[tuple[float, str]]:
        """The ranks that begin between two ratings."""
        ranks = ((border, fox_rank(_LOWEST + k)) for k, border in enumerate(self.borders))
        return [(border, rank) for border, rank in ranks if low <= border <= high]


def _axis(scale: str, words: str) -> RankAxis:
    borders = [float(k) for k in range(_LOWEST, _HIGHEST + 1)]
    if scale != "fox":
        borders = convert(grade_of_fox(borders), "grade", scale, extrapolate=True).tolist()
    return RankAxis(tuple(borders), words)


#: How to read a rating on each scale.
_AXIS_WORDS = {
    "fox": "On the Fox scale 3.0 is the weakest 3 dan and 3.9 almost a 4 dan; 1 kyu lies from 0 to "
    "1, and the kyu ranks below it are negative.",
    "ogs": "OGS ratings are points of Glicko-2; by the server’s own formula 1 dan begins at 1918.",
    "ogs-2020": "OGS ratings are points of Glicko-2; by the server’s formula of 2020 1 dan begins "
    "at 2220.",
    "egf": "EGF ratings are those of the European Go Federation: 2100 is 1 dan, and a rank is 100 "
    "points.",
}
#: The scales by name.
RANK_AXES = {name: _axis(name, words) for name, words in _AXIS_WORDS.items()}


#: A dot stands at each of so many estimates.
_DOTTED = 60


def _ends(parts: Sequence[Plain]) -> tuple[list[float], list[float]]:
    """Ends of intervals; an open end reaches to the edge of the picture."""
    low = [-inf if part["low"] is None else part["low"] for part in parts]
    return low, [inf if part["high"] is None else part["high"] for part in parts]


def _reach(parts: Sequence[Plain], axis: RankAxis | None) -> tuple[float, float]:
    """Ends of an axis for all these estimates: whole ranks, where the scale has some."""
    known = [part[name] for part in parts for name in ("rating", "low", "high")]
    values = [value for value in known if value is not None]
    if axis is not None:
        return axis.ends(min(values), max(values))
    room = 0.1 * (max(values) - min(values)) or 1.0
    return min(values) - room, max(values) + room


def estimate_chart(estimate: Plain) -> Chart:
    """How the estimate moved with each game, and what each game says alone."""
    games = estimate["by_game"]
    running = [game["running"] for game in games]
    ranks = RANK_AXES.get(estimate["scale"])
    low, high = _reach([*games, *running], ranks)
    ticks = None
    if ranks is not None:
        borders = ranks.ticks(low, high)
        ticks = [(at, f"{name} ({rating_words(estimate['scale'], at)})") for at, name in borders]
        ticks = ticks[:: -(-len(ticks) // 10)]
    number, alone = _rated(games)
    so_far, together = _rated(running)
    name = "all games so far, with interval"
    label, ends = "that game alone, with interval", _ends([games[k - 1] for k in number])
    x = Axis("game, in the order of the dates", 0.5, len(games) + 0.5, whole=True)
    y = Axis(f"rating ({estimate['scale']})", low, high, ticks=ticks, grid=True)
    panel = Panel(
        x,
        y,
        [
            Band(so_far, *_ends([running[k - 1] for k in so_far]), "c1", name, 0.22),
            Points(number, alone, "c7", label, "diamond", 3.0, opacity=0.8, along=ends),
            Stroke(so_far, together, "c1", name, 2.0),
            *([Points(so_far, together, "c1", name, size=3.0)] if len(games) <= _DOTTED else []),
        ],
    )
    scale, words = estimate["scale"], [f"The estimate after each of {len(running)} games"]
    known = [part for part in running if part["rating"] is not None]
    for part, when in ((known[0], "first"), (known[-1], "last")):
        interval = f"{rating_words(scale, part['rating'])} after the {when}, interval"
        words.append(f"{interval} {ends_words(scale, part)}")
    return Chart([panel], headline(estimate)[0], words="; ".join(words) + ".", height=300.0)


def _rated(parts: Sequence[Plain]) -> tuple[list[int], list[float]]:
    """Numbers (from 1) and ratings of the parts that have enough moves for a rating."""
    rated = [(k, part["rating"]) for k, part in enumerate(parts, 1) if part["rating"] is not None]
    return [k for k, _ in rated], [rating for _, rating in rated]


def scale_chart(estimate: Plain, words: str) -> Chart:
    """The estimate with its interval among the ranks; `words` say it."""
    ranks = RANK_AXES[estimate["scale"]]
    low, high = _reach([estimate], ranks)
    (left,), (right,) = _ends([estimate])
    rating = estimate["rating"]
    share = (rating - low) / (high - low)
    anchor = "start" if share < 0.06 else "end" if share > 0.94 else "middle"
    text = rating_words(estimate["scale"], rating)
    bar = Bars(max(left, low), min(right, high), -0.22, 0.22, opacity=0.25)
    label = Label(rating, 0.0, text, anchor, size=14.0, bold=True, up=16.0)
    x = Axis(low=low, high=high, ticks=ranks.ticks(low, high), between=True)
    y = Axis(low=-1.0, high=1.0, hidden=True)
    panel = Panel(x, y, [bar, Points(rating, 0.0, size=7.0), label])
    return Chart([panel], words=words, height=70.0)


def rank_chart(estimate: Plain, words: str) -> Chart:
    """The probability of each rank, in per cent."""
    names = [each["rank"] for each in estimate["probabilities"]]
    share = np.array([100.0 * each["probability"] for each in estimate["probabilities"]])
    place = np.arange(len(names))
    texts = [f"{value:.0f}" if value >= 0.5 else "" for value in share]
    titles = [f"{name}: {value:.1f} %" for name, value in zip(names, share, strict=True)]
    bars = Bars(place - 0.4, place + 0.4, 0.0, share, texts=texts, titles=titles)
    x = Axis(scale="category", names=names)
    y = Axis(low=0.0, high=1.18 * max(float(share.max(initial=0.0)), 1e-9), hidden=True)
    return Chart([Panel(x, y, [bars])], words=words, height=110.0)


def game_chart(game: Plain, words: str, *, marked: Sequence[int] = ()) -> Chart:
    """The player's winrate over a game, and below it what each of his moves lost.

    Args:
        game: One of the estimate's ``by_game``.
        words: What the picture shows.
        marked: Numbers of moves that stand out.
    """
    winrate = np.array([nan if value is None else value for value in game["winrate"]])
    x = Axis("move", low=0.0, high=float(max(len(winrate) - 1, 1)), whole=True)
    panels = []
    if np.isfinite(winrate).any():
        moves, here = np.arange(len(winrate)), [k for k in marked if 0 <= k < len(winrate)]
        dots = Points(here, winrate[here], "c2", size=4.5, titles=[f"move {k}" for k in here])
        area = Band(moves, np.minimum(winrate, 0.5), np.maximum(winrate, 0.5))
        panels.append(Panel(x, _WINRATE, [area, Stroke(moves, winrate), dots], height=150.0))
    loss = np.array([nan if value is None else value for value in game.get("loss") or ()])
    if np.isfinite(loss).any():
        panels.append(_losses(x, np.array(game["numbers"]), loss, marked))
    return Chart(panels, words=words)


_WINRATE = Axis(
    "winrate", low=0.0, high=1.0, grid=True, ticks=[(0.0, "0 %"), (0.5, "50 %"), (1.0, "100 %")]
)


def _losses(x: Axis, moves: np.ndarray, loss: np.ndarray, marked: Sequence[int]) -> Panel:
    """A bar for each move: points lost upwards, gained downwards."""
    high = max(1.0, float(np.nanmax(loss)))
    low = max(min(0.0, float(np.nanmin(loss))), -high)
    chosen = np.isin(moves, marked)

    def bars(here: NDArray[np.bool_], colour: str, opacity: float) -> Bars:
        left, right = moves[here] - 0.8, moves[here] + 0.8
        return Bars(left, right, 0.0, loss[here], colour, opacity=opacity, gap=0.5)

    of_others = [bars(~chosen & (loss >= 0.0), "c1", 0.7), bars(~chosen & (loss < 0.0), "c7", 0.6)]
    y, zero = Axis("points lost", low, high, grid=True), Guide(y=0.0, colour="line", dash=())
    return Panel(x, y, [*of_others, bars(chosen, "c2", 1.0), zero], height=85.0)
