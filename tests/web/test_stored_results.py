"""Results that another version of Yardstone has stored: upgraded, or a page in plain words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.web.made_results import go_result, store_result
from tests.web.reading import Element, check_page
from tests.web.serving import Server, serving
from yardstone.web.kinds import KINDS
from yardstone.web.kinds.kind import Kind, Plain
from yardstone.web.pages.job_pages import SAMPLES, sample_result

HTML = {"Accept": "text/html"}


@pytest.fixture(name="server", scope="module")
def _server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("stored"), {"queue_client": 400}) as server:
        yield server


def old_list() -> dict[str, Any]:
    """A rating list of before its ranks had bounds, and before results had a version."""
    result: dict[str, Any] = json.loads(json.dumps(sample_result("results")))
    del result["format"]
    for row in result["ratings"]:
        del row["rank_low"], row["rank_high"]
    return result


def page_of(server: Server, job: str) -> Element:
    answer = server.get(f"/r/{job}", headers=HTML)
    assert answer.status_code == 200
    return check_page(answer.text)


def fields_of(page: Element) -> list[tuple[str | None, str | None]]:
    return [(e.attributes.get("name"), e.attributes.get("value")) for e in page.all("input")]


def assert_refused(server: Server, job: str) -> None:
    page = page_of(server, job)
    assert "another version of Yardstone" in page.text
    assert "Run it again with its settings" in page.text
    sent = dict(fields_of(page))
    assert sent["kind"] == server.get(f"/api/jobs/{job}").json()["kind"]
    assert server.get(f"/api/jobs/{job}/result.csv").status_code == 409
    assert server.get(f"/r/{job}/card.png").status_code in (200, 404, 409)


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_the_samples_have_the_format_of_today(kind: Kind) -> None:
    assert kind.name in SAMPLES
    assert sample_result(kind.name)["format"] == kind.format


def test_an_old_list_that_nothing_upgrades_is_no_error(server: Server) -> None:
    job = store_result(server.worker.store, "results", old_list(), options={"level": 0.8})
    assert_refused(server, job)
    assert ("level", "0.8") in fields_of(page_of(server, job))
    assert server.get(f"/api/jobs/{job}/result.json").json()["format"] == 1


def test_an_old_list_is_upgraded(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    def with_bounds(stored: Plain) -> Plain:
        bounds = dict.fromkeys(("rank_low", "rank_high"))
        return {**stored, "ratings": [bounds | row for row in stored["ratings"]]}

    job = store_result(server.worker.store, "results", old_list())
    later = replace(KINDS["results"], upgrades=(with_bounds,))
    monkeypatch.setitem(KINDS, "results", later)
    assert "LCZero v19.1-11248" in page_of(server, job).text
    assert "rank_low" in server.get(f"/api/jobs/{job}/result.csv").text
    shown = server.get(f"/api/jobs/{job}").json()["result"]
    assert shown["format"] == 2
    assert shown["ratings"][0]["rank_low"] is None


@pytest.mark.parametrize("number", [0, 99, "x", None])
def test_a_result_of_a_later_version_says_so(server: Server, number: object) -> None:
    later = {**sample_result("backgammon"), "format": number}
    job = store_result(server.worker.store, "backgammon", later)
    assert_refused(server, job)
    state = server.get(f"/api/jobs/{job}").json()
    assert (state["status"], state["result"]) == ("done", None)
    assert state["error"]["code"] == "other_format"
    assert server.get(f"/api/jobs/{job}/result.json").status_code == 409


def test_an_upgrade_that_fails_says_so(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(stored: Plain) -> Plain:
        return {"rank": stored["nothing of the kind"]}

    later = replace(KINDS["results"], upgrades=(failing,))
    monkeypatch.setitem(KINDS, "results", later)
    assert_refused(server, store_result(server.worker.store, "results", old_list()))


def test_a_strength_of_before_other_scales(server: Server) -> None:
    old = {**go_result(2), "format": 2}
    del old["basis"]
    job = store_result(server.worker.store, "go", old)
    assert "Park Junghwan" in page_of(server, job).text
    shown = server.get(f"/api/jobs/{job}").json()["result"]
    assert (shown["format"], shown["basis"]) == (KINDS["go"].format, "fox")
