"""Matches in words, and the pages of a tournament for walls and phones."""

from __future__ import annotations

import io
import re
from dataclasses import replace

from rich.console import Console

from yardstone.examples import example
from yardstone.pool import Pool
from yardstone.ratings.match import Match
from yardstone.ratings.sprt import judge_games, judge_match
from yardstone.reports.match import match_document, plain_match
from yardstone.reports.page import document_page
from yardstone.reports.standings import publication, publication_page
from yardstone.reports.text import document_text, print_document
from yardstone.tournament import Player, Tournament, read_tournament
from yardstone.tournament.event.rounds import pair_event
from yardstone.tournament.formats.trf import read_trf, write_trf


def text(match: Match) -> str:
    return document_text(match_document(judge_match(match)))


def test_a_match_to_the_letter() -> None:
    assert text(Match.from_results(859, 1329, 772)).splitlines() == [
        "Games                      2960 (+859 =1329 -772)",
        "Score                      51.47 %, 44.9 % of games drawn",
        "Elo difference             +10.2  [+0.9, +19.5] at 95 %",
        "Normalized Elo             +13.8  [+1.2, +26.3] at 95 %",
        "Likelihood of superiority  98.44 % (uniform prior)",
        "For ± 5 Elo                about 7,270 more games",
        "Sequential test            H0: 0, H1: 5 Elo, alpha 0.05, beta 0.05",
        "  Log likelihood ratio     1.72 within (-2.94, 2.94)",
        "  State                    not decided yet",
        "  Forecast                 about 3,590 more games; H1 accepted with over 95 % probability",
    ]


def test_extremes_and_ends_have_words() -> None:
    rows: list[tuple[tuple[int, ...], str]] = [
        ((0, 0, 10), "+∞  [+166.2, +∞]"),
        ((10, 0, 0), "−∞  [−∞, -166.2]"),
        ((0, 0, 0), "unknown: no games"),
        ((0, 10, 0), "+0.0  [-99.0, +99.0]"),
        ((1, 2, 3, 4, 5), "15 (LL 1, LD 2, LW+DD 3, DW 4, WW 5)"),
        ((1700, 4000, 2000), "finished: H1 accepted (5 rather than 0 Elo)"),
        ((1700, 4000, 2000), "Log likelihood ratio     7.33 above (-2.94, 2.94)"),
        ((2000, 4000, 1700), "finished: H0 accepted (0 rather than 5 Elo)"),
        ((2000, 4000, 1700), "Log likelihood ratio     -10.64 below (-2.94, 2.94)"),
        ((20000, 40000, 17000), "reached"),
    ]
    for counts, said in rows:
        assert (said in text(Match(counts)), "nan" in text(Match(counts))) == (True, False), said


def test_paired_games_are_told_on_any_terminal() -> None:
    judgement = judge_games(Pool.from_names("ABABA", "BABAB", [1, 0.5, 0.5, 0.5, 1]), "A", "B")
    document = match_document(judgement)
    assert re.search(r"(?s)A against B.*\b1 game, left out", document_text(document))
    result = plain_match(judgement)
    assert (result["unpaired"], list(result["games_between"].values())) == (1, [2, 3, 0])
    for width in (48, 160):
        out = io.StringIO()
        print_document(document, Console(file=out, width=width, highlight=False))
        said = out.getvalue()
        assert max(map(len, said.splitlines())) <= width
        assert ("(uniform prior)" in " ".join(said.split()), "…" in said) == (True, False)


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
