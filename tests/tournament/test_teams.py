"""Teams: matches from games, their standings, files and pairing."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from yardstone.cli.commands import application
from yardstone.errors import InputError, UsageError
from yardstone.pool import SkipReport
from yardstone.tournament import Game, Team, TeamRules, pair_round, read_tournament, to_bytes
from yardstone.tournament.formats.opengotha import read_opengotha, write_opengotha
from yardstone.tournament.formats.trf import read_trf
from yardstone.tournament.model import Player, Result, System, Tournament
from yardstone.tournament.teams import matches, team_standings, team_tournament, with_boards

A, B, DRAW = Result.first_wins, Result.second_wins, Result.draw
NAMES = ("Oak", "Elm", "Ash", "Fir")


def event(discipline: str = "go", **changes: object) -> Tournament:
    """Four teams of three, before the first round."""
    players = tuple(
        Player(name=f"{name}{board}", rank=-team, rating=2300.0 - 100 * team - 10 * board)
        for team, name in enumerate(NAMES)
        for board in (1, 2, 3)
    )
    teams = tuple(
        Team(name=name, number=k + 1, lineups=((3 * k, 3 * k + 1, 3 * k + 2),))
        for k, name in enumerate(NAMES)
    )
    made = Tournament(name="Forest", discipline=discipline, players=players,  # type: ignore[arg-type]
                      system=System.swiss, rounds=3, teams=teams,
                      team_rules=TeamRules(size=3))  # fmt: skip
    return replace(made, **changes)  # type: ignore[arg-type]


def match(one: int, two: int, *results: Result, number: int = 1) -> list[Game]:
    """Boards of a match of three, the first mover alternating."""
    games = []
    for board, result in enumerate(results):
        a, b = 3 * one + board, 3 * two + board
        first, second = (a, b) if board % 2 == 0 else (b, a)
        table = 10 * one + board + 1
        games.append(Game(round=number, first=first, second=second, result=result, table=table))
    return games


def test_matches_and_their_points() -> None:
    played = event().with_round([*match(0, 1, A, A, A), *match(2, 3, B, A, DRAW)])
    first, second = matches(played)
    assert (first.teams, first.board_points, first.match_points) == ((0, 1), (2, 1), (2, 0))
    assert [board.players for board in first.boards] == [(0, 3), (1, 4), (2, 5)]
    assert [board.board for board in first.boards] == [1, 2, 3]
    assert (second.board_points, second.match_points, first.done) == ((0.5, 2.5), (0, 2), True)
    assert matches(event().with_round(match(0, 1, A, DRAW, B)))[0].match_points == (1, 1)
    waiting = matches(event().with_round(match(0, 1, Result.unknown, Result.unknown)))[0]
    assert (waiting.match_points, waiting.done) == ((0, 0), False)
    # Half of the boards are needed in Go; reserves move up where a player is missing.
    games = [match(0, 1, A)[0], *match(2, 3, A, B, A)]
    for discipline, points in (("go", (0, 0)), ("chess", (2, 0))):
        assert matches(event(discipline).with_round(games))[0].match_points == points
    late = event(team_rules=TeamRules(size=2)).with_round(match(0, 1, A, A, A)[1:])
    assert [board.board for board in matches(late)[0].boards] == [1, 2]


def test_standings_and_criteria() -> None:
    games = [*match(0, 1, A, A, A), *match(2, 3, A, B, A)]
    games += [*match(0, 2, B, A, A, number=2), *match(1, 3, A, B, A, number=2)]
    table = team_standings(event().with_round(games))
    assert (table.round, len(table)) == (2, 4)
    assert table.criteria == ("TEAMP", "BDW", "BDW3U", "BDW2U", "BDW1U", "MNR")
    rows = dict(zip(table.order.tolist(), table.values.tolist(), strict=True))
    assert rows == {2: [4, 5, 5, 4, 2, 2080], 1: [2, 4, 4, 3, 1, 2180], 0: [2, 3, 3, 1, 1, 2280],
                    3: [0, 0, 0, 0, 0, 1980]}  # fmt: skip
    assert (table.order.tolist(), table.place.tolist()) == ([2, 1, 0, 3], [1, 2, 3, 4])
    scores = {(s.team, s.player): (s.points, s.games) for s in table.members()}
    assert (len(scores), scores[0, 0], scores[2, 6]) == (12, (1, 2), (2, 2))
    buchholz = team_standings(event("chess").with_round(games))
    assert buchholz.criteria == ("TEAMP", "BDW", "SOST", "SB")
    named = team_standings(event().with_round(games), criteria="mp,bp,bh,sb,b1u")
    assert named.criteria == ("TEAMP", "BDW", "SOST", "SB", "BDW1U")
    row = dict(zip(named.order.tolist(), named.values.tolist(), strict=True))[0]
    assert row == [2, 3, 2 + 4, 2 * 2 + 4 * 1, 1]
    assert team_standings(event(), criteria="tp").place.tolist() == [1, 1, 1, 1]
    for wrong in ("wins", "B0", ""):
        with pytest.raises(UsageError, match="no criterion of teams"):
            team_standings(event(), criteria=wrong)
    with pytest.raises(UsageError, match="no round 4"):
        team_standings(event(), round_number=4)
    with pytest.raises(InputError, match="has no teams"):
        team_standings(event(teams=()))
    twice = (*event().teams[:3], replace(event().teams[3], lineups=((0, 10, 11),)))
    with pytest.raises(InputError, match="Oak1 is in two teams in round 1"):
        matches(event(teams=twice, games=tuple(match(0, 1, A, A, A))))


def test_files_keep_and_change_teams() -> None:
    oak = Team(name="Oak", number=2, lineups=((0, -1, 2), (1, 0), (2,)))
    made = event(teams=(oak,), team_rules=TeamRules(size=3, criteria=("TEAMP", "BDW")))
    data = write_opengotha(made)
    back = read_opengotha(data)
    assert (back.team_rules, back.teams) == (made.team_rules, made.teams)
    assert write_opengotha(back) == data
    assert data.count(b"\n        <Team") == 3  # a team, and two sets of parameters
    changed = replace(back, teams=(*back.teams, Team(name="Elm", number=1, lineups=((3, 4),))))
    again = read_opengotha(write_opengotha(changed))
    assert [team.lineup(3) for team in again.teams] == [(2,), (3, 4)]
    assert b"<Team " not in write_opengotha(replace(back, teams=()))
    broken = data.replace(b'player="OAK3" roundNumber="1"', b'player="NOBODY" roundNumber="1"')
    for skipped in (None, SkipReport()):
        assert read_opengotha(broken, skipped=skipped).teams[0].lineup(1) == (0,)
    assert skipped is not None
    assert len(skipped) == 1
    file = Path("x.trf")
    text = to_bytes(event("chess"), file)
    assert b"082 4\n" in text
    back = read_trf(text)
    assert (back.teams[1].name, back.teams[1].lineup(2)) == ("Elm", (3, 4, 5))
    assert back.team_rules.size == 3
    assert to_bytes(back, file) == text
    assert to_bytes(replace(back, teams=back.teams[:2]), file).count(b"013 ") == 2
    with pytest.raises(InputError, match="013: no player has the number '99'"):
        read_trf(text.replace(b"10   11   12", b"10   11   99"))


@pytest.mark.parametrize("discipline", ["go", "chess"])
def test_an_event_of_teams_from_pairing_to_standings(
    discipline: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / ("cup.xml" if discipline == "go" else "cup.trf")
    file.write_bytes(to_bytes(event(discipline), file))

    def run(command: str, *arguments: str) -> str:
        words = [command, str(file), "--teams", *arguments]
        application("tournament")(args=words, standalone_mode=False)
        return capsys.readouterr().out

    for number in (1, 2, 3):
        assert f"Round {number} of Forest: 2 boards" in run("pair", "-o", str(file))
        tournament = read_tournament(file)
        games = tournament.round_games(number)
        assert [game.table for game in games] == [1, 2, 3, 4, 5, 6] or discipline == "chess"
        sides = {(game.first // 3, game.first % 3) for game in games}
        for each in matches(tournament)[-2:]:
            begins, other = each.teams
            assert {(begins, 0), (other, 1), (begins, 2)} <= sides
        won = [replace(game, result=A if game.first < game.second else B) for game in games]
        kept = [game for game in tournament.games if game.round < number]
        file.write_bytes(to_bytes(replace(tournament, games=(*kept, *won)), file))
    result = json.loads(run("standings", "--format", "json"))
    teams = [(team["name"], team["teamp"]) for team in result["teams"]]
    assert teams == list(zip(NAMES, (6, 4, 2, 0), strict=True))
    assert len(result["matches"]) == 6
    for words in (("standings", "--top", "2"), ("pair", "--compare")):
        with pytest.raises(UsageError, match="of players"):
            run(*words)
    empty = event(teams=tuple(replace(team, lineups=()) for team in event().teams))
    file.write_bytes(to_bytes(empty, Path("x.xml")))
    with pytest.raises(InputError, match="no board has a player of both teams"):
        run("pair")


def test_an_odd_team_sits_out_once_each() -> None:
    made, free = event(teams=event().teams[:3]), []
    for number in (1, 2, 3):
        entrants = team_tournament(made)
        pairing = pair_round(entrants, number)
        assert pairing.bye is not None
        free.append(pairing.bye.first)
        made = with_boards(made, entrants, pairing.added_to(entrants))
        games = tuple(replace(g, result=A) if g.round == number else g for g in made.games)
        made = replace(made, games=games)
    assert sorted(free) == [0, 1, 2]
