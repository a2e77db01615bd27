"""The pages of a tournament for walls and phones."""

from __future__ import annotations

import re
from dataclasses import replace

from yardstone.examples import example
from yardstone.reports.page import document_page
from yardstone.reports.standings import publication, publication_page
from yardstone.reports.text import document_text
from yardstone.tournament import Player, Tournament, read_tournament
from yardstone.tournament.event.rounds import pair_event
from yardstone.tournament.formats.trf import read_trf, write_trf


def test_pages_lead_to_each_other_before_within_and_after_the_rounds() -> None:
    tournament = read_tournament(example("open.xml"))
    pages = publication(tournament)
    assert list(pages) == ["index.html", "standings.html", "results.html", "players.html"]
    for name, document in pages.items():
        html = document_page(document)
        assert set(re.findall(r'<a href="([^"]+)"', html)) == set(pages) - {name}
        assert "Round 5 of 5: 6 results to come." in html
    assert "Adler Ruth 6d" in document_text(pages["index.html"])
    assert "Results of round 4" in document_text(pages["results.html"])
    text = document_text(publication_page(replace(tournament.before(5), rounds=4)))
    assert all(words in text for words in ("All rounds are over.", "0-1 F"))
    players = (Player(name="<b>A", first_name="B", rank=0), Player(name="C", rank=0))
    document = publication_page(Tournament(rounds=1, players=players, discipline="go"))
    html = document_page(document)
    assert "2 players entered; round 1 is not paired yet." in html
    assert "<b>A" not in html
    assert [section.title for section in document.sections] == ["Players"]


def test_a_report_file_sends_each_player_to_a_table() -> None:
    """Such files have no table numbers, and all were sent to table 0."""
    tournament = read_tournament(example("swiss.trf"))
    paired = read_trf(write_trf(pair_event(tournament).tournament))
    for each, page in ((tournament, "results.html"), (paired, "index.html")):
        text = document_text(publication(each)[page])
        lines = [" ".join(line.split()) for line in text.splitlines()]
        for table, game in enumerate(each.round_games(each.last_round), 1):
            name = each.players[game.first].full_name
            assert any(line.startswith(f"{table} {name}") for line in lines)
