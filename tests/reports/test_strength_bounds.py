"""An estimate with a bound in place of an interval, as text, page and picture."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

from tests.reports.pictures import check
from tests.web.made_results import go_result
from yardstone.reports.files import document_csv
from yardstone.reports.page import document_page
from yardstone.reports.strength import RANK_AXES, estimate_chart, estimate_document, rating_words
from yardstone.reports.text import document_text
from yardstone.strength.site_scales import SITE_SCALES


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
    for name, axis in RANK_AXES.items():  # whole ranks around an interval
        value, other = (SITE_SCALES[name].value(rank) for rank in (-3.4, 2.6))
        low, high = axis.ends(value, other)
        places = [at for at, _ in axis.ticks(low, high)]
        assert low <= places[0] <= value <= other <= high
        assert (places == sorted(set(places)), len(places) >= 6) == (True, True)
    words = [rating_words(*each) for each in (("fox", 8.97), ("ogs", 1918.6), ("egf", None))]
    assert words == ["8.9", "1919", "–"]
