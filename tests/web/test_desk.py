"""The desk of a tournament: its file, and its forms as without a script."""

from __future__ import annotations

import asyncio
import pickle
import re
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import requests
from fastapi.routing import APIRoute

from tests.web.desks import DeskServer, Helper, copied, plain, served
from tests.web.processes import until
from tests.web.tables import Time
from yardstone.errors import InputError
from yardstone.examples import example
from yardstone.tournament.files import read_tournament, to_bytes
from yardstone.tournament.model import Result
from yardstone.tournament.notation import score_of
from yardstone.web.desk import helpers, pages, service
from yardstone.web.desk import rounds as desk_rounds
from yardstone.web.desk.app import DeskSettings
from yardstone.web.desk.service import WatchedFile


def renamed(data: bytes) -> bytes:
    """The file in which another program has changed a name."""
    return data.replace(b'"Ruth"', b'"Rosa"').replace(b"ADLERRUTH", b"ADLERROSA")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[DeskServer]:
    """A desk whose last paired round has no results yet."""
    file = copied(tmp_path)
    made = read_tournament(file)
    games = [replace(g, result=Result.unknown) if g.round == 4 else g for g in made.games]
    file.write_bytes(to_bytes(replace(made, games=tuple(games)), file))
    with served(file) as result:
        yield result


