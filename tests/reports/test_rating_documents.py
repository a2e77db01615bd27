"""Matches, forecasts, histories and comparisons: one document each, in every face."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from tests.evaluation.games import played
from yardstone.errors import UsageError
from yardstone.evaluation import evaluate, predict, rating_history
from yardstone.ratings.match import Match
from yardstone.ratings.sprt import judge_match
from yardstone.reports.document import Document
from yardstone.reports.evaluation import evaluation_document
from yardstone.reports.files import document_csv, document_json
from yardstone.reports.history import history_document
from yardstone.reports.match import forecast_document, match_document
from yardstone.reports.page import document_page
from yardstone.reports.text import document_text, print_document


@pytest.fixture(scope="module")
def documents() -> dict[str, Document]:
    pool = played(400, 12, 5, draws=0.2)
    history = rating_history(pool, players=["0.1"], report=True, improbable=0.2)
    return {
        "match": match_document(judge_match(Match.from_results(20, 5, 10))),
        "forecast": forecast_document(predict(pool, "0.1", "0.2", exact=True)),
        "history": history_document(history),
        "evaluation": evaluation_document(evaluate(pool, ["elo", "glicko2"], replicates=50)),
    }


def on_terminal(document: Document, width: int) -> str:
    out = io.StringIO()
    print_document(document, Console(file=out, width=width, highlight=False))
    return out.getvalue()


@pytest.mark.parametrize("name", ["match", "forecast", "history", "evaluation"])
def test_every_face_says_the_same(documents: dict[str, Document], name: str) -> None:
    document = documents[name]
    text, page = document_text(document), document_page(document)
    for section in document.sections:
        assert section.title in page
        if any(type(block).__name__ != "Picture" for block in section.blocks):
            assert section.title in text
    assert document_csv(document).count("\n") > 1
    assert json.loads(document_json(document))["format" if name != "match" else "games"]
    for width in (48, 160):
        lines = on_terminal(document, width).splitlines()
        assert max(map(len, lines)) <= width
        assert lines[0].strip()


def test_a_narrow_terminal_breaks_what_is_known_of_a_match(
    documents: dict[str, Document],
) -> None:
    narrow = " ".join(on_terminal(documents["match"], 60).split())
    assert "(uniform prior)" in narrow
    assert "…" not in narrow


def test_a_history_without_players_draws_and_lists_the_highest() -> None:
    document = history_document(rating_history(played(60, 5, 3), intervals=False))
    assert document.drawing is not None
    assert "the 5 highest with at least 10 games" in document.drawing().svg()
    assert document_csv(document).count("\n") == 6
    assert "no tested deviations" in document_text(document)


def test_a_comparison_without_draws_has_no_column_of_them() -> None:
    document = evaluation_document(evaluate(played(300, 8, 4), ["elo"], replicates=0))
    assert "Win/draw/loss" not in document_text(document)
    assert "three_way" in document_csv(document)


def test_a_game_is_corrected_by_its_players_and_day() -> None:
    pool = played(80, 6, 9)
    whole = rating_history(pool, intervals=False)
    game = whole.rated.pool
    names = game.players[game.first[40]], game.players[game.second[40]]
    assert game.time is not None
    day = game.time[40].astype("datetime64[D]")
    fewer = rating_history(pool, annul=[(*names, day)], intervals=False)
    assert len(fewer.rated.pool) == 79
    assert fewer.notes[0].startswith(f"Annulled: {day}")
    with pytest.raises(UsageError, match="rates all games at once"):
        rating_history(pool, system="whr", annul=[1], intervals=False)
