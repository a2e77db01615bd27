"""What the pages say, asked for as browsers without scripts do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest
from sqlalchemy import select

from tests.web.made_results import (
    SCRIPT,
    backgammon_result,
    go_result,
    results_csv,
    store_result,
)
from tests.web.reading import Element, check_page
from tests.web.serving import SGF, Server, serving, small_results
from yardstone.web.database import jobs
from yardstone.web.pages.job_pages import SAMPLES, sample_result
from yardstone.web.service import cancel_job

JSON = {"Accept": "application/json"}
HTML = {"Accept": "text/html,application/xhtml+xml"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("pages"), {"queue_client": 400}) as result:
        yield result


@pytest.fixture(autouse=True)
def empty_queue(server: Server) -> Iterator[None]:
    """Leave no job that a worker of the next test would take."""
    yield
    store = server.worker.store
    for (address,) in store.database.rows(select(jobs.c.id)):
        cancel_job(store, address)


def shown(server: Server, path: str, status: int = 200) -> Element:
    """A page that keeps all rules."""
    answer = server.get(path, headers=HTML)
    assert answer.status_code == status, answer.text
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    return check_page(answer.text)


def stored(server: Server, kind: str, result: object = None, **ended: object) -> str:
    return "/r/" + store_result(server.worker.store, kind, result, **ended)  # type: ignore[arg-type]


def rows(table: Element) -> list[list[str]]:
    return [
        [cell.text for cell in row.children]
        for body in table.all("tbody")
        for row in body.children
        if row.attributes.get("class") != "apart"
    ]


def table_with(page: Element, heading: str) -> Element:
    """The only table with such a column."""
    (result,) = [
        table
        for table in page.all("table")
        if heading in [each.text for each in table.all("th", scope="col")]
    ]
    return result


def curves_of(page: Element) -> list[str]:
    """The games whose curves a page has."""
    names = [each.attributes.get("id", "") for each in page.all("details")]
    return [name for name in names if name.startswith("game-")]


# The form


def test_the_limits_stand_before_the_upload(server: Server) -> None:
    page = shown(server, "/")
    limits = server.get("/api/limits").json()
    text = page.one("dl", class_="limits").text
    assert f"{limits['files']}" in text
    assert "16 MB" in text
    assert "30 days" in text
    assert f"{limits['go_games']} games" in text
    form = page.one("form", class_="upload")
    assert form.attributes["data-file-bytes"] == str(limits["file_bytes"])
    assert form.attributes["data-request-bytes"] == str(limits["request_bytes"])
    assert form.attributes["data-files"] == str(limits["files"])
    assert form.text.index("16 MB each") < form.text.index("Measure")


def test_the_form_works_without_scripts(server: Server) -> None:
    page = shown(server, "/")
    form = page.one("form", class_="upload")
    assert form.attributes["method"] == "post"
    assert form.attributes["enctype"] == "multipart/form-data"
    inputs = form.all("select") + form.all("input", type="text")
    names = {each.attributes["name"] for each in inputs}
    fields = [(name, (None, "")) for name in sorted(names)]
    answer = server.session.post(
        server.url + form.attributes["action"],
        files=[("files", ("a.csv", small_results())), *fields],
        headers=HTML,
        allow_redirects=False,
        timeout=30,
    )
    assert answer.status_code == 303
    place = answer.headers["Location"]
    waiting = shown(server, place)
    assert "Rating the players" in waiting.one("h1").text
    (again,) = waiting.one("head").one("noscript").children
    assert again.attributes == {"http-equiv": "refresh", "content": "3"}
    server.worker.work()
    done = shown(server, place)
    assert done.one("h1").text == "Rating list"
    assert {"Ann", "Bob"} <= {row[1] for row in rows(done.one("table", class_="searched"))}


def test_a_refused_form_comes_back_with_the_reason(server: Server) -> None:
    answer = server.send([("a.bin", b"\x7fELF" + bytes(50))], "/send", headers=HTML)
    assert answer.status_code == 415
    page = check_page(answer.text)
    alert = page.one("div", class_="trouble")
    assert alert.attributes["role"] == "alert"
    assert "hidden" not in alert.attributes
    assert alert.text.startswith("a.bin: This is a program.")
    assert "SGF" in alert.text


def test_the_script_is_told_where_the_job_is(server: Server) -> None:
    answer = server.send([("a.csv", small_results())], "/send", headers=JSON)
    assert answer.status_code == 202
    address = answer.json()["page"]
    state = server.get(address + "/state")
    assert state.headers["Cache-Control"] == "no-store"
    assert state.json() == {
        "going": True,
        "share": None,
        "words": "You are next.",
        "stage": "queued",
    }
    server.worker.work()
    assert server.get(address + "/state").json()["going"] is False
    refused = server.send([("a.bin", bytes(9))], "/send", headers=JSON)
    assert refused.json()["error"]["file"] == "a.bin"


def test_options_that_belong_to_another_kind_are_refused_in_words(server: Server) -> None:
    answer = server.send([("a.csv", small_results())], "/send", [("scale", "ogs")], headers=HTML)
    assert answer.status_code == 422
    assert "Scale: not for results." in check_page(answer.text).one("div", class_="trouble").text


# A job on its way


def test_progress_in_words(server: Server) -> None:
    store = server.worker.store
    files = [{"name": "a.sgf", "size": 1, "format": "sgf"}]
    (address,) = store.add("go", "tests", "progress", files, [{}])
    job = store.claim("tests/2")
    assert job is not None
    assert "Reading" in server.get(f"/r/{address}/state").json()["words"]
    store.heartbeat(job, stage="analysing", done=812, total=2400)
    state = server.get(f"/r/{address}/state").json()
    assert state["words"] == "Analysing: 812 of 2,400 positions."
    assert state["share"] == pytest.approx(812 / 2400, abs=1e-4)
    page = shown(server, f"/r/{address}")
    assert float(page.one("progress").attributes["value"]) == state["share"]
    assert page.one("progress").attributes["aria-label"]
    stop = page.all("form")[0]
    answer = server.session.post(
        server.url + stop.attributes["action"], headers=HTML, timeout=30, allow_redirects=True
    )
    assert check_page(answer.text).one("h1").text == "Stopped"


def test_the_player_is_asked_for(server: Server) -> None:
    address = server.accepted([("game.sgf", SGF)], path="/api/estimates")
    server.worker.work()
    page = shown(server, f"/r/{address}")
    assert page.one("h1").text.startswith("Which player")
    buttons = page.all("button", name="player")
    assert [each.attributes["value"] for each in buttons] == ["Park Junghwan", "Jin Siyoung"]
    assert all("1 game" in each.text for each in buttons)
    refused = server.session.post(
        f"{server.url}/r/{address}/player", data={"player": "Nobody"}, headers=HTML, timeout=30
    )
    assert refused.status_code == 422
    check_page(refused.text)
    long = server.session.post(
        f"{server.url}/r/{address}/player", data={"player": "x" * 9000}, headers=HTML, timeout=30
    )
    assert long.status_code == 413
    chosen = server.session.post(
        f"{server.url}/r/{address}/player",
        data={"player": "Jin Siyoung"},
        headers=HTML,
        timeout=30,
    )
    assert check_page(chosen.text).one("h1").text == "Measuring the moves"
    job = server.job(address)
    assert (job["status"], job["options"]["player"]) == ("queued", "Jin Siyoung")


def test_a_failure_says_what_to_do(server: Server) -> None:
    error = {"code": "input", "message": "no game can be used", "hint": "send even games"}
    path = stored(
        server, "go", status="failed", error={**error, "file": "a.sgf", "line": 3},
        skipped=[{"file": SCRIPT, "line": 7, "reason": "a board of 9x9"}], skipped_total=120,
    )  # fmt: skip
    page = shown(server, path)
    assert [line.text for line in page.one("div", class_="bad").all("p")] == [
        "a.sgf, line 3: no game can be used.",
        "Send even games.",
    ]
    assert page.all("form", action=path + "/retry") == []
    assert f"{SCRIPT}, line 7: a board of 9x9" in [each.text for each in page.all("li")]
    assert "120 records" in page.one("main").text
    again = stored(server, "go", status="failed", error={**error, "file": None}, keep_seconds=600)
    assert len(shown(server, again).all("form", action=again + "/retry")) == 1
    answer = server.session.post(f"{server.url}{again}/retry", headers=HTML, timeout=30)
    assert check_page(answer.text).one("h1").text == "Measuring the moves"


# Results


def test_a_result_of_go(server: Server) -> None:
    result = go_result(3)
    page = shown(server, stored(server, "go", result))
    assert page.one("h1").text == "Park Junghwan"
    assert page.one("span", class_="rank").text == "3d"
    assert "90 % interval 2.1 to 4.5: 2d to 4d" in page.one("p", class_="answer").text
    assert "from 411 moves in 3 games" in page.one("p", class_="answer").text
    phases = table_with(page, "On the scale")
    assert [row[0].lower() for row in rows(phases)] == ["opening", "middle game", "endgame"]
    games = page.one("section", id="games").one("table")
    assert [row[2] for row in rows(games)] == ["Opponent 1", "Opponent 2", SCRIPT]
    assert rows(games)[1][1] == "–"
    curves = [page.one("details", id=f"game-{number}") for number in (1, 2, 3)]
    assert all(each.all("svg", role="img") for each in curves)
    assert ["open" in each.attributes for each in curves] == [True, False, False]
    boards = [card.all("svg", role="img") for card in page.all("article")]
    assert [len(each) for each in boards] == [1] * len(
        result["costliest_moves"] + result["indicative_moves"]
    )
    assert page.all("section", class_="past") == []  # nothing of it can be compared
    labels = [each[0].attributes["aria-label"] for each in boards]
    position = result["costliest_moves"][0]["position"]
    stones = f"{len(position['black'])} black and {len(position['white'])} white stones"
    assert stones in labels[0]
    assert "the network prefers K10" in labels[0]
    numbers = [each.text for each in boards[0][0].all("text")]
    assert {"54", "55", "56"} <= set(numbers)
    assert page.all("script", src="") == []
    assert all(note in page.one("main").text for note in result["notes"])
    exports = [each.attributes["href"] for each in page.one("section", class_="keep").all("a")]
    assert [server.get(each).status_code for each in exports] == [200, 200]
    assert server.get(exports[0]).json() == result


@pytest.mark.parametrize(
    ("missing", "words", "ends"),
    [
        ("low", "90 % bound below 4.5: 4d or weaker", "below "),
        ("high", "90 % bound above 2.1: 2d or stronger", "above "),
        ("low high", "No interval of 90 % can be given", "none"),
    ],
)
def test_a_result_of_go_with_a_bound(server: Server, missing: str, words: str, ends: str) -> None:
    result = go_result(2)
    games = result["by_game"]
    for part in [result, *result["phases"], *games, *(game["running"] for game in games)]:
        part.update(dict.fromkeys(missing.split()))
    result.update(dict.fromkeys(f"{end}_rank" for end in missing.split()))
    page = shown(server, stored(server, "go", result))
    assert words in page.one("p", class_="answer").text
    phases, table = table_with(page, "On the scale"), page.one("section", id="games").one("table")
    assert all(row[4].startswith(ends) for row in rows(phases))
    assert all(row[8].startswith(ends) and row[10].startswith(ends) for row in rows(table))
    assert "None" not in page.one("main").text
    assert "nan" not in page.one("main").text


def test_many_games_come_in_pages(server: Server) -> None:
    path = stored(server, "go", go_result(45))
    first, last = shown(server, path), shown(server, path + "?page=3")
    assert curves_of(first) == [f"game-{number}" for number in range(1, 21)]
    assert curves_of(last) == [f"game-{number}" for number in range(41, 46)]
    links = first.all("nav")[1]
    assert [each.text for each in links.children] == ["Games 1–20", "Games 21–40", "Games 41–45"]
    assert "aria-current" in links.children[0].attributes
    assert len(rows(first.one("section", id="games").one("table"))) == 45
    assert len(curves_of(shown(server, path + "?page=99"))) == 5
    answer = server.get(path + "?page=0", headers=HTML)
    assert answer.status_code == 422
    check_page(answer.text)


@pytest.mark.parametrize("scale", ["ogs", "egf"])
def test_a_result_first_shown_on_another_scale(server: Server, scale: str) -> None:
    result = go_result(2, scale=scale)
    page = shown(server, stored(server, "go", result))
    text = page.one("p", class_="answer").text
    assert f"{scale.upper()} rating {result['rating']:.0f}" in text


# Scales and players


def chosen(page: Element, label: str) -> str:
    (nav,) = page.all("nav", **{"aria-label": label})
    (current,) = [each for each in nav.all("span") if "aria-current" in each.attributes]
    return current.one("b").text


def links_of(page: Element, label: str) -> dict[str, str]:
    (nav,) = page.all("nav", **{"aria-label": label})
    return {each.one("b").text: each.attributes["href"] for each in nav.all("a")}


def test_the_scale_is_switched_by_links_and_kept_in_the_address(server: Server) -> None:
    path = stored(server, "go", sample_result("go"))
    page = shown(server, path)
    assert chosen(page, "Scale") == "Fox"
    links = links_of(page, "Scale")
    titles = {name: part["title"] for name, part in sample_result("go")["scales"].items()}
    assert list(links) == [title for name, title in titles.items() if name != "fox"]
    ogs = shown(server, links["OGS"])
    assert chosen(ogs, "Scale") == "OGS"
    answer = ogs.one("p", class_="answer").text
    part = sample_result("go")["on_scales"]["ogs"]
    assert f"OGS rating {part['rating']:.0f}" in answer
    assert all(note in ogs.one("main").text for note in part["notes"])
    text = ogs.all("nav", **{"aria-label": "Scale"})[0].text
    egf = sample_result("go")["scales"]["egf"]
    assert f"from Fox, ± {egf['deviation']:.1f} ranks" in text
    assert "90 %: above" in text
    other = shown(server, links_of(ogs, "Player")["Jin Siyoung"])
    assert (chosen(other, "Scale"), other.one("h1").text) == ("OGS", "Jin Siyoung")
    assert shown(server, path + "?scale=feet&player=nobody").one("h1").text == "Park Junghwan"


def test_the_players_of_an_upload_and_their_colours(server: Server) -> None:
    first = sample_result("go")
    colours = [{**first, "colour": "black", "games": 4}, {**first, "colour": "white", "games": 9}]
    hostile = {**first["others"][0], "player": SCRIPT}
    path = stored(server, "go", {**first, "games": 13, "others": [*colours, hostile]})
    page = shown(server, path)
    assert chosen(page, "Games") == "All"
    white = shown(server, links_of(page, "Games")["As White"])
    assert chosen(white, "Games") == "As White"
    assert "in 9 games" in white.one("p", class_="answer").text
    back = shown(server, links_of(white, "Games")["All"])
    assert chosen(back, "Games") == "All"
    other = shown(server, links_of(page, "Player")[SCRIPT])
    assert other.one("h1").text == SCRIPT
    assert other.all("nav", **{"aria-label": "Games"}) == []


def test_how_many_games_were_used_and_why_not_all(server: Server) -> None:
    result = sample_result("go")
    reasons = {"not a game of Park Junghwan": 3, SCRIPT: 1}
    first = [{"file": f"{SCRIPT}.sgf", "line": 7, "reason": SCRIPT}]
    first += [{"file": "a.sgf", "line": None, "reason": "not a game of Park Junghwan"}] * 3
    skipped = {"total": 4, "reasons": reasons, "first": first}
    listed = [{"file": "a.sgf", "line": 1, "reason": "not a game of Park Junghwan"}]
    path = stored(server, "go", {**result, "skipped": skipped}, skipped=listed, skipped_total=4)
    page = shown(server, path)
    part = page.one("details", id="used")
    assert part.one("summary").text == "1 of 5 games used"
    assert "open" not in part.attributes
    assert "3 × not a game of Park Junghwan" in part.text
    assert f"{SCRIPT}.sgf, line 7: {SCRIPT}" in part.text
    assert page.all("details", class_="left-out") == []  # it is said once


def test_without_scripts_all_boards_are_there(server: Server) -> None:
    result = sample_result("go")
    page = shown(server, stored(server, "go", result))
    first = page.all("div", class_="stepper")[0]
    pictures = [len(each.all("figure")) for each in first.all("article")]
    assert pictures == [3] * len(result["costliest_moves"])
    move = result["costliest_moves"][0]
    words = [each.text for each in first.all("figcaption")[:3]]
    assert words[0] == (
        f"Before the move: {move['point']} is marked with a ring, "
        f"the network’s choice with A ({move['best']})."
    )
    assert words[1] == f"After {move['point']}, and the 4 moves that followed."
    assert words[2] == f"The network’s choice: Black {move['best']} instead."


def test_what_a_browser_may_remember_names_nobody_else(server: Server) -> None:
    result = sample_result("go")
    path = stored(server, "go", result)
    section = shown(server, path + "?scale=egf").one("section", class_="past")
    assert "hidden" in section.attributes  # without scripts there is nothing to remember with
    kept = json.loads(section.attributes["data-result"])
    assert kept["address"] == path
    assert kept["scale"] == "egf"
    assert kept["scales"].keys() == result["scales"].keys() >= {"fox", "ogs", "egf"}
    assert "Jin Siyoung" not in json.dumps(kept)
    assert "sent to the server" in section.text


def test_the_start_page_shows_real_results(server: Server) -> None:
    page = shown(server, "/")
    order = page.one("main").text
    assert order.index("Park Junghwan") < order.index("Drop files") < order.index("Files at once")
    assert "open" not in page.one("details", id="limits").attributes
    for kind in SAMPLES:
        example = shown(server, f"/example/{kind}")
        assert example.all("section", class_="keep") == []
        assert "An example" in example.one("main").text
    assert server.get("/example/chess", headers=HTML).status_code == 404
    egf = shown(server, links_of(shown(server, "/example/go"), "Scale")["EGF"])
    assert chosen(egf, "Scale") == "EGF"


def test_one_game_needs_no_curve_of_estimates(server: Server) -> None:
    page = shown(server, stored(server, "go", go_result(1)))
    assert "The estimate after each game" not in page.one("main").text


def test_a_perfect_score_has_a_limit_and_no_interval(server: Server) -> None:
    games = ["Ann,Bob,1", "Bob,Ann,1", "Ann,Bob,0.5", "Bob,Ann,0.5", "Ann,Low,1", "Low,Bob,0"]
    data = "\n".join(["white,black,score", *games]).encode()
    address = server.accepted([("results.csv", data)])
    ratings = server.done(address)["result"]["ratings"]
    table = shown(server, f"/r/{address}").all("table")[0]
    last = rows(table)[-1]
    high = next(each["high"] for each in ratings if each["player"] == "Low")
    assert last[1] == "Low"
    assert last[2].startswith("<")
    assert last[3] == "–"
    assert table.all("svg", role="img")[-1].attributes["aria-label"] == f"at most {high:.0f}"


def test_a_rating_list_with_its_scores(server: Server) -> None:
    address = server.accepted([("results.csv", results_csv(14, 400))], path="/api/ratings")
    job = server.done(address)
    assert job["status"] == "done", job["error"]
    ratings = job["result"]["ratings"]
    page = shown(server, f"/r/{address}")
    tables = page.all("table", class_="searched")
    names = [row[1] for table in tables for row in rows(table)]
    assert names == [each["player"] for each in ratings]
    assert SCRIPT in names
    heads = tables[0].all("th", scope="col")
    assert heads[0].attributes["aria-sort"] == "ascending"
    assert sum("aria-sort" in each.attributes for each in heads) == 1
    top = ratings[0]
    link = next(a for a in tables[0].all("a") if a.text == top["player"]).attributes["href"]
    chosen = shown(server, link.split("#")[0])
    against = rows(chosen.one("section", id="against").one("table"))
    played = [
        each
        for each in job["result"]["head_to_head"]
        if top["player"] in (each["player"], each["other"])
    ]
    assert len(against) == len(played)
    assert sum(int(row[2]) for row in against) == top["games"]
    scores = [[int(number) for number in row[3].split("–")] for row in against]
    assert [sum(each) for each in zip(*scores, strict=True)] == [
        top["wins"], top["draws"], top["losses"],
    ]  # fmt: skip
    assert chosen.all("tr", class_="chosen")
    nobody = shown(server, f"/r/{address}?player=Nobody")
    assert nobody.all("tr", class_="chosen") == []


def test_few_players_get_a_table_of_all_scores(server: Server) -> None:
    address = server.accepted([("results.csv", small_results())])
    server.done(address)
    cross = shown(server, f"/r/{address}").one("section", id="cross").one("table")
    assert rows(cross) == [["1 Ann", "", "2–1–1"], ["2 Bob", "1–1–2", ""]]


def test_long_lists_are_cut_unless_all_are_asked_for(server: Server) -> None:
    address = server.accepted([("results.csv", results_csv(520, 4000))])
    assert server.done(address)["status"] == "done"
    page = shown(server, f"/r/{address}")
    listed = sum(len(rows(table)) for table in page.all("table", class_="searched"))
    assert listed == 500
    more = next(each for each in page.all("a") if each.text.startswith("Show all"))
    whole = shown(server, more.attributes["href"])
    players = len(server.job(address)["result"]["ratings"])
    assert more.text == f"Show all {players} players"
    every = sum(len(rows(table)) for table in whole.all("table", class_="searched"))
    assert every == players > 500


def test_backgammon(server: Server) -> None:
    result = backgammon_result(7)
    page = shown(server, stored(server, "backgammon", result))
    players, kinds, luck, blunders, matches = page.all("table")
    assert {row[0] for row in rows(players)} == {"Anna", SCRIPT}
    anna = next(each for each in result["players"] if each["player"] == "Anna")
    row = next(row for row in rows(players) if row[0] == "Anna")
    assert row[4] == f"{anna['rating']['value']:.0f}"
    heads = [each.text for each in players.all("th", scope="col")]
    assert row[heads.index("PR")] == f"{anna['pr']:.2f}"
    assert next(row for row in rows(luck) if row[0] == "Anna")[2] == f"{anna['luck']:+.2f}"
    whole = sum(anna[name] for name in ("chequer", "missed_double", "wrong_take"))
    assert next(row for row in rows(kinds) if row[0] == "Anna")[2] == f"{whole / 7:.3f}"
    assert len(rows(matches)) == 7
    assert "0.412" in rows(blunders)[0]
    assert any("match 1.mat" in cell for cell in rows(blunders)[0])
    assert page.one("section", id="trend").all("svg")


def test_a_batch(server: Server) -> None:
    players = [("player", "Jin Siyoung"), ("player", "Park Junghwan")]
    answer = server.send([("game.sgf", SGF)], "/api/batches", players)
    assert answer.status_code == 202, answer.text
    path = answer.json()["page"]
    page = shown(server, path)
    assert [row[:2] for row in rows(page.one("table"))] == [
        ["Jin Siyoung", "waiting"],
        ["Park Junghwan", "waiting"],
    ]
    assert server.get(path + "/state").json()["words"] == "0 of 2 done."
    gone = server.session.post(f"{server.url}{path}/delete", headers=HTML, timeout=30)
    assert check_page(gone.text).one("h1").text == "Deleted"
    shown(server, path, 404)


# Keeping and deleting


def test_the_private_address_and_its_end(server: Server) -> None:
    path = stored(server, "go", go_result(1))
    page = shown(server, path)
    assert page.one("input", id="address").attributes["value"] == server.url + path
    assert page.one("time").attributes["datetime"].endswith("Z")
    assert page.all("meta", name="robots")
    form = page.one("form", action=path + "/delete")
    assert form.attributes["method"] == "post"
    answer = server.session.post(f"{server.url}{path}/delete", headers=HTML, timeout=30)
    assert check_page(answer.text).one("h1").text == "Deleted"
    assert shown(server, path, 404).one("h1").text == "Not found"
    assert server.get("/api/jobs/" + path.removeprefix("/r/")).status_code == 404


def test_refusals_are_pages_for_people_and_json_for_programs(server: Server) -> None:
    assert shown(server, "/nowhere", 404).one("a", class_="button").text == "Measure games"
    shown(server, "/static/nothing.css", 404)
    shown(server, "/r/" + "a" * 24, 404)
    for path in ("/nowhere", "/r/" + "a" * 24):
        answer = server.get(path, headers=JSON)
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")
    assert server.get("/api/jobs/" + "a" * 24, headers=HTML).json()["error"]["hint"]


def test_an_expired_result_says_so(tmp_path: Path) -> None:
    with serving(tmp_path, keep_days=1e-7) as server:
        store = server.worker.store
        (address,) = store.add("go", "tests", "old", [], [{}])
        page = shown(server, f"/r/{address}", 410)
        assert page.one("h1").text == "This result has expired"
        assert "Send the files again" in page.one("main").text


def test_too_many_requests_are_refused_in_style(tmp_path: Path) -> None:
    with serving(tmp_path, {"requests_minute": 3}) as server:
        answers = [server.get("/", headers=HTML) for _ in range(12)]
        last = answers[-1]
        assert last.status_code == 429
        assert int(last.headers["Retry-After"]) >= 1
        assert check_page(last.text).one("h1").text == "Too much at once"


def test_below_a_path_of_a_proxy(tmp_path: Path) -> None:
    with serving(tmp_path, root_path="/strength", public_url="https://example.org") as server:
        page = check_page(server.get("/strength/", headers=HTML).text)
        for each in page.all("a") + page.all("form") + page.all("link") + page.all("script"):
            answer = [each.attributes.get(name) for name in ("href", "action", "src")]
            target = next(each for each in answer if each is not None)
            assert target.startswith(("/strength/", "#")), target
        path = "/strength/r/" + store_result(server.worker.store, "go", go_result(45))
        result = check_page(server.get(path, headers=HTML).text)
        assert result.one("input", id="address").attributes["value"] == "https://example.org" + path
        links = {each.attributes["href"].partition("#")[0] for each in result.all("a")} - {""}
        assert len(links) == 6  # the form, three pages of games, and two exports
        for link in sorted(links):
            assert server.get(link, headers=HTML).status_code == 200


# Files that pages refer to


def test_files_are_kept_by_browsers_as_long_as_they_are_the_same(server: Server) -> None:
    page = shown(server, "/")
    style = page.one("link", rel="stylesheet").attributes["href"]
    script = page.one("script").attributes["src"]
    for path, kind in ((style, "text/css"), (script, "text/javascript")):
        answer = server.get(path)
        assert answer.headers["Content-Type"].startswith(kind)
        assert "immutable" in answer.headers["Cache-Control"]
        assert server.get(path.split("?")[0]).headers["Cache-Control"] == "no-cache"
    assert server.request("HEAD", "/").status_code == 200
    assert server.get("/static/../app.py").status_code == 404
    assert server.get("/static/..%2frender.py").status_code == 404


def test_the_script_is_small_and_asks_nobody_else() -> None:
    folder = resources.files("yardstone.web.pages") / "static"
    script = (folder / "yardstone.js").read_text("utf-8")
    assert len(script.encode()) < 15_000
    assert "http:" not in script
    assert "innerHTML" not in script
    assert "url(" not in (folder / "yardstone.css").read_text("utf-8")


def test_results_hold_no_more_than_json(server: Server) -> None:
    path = stored(server, "go", json.loads(json.dumps(go_result(2))))
    assert shown(server, path).one("span", class_="rank").text == "3d"
