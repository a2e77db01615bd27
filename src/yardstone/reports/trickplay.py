"""Trick plays found in games and rated, as documents: the form of the thesis' table 7.1."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.go.points import colour_name, point_name
from yardstone.records.sgf import SgfTree, sgf_point, write_sgf
from yardstone.reports.chart import Axis, Chart, Guide, Mark, Panel, Points, Stroke
from yardstone.reports.document import Column, Document, Kind, Lines, Picture, Section, Table
from yardstone.reports.words import picked, plain_skipped, plural
from yardstone.strength.site_scales import GROUP_EDGES

if TYPE_CHECKING:
    from yardstone.strength.trickplay.completion import Completion, Settled
    from yardstone.strength.trickplay.rating import (
        FoundProblems,
        RatedProblem,
        RatedProblems,
        RatedVariation,
    )


def _first(read: Callable[[Settled], Any], otherwise: Any = None) -> Callable[[Completion], Any]:
    return lambda each: read(each.boards[0]) if each.boards else otherwise


def _texts(board: Settled) -> list[str]:
    return [change.text(board.game.size) for change in board.changes]


def _put_back(each: Completion) -> str:
    return " ".join(
        f"{colour_name(colour)} {point_name(point, each.problem.size)}"
        for point, colour in each.put_back
    )


def _place(board: Settled) -> str:
    return f"{board.game.file}:{board.game.line}" if board.game.line > 1 else board.game.file


#: Where a problem was found, in files and, with a heading, for people.
_FOUND = (
    Column("problem", "problem.name", "Problem"),
    Column("file", "problem.file"),
    Column("line", "problem.line", kind="integer"),
    Column("bounds", "problem.bounds", "Bounds", gives_way=2),
    Column("bounds_from", "problem.bounds_from"),
    Column("to_answer", lambda each: colour_name(each.problem.to_answer).lower()),
    Column("found", heading="Found", kind="integer"),
    Column("put_back", _put_back),
    Column("found_without", kind="integer"),
    Column("boards", lambda each: len(each.boards), kind="integer"),
    Column("changes", _first(lambda board: "; ".join(_texts(board)), ""), "Changes"),
    Column("game", _first(lambda board: board.game.file, ""), "Game", show=_first(_place, "")),
    Column("game_line", _first(lambda board: board.game.line), kind="integer"),
    Column("moves", _first(lambda board: board.moves), "Move", "integer", form="d", gives_way=1),
)
#: The order in which people read them.
_ORDER = ("problem", "bounds", "found", "moves", "game", "changes")


def found_document(result: FoundProblems) -> Document:
    """Where each problem was found first."""
    columns = {column.name: column for column in _FOUND}
    moves = replace(columns["moves"], show=_first(lambda board: str(board.moves), ""))
    shown = [{**columns, "moves": moves}[name] for name in _ORDER]
    found = result.completions
    sections = [Section(blocks=[Table(shown, found, noun="problem")])]

    def plain() -> dict[str, Any]:
        rows = [
            {**Column.record(_FOUND, e), "completed": list(map(_board, e.boards))} for e in found
        ]
        return {"format": 1, "problems": rows, "skipped": plain_skipped(result.skipped)}

    title, lead = "Problems found in games", found_lines(result)
    return Document(title, lead, sections, Table(_FOUND, found), plain)


def found_lines(result: FoundProblems) -> list[str]:
    """How many problems occur, and which do not."""
    there = sum(bool(each.found) for each in result.completions)
    return [
        f"{plural(len(result.completions), 'problem')} in {plural(result.games, 'game')} "
        f"({result.positions:,} positions): {there} found as they are",
        *_not_as_they_are(result.completions),
    ]


def _not_as_they_are(completions: Sequence[Completion]) -> Iterator[str]:
    """Which problems do not occur as they are, and which not at all."""
    reduced = [each.problem.name for each in completions if each.put_back]
    if reduced:
        yield f"Found only without the last stones, which were put back: {', '.join(reduced)}"
    passed = [
        each.problem.name
        for each in completions
        if not each.put_back and any(c.kind == "pass" for b in each.boards for c in b.changes)
    ]
    if passed:
        yield f"Found only with the turn of the other side, which passes: {', '.join(passed)}"
    missing = [each.problem.name for each in completions if not each.boards]
    if missing:
        yield f"Not found: {', '.join(missing)}"


def ratings_document(result: RatedProblems) -> Document:
    """Failure, refutation and their difference of each problem, and the surprising cases."""
    columns = _rating_columns(result)
    draw = partial(trickplay_chart, result)
    picture = Picture(draw, "Ratings of the failure and the refutation of each problem")
    sections = [Section(blocks=[picture, Table(columns, result.problems, noun="problem")])]
    cases = [problem for problem in result.compared if problem.surprising]
    cases.sort(key=lambda problem: problem.difference or 0.0)
    if cases:
        digits = result.scale.digits
        lines = [f"  {each.problem.name}: {result.difference(each):+.{digits}f}" for each in cases]
        sections.append(Section("* rated as high as the refutation, or higher", [Lines(lines)]))
    lead, plain = list(_conclusion(result)), partial(_plain, result)
    return Document("Trick plays", lead, sections, Table(columns, result.problems), plain, draw)


def _conclusion(result: RatedProblems) -> Iterator[str]:
    compared = result.compared
    boards = sum(len(problem.completion.boards) for problem in result.problems)
    yield (
        f"{plural(len(result.problems), 'problem')} on {plural(boards, 'board')} "
        f"from {plural(result.found.games, 'game')}; "
        f"ratings on the {result.scale.title} scale, by {result.model} with {result.network}"
    )
    rated, moves = "all moves of the side to answer", result.moves
    if moves == "equal":
        rated = "of each variation as many moves of the side to answer as the shortest one has"
    elif moves != "all":
        rated = f"the first {plural(moves, 'move')} of the side to answer"
    yield f"Rated: {rated}"
    if compared:
        above = sum(not problem.surprising for problem in compared)
        number = plural(len(compared), "problem")
        yield f"The refutation is rated above the failure in {above} of {number}"
        failure, refutation = (
            _number(result, result.scale.value(float(np.mean([of(each) for each in compared]))))
            for of in map(attrgetter, ("failure.rating", "refutation.rating"))
        )
        yield f"Mean rating of the failures: {failure}, of the refutations: {refutation}"
    yield from _not_as_they_are(result.found.completions)


def _number(result: RatedProblems, value: float) -> str:
    return f"{value:.{result.scale.digits}f}"


def _rating_columns(result: RatedProblems) -> list[Column]:
    """Where each problem was found, its two ratings, and their difference."""

    def surprising(problem: RatedProblem) -> bool | None:
        return problem.surprising if problem.difference is not None else None

    def star(problem: RatedProblem) -> str:
        return "*" if problem.surprising else ""

    form = f"+.{result.scale.digits}f"

    def of_completion(column: Column) -> Column:
        heading = column.heading if column.name == "problem" else ""
        value = column.value
        return replace(column, value=lambda row: value(row.completion), show=None, heading=heading)

    return [
        *map(of_completion, _FOUND),
        *_variation_columns(result, "failure"),
        *_variation_columns(result, "refutation"),
        Column("difference", result.difference, "Difference", "number", form, unknown=""),
        Column("surprising", surprising, " ", "boolean", left=True, show=star),
    ]


def _variation_columns(result: RatedProblems, kind: str) -> list[Column]:
    """The rating of the first refutation, or of the failure that is rated highest."""

    def values(problem: RatedProblem) -> dict[str, Any]:
        rated: RatedVariation | None = getattr(problem, kind)
        return {} if rated is None else _rated(result, rated)

    def rating(problem: RatedProblem) -> str:
        if not (rated := values(problem)):
            return ""
        return _number(result, rated["rating"]) + (f" ({rated['rank']})" if rated["rank"] else "")

    def column(name: str, of: Kind, **shown: Any) -> Column:
        return Column(f"{kind}_{name}", lambda row: values(row).get(name), kind=of, **shown)

    return [
        column("rating", "number", heading=kind.capitalize(), show=rating),
        column("rank", "text"),
        *(column(name, "number") for name in ("low", "high", "spread")),
        column("moves", "integer"),
    ]


def _rated(result: RatedProblems, rated: RatedVariation) -> dict[str, Any]:
    """The rating, rank, interval and spread of a variation, on the scale shown."""
    scale = result.scale
    low, high = scale.widened(rated.rating, *rated.interval, result.level)
    return {
        "rating": scale.value(rated.rating),
        "rank": scale.rank(rated.rating),
        "low": None if low is None else scale.value(low),
        "high": None if high is None else scale.value(high),
        "spread": round(rated.spread, 3),
        "moves": rated.moves,
    }


def _plain(result: RatedProblems) -> dict[str, Any]:
    compared, columns = result.compared, _rating_columns(result)
    return {
        "format": 2,
        **picked(result, "scale=scale.name", "level", "moves", "network", "model"),
        **picked(result.found, "games", "positions"),
        "compared": len(compared),
        "refutation_above": sum(not problem.surprising for problem in compared),
        "problems": [
            {
                **Column.record(columns, problem),
                "variations": [_variation(result, problem, each) for each in problem.variations],
                "completed": list(map(_board, problem.completion.boards)),
            }
            for problem in result.problems
        ],
        "skipped": plain_skipped(result.found.skipped),
    }


def _variation(result: RatedProblems, of: RatedProblem, rated: RatedVariation) -> dict[str, Any]:
    return {
        **picked(rated.variation, "name", "kind"),
        "line": [point_name(point, of.problem.size) for point in rated.variation.points.tolist()],
        **_rated(result, rated),
        "by_board": [result.scale.value(board.rating) for board in rated.boards],
    }


def _board(board: Settled) -> dict[str, Any]:
    return {
        "file": board.game.file,
        "line": board.game.line or None,
        **picked(board, "moves", "placement.symmetry", "colours_exchanged=placement.swapped"),
        "changes": _texts(board),
    }


def boards_sgf(completions: Sequence[Completion]) -> str:
    """A record for each board; what was changed stands in its comment."""
    return "".join(write_sgf(_tree(each, board)) for each in completions for board in each.boards)


def _tree(completion: Completion, board: Settled) -> SgfTree:
    game, problem, tree = board.game, completion.problem, SgfTree()

    def add(node: int, points: Any, colours: Any, more: dict[int, dict[str, list[str]]]) -> int:
        """Moves below a node, some with more properties; the last of them."""
        for number, (point, colour) in enumerate(zip(points, colours, strict=True)):
            move = {colour_name(colour)[0]: [sgf_point(point, game.size)]}
            node = tree.add(node, move | more.get(number, {}))
        return node

    lines = [
        f"{problem.name}: {colour_name(problem.to_answer)} to answer",
        f"from {_place(board)}, after {board.moves} moves",
        *(["colours exchanged"] if board.placement.swapped else []),
        *_texts(board),
    ]
    comment = {"C": ["\n".join(lines)]}
    root = {"GM": "1", "FF": "4", "CA": "UTF-8", "SZ": str(game.size), "GN": problem.name}
    properties = {name: [text] for name, text in root.items()}
    properties |= {k: [name] for k, name in (("PB", game.black), ("PW", game.white)) if name}
    for name, points in (("AB", game.setup_black), ("AW", game.setup_white)):
        if len(points):
            properties[name] = [sgf_point(point, game.size) for point in points.tolist()]
    if not len(game.moves):
        properties |= {"PL": [colour_name(problem.to_answer)[0]]} | comment
    first, last = tree.add(None, properties), len(game.moves) - 1
    node = add(first, game.moves.tolist(), game.colours.tolist(), {last: comment})
    for variation in problem.variations:
        points, named = board.shifted(variation.points), {"N": [variation.name]}
        add(node, points.tolist(), variation.colours.tolist(), {0: named})
    return tree


#: Up to so many problems are named beside their line.
_NAMED = 100


def trickplay_chart(report: RatedProblems) -> Chart:
    """Draw both ratings of each problem on a line, the lowest failure at the bottom.

    The dashed line is the mean rating of the refutations. Neubauer 2024, figure 7.5.
    """
    rate = report.scale.rating
    pairs = sorted(
        (rate(problem.failure.rating), rate(problem.refutation.rating), problem.problem.name)
        for problem in report.compared
        if problem.failure is not None and problem.refutation is not None
    )[::-1]
    failure = np.array([pair[0] for pair in pairs])
    refutation = np.array([pair[1] for pair in pairs])
    rows = np.arange(len(pairs))
    marks: list[Mark] = []
    for surprising in (False, True):
        here = (refutation <= failure) == surprising
        # Lines apart from each other: a gap follows each.
        x = np.column_stack([failure, refutation, np.full(len(pairs), np.nan)])[here].ravel()
        dash = (2.0, 2.5) if surprising else ()
        marks.append(Stroke(x, np.repeat(rows[here], 3), "line", width=1.2, dash=dash))
    if len(pairs):
        marks.append(Guide(x=float(refutation.mean()), name="Mean of the refutations", colour="c2"))
    marks.append(Points(failure, rows, "c1", "Failure"))
    marks.append(Points(refutation, rows, "c2", "Refutation", shape="diamond"))
    named = len(pairs) <= _NAMED
    y = Axis(scale="category", names=[pair[2] if named else "" for pair in pairs])
    top, scale = None, report.scale
    if scale.rank(1.0) is not None:  # ranks along the top, where they begin
        edges = GROUP_EDGES[scale.basis][1:-1].tolist()
        ranks = [str(scale.rank(rank + 0.01)).split()[0] for rank in edges]
        top = Axis("Rank", ticks=list(zip(map(scale.rating, edges), ranks, strict=True)))
    panel = Panel(Axis(f"Rating ({scale.title})", grid=True), y, marks, top=top)
    words = "Ratings of the failure and the refutation of each problem"
    return Chart([panel], words=words, height=(16.0 if named else 6.0) * max(len(pairs), 6))
