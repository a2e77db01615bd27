"""The strength of players of Go as a result: its value, its page, and its table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from yardstone.reports.document import (
    Alternative,
    Choices,
    Column,
    Document,
    Section,
    Slides,
    Table,
)
from yardstone.reports.words import plural
from yardstone.web.kinds.kind import Card, Plain, Query, View

if TYPE_CHECKING:
    from yardstone.strength.estimate.everyone import SideEstimate
    from yardstone.strength.estimate.site_scales import SiteScale
    from yardstone.web.settings import Settings

__all__ = [
    "GAMES_A_PAGE",
    "go_card",
    "go_glance",
    "go_records",
    "go_result",
    "go_view",
    "own_scale",
]

#: Games whose curves stand on one page.
GAMES_A_PAGE = 20
#: Ranks of Fox below the picture of an estimate.
_TICKS = ((-4.0, "5k"), (1.0, "1d"), (3.0, "3d"), (5.0, "5d"), (7.0, "7d"), (9.0, "9d"))
_COLOURS = {1: "black", 2: "white"}
#: Columns of CSV.
_OF_GAMES = (
    "file", "line", "date", "opponent", "colour", "result", "moves", "rank", "rating", "low",
    "high",
)  # fmt: skip


def own_scale(settings: Settings) -> SiteScale | None:
    """The scale of the operator's calibration."""
    if not settings.calibration:
        return None
    from yardstone.strength.estimate.calibrate import Calibration

    return Calibration.load(settings.calibration).site_scale()


def go_result(estimates: Sequence[SideEstimate], own: SiteScale | None) -> dict[str, Any]:
    """What is kept: the first estimate, its parts on the other scales, and the other sides."""
    from yardstone.strength.estimate.on_scales import parts_on_scale

    sides = []
    for each in estimates:
        estimate, colour = each.estimate, each.side.colour
        scales = [*estimate.scales.values(), *([] if own is None else [own])]
        plain = estimate.as_dict(scales)
        plain["colour"] = None if colour is None else _COLOURS[colour]
        plain["on_scales"] = {
            scale.name: parts_on_scale(estimate.on_scale(scale))
            for scale in scales
            if scale.name != estimate.scale.name
        }
        sides.append(plain)
    return {**sides[0], "others": sides[1:]}