def test_the_file_is_looked_at_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Time()
    monkeypatch.setattr(service, "time", clock)
    file = WatchedFile(copied(tmp_path))
    whole, first = file.path.read_bytes(), file.snapshot()
    made = first.tournament
    for tournament, rounds in (
        (made, (5, 4, 0, 5)), (replace(made, rounds=4), (4, 4, 0, 0)),
        (replace(made, games=()), (5, 0, 0, 1)),
    ):  # fmt: skip
        assert service.Snapshot(tournament, "").rounds == rounds
    other = renamed(whole)
    file.path.write_bytes(other)
    for later, seen in ((0.1875, False), (0.0625, True)):
        clock.now += later
        assert (file.snapshot() is not first) == seen
    assert file.last.mark != first.mark
    assert file.last.tournament.players[0].first_name == "Rosa"
    # A file that is half written is not used, and said.
    file.path.write_bytes(other[: len(other) // 2])
    broken = file.snapshot(fresh=True)
    assert (broken.tournament, broken.mark) == (file.last.tournament, file.last.mark)
    assert broken.mark not in (first.mark, "")
    assert file.snapshot(fresh=True) is broken
    file.path.unlink()
    gone = file.snapshot(fresh=True)
    assert ("cannot be read: " in gone.trouble, gone.mark == broken.mark) == (True, False)
    file.path.write_bytes(whole)
    again = file.snapshot(fresh=True)
    assert (again.trouble, again.mark, again.tournament) == ("", first.mark, first.tournament)
    file.path.with_name("no.xml").write_bytes(b"<html></html>")
    for path in (tmp_path / "none.xml", tmp_path / "no.xml", example("swiss.trf")):
        with pytest.raises(InputError, match=path.name):
            WatchedFile(path)


def test_one_process_computes_chances(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = read_tournament(copied(tmp_path))
    asked: list[list[Any]] = []

    class Pool(list[Any]):
        """A pool whose work stays undone."""

        def __init__(self, workers: int, **more: Any) -> None:
            asked.append(self)

        def submit(self, *given: Any) -> Future[str]:
            pickle.dumps(given)
            self.append(future := Future[str]())
            return future

        def shutdown(self, **how: Any) -> None:
            self.append(how)

    monkeypatch.setattr(service, "ProcessPoolExecutor", Pool)
    chances = service.Chances()
    chances.close()
    one, two = (service.Snapshot(made, mark) for mark in "ab")
    working = ("", "", True)
    assert [chances.ask(each) for each in (one, one, two)] == [working] * 3
    assert [len(work) for work in asked] == [1], "what began is finished first"
    asked[0][0].set_result("page")
    assert [chances.ask(one), chances.ask(two)] == [("page", "", False), working]
    asked[0][1].set_exception(InputError("too many"))
    assert [chances.ask(two), chances.ask(one)] == [("", "too many", False), working]
    asked[0][2].set_exception(BrokenProcessPool())
    assert ["broke off" in chances.ask(one)[1], chances.ask(one)] == [True, working]
    assert [len(work) for work in asked] == [3, 1], "by another process"
    chances.close()
    assert asked[1][1] == {"wait": False, "cancel_futures": True}


def test_changes_reach_those_who_watch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "_LOOK", 0.0)
    clock, told = Time(), [""][:0]
    monkeypatch.setattr(pages, "time", clock)
    desk = service.Desk(DeskSettings(file=copied(tmp_path)))
    desk.is_closing = lambda: len(told) == 4
    desk.file.last = replace(desk.file.last, mark="a")

    async def main() -> None:
        async for text in pages._lines(desk):
            told.append(text)
            if len(told) == 2:
                desk.file.last = replace(desk.file.last, mark="b")
            elif len(told) == 3:
                clock.now += 20.5

    asyncio.run(main())
    change = 'event: change\ndata: {{"mark": "{}"}}\n\n'.format
    assert told == ["retry: 2000\n\n", change("a"), change("b"), ": still here\n\n"]


PUBLIC = """/ /round /round/2 /round/2?by=name /standings /standings?after=1 /players /player/3
/player/3/needs?place=2 /chances /prizes /state /static/desk.css /health"""
HELPERS = """/settings /results /results/1 /pair /pair/5 /enter /more /here/5 /file
/helpers /helpers/link /log /log.csv"""
FORMS = """/settings /results/1 /results/1/quick /results/1/colours /pair/5 /pair/5/accept
/pair/4/drop /enter /enter/table /player/1/change /player/1/rounds /here/5 /undo /wishes
/helpers/link /helpers/withdraw /helpers/end /helpers/end-all /sign-out"""
#: What somebody who came by a link can do as well.
BY_LINK = """/results /results/1 /more /results/1/quick /results/1/colours /sign-out"""


def test_everybody_reads_and_only_helpers_change(desk: DeskServer) -> None:
    before = desk.file.read_bytes()
    reader, helper, by_link = Helper(desk.url), desk.helper("Ann"), Helper(desk.url)
    made = helper.post("/helpers/link", {"name": "Bob", "hours": 1}).text
    by_link.post(re.findall(r"/join/[-\w]+", made)[0])
    by_link.key = re.findall(r'name="key" value="(\w+)"', by_link.page("/more"))[0]
    routes = [each for part in (helpers, pages, desk_rounds) for each in part.router.routes]
    posts = {
        each.path
        for each in routes
        if isinstance(each, APIRoute) and "POST" in (each.methods or ())
    }
    known = {re.sub(r"/\d", "/{number}", path) for path in FORMS.split()}
    assert posts - known == {"/sign-in", "/join/{token}"}
    for path in PUBLIC.split():
        assert reader.get(path).status_code == 200, path
    for path in HELPERS.split():
        asked = reader.get(path).history[-1]  # the round first, then the question
        place = {"/results": "/results/4", "/pair": "/pair/5"}.get(path, path)
        assert (asked.status_code, asked.headers["Location"]) == (303, f"/sign-in?next={place}")
        assert helper.get(path).status_code == 200, path
        allowed = 200 if path in BY_LINK.split() else 403
        assert by_link.get(path).status_code == allowed, path
    for path in FORMS.split():
        assert reader.post(path, {"result": "1-0"}).status_code == 403, path
        wrong = {"key": "0" * 64, "result": "1-0"}
        forged = helper.session.post(desk.url + path, wrong, headers={"Accept": "application/json"})
        assert (forged.status_code, forged.json()["error"]["code"]) == (403, "old_page"), path
        if path not in BY_LINK.split():
            assert by_link.post(path).status_code == 403, path
    assert helper.get("/file").content == before == desk.file.read_bytes()
    for path in ("/round/9", "/results/6", "/pair/0", "/player/99", "/standings?after=5", "/no"):
        assert helper.get(path).status_code == 404, path
    # Pages are kept for readers until something changes, and those of helpers for nobody.
    for _ in range(2):
        page = reader.page("/round/4")
        assert 'name="key"' not in reader.page("/player/1")
        assert 'name="key"' in helper.page("/player/1")
    helper.result(4, *desk.names(4)[0], "1-0")
    assert reader.page("/round/4") != page


def test_the_last_step_is_taken_back_by_who_has_seen_it(desk: DeskServer) -> None:
    ann, bob = desk.helper("Ann"), desk.helper("Bob")
    one, two, *_ = desk.names(4)
    assert ann.result(4, *one, "1-0") == 303
    last = int(ann.page("/more").partition('name="step" value="')[2].partition('"')[0])
    assert bob.result(4, *two, "1-0") == 303
    assert "Bob: Round 4, table 2" in plain(ann.page("/more"))
    for step, status in ((last, 422), (last + 1, 200)):  # not the last one any more
        assert ann.post("/undo", {"step": str(step)}).status_code == status
    assert desk.result(4, two[0]) is Result.unknown
    assert desk.result(4, one[0]) is Result.first_wins


def test_another_result_is_shown_and_never_overwritten(desk: DeskServer) -> None:
    (first, second), *_ = desk.names(4)
    ann, bob = desk.helper("Ann"), desk.helper("Bob")
    assert ann.result(4, first, second, "½-½") == 422  # komi is 6.5
    ann.post("/settings", {"komi": "7", "was_komi": "6.5"})
    for helper in (ann, bob):  # the same again is no clash
        assert helper.result(4, first, second, "1-0") == 303
    answer = bob.post("/results/4", {"first": first, "second": second, "result": "0-1"})
    assert answer.status_code == 409
    assert re.search("1–0 stands.{,60}Ann.*you sent 0–1", plain(answer.text))
    for names, result, stands, status, now in (
        ((second, first), "0-1", "", 303, Result.first_wins),  # as on a page from before a swap
        ((second, first), "1-0", "", 409, Result.first_wins),
        # Only what somebody has seen is replaced.
        ((first, second), "½-½", "1-0", 303, Result.draw),
        ((first, second), "0-1", "1-0", 409, Result.draw),
        ((first, second), "0-1", "½-½", 303, Result.second_wins),
        ((first, second), "?", "", 409, Result.second_wins),
        ((first, second), "?", "0-1", 303, Result.unknown),
        ((first, second), "0-1 F", "", 303, Result.second_wins),
    ):
        assert bob.result(4, *names, result, stands) == status, (result, stands)
        assert desk.result(4, first) is now
    assert desk.tournament.round_games(4)[0].forfeit


def test_results_typed_in_a_line(desk: DeskServer) -> None:
    helper, stands = desk.helper(), ""
    lines = {"1 b": "1-0", "1w": "0-1", "1: 1-0": "1-0", " 1, 2 ": "0-1", "1 1": "1-0", "1 -": "?",
             "1 w": "0-1", "1 = F": "½-½ F"}  # fmt: skip
    for line, result in lines.items():
        fields = {"line": line, "stands": stands}
        assert helper.post("/results/4/quick", fields).status_code == 200, line
        game = desk.tournament.round_games(4)[0]
        stands = score_of(game.result, forfeit=game.forfeit)
        assert stands == result
    before = desk.file.read_bytes()
    for line in ("", "1", "99 b", "b", "1 xyz", "1" * 40 + " b"):
        assert helper.post("/results/4/quick", {"line": line}).status_code == 422, line
    first, second = desk.names(4)[0][0], desk.names(4)[1][0]
    for other in (second, "Nobody Here"):  # boards that are gone
        assert helper.result(4, first, other, "1-0") == 409
    assert desk.file.read_bytes() == before
    # A whole komi gives a tap for a draw.
    helper.post("/settings", {"komi": "7", "was_komi": "6.5"})
    assert helper.page("/results/4").count('value="½-½" aria-pressed="false"') == 6


def test_colours_are_exchanged(desk: DeskServer) -> None:
    helper = desk.helper()
    first, second = desk.names(4)[0]
    helper.result(4, first, second, "1-0")
    fields = {"first": first, "second": second}
    for _ in range(2):  # the same again does not turn it back
        assert helper.post("/results/4/colours", fields).status_code == 200
        assert desk.names(4)[0] == (second, first)
        assert desk.result(4, second) is Result.second_wins  # the winner stays the winner
    made = desk.tournament
    stones = next(game.players for game in made.round_games(4) if game.handicap)
    fields = dict(zip(fields, map(made.name_of, stones), strict=True))
    assert helper.post("/results/4/colours", fields).status_code == 422


def test_what_another_program_writes_is_seen_and_kept(desk: DeskServer) -> None:
    helper = desk.helper()
    desk.file.write_bytes(renamed(desk.file.read_bytes()))
    game = desk.names(4)[0]
    assert helper.result(4, *game, "1-0") == 303
    assert "Adler Rosa" in helper.page("/players")
    half = desk.file.read_bytes()[:-4000]
    desk.file.write_bytes(half)
    assert helper.result(4, *game, "0-1", "1-0") == 422
    told = "The file cannot be read at the moment"
    until(lambda: told in plain(helper.page("/")), "the desk looks at its file again")
    answer = requests.get(f"{desk.url}/health", timeout=60)
    assert (answer.status_code, answer.json()["status"]) == (503, "no_file")
    assert desk.file.read_bytes() == half


def test_entering_players(tmp_path: Path) -> None:
    listed = tmp_path / "egf.txt"
    listed.write_text(
        "  12345678  Adlerova Jana                          CZ  Prah  3d  ---  2312   47  T241026\n"
        "  12345679  Kask Tiit                              EE  Tall  5k  ---  1590   11  E240101\n"
    )
    with served(copied(tmp_path), register=listed) as desk:
        helper, late = desk.helper("<b>Ann</b>"), {"first_round": "5"}
        one = {"name": "Zhang", "first_name": "Wei", "grade": "4d", "club": "K", **late}
        assert "Entered 1 player: Zhang Wei 4d" in plain(helper.post("/enter", one).text)
        wrong = helper.post("/enter", {**one, "name": "Yu", "grade": "40k"})
        assert (wrong.status_code, 'value="40k"' in wrong.text) == (422, True)  # it stands there
        table = "name;grade;club;hat\nBerg, Eva;3k;Oslo;red\nLund, Tor;99k;Oslo;\n;5k;;\n"
        answer = helper.post("/enter/table", {"table": table, **late})
        assert answer.status_code == 422
        for words in ("Entered 1 player: Berg Eva 3k", "2 rows left out", "line 3:", "hat"):
            assert words in plain(answer.text)
        upload = {"file": ("players.csv", b'name,rating\n"Frey, Max",1840\n', "text/csv")}
        helper.post("/enter/table", {"table": "", **late}, files=upload)
        names = [each.full_name for each in desk.tournament.players[-3:]]
        assert names == ["Zhang Wei", "Berg Eva", "Frey Max"]
        assert helper.post("/enter/table", {"table": "no,columns\n1,2\n"}).status_code == 422
        assert "Adlerova Jana" in helper.page("/enter?search=jana")
        assert helper.post("/enter", {"listed": "12345678", **late}).status_code == 200
        entered = desk.tournament.players[-1]
        assert (entered.rating, entered.ids["egf"], entered.country) == (2312.0, "12345678", "CZ")
        fields = {"name": "<script>alert(1)</script>", "first_name": '"x"', "grade": "1k", **late}
        assert helper.post("/enter", fields).status_code == 200
        for path in ("/players", "/player/18", "/here/5", "/pair/5", "/more", "/standings"):
            text = helper.page(path)
            assert "<script>alert" not in text, path
            assert "<b>Ann" not in text


def test_a_player_and_settings_are_changed_field_by_field(desk: DeskServer) -> None:
    helper, player = desk.helper(), desk.tournament.players[2]
    names = ("name", "first_name", "grade", "club", "country")
    seen = {**{name: getattr(player, name) for name in names}, "correction": "0"}
    seen["rating"] = f"{player.rating:g}"
    fields = {"who": player.full_name, **{f"was_{name}": seen[name] for name in seen}, **seen}
    for changed, status in (
        ({"rating": "many"}, 422), ({"rating": ""}, 422), ({"club": "Bonn"}, 200),
        ({"rating": "2222"}, 200), ({"who": "Nobody"}, 409), ({"club": "Kiel"}, 409),
    ):  # fmt: skip
        answer = helper.post("/player/3/change", fields | changed)
        assert answer.status_code == status, changed
    assert f"it was {player.club} when you began, is Bonn by now" in plain(answer.text)
    now = desk.tournament.players[2]
    assert (now.club, now.rating) == ("Bonn", 2222.0)  # both are kept
    for name, new, was, status in (
        ("rounds", "6", "5", 200), ("komi", "7.5", "6.5", 200), ("rounds", "7", "5", 422),
        ("rounds", "many", "6", 422), ("bar", "high", "4d", 422), ("begin", "soon", "", 422),
    ):  # fmt: skip
        answer = helper.post("/settings", {name: new, f"was_{name}": was})
        assert answer.status_code == status, new
    assert (desk.tournament.rounds, desk.tournament.komi) == (6, 7.5)


def test_who_plays(desk: DeskServer) -> None:
    helper, fields = desk.helper(), {"who": "Adler Ruth", "round": "5"}
    for path, sent, has_bye, is_absent in (
        ("/here/5", {"there": "0"}, False, True), ("/here/5", {"there": "1"}, False, False),
        ("/player/1/rounds", {"act": "bye"}, True, False),
        ("/player/1/rounds", {"act": "no-bye"}, False, False),
        ("/player/1/rounds", {"act": "withdraw"}, False, True),
    ):  # fmt: skip
        assert helper.post(path, {**fields, **sent}).status_code == 200
        made = desk.tournament
        assert ((5, 0) in made.bye_of, 5 in made.players[0].absent) == (has_bye, is_absent)
    for act in ("remove", "dance"):
        assert helper.post("/player/1/rounds", {**fields, "act": act}).status_code == 422


def test_pairing_with_reasons_and_wishes(tmp_path: Path) -> None:
    with served(copied(tmp_path)) as desk:
        ann, bob = desk.helper(), desk.helper()
        wish = {"round": "5", "kind": "never", "a": "Adler", "b": "Kovacs"}
        assert "Never Adler Ruth - Kovacs Zoltan" in plain(ann.post("/wishes", wish).text)
        assert "Kept: never Adler Ruth - Kovacs Zoltan." in plain(ann.post("/pair/5").text)
        assert ann.post("/wishes", {**wish, "b": "Adler"}).status_code == 422
        remove = {"round": "5", "remove": "never Adler Ruth - Kovacs Zoltan"}
        assert "Never Adler" not in plain(ann.post("/wishes", remove).text)
        before = desk.file.read_bytes()
        assert "the last who may have it" in plain(ann.post("/pair/5").text)  # a reason
        assert desk.file.read_bytes() == before  # only a proposal
        fixed = {"kind": "fix", "a": "Moreau", "b": "Adler"}
        page = ann.post("/pair/5", {**fixed, "add": "forbid\tAdler Ruth\tDahl Ingrid"}).text
        assert "Fixed by hand." in page
        fields = {"shown": page.partition('name="shown" value="')[2][:64], **fixed}
        here = {"who": "Kovacs Zoltan", "there": "0"}
        assert bob.post("/pair/5/accept", {**fields, "shown": "0" * 64}).status_code == 409
        # Somebody leaves between the proposal and its acceptance: it is shown anew.
        bob.post("/here/5", here)
        late = ann.post("/pair/5/accept", fields)
        assert (late.status_code, "nothing was written" in plain(late.text)) == (409, True)
        assert desk.tournament.last_round == 4
        bob.post("/here/5", {**here, "there": "1"})
        assert ann.post("/pair/5/accept", fields).status_code == 200
        assert bob.post("/pair/5/accept", fields).status_code in (409, 422)
        assert {"Adler Ruth", "Moreau Lea"} in [set(pair) for pair in desk.names(5)]
        assert [ann.post(f"/pair/{number}/drop").status_code for number in (4, 5)] == [409, 200]
        assert desk.tournament.last_round == 4
        assert ann.post("/pair/5", {**fixed, "a": "Nobody"}).status_code == 422


def test_what_is_to_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "_TOURNAMENTS", 20)
    pool = "yardstone.web.desk.service.ProcessPoolExecutor"
    monkeypatch.setattr(pool, lambda workers, **more: ThreadPoolExecutor(workers))
    with served(copied(tmp_path)) as desk:
        reader = Helper(desk.url)
        until(lambda: "being simulated" not in reader.page("/chances"), "the chances are known")
        assert "20 tournaments of 13 players" in plain(reader.page("/chances"))
        assert "Own result" in reader.page("/player/1/needs?place=2")
        assert reader.get("/player/1/needs?place=0").status_code == 422
        prizes = plain(reader.page("/prizes?places=2&money=100,50&groups=1d"))
        assert "1d and stronger" in prizes
        assert "Not final: 1 round to come." in prizes
        assert "amounts are written 300,200,100" in plain(reader.page("/prizes?money=much"))
