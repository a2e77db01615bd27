"""What the page shows of an estimate from the moves of Go games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from markupsafe import Markup

from yardstone.reports.interval_words import interval_words, rank_words
from yardstone.reports.statements import plural
from yardstone.reports.svg_charts import (
    Span,
    Tick,
    bar_chart,
    curve_chart,
    interval_bar,
    interval_chart,
    loss_chart,
    nice_ticks,
)
from yardstone.web.pages.axes import RANK_AXES, RankAxis
from yardstone.web.pages.go_moves import move_views
from yardstone.web.pages.tables import Cell, Column, Row, Table, number_cell, text_cell

__all__ = ["GAMES_A_PAGE", "go_view"]

#: Games whose curves stand on one page.
GAMES_A_PAGE = 20
#: Games whose curves are open at once.
_OPEN = 1
_COLOURS = {"black": "Black", "white": "White"}

Plain = Mapping[str, Any]


def go_view(result: Plain, *, address: str, page: int = 1) -> dict[str, Any]:
    """What the template wants.

    Parameters
    ----------
    result : mapping
        As ``strength estimate --format json`` has it.
    address : str
        Of the page, for links to other pages of games.
    page : int
        Which games to show curves of, from 1; pages that are not there become the
        nearest one.
    """
    axis = RANK_AXES[result["scale"]]
    games = result["by_game"]
    costly, indicative = result["costliest_moves"], result["indicative_moves"]
    moves = [*costly, *indicative]
    pages = max(ceil(len(games) / GAMES_A_PAGE), 1)
    page = min(max(page, 1), pages)
    first = (page - 1) * GAMES_A_PAGE
    shown = range(first, min(first + GAMES_A_PAGE, len(games)))
    return {
        "player": result["player"],
        "basis": f"{plural(result['moves'], 'move')} in {plural(result['games'], 'game')}",
        "rank": result["rank"] or axis.text(result["rating"]),
        "rating": f"{axis.name} rating {axis.text(result['rating'])}",
        "interval": _interval_words(result, axis),
        "scale_picture": _scale_picture(result, axis),
        "scale_words": axis.words,
        "probabilities": _probabilities(result, axis),
        "probability_words": _probability_words(result, axis),
        "notes": result["notes"],
        "phases": _phases(result, axis),
        "running": _running(games, axis) if len(games) > 1 else None,
        "costly": move_views(costly, games),
        "indicative": move_views(indicative, games),
        "games": _game_table(result, axis, pages, address),
        "pages": _page_links(page, pages, len(games), address),
        "curves": [_curves(k, games[k], moves, opened=k - first < _OPEN) for k in shown],
        "made_with": f"Network {result['network']}, model {result['model']}.",
    }


def _level(result: Plain) -> str:
    return f"{100 * result['level']:g} %"


def _interval_words(result: Plain, axis: RankAxis) -> str:
    if result["low"] is None and result["high"] is None:
        return f"No interval of {_level(result)} can be given"
    ends = _ends(result, axis)
    kind = "interval" if None not in (result["low"], result["high"]) else "bound"
    ranks = result["low_rank"], result["high_rank"]
    if ranks != (None, None):
        return f"{_level(result)} {kind}: {rank_words(*ranks)} ({ends})"
    return f"{_level(result)} {kind}: {ends}"


def _span(found: Plain, low: float, high: float) -> Span:
    """The interval on an axis between two ends, to which one without an end goes."""
    return Span(
        found["rating"],
        low if found["low"] is None else found["low"],
        high if found["high"] is None else found["high"],
    )


def _reach(axis: RankAxis, founds: Sequence[Plain]) -> tuple[float, float]:
    """Ends of an axis on which all these estimates stand with their intervals."""
    known = [
        found[name]
        for found in founds
        for name in ("low", "rating", "high")
        if found[name] is not None
    ]
    return axis.ends(min(known), max(known))


def _scale_picture(result: Plain, axis: RankAxis) -> Markup:
    low, high = _reach(axis, [result])
    words = f"{result['rank'] or 'Rating'} ({axis.text(result['rating'])})"
    label = f"{words} on a scale of ranks. {_interval_words(result, axis)}."
    ticks = axis.ticks(low, high)
    return interval_chart(
        label, ticks, _span(result, low, high), low, high, caption=axis.text(result["rating"])
    )


def _probabilities(result: Plain, axis: RankAxis) -> Markup | None:
    bars = [(each["rank"], each["probability"]) for each in result.get("probabilities") or ()]
    if not bars:
        return None
    words = ", ".join(f"{name} {100 * share:.0f} %" for name, share in bars if share >= 0.005)
    return bar_chart(f"Probability of each {axis.name} rank: {words}", bars)


def _probability_words(result: Plain, axis: RankAxis) -> str:
    words = f"Probability of each {axis.name} rank, in per cent."
    if result["scale"] == "fox":
        return words
    return f"{words} These are the ranks of Fox, shifted: the error of the shift is not in them."


def _phases(result: Plain, axis: RankAxis) -> Table | None:
    found = result["phases"]
    if not found:
        return None
    low, high = _reach(axis, [*found, result])
    level = _level(result)
    rows = [
        Row(
            [
                text_cell(each["phase"].capitalize()),
                number_cell(each["moves"]),
                text_cell(each["rank"]),
                Cell(axis.text(each["rating"]), each["rating"]),
                Cell(_ends(each, axis)),
                Cell(
                    interval_bar(_bar_words(each, axis, level), _span(each, low, high), low, high)
                ),
            ]
        )
        for each in found
    ]
    columns = [
        Column("Phase", "", classes="name", head=True),
        Column("Moves", "", classes="extra"),
        Column("Rank", "", classes="left"),
        Column("Rating", ""),
        Column(f"{level} interval", "", classes="extra"),
        Column("On the scale", "", classes="bar left"),
    ]
    return Table("From the moves of each phase alone", columns, rows)


def _ends(found: Plain, axis: RankAxis) -> str:
    return interval_words(found["low"], found["high"], axis.text)


def _bar_words(found: Plain, axis: RankAxis, level: str) -> str:
    return f"{axis.text(found['rating'])}, {level} interval {_ends(found, axis)}"


def _running(games: Sequence[Plain], axis: RankAxis) -> Markup:
    founds = [game["running"] for game in games]
    low, high = _reach(axis, founds)
    ticks = axis.ticks(low, high)
    step = ceil(len(ticks) / 8)
    label = (
        f"The estimate after each of {len(games)} games: "
        f"{axis.text(founds[0]['rating'])} after the first, "
        f"{axis.text(founds[-1]['rating'])} after the last, "
        f"interval {_ends(founds[0], axis)} at first and {_ends(founds[-1], axis)} at last."
    )
    feet = [Tick(t.value, f"game {t.label}") for t in nice_ticks(1, len(games)) if t.value >= 1]
    return curve_chart(
        label,
        [_span(found, low, high) for found in founds],
        ticks[::step],
        low,
        high,
        across=[tick for tick in feet if tick.value == int(tick.value)],
        start=1.0,
        dots=len(games) <= 60,
        height=220,
    )


def _game_title(number: int, game: Plain) -> str:
    opponent = game.get("opponent") or "an unnamed player"
    parts = [f"Game {number}: {_COLOURS.get(game['colour'], game['colour'])} against {opponent}"]
    if game.get("date"):
        parts.append(str(game["date"]))
    return ", ".join(parts)


def _game_table(result: Plain, axis: RankAxis, pages: int, address: str) -> Table:
    columns = [
        Column("Game", first="ascending", sorted="ascending"),
        Column("Date", "text", classes="left extra"),
        Column("Opponent", "text", "ascending", classes="name", head=True),
        Column("Plays", "text", "ascending", classes="left extra"),
        Column("Result", "text", "ascending", classes="left"),
        Column("Moves", classes="extra"),
        Column("Alone"),
        Column("Interval", "", classes="extra"),
        Column("Running"),
    ]
    rows = []
    for k, game in enumerate(result["by_game"]):
        place = k // GAMES_A_PAGE + 1
        link = f"{address}?page={place}#game-{k + 1}" if pages > 1 else f"#game-{k + 1}"
        rows.append(
            Row(
                [
                    Cell(str(k + 1), k + 1, link),
                    text_cell(game.get("date")),
                    text_cell(game.get("opponent")),
                    text_cell(_COLOURS.get(game["colour"], game["colour"])),
                    text_cell(game.get("result")),
                    number_cell(game["moves"]),
                    Cell(axis.text(game["rating"]), game["rating"]),
                    Cell(_ends(game, axis)),
                    Cell(axis.text(game["running"]["rating"]), game["running"]["rating"]),
                ]
            )
        )
    caption = (
        f"Alone: the rating from the moves of that game only, with its {_level(result)} interval. "
        "Running: from it and all games before."
    )
    return Table(caption, columns, rows)


def _page_links(page: int, pages: int, games: int, address: str) -> list[dict[str, str]]:
    if pages == 1:
        return []
    links = []
    for number in range(1, pages + 1):
        first = (number - 1) * GAMES_A_PAGE + 1
        last = min(number * GAMES_A_PAGE, games)
        link = "" if number == page else f"{address}?page={number}#games"
        links.append({"text": f"Games {first}–{last}", "link": link})
    return links


def _curves(place: int, game: Plain, moves: Sequence[Plain], *, opened: bool) -> dict[str, Any]:
    winrate: Sequence[float | None] = game["winrate"]
    length = max(len(winrate) - 1, 1)
    marked = [each["move"] for each in moves if each["game"] == place]
    feet = [Tick(tick.value, tick.label if tick.value else "") for tick in nice_ticks(0, length, 7)]
    known = [value for value in winrate if value is not None]
    losses = [float("nan") if loss is None else loss for loss in game["loss"]]
    lost = [loss for loss in losses if loss == loss]
    words = _winrate_words(winrate) + (
        f" Points lost in all: {sum(lost):.0f}, or {sum(lost) / len(lost):.2f} a move, while the "
        "game was not decided."
        if lost
        else ""
    )
    levels = [Tick(0.0, ""), Tick(0.5, "50 %"), Tick(1.0, "100 %")]
    return {
        "number": place + 1,
        "title": _game_title(place + 1, game),
        "open": opened,
        "words": words,
        "marked": bool(marked),
        "winrate": curve_chart(
            words,
            [None if value is None else Span(value) for value in winrate],
            levels,
            0.0,
            1.0,
            across=feet,
            marks=marked,
            base=0.5,
        )
        if known
        else None,
        "loss": loss_chart(
            f"Points lost move by move; the worst move cost {max(lost):.1f}.",
            game["numbers"],
            losses,
            length,
            across=feet,
            marks=marked,
        )
        if lost
        else None,
    }


def _winrate_words(winrate: Sequence[float | None]) -> str:
    known = [(value, k) for k, value in enumerate(winrate) if value is not None]
    if not known:
        return "No winrate is known."
    lowest, highest = min(known), max(known, key=lambda each: (each[0], -each[1]))
    return (
        f"Winrate from {100 * known[0][0]:.0f} % to {100 * known[-1][0]:.0f} % at the end; lowest "
        f"{100 * lowest[0]:.0f} % after move {lowest[1]}, highest {100 * highest[0]:.0f} % after "
        f"move {highest[1]}."
    )
