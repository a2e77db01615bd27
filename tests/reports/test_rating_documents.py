"""Matches, forecasts, histories and comparisons: one document each, in every face."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from tests.evaluation.games import played
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
    pool = played(150, 12, 5, draws=0.2)
    history = rating_history(pool, players=["0.1"], report=True, improbable=0.2)
    return {
        "games": match_document(judge_match(Match.from_results(20, 5, 10))),
        "forecast": forecast_document(predict(pool, "0.1", "0.2", exact=True)),
        "history": history_document(history),
        "evaluation": evaluation_document(evaluate(pool, ["elo"], replicates=20)),
    }


@pytest.mark.parametrize("name", ["games", "forecast", "history", "evaluation"])
def test_every_face_says_the_same(documents: dict[str, Document], name: str) -> None:
    document = documents[name]
    text, page = document_text(document), document_page(document)
    for section in document.sections:
        assert section.title in page
        if any(type(block).__name__ != "Picture" for block in section.blocks):
            assert section.title in text
    assert document_csv(document).count("\n") > 1
    assert json.loads(document_json(document))["games" if name == "games" else "format"]
    for width in (48, 160):
        out = io.StringIO()
        print_document(document, Console(file=out, width=width, highlight=False))
        lines = out.getvalue().splitlines()
        assert max(map(len, lines)) <= width
        assert "…" not in out.getvalue() or name != "games"
