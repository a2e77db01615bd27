"""The pages of a tournament for walls and phones."""

from __future__ import annotations

import re
from dataclasses import replace

from tests.browser import chromium
from yardstone.examples import example
from yardstone.reports.page import document_page
from yardstone.reports.standings import publication, publication_page
from yardstone.reports.text import document_text
from yardstone.tournament import Player, Tournament, read_tournament
from yardstone.tournament.event.rounds import pair_event
from yardstone.tournament.formats.trf import read_trf, write_trf


def test_pages_lead_to_each_other() -> None:
    pages = publication(read_tournament(example("open.xml")))
    assert list(pages) == ["index.html", "standings.html", "results.html", "players.html"]
    for name, document in pages.items():
        html = document_page(document)
        links = set(re.findall(r'<a href="([^"]+)"', html))
        assert links == set(pages) - {name}
        assert "Round 5 of 5: 6 results to come." in html
    assert "Adler Ruth 6d" in document_text(pages["index.html"])
    assert "Results of round 4" in document_text(pages["results.html"])


def test_before_the_first_round() -> None:
    players = (Player(name="<b>A", first_name="B", rank=0), Player(name="C", rank=0))
    document = publication_page(Tournament(rounds=1, players=players, discipline="go"))
    html = document_page(document)
    assert "2 players entered; round 1 is not paired yet." in html
    assert "<b>A" not in html
    assert [section.title for section in document.sections] == ["Players"]


def test_the_page_fits_a_phone() -> None:
    html = document_page(publication_page(read_tournament(example("open.xml"))))
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 390, "height": 800})
        page.set_content(html)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.get_by_label("Find a player").first.fill("moreau")
        rows = page.locator("#names tbody tr:visible")
        assert rows.count() == 1
        assert "Kovacs" in rows.inner_text()


def test_a_game_that_is_over() -> None:
    tournament = read_tournament(example("open.xml")).before(5)
    text = document_text(publication_page(replace(tournament, rounds=4)))
    assert "All rounds are over." in text
    assert "0-1 F" in text


def test_a_report_file_sends_each_player_to_a_table() -> None:
    """Such files have no table numbers, and all were sent to table 0."""
    tournament = read_tournament(example("swiss.trf"))
    paired = read_trf(write_trf(pair_event(tournament).tournament))
    for each, page in ((tournament, "results.html"), (paired, "index.html")):
        lines = [
            " ".join(line.split()) for line in document_text(publication(each)[page]).splitlines()
        ]
        for table, game in enumerate(each.round_games(each.last_round), 1):
            name = each.players[game.first].full_name
            assert any(line.startswith(f"{table} {name}") for line in lines)
