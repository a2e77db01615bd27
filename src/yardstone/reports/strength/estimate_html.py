"""An estimate of strength as one web page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from yardstone.reports.charts.strength import estimate_chart, winrate_chart
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

__all__ = ["estimate_html"]

Found = Mapping[str, Any]


def estimate_html(found: Found, *, version: str) -> str:
    """The estimate as an HTML document that needs nothing but itself."""
    moved = (picture(estimate_chart(found)), "The estimate game by game, with its intervals")
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
        curves = picture(winrate_chart(found))
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
