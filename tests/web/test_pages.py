"""What the pages say, asked for as browsers without scripts do."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.web.made_results import SCRIPT, backgammon_result, go_result, results_csv
from tests.web.reading import Element, check_page
from tests.web.serving import small_results
from tests.web.sites import HTML, JSON, Site, site
from yardstone.errors import InputError, UsageError
from yardstone.web.kinds import KINDS, results
from yardstone.web.kinds.kind import Plain
from yardstone.web.pages.job_pages import SAMPLES, sample_result, start_samples
from yardstone.web.pages.render import days_words, moment_words, progress, size_words
from yardstone.web.settings import footer_html, load_settings

CSV = [("a.csv", small_results())]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with site(tmp_path_factory.mktemp("pages")) as made:
        yield made


def rows(table: Element) -> list[list[str]]:
    return [
        [cell.text for cell in row.children]
        for body in table.all("tbody")
        for row in body.children
        if row.attributes.get("class") != "apart"
    ]


def heading(page: Element) -> str:
    return page.one("h1").text


def links_of(page: Element, label: str) -> tuple[str, dict[str, str]]:
    """What is chosen among the views of a page, and the addresses of the others."""
    nav = page.one("nav", **{"aria-label": label})
    (current,) = [each for each in nav.all("span") if "aria-current" in each.attributes]
    others = {each.one("b").text: each.attributes["href"] for each in nav.all("a")}
    return current.one("b").text, others


def metas(page: Element) -> dict[str, str]:
    named = [each.attributes for each in page.one("head").all("meta")]
    return {a.get("property", a.get("name", "")): a.get("content", "") for a in named}


def test_words_for_sizes_and_days() -> None:
    sizes = {1: "1 byte", 1023: "1,023 bytes", 1024: "1 kB", (1 << 20) - 1: "1023 kB",
             1 << 20: "1 MB", 3 << 19: "1.5 MB"}  # fmt: skip
    assert {number: size_words(number) for number in sizes} == sizes
    days = {30.0: "30 days", 1.0: "1 day", 0.99: "24 hours", 0.001: "1 hour"}
    assert {number: days_words(number) for number in days} == days
    assert moment_words(None) == "an unknown day"


def test_progress_in_words() -> None:
    for status, stage, done, total, ahead, share, words in (
        ("queued", "waiting", 0, 0, 2, None, "Waiting: 2 jobs before yours."),
        ("queued", "waiting", 0, 0, 0, None, "You are next."),
        ("running", "reading", 1, 3, None, 0.3333, "Reading the files: 33 %."),
        ("running", "analysing", 1300, 1200, None, 1.0, "Analysing: 1,200 of 1,200 matches."),
        ("running", "packing", 0, 0, None, None, "Packing …"),
        ("needs_player", "waiting", 0, 0, None, None, "Waiting …"),
    ):
        fraction = min(done / total, 1.0) if total else 0.0
        state = {"stage": stage, "done": done, "total": total, "fraction": fraction}
        told = progress({"status": status, "kind": "backgammon", "ahead": ahead, "progress": state})
        stage = "queued" if status == "queued" else stage
        going = status != "needs_player"
        assert told == {"going": going, "share": share, "words": words, "stage": stage}


def test_the_form_works_without_scripts_and_with_them(pages: Site) -> None:
    form, limits = pages.page("/").one("form", class_="upload"), pages.ask("/api/limits").json()
    told = {name: str(limits[name.replace("-", "_")])
            for name in ("file-bytes", "request-bytes", "files")}  # fmt: skip
    assert {name: form.attributes[f"data-{name}"] for name in told} == told
    asked = form.all("select") + form.all("input", type="text")
    empty = [(name, "") for name in {each.attributes["name"] for each in asked}]
    sent = pages.send(CSV, form.attributes["action"], empty, HTML)
    place = sent.headers["Location"]
    assert (sent.status, f"Path={place};" in sent.headers["Set-Cookie"]) == (303, True)
    (again,) = pages.page(place).one("head").one("noscript").children
    assert again.attributes == {"http-equiv": "refresh", "content": "3"}
    state = {"going": True, "share": None, "words": "You are next.", "stage": "queued"}
    assert pages.ask(place + "/state").json() == state
    assert pages.worker.work()
    assert pages.ask(place + "/state").json()["going"] is False
    cross = pages.page(place).one("section", id="cross").one("table")
    assert rows(cross) == [["1 Ann", "", "2–1–1"], ["2 Bob", "1–1–2", ""]]
    # What is refused comes back with the reason.
    program = [("a.bin", b"\x7fELF" + bytes(50))]
    refused = pages.send(program, "/send", headers=JSON)
    assert (refused.status, refused.json()["error"]["file"]) == (415, "a.bin")
    answer = pages.send(program, "/send", headers=HTML)
    alert = check_page(answer.body.decode()).one("div", class_="trouble")
    assert (answer.status, alert.attributes["role"]) == (415, "alert")
    assert alert.text.startswith("a.bin: This is a program.")
    assert b"Scale: not for results." in pages.send(CSV, "/send", [("scale", "ogs")], HTML).body


def test_a_reader_sees_no_buttons_of_the_owner(pages: Site) -> None:
    asks = pages.stored("go", status="needs_player", players=[{"name": "Ann", "games": 2}])
    fails = pages.stored("go", status="failed", keep_seconds=600.0)
    done = pages.stored("go", go_result(1))
    for owned in (True, False):
        for path, act in ((asks, "player"), (fails, "retry"), (done, "delete")):
            page = pages.page(path, owned=owned)
            assert len(page.all("form", action=f"{path}/{act}")) == owned
        assert len(page.all("input", id="owner-link")) == owned
    refused = pages.ask(done + "/delete", "POST", owned=False, headers=HTML)
    assert heading(check_page(refused.body.decode())) == "That is for the owner alone"


def test_a_failure_says_what_to_do(pages: Site) -> None:
    error = {"message": "no game can be used", "hint": "send even games", "file": "a.sgf"}
    failed: dict[str, Any] = {"status": "failed", "error": {"code": "input", "line": 3, **error}}
    skipped = [{"file": SCRIPT, "line": 7, "reason": "a board of 9x9"}] * 60
    path = pages.stored("go", **failed, skipped=skipped, skipped_total=120)
    page = pages.page(path)
    lines = [line.text for line in page.one("div", class_="bad").all("p")]
    assert lines == ["a.sgf, line 3: no game can be used.", "Send even games."]
    assert page.all("form", action=path + "/retry") == []
    assert [each.text for each in page.all("li")].count(f"{SCRIPT}, line 7: a board of 9x9") == 50
    again = pages.stored("go", **failed, keep_seconds=600.0)
    for act, shown in (("retry", "Measuring the moves"), ("cancel", "Stopped")):
        assert pages.post(f"{again}/{act}").headers["Location"] == again
        assert heading(pages.page(again)) == shown


def test_a_result_of_go(pages: Site) -> None:
    result = go_result(42)
    path = pages.stored("go", result)
    page = pages.page(path)
    assert "90 % interval 2.1 to 4.5: 2d to 4d" in page.one("p", class_="answer").text
    assert page.all("section", class_="past") == []  # nothing of it can be compared
    exports = [each.attributes["href"] for each in page.one("section", class_="keep").all("a")]
    assert pages.ask(exports[0]).json() == result
    assert pages.ask(exports[1]).headers["Content-Type"].startswith("text/csv")
    parts = [each.text for each in page.all("nav")[1].children]
    assert parts == ["Games 1–20", "Games 21–40", "Games 41–42"]
    for query, first, last in (("", 1, 20), ("?page=99", 41, 42)):
        ids = [each.attributes.get("id", "") for each in pages.page(path + query).all("details")]
        games = [f"game-{number}" for number in range(first, last + 1)]
        assert [name for name in ids if name.startswith("game-")] == games
    pages.page(path + "?page=0", 422)
    assert page.one("input", id="address").attributes["value"] == f"http://127.0.0.1{path}"
    assert metas(page)["robots"] == "noindex, nofollow, noarchive"
    gone = pages.post(path + "/delete").headers["Set-Cookie"]
    assert (gone[:27], f"Path={path};" in gone) == ('yardstone_owner=""; expires', True)
    assert heading(pages.page(path, 404)) == "Not found"


def test_the_scale_and_the_side_are_switched_by_links(pages: Site) -> None:
    first = sample_result("go")
    colours = [{**first, "colour": "black", "games": 4}, {**first, "colour": "white", "games": 9}]
    hostile = {**first["others"][0], "player": SCRIPT}
    path = pages.stored("go", {**first, "games": 13, "others": [*colours, hostile]})
    page = pages.page(path)
    scale, scales = links_of(page, "Scale")
    titles = [part["title"] for part in first["scales"].values()]
    assert (scale, [scale, *scales], links_of(page, "Games")[0]) == ("Fox", titles, "All")
    ogs, rating = pages.page(scales["OGS"]), first["on_scales"]["ogs"]["rating"]
    assert f"OGS rating {rating:.0f}" in ogs.one("p", class_="answer").text
    white = pages.page(links_of(ogs, "Games")[1]["As White"])
    assert [links_of(white, label)[0] for label in ("Games", "Scale")] == ["As White", "OGS"]
    assert "in 9 games" in white.one("p", class_="answer").text
    # What a browser may remember names nobody else; without scripts there is nothing to.
    past = white.one("section", class_="past")
    kept = json.loads(past.attributes["data-result"])
    assert ("hidden" in past.attributes, kept["scale"]) == (True, "ogs")
    assert kept["scales"].keys() == first["scales"].keys()
    assert "Jin Siyoung" not in json.dumps(kept)
    other = pages.page(links_of(white, "Player")[1][SCRIPT])
    assert (heading(other), links_of(other, "Scale")[0]) == (SCRIPT, "OGS")
    assert heading(pages.page(path + "?scale=feet&player=nobody")) == "Park Junghwan"
    unclear, club = {**first, "contradictory": True}, {"title": "Club", "scale": "Club"}
    for name in ("scales", "on_scales"):
        unclear[name] = {**first[name], "Club": {**first[name]["egf"], **club}}
    page = pages.page(pages.stored("go", unclear) + "?scale=Club")
    assert "No rank" in page.one("p", class_="answer").text


def test_lists_of_ratings_and_of_matches(pages: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "_PLAYERS_A_PAGE", 5)
    job = pages.done([("results.csv", results_csv(14, 400))])
    ratings, path = job["result"]["ratings"], f"/r/{job['id']}"

    def names(page: Element) -> list[str]:
        return [row[1] for table in page.all("table", class_="searched") for row in rows(table)]

    page, top, players = pages.page(path), ratings[0], [each["player"] for each in ratings]
    links = {each.text: each.attributes["href"].split("#")[0] for each in page.all("a")}
    assert names(page) == players[:5]
    assert names(pages.page(links[f"Show all {len(players)} players"])) == players
    one = pages.page(links[top["player"]])
    against = rows(one.one("section", id="against").one("table"))
    scores = [[int(number) for number in row[3].split("–")] for row in against]
    sums = [sum(each) for each in zip(*scores, strict=True)]
    assert sums == [top["wins"], top["draws"], top["losses"]]
    assert one.all("tr", class_="chosen")
    assert pages.page(f"{path}?player=Nobody").all("tr", class_="chosen") == []


def test_the_start_page_shows_real_results(pages: Site, tmp_path: Path) -> None:
    page = pages.page("/")
    style = page.one("link", rel="stylesheet").attributes["href"]
    kept = [pages.ask(path).headers["Cache-Control"] for path in (style, style[:-1] + "x")]
    assert kept == ["public, max-age=31536000, immutable", "no-cache"]
    text = page.one("main").text
    assert text.index("Park Junghwan") < text.index("Drop files") < text.index("16 MB")
    assert [each["kind"].name for each in start_samples()] == list(SAMPLES) == list(KINDS)
    for kind in SAMPLES:
        assert pages.page(f"/example/{kind}").all("section", class_="keep") == []
        assert sample_result(kind)["format"] == KINDS[kind].format
    pages.page("/example/chess", 404)
    with site(tmp_path, keep_days=1e-7) as other:
        (address,) = other.store.add("go", "tests", "old", [], [{}])
        assert heading(other.page(f"/r/{address}", 410)) == "This result has expired"


def test_below_a_path_of_a_proxy(tmp_path: Path) -> None:
    with site(tmp_path, root_path="/strength", public_url="https://example.org") as made:
        page = made.page("/strength/")
        for each in page.all("a") + page.all("form") + page.all("link") + page.all("script"):
            targets = [each.attributes.get(name) for name in ("href", "action", "src")]
            assert next(filter(None, targets)).startswith(("/strength/", "#"))
        path = "/strength" + made.stored("go", go_result(21))
        result = made.page(path)
        assert result.one("input", id="address").attributes["value"] == "https://example.org" + path
        links = {each.attributes["href"].partition("#")[0] for each in result.all("a")} - {""}
        assert len(links) == 5  # the form, two pages of games, and two exports
        assert {made.ask(link, headers=HTML).status for link in links} == {200}
        job = made.send(CSV)
        url = f"https://example.org/strength/api/jobs/{job.json()['id']}"
        assert job.json()["url"] == job.headers["Location"] == url


def test_title_and_footer_stand_on_every_page(tmp_path: Path) -> None:
    footer = "Run by **Ann & Bob**. [Imprint](https://example.org/imprint)\n\n[Privacy](/privacy)"
    with site(tmp_path, title="Strength <of> Go", footer=footer) as made:
        for path in ("/", made.stored("go", go_result(1)), "/no"):
            # A footer alone may lead to other sites.
            text = made.ask(path, headers=HTML).body.decode().replace("https://example.org", "")
            page = check_page(text)
            assert page.one("head").one("title").text.endswith(" · Strength <of> Go")
            below = page.one("footer")
            assert "Run by Ann & Bob. Imprint" in [each.text for each in below.all("p")]
            links = [each.attributes["href"] for each in below.all("a")]
            assert links == ["/imprint", "/privacy"]
    strange = ["javascript:alert", "data:text/html,x", "//x.org", "ftp://x", 'https://x.org/"on="y']
    for target in strange:
        with pytest.raises(UsageError, match="footer: a link to"):
            footer_html(f"[a]({target})")
    tag = '<p>&lt;i x=&#34;y&#34;&gt; <a href="https://x.org/?a&amp;b">a</a></p>'
    for text, html in (('<i x="y"> [a](https://x.org/?a&b)', tag),
                       ("a * b [c] (d)", "<p>a * b [c] (d)</p>"), ("  \n\n ", "")):  # fmt: skip
        assert str(footer_html(text)) == html
    file = tmp_path / "imprint.md"
    options = {"footer": str(file)}
    with pytest.raises(InputError, match="cannot be read"):
        load_settings(options=options, environment={})
    file.write_text("x" * 10_000)
    assert load_settings(options=options, environment={}).footer == "x" * 10_000
    file.write_text("x" * 10_001)
    with pytest.raises(UsageError, match="at most 10,000"):
        load_settings(options=options, environment={})


def test_a_link_has_a_card_without_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = "https://example.org"
    with site(tmp_path, public_url=base) as made:
        go = made.stored("go", go_result(2))
        told = metas(made.page(go))
        assert told["og:description"].startswith("90 % interval 2.1 to 4.5: 2d to 4d; from ")
        assert told["og:url"] == f"{base}{go}"
        job = made.send([("r.csv", results_csv())]).json()["page"].removeprefix(base)
        assert "og:title" not in metas(made.page(job)), "there is no result yet"
        assert made.ask(job + "/card.png").status == 404
        made.worker.work()
        for path in (go, made.stored("backgammon", backgammon_result()), job, "/"):
            other = metas(made.page(path))
            assert other["og:title"]
            assert not re.search("Park|Anna|Engine", " ".join(other.values()))
        if find_spec("matplotlib") is not None:
            assert told["og:image"] == f"{base}{go}/card.png"
            assert told["twitter:card"] == "summary_large_image"
            answer = made.ask(go + "/card.png")
            assert struct.unpack(">II", answer.body[16:24]) == (1200, 630)
        monkeypatch.setattr("yardstone.web.pages.job_pages.can_draw", lambda: False)
        told = metas(made.page(go))
        assert (told["twitter:card"], "og:image" in told) == ("summary", False)
        assert made.ask(go + "/card.png").status == 404


def assert_unreadable(pages: Site, path: str) -> None:
    page, job = pages.page(path), pages.job(path.removeprefix("/r/"))
    assert "another version of Yardstone" in page.text
    sent = {e.attributes.get("name"): e.attributes.get("value") for e in page.all("input")}
    assert {**job["options"], "kind": job["kind"]}.items() <= sent.items(), "to send them again"
    assert pages.ask(f"/api/jobs/{job['id']}/result.csv").code == (409, "other_format")


def test_results_of_other_versions(pages: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in (0, 99, "x", None):
        other = {**sample_result("backgammon"), "format": number}
        path = pages.stored("backgammon", other)
        assert_unreadable(pages, path)
        job = pages.job(path.removeprefix("/r/"))
        assert (job["status"], job["result"]) == ("done", None)
        assert job["error"]["code"] == "other_format"
    # Of before ranks had bounds, and before results had a version.
    old: dict[str, Any] = json.loads(json.dumps(sample_result("results")))
    del old["format"]
    for row in old["ratings"]:
        del row["rank_low"], row["rank_high"]
    path = pages.stored("results", old, options={"level": "0.8"})

    def with_bounds(stored: Plain) -> Plain:
        bounds = dict.fromkeys(("rank_low", "rank_high"))
        return {**stored, "ratings": [bounds | row for row in stored["ratings"]]}

    def failing(stored: Plain) -> Plain:
        return {"rank": stored["nothing of the kind"]}

    for upgrade in (failing, with_bounds):
        assert_unreadable(pages, path)
        monkeypatch.setitem(KINDS, "results", replace(KINDS["results"], upgrades=(upgrade,)))
    assert "LCZero v19.1-11248" in pages.page(path).text
    result = pages.job(path.removeprefix("/r/"))["result"]
    assert (result["format"], result["ratings"][0]["rank_low"]) == (2, None)
    former = {**go_result(2), "format": 2}
    del former["basis"]
    shown = pages.job(pages.stored("go", former).removeprefix("/r/"))["result"]
    assert (shown["format"], shown["basis"]) == (KINDS["go"].format, "fox")