def go_view(result: Plain, query: Query) -> View:
    """One of the estimates on one of the scales, with the curves of some games."""
    from yardstone.reports.strength.estimate import estimate_document
    from yardstone.strength.estimate.on_scales import plain_on_scale

    sides = [result, *result.get("others", ())]
    shown = _side(sides, query)
    on_scales = shown.get("on_scales", {})
    if query.scale in on_scales:
        shown = plain_on_scale(shown, on_scales[query.scale])
    place = next(k for k, each in enumerate(sides) if _same_side(each, shown))
    links = _Links(query, sides, place)
    games = len(shown["by_game"])
    parts = [range(games)[first : first + GAMES_A_PAGE] for first in range(0, games, GAMES_A_PAGE)]
    page = min(max(query.page, 1), max(len(parts), 1))

    def curves(number: int) -> str:
        part = links.to(place, page=number // GAMES_A_PAGE + 1) if len(parts) > 1 else ""
        return f"{part}#game-{number + 1}"

    document = estimate_document(
        shown,
        games=parts[page - 1],
        link=curves,
        views=links.choices(),
        scale_link=lambda name: links.to(place, scale=name) if on_scales else "",
    )
    pages = [
        (
            f"Games {part[0] + 1}–{part[-1] + 1}",
            "" if number == page else links.to(place, page=number) + "#games",
        )
        for number, part in enumerate(parts, 1)
    ]
    basis = f"Strength in Go, from {plural(shown['moves'], 'move')} in {plural(games, 'game')}"
    document = replace(document, title=shown["player"], lead=[basis])
    strength = shown["rank"] or round(shown["rating"])
    title = f"{shown['player']}: {'no rank' if shown.get('contradictory') else strength}"
    return View(
        document,
        pages if len(pages) > 1 else [],
        title,
        says_skipped=True,
        kept=_kept(shown) if shown.get("scales") else None,
    )


def go_glance(result: Plain) -> Document:
    """The strength in large letters and on the scale, and the board of the costliest move."""
    from yardstone.reports.strength.estimate import estimate_document

    document = estimate_document(result)
    answer = [block for block in document.sections[1].blocks if not isinstance(block, Choices)]
    steps = [
        block.steps[0]
        for section in document.sections
        for block in section.blocks
        if isinstance(block, Slides)
    ]
    board = [Section(f"Costliest: {steps[0].title}", steps[0].pictures[:1])] if steps else []
    return Document(result["player"], sections=[Section("", answer), *board])


def _side(sides: Sequence[Plain], query: Query) -> Plain:
    """The side that is asked for; the first one if there is none such."""
    player = sides[0]["player"] if query.player is None else query.player
    own = [each for each in sides if each["player"] == player] or [sides[0]]
    return next((each for each in own if each.get("colour") == query.colour), own[0])


def _same_side(one: Plain, other: Plain) -> bool:
    return (one["player"], one.get("colour")) == (other["player"], other.get("colour"))


class _Links:
    """Addresses of the other sides and scales; what was chosen stays."""

    def __init__(self, query: Query, sides: Sequence[Plain], place: int) -> None:
        self.query = query
        self.sides = sides
        self.place = place

    def to(self, place: int, *, page: int = 1, scale: str | None = None) -> str:
        """The address of a side, with its player only where it is not the first one."""
        side = self.sides[place]
        first = side["player"] == self.sides[0]["player"]
        return self.query.link(
            player=None if first else side["player"],
            colour=side.get("colour") if place else None,
            scale=scale or self.query.scale,
            page=page if page > 1 else None,
        )

    def choices(self) -> list[Choices]:
        """The players, and the colours of the one who is shown."""
        shown = self.sides[self.place]["player"]
        firsts: dict[str, int] = {}
        for number, each in enumerate(self.sides):
            firsts.setdefault(each["player"], number)
        own = [k for k, each in enumerate(self.sides) if each["player"] == shown]
        players = [self._choice(name, number, name == shown) for name, number in firsts.items()]
        colours = [
            self._choice(_colour_words(self.sides[number]), number, number == self.place)
            for number in own
        ]
        return [
            Choices(label, choices)
            for label, choices in (("Player", players), ("Games", colours))
            if len(choices) > 1
        ]

    def _choice(self, words: str, place: int, chosen: bool) -> Alternative:
        games = plural(self.sides[place]["games"], "game")
        return Alternative(words, [games], self.to(place), chosen)


def _colour_words(side: Plain) -> str:
    colour = side.get("colour")
    return "All" if colour is None else f"As {colour.capitalize()}"


def _kept(shown: Plain) -> dict[str, Any]:
    """What a browser may keep to compare it with later estimates: no moves, no names of others."""
    dates = [game["date"] for game in shown["by_game"] if game["date"]]
    return {
        "player": shown["player"],
        "colour": shown.get("colour"),
        "games": shown["games"],
        "moves": shown["moves"],
        "last": max(dates, default=None),
        "level": shown["level"],
        "scale": shown["scale"],
        "scales": {
            name: {field: part[field] for field in ("title", "rank", "rating", "low", "high")}
            for name, part in shown["scales"].items()
        },
    }


def go_card(result: Plain) -> Card:
    """The strength and its interval, without the player's name."""
    from yardstone.reports.strength.words import headline

    strength, sure = headline({**result, "player": "Go"})[:2]
    ends = result["low"], result["rating"], result["high"]
    if result["scale"] != "fox" or None in ends or result.get("contradictory"):
        return Card(strength, f"{sure}.")
    return Card(strength, f"{sure}.", (ends,), _TICKS)


def go_records(result: Plain) -> Table:
    """A row a game."""

    def column(name: str) -> Column:
        return Column(name, lambda game: game[name])

    def running(name: str) -> Column:
        return Column(f"running_{name}", lambda game: game["running"][name])

    columns = [*map(column, _OF_GAMES), *map(running, ("rank", "rating", "low", "high"))]
    return Table(columns, result["by_game"])
