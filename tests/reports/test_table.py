from __future__ import annotations

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from yardstone.pool import Pool
from yardstone.ratings.bradley_terry import BradleyTerry
from yardstone.ratings.rating_list import RatingList, summarise
from yardstone.reports.document import Table
from yardstone.reports.rating_list import BOUNDS, list_document, plain_list, rating_list_document
from yardstone.reports.text import document_text, print_document


def text_list(report: RatingList, *, top: int | None = None) -> str:
    return document_text(rating_list_document(report, top=top))


def shown(report: RatingList, width: int, top: int | None = 40) -> str:
    out = io.StringIO()
    print_document(
        rating_list_document(report), Console(file=out, width=width, highlight=False), limit=top
    )
    return out.getvalue()


def test_text_is_plain_and_aligned(report: RatingList) -> None:
    text = text_list(report)
    assert "\x1b" not in text
    assert not any(line != line.rstrip() for line in text.splitlines())
    table = text.split("\n\n")[1].splitlines()[1:]
    assert table[0].split()[:4] == ["Rank", "Player", "Rating", "±"]
    apart = table.index(BOUNDS)
    assert len({cell_len(line) for line in table if line != BOUNDS}) == 1
    assert len(table) == 18
    assert [line.split()[0] for line in table[1:apart]] == [str(n) for n in range(1, apart)]
    assert all(line.split()[0] == "–" for line in table[apart + 1 :])


def test_a_small_list_to_the_letter() -> None:
    pool = Pool.from_names("ABCABC", "BCACAB", [1, 0.5, 0.5, 0.5, 0, 0.5])
    text = text_list(summarise(BradleyTerry(average=0).fit(pool), pool))
    assert text.splitlines()[:6] == [
        "6 games of 3 players",
        "",
        "Rank  Player  Rating      ±  Range  Games  Score %  Draws %",
        "   1  A        132.5  190.4    1–3      4     75.0     50.0",
        "   2  C          0.0  173.6    1–3      4     50.0    100.0",
        "   3  B       -132.5  190.4    1–3      4     25.0     50.0",
    ]


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_the_table_fits_the_terminal(report: RatingList, width: int) -> None:
    text = shown(report, width)
    assert max(cell_len(line) for line in text.splitlines()) <= width
    assert "Rating" in text


def test_many_players_do_not_flood_a_terminal(large: RatingList) -> None:
    text = shown(large, 100)
    assert len(text.splitlines()) < 70
    assert "… and 260 more players (--top 0 shows all)" in text
    assert len(shown(large, 100, top=None).splitlines()) > 300


def test_names_are_not_taken_for_markup() -> None:
    pool = Pool.from_names(["[bold]x[/bold]", "B"], ["B", "[bold]x[/bold]"], [1, 0.5])
    assert "[bold]x[/bold]" in shown(summarise(BradleyTerry().fit(pool), pool), 100)


def test_ranges_are_shown_though_the_first_group_has_none(report: RatingList) -> None:
    plain = plain_list(report)
    bounds = [{**record, "rank": None, "rank_high": None} for record in plain["ratings"][:1]]
    plain["ratings"] = [*bounds, *plain["ratings"]]
    first = {"number": 9, "players": 1, "ranked": 0, "games": 1}
    plain["components"] = [first, *plain["components"]]
    (table,) = list_document(plain).sections[0].blocks
    assert isinstance(table, Table)
    assert "Range" in [column.heading for column in table.shown]
