"""An estimate of strength as one web page, and as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from yardstone.reports.evaluation.html import Section, html_page, picture
from yardstone.reports.strength.text import (
    costly_table,
    costly_words,
    game_table,
    headline,
    indicative_table,
    phase_table,
    probability_table,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["estimate_html", "estimate_plot"]

#: Games whose curves are drawn in one picture.
_CURVES = 12
_BLUE, _PALE, _GREY, _RED = "#1f6fb4", "#c9ddef", "#6b7280", "#d9480f"

Found = Mapping[str, Any]


def estimate_html(found: Found, *, version: str) -> str:
    """The estimate as an HTML document that needs nothing but itself."""
    moved = (picture(estimate_plot(found)), "The estimate game by game, with its intervals")
    sections = [
        Section("By rank and phase", table=probability_table(found)),
        Section(table=phase_table(found)),
        Section("Game by game", table=game_table(found), left=2, pictures=[moved]),
    ]
    costly = costly_table(found) if found["costliest_moves"] else ()
    sections.append(Section("The costliest moves", [costly_words(found)], costly, left=3))
    if found["indicative_moves"]:
        about = ["Ranks that each of these moves moved the estimate by, up (+) or down (-)."]
        table = indicative_table(found)
        title = "Moves typical of a stronger or a weaker player"
        sections.append(Section(title, about, table, left=3))
    if found["by_game"]:
        curves = picture(curve_plot(found))
        sections.append(
            Section(
                "Winrate of each game",
                pictures=[(curves, "The player's winrate over the moves of each game")],
            )
        )
    sections.append(Section("Mind", found["notes"]))
    return html_page(
        f"How strong is {found['player']}?", headline(found), sections, version=version
    )


def estimate_plot(found: Found) -> Figure:
    """Draw how the estimate moved with each game, and what each game says alone."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    games = found["by_game"]
    figure = Figure(figsize=(8.5, 4.2), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    x = list(range(1, len(games) + 1))
    running = [game["running"] for game in games]
    lowest, highest = _reach([*games, *running])
    axes.fill_between(
        x,
        [lowest if part["low"] is None else part["low"] for part in running],
        [highest if part["high"] is None else part["high"] for part in running],
        color=_PALE,
        linewidth=0,
        label="all games so far, with interval",
    )
    axes.plot(
        x,
        [part["rating"] for part in running],
        color=_BLUE,
        linewidth=1.8,
        marker="o",
        markersize=3,
    )
    alone = [game["rating"] for game in games]
    reach = [
        [game["rating"] - (lowest if game["low"] is None else game["low"]) for game in games],
        [(highest if game["high"] is None else game["high"]) - game["rating"] for game in games],
    ]
    axes.errorbar(
        x, alone, yerr=reach, fmt="D", markersize=3.5, color=_GREY, elinewidth=0.7, alpha=0.7,
        label="that game alone, with interval",
    )  # fmt: skip
    axes.set_xlim(0.5, len(games) + 0.5)
    axes.set_ylim(lowest, highest)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("game, in the order of the dates", fontsize=9)
    axes.set_ylabel(f"rating ({found['scale']})", fontsize=9, parse_math=False)
    axes.grid(axis="y", color="#e5e7eb", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(fontsize=8, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)
    title = " – ".join(headline(found)[:1])
    axes.set_title(title, fontsize=10.5, loc="left", parse_math=False, fontfamily=_fonts())
    return figure


def _reach(parts: Sequence[Found]) -> tuple[float, float]:
    """Ends of an axis for all these estimates; an interval without an end goes to its edge."""
    values = [
        part[name] for part in parts for name in ("rating", "low", "high") if part[name] is not None
    ]
    room = 0.1 * (max(values) - min(values)) or 1.0
    return min(values) - room, max(values) + room


def curve_plot(found: Found) -> Figure:
    """Draw the player's winrate over the moves of each game, a panel a game."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    games = found["by_game"][:_CURVES]
    rows = -(-len(games) // 2)
    figure = Figure(figsize=(8.5, 0.5 + 1.7 * rows), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(rows, 2, squeeze=False).ravel()
    for number, (axes, game) in enumerate(zip(panels, games, strict=False), 1):
        _curve(axes, number, game)
    for axes in panels[len(games) :]:
        axes.set_visible(False)
    if len(found["by_game"]) > len(games):
        note = f"the first {len(games)} of {len(found['by_game']):,} games"
        figure.supxlabel(note, fontsize=7.5, color=_GREY, x=0.01, ha="left")
    return figure


def _curve(axes: Axes, number: int, game: Found) -> None:
    share = [100.0 * value for value in game["winrate"]]
    axes.axhline(50.0, color=_GREY, linewidth=0.8, linestyle="--")
    axes.plot(share, color=_BLUE, linewidth=1.3)
    axes.set_ylim(0.0, 100.0)
    axes.set_xlim(0, max(len(share) - 1, 1))
    axes.tick_params(labelsize=7)
    axes.spines[["top", "right"]].set_visible(False)
    name = game["opponent"] or "–"
    name = name if len(name) <= 24 else name[:23] + "…"
    title = f"{number}: {game['colour']} against {name}, {game['result'] or 'no result'}"
    axes.set_title(title, fontsize=8, loc="left", parse_math=False, fontfamily=_fonts())


def _fonts() -> list[str]:
    from yardstone.reports.plot import font_families

    return font_families()
