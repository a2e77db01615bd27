"""Matches, estimates of strength and tournaments, in words, pages and pictures."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from typing import Any

from rich.console import Console

from tests.reports.pictures import check
from tests.web.made_results import go_result
from yardstone.examples import example
from yardstone.pool import Pool
from yardstone.ratings.match import Match
from yardstone.ratings.sprt import judge_games, judge_match
from yardstone.reports.files import document_csv
from yardstone.reports.match import match_document, plain_match
from yardstone.reports.page import document_page
from yardstone.reports.standings import publication, publication_page
from yardstone.reports.strength import RANK_AXES, estimate_chart, estimate_document, rating_words
from yardstone.reports.text import document_text, print_document
from yardstone.strength.site_scales import SITE_SCALES
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


def test_extremes_ends_and_pairs_have_words_on_any_terminal() -> None:
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


def faces(result: dict[str, Any]) -> tuple[str, str]:
    """The text, and what stands on the page."""
    document = estimate_document(result)
    return document_text(document), re.sub(r"<[^>]*>", " ", document_page(document))


def bounded(*missing: str) -> dict[str, Any]:
    """An estimate without these ends: the whole, each phase and each game."""
    result: dict[str, Any] = json.loads(json.dumps(go_result(3)))
    games = result["by_game"]
    for end in missing:
        for part in [result, *result["phases"], *games, *(game["running"] for game in games)]:
            part[end] = None
        result[f"{end}_rank"] = None
    return result


def test_a_bound_is_told_everywhere() -> None:
    for missing, head, word, known in (
        ("low", "90 % bound below 4.5: 4d or weaker; from", "below", "high"),
        ("high", "90 % bound above 2.1: 2d or stronger; from", "above", "low"),
    ):
        result = bounded(missing)
        parts = [*result["phases"], *result["by_game"], *(g["running"] for g in result["by_game"])]
        for shown in faces(result):
            assert head in shown
            assert ("None" in shown, " interval " in shown.splitlines()[1]) == (False, False)
            for part in parts:
                assert f"{word} {int(10 * part[known]) / 10:.1f}" in shown
        first = next(csv.DictReader(io.StringIO(document_csv(estimate_document(result)))))
        assert (first[missing], float(first[known])) == ("", result[known])
        check(estimate_chart(result))  # a picture has no end where the interval has none
    check(estimate_chart(bounded("low", "high")))
    text, page = faces(bounded("low", "high"))
    assert "No interval of 90 % can be given; from" in text
    assert "No interval of 90 % can be given; from" in page
    assert [line.split()[-1] for line in text.splitlines()[7:10]] == ["none"] * 3


def test_on_another_scale_only_the_bound_is_told() -> None:
    result = bounded()
    ends = {"rating": 900.0, "low": 700.0, "high": None, "low_rank": "9k", "high_rank": None}
    other = {"title": "OGS", "rank": "3k", **ends, "deviation": 1.7, "basis": "ogs"}
    own = {name: result[name] for name in (*ends, "rank")} | {"title": "Fox", "deviation": 0.0}
    result["scales"] = {"fox": own, "ogs": other}
    for shown in faces(result):
        assert "OGS 9k or stronger" in " ".join(shown.split())
        assert "3k" not in shown.replace("3k-", "")
    other |= {"high": 1200.0, "high_rank": "1d"}
    assert "OGS 3k (900)" in " ".join(faces(result)[1].split())


def test_axes_by_their_definitions() -> None:
    # 23.15 ln(1918.5 / 525) = 30: the first dan of OGS.
    values = {"fox": (-3.5, 0.2, 1, 9.7), "ogs": (1919, 1918), "egf": (2100, 2149, 2151)}
    last = [[RANK_AXES[name].ticks(-1e4, at)[-1][1] for at in values[name]] for name in values]
    assert last == [["5k", "1k", "1d", "9d"], ["1d", "1k"], ["1d", "1d", "2d"]]
    # From 4 kyu to 2 dan of its basis an axis shows one rank more on either side.
    for name, ends in (("fox", ("6k", "4d")), ("ogs", ("6k", "4d")), ("egf", ("10k", "1k"))):
        axis, value = RANK_AXES[name], SITE_SCALES[name].value
        ticks = axis.ticks(*axis.ends(value(-3.4), value(2.6)))
        assert (ticks[0][1], ticks[-1][1], len(ticks)) == (*ends, 10)
    words = [rating_words(*each) for each in (("fox", 8.97), ("ogs", 1918.6), ("egf", None))]
    assert words == ["8.9", "1919", "–"]
