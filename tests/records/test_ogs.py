"""Games of a user of OGS, fetched from a server on this machine that speaks its interface."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.records.ogs_server import OgsServer, game_entry, ogs_server
from yardstone import parallel
from yardstone.cli.main import main
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.records.ogs import (
    CarefulClient,
    FetchedGames,
    GameSelection,
    check_importers,
    fetch_ogs_games,
)
from yardstone.records.sgf import read_games

RECORD = b"(;FF[4]GM[1]SZ[19]PB[Ann]PW[Bob]RE[B+R];B[pd];W[dd];B[pq];W[dp])\n"


@pytest.fixture
def server() -> Iterator[OgsServer]:
    with ogs_server() as result:
        result.players = {"Ann": 77}
        result.games = [
            game_entry(110, "Ann", "Bob", ended=None),
            game_entry(109, "Ann", "Bob", width=9, height=9),
            game_entry(108, "Ann", "Bob", handicap=3),
            game_entry(107, "Ann", "Bob", annulled=True),
            *(game_entry(number, "Ann", "Bob") for number in range(106, 0, -1)),
        ]
        result.records = dict.fromkeys(range(111), RECORD)
        yield result


def fetch(server: OgsServer, folder: Path, name: str = "Ann", **selection: Any) -> FetchedGames:
    chosen = GameSelection(**{"games": 3, "pause": 0.0, "seconds": 20.0, **selection})
    return fetch_ogs_games(name, folder, selection=chosen, url=server.url)


def test_the_latest_even_games_come_and_others_are_named(server: OgsServer, tmp_path: Path) -> None:
    calls: list[tuple[str, int, int]] = []
    with parallel.context(progress=lambda *now: calls.append(now)):
        result = fetch(server, tmp_path / "games", "ann")
    assert result.user == "Ann"
    assert [file.name for file in result.files] == ["Ann-106.sgf", "Ann-105.sgf", "Ann-104.sgf"]
    assert calls == [("fetching", done, 3) for done in (1, 2, 3)]
    assert [game.black for game in read_games(*result.files)] == ["Ann"] * 3
    assert server.asked[0] == "/api/v1/players?username=ann"
    assert server.asked[1].startswith("/api/v1/players/77/games?ordering=-ended&")
    assert server.asked[2:] == [f"/api/v1/games/{number}/sgf" for number in (106, 105, 104)]
    assert len(fetch(server, tmp_path, games=60).files) == 60  # of further lists
    every = fetch(server, tmp_path, size=None, even=False)
    assert [file.name for file in every.files] == ["Ann-109.sgf", "Ann-108.sgf", "Ann-106.sgf"]
    del server.records[106]
    server.records[105] = b"<html>no game</html>"
    result = fetch(server, tmp_path)
    assert [file.name for file in result.files] == ["Ann-104.sgf"]
    assert result.left_out == (
        "game 106: 127.0.0.1 has nothing public there (status 404)",
        "game 105: this is not SGF",
    )


def test_who_is_meant(server: OgsServer, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="knows no user called 'Nobody'"):
        fetch(server, tmp_path, "Nobody")
    server.players = {"Ann": 77, "ANN": 78}
    with pytest.raises(InputError, match="several users of that name: ANN, Ann"):
        fetch(server, tmp_path, "ann")
    assert fetch(server, tmp_path).user == "Ann"
    for name in ("", "  ", "x" * 101, "a\nb"):
        with pytest.raises(UsageError, match="name has"):
            fetch(server, tmp_path, name)
    server.players = {"../x?y=1&z/é": 77}  # names stay names
    result = fetch(server, tmp_path, "../x?y=1&z/é")
    assert all(file.parent == tmp_path for file in result.files)
    assert result.files[0].name == ".._x_y_1_z_é-106.sgf"
    server.games = server.games[:4]
    with pytest.raises(NoGamesError, match="no public finished even game on 19x19"):
        fetch(server, tmp_path, "../x?y=1&z/é")


def test_answers_that_are_refused(server: OgsServer, tmp_path: Path) -> None:
    target = {"Location": f"{server.url}/secret"}
    answers: list[tuple[int, dict[str, str], bytes, str]] = [
        (429, {}, b"", "fewer requests"), (500, {}, b"", "status 500"),
        (403, {}, b"", "nothing public"),
        *((status, target, b"", "leads to another address") for status in (301, 302, 307, 308)),
        *((200, {"Content-Type": "application/json"}, body, "form that is not known") for body in
          (b"[]", b"{}", b'{"results": 3}', b"\xff", b"<html>", b"[" * 100_000)),
    ]  # fmt: skip
    for *answer, words in answers:
        server.answers["/api/v1/players"] = tuple(answer)  # type: ignore[assignment]
        with pytest.raises(InputError, match=words):
            fetch(server, tmp_path)
    assert not any("secret" in path for path in server.asked)


def test_too_much_and_too_slow_end(server: OgsServer, tmp_path: Path) -> None:
    begun = time.monotonic()
    fetch(server, tmp_path, games=2, pause=0.1)
    assert time.monotonic() - begun >= 0.3  # four requests keep their pace
    with pytest.raises(InputError, match="longer than"):
        fetch(server, tmp_path, pause=0.2, seconds=0.3)
    server.records = dict.fromkeys(range(111), RECORD + b" " * 2000)
    with pytest.raises(InputError, match="more than 1,000 bytes"):
        fetch(server, tmp_path, file_bytes=1000)


def test_limits_of_a_selection() -> None:
    assert (GameSelection(games=1).games, GameSelection(games=500).games) == (1, 500)
    wrong = [("games", 0), ("games", 501), ("seconds", 0.0), ("pause", -1.0), ("file_bytes", 0)]
    for name, value in wrong:
        with pytest.raises(UsageError):
            GameSelection(**{name: value})  # type: ignore[arg-type]
    game = game_entry(1, "Ann", "Bob")
    for change, taken in (
        ({}, (True, True)), ({"private": True}, (False, False)), ({"annulled": 1}, (False, False)),
        ({"ended": None}, (False, False)), ({"height": 13}, (False, True)),
        ({"handicap": 2}, (False, True)),
    ):  # fmt: skip
        selections = (GameSelection(), GameSelection(size=None, even=False))
        assert tuple(each.takes({**game, **change}) for each in selections) == taken


def test_as_much_comes_as_may_and_paths_are_only_paths(server: OgsServer) -> None:
    server.answers["/x"] = (200, {}, b"12345")
    client = CarefulClient(f"{server.url}/")
    assert client.get("/x", most=5, seconds=20.0) == b"12345"
    with pytest.raises(InputError, match="more than 4 bytes"):
        client.get("/x", most=4, seconds=20.0)
    for path in ("x", "//@other", "/x\r\nHost: y", "/x y", "/x#y"):
        with pytest.raises(UsageError, match="is not a path"):
            client.get(path, most=5, seconds=20.0)
    assert server.asked == ["/x", "/x"]
    assert CarefulClient("https://x.org/\n").host == "x.org"  # which `urlsplit` takes away
    for url in ("", "online-go.com", "ftp://x.org", "https://", "https://a@x.org",
                "https://x.org?a=1", "https://x.org:99999", "https://x.org:0", "https://x.org/a b",
                "https://x.org#a", "https://[x"):  # fmt: skip
        with pytest.raises(UsageError, match="is not an address"):
            CarefulClient(url)
    check_importers(["ogs"])
    with pytest.raises(UsageError, match="no server is called"):
        check_importers(["chess.com"])


def test_private_addresses_behind_names_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a name server says is all that is made up here."""
    answers: list[Any] = []
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answers)
    for number in ("127.0.0.1", "10.0.0.1", "192.168.1.1", "169.254.169.254", "::1", "fd00::1",
                   "fe80::1%2", "::ffff:10.0.0.1", "100.64.0.1", "0.0.0.0"):  # fmt: skip
        answers[:] = [(0, 0, 6, "", (one, 80)) for one in ("8.8.8.8", number)]
        with pytest.raises(InputError, match="private address"):
            CarefulClient("https://games.example").addresses()
    with pytest.raises(InputError, match="private address"):
        CarefulClient("http://games.example:1").get("/", most=1, seconds=5.0)


def test_a_server_that_says_nothing_or_drips_is_left() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        client = CarefulClient(f"http://127.0.0.1:{silent.getsockname()[1]}")
        with pytest.raises(InputError, match=r"does not answer: timed out$"):
            client.get("/", most=10, seconds=0.3)
    with socket.create_server(("127.0.0.1", 0)) as slow:

        def drip() -> None:
            connection, _ = slow.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
                with suppress(OSError):
                    for _ in range(100):
                        connection.sendall(b"x")
                        time.sleep(0.05)

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        client = CarefulClient(f"http://127.0.0.1:{slow.getsockname()[1]}")
        with pytest.raises(InputError, match="too slow"):
            client.get("/", most=1000, seconds=0.5)
        thread.join(10.0)


def test_the_command(server: OgsServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "games"
    command = f"go fetch ogs Ann --games 2 -o {folder} --url {server.url}"
    assert main(command.split()) == 0
    assert capsys.readouterr().out == f"2 games of Ann in {folder}\n"
    assert sorted(file.name for file in folder.iterdir()) == ["Ann-105.sgf", "Ann-106.sgf"]
    assert main(["go", "fetch", "fox", "Ann"]) != 0
    assert "no stable public interface" in capsys.readouterr().err
