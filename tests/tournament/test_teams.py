"""Teams: matches from games, their standings, files and pairing."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from yardstone.cli.commands import application
from yardstone.errors import InputError, UsageError
from yardstone.pool import SkipReport
from yardstone.tournament.files import read_tournament, to_bytes
from yardstone.tournament.formats.opengotha import read_opengotha, write_opengotha
from yardstone.tournament.formats.trf import read_trf
from yardstone.tournament.model import Game, Player, Result, System, Tournament
from yardstone.tournament.rules import Team, TeamRules
from yardstone.tournament.teams import matches, team_standings

A, B = Result.first_wins, Result.second_wins
NAMES = ("Oak", "Elm", "Ash", "Fir")


def event(discipline: str = "go", size: int = 3, **changes: object) -> Tournament:
    """Four teams of three, before the first round."""
    players = tuple(
        Player(name=f"{name}{board}", rank=-team, rating=2300.0 - 100 * team - 10 * board)
        for team, name in enumerate(NAMES)
        for board in range(1, size + 1)
    )
    teams = tuple(
        Team(name=name, number=k + 1, lineups=(tuple(range(size * k, size * k + size)),))
        for k, name in enumerate(NAMES)
    )
    values = {"system": System.swiss, "rounds": 3, "teams": teams} | changes
    return Tournament(
        name="Forest",
        discipline=discipline,  # type: ignore[arg-type]
        players=players,
        team_rules=TeamRules(size=size),
        **values,  # type: ignore[arg-type]
    )


def match(one: int, two: int, results: tuple[Result, ...], number: int = 1) -> list[Game]:
    """Boards of a match of three, the first mover alternating."""
    games = []
    for board, result in enumerate(results):
        a, b = 3 * one + board, 3 * two + board
        first, second = (a, b) if board % 2 == 0 else (b, a)
        table = 10 * one + board + 1
        games.append(Game(round=number, first=first, second=second, result=result, table=table))
    return games


def test_matches_and_their_points() -> None:
    played = event().with_round([*match(0, 1, (A, A, A)), *match(2, 3, (B, A, Result.draw))])
    first, second = matches(played)
    assert (first.teams, first.board_points, first.match_points) == ((0, 1), (2, 1), (2, 0))
    assert [board.players for board in first.boards] == [(0, 3), (1, 4), (2, 5)]
    assert (second.board_points, second.match_points) == ((0.5, 2.5), (0, 2))
    assert first.done
    draw = event().with_round(match(0, 1, (A, Result.draw, B)))
    assert matches(draw)[0].match_points == (1, 1)


def test_half_of_the_boards_is_needed_in_go() -> None:
    games = [replace(match(0, 1, (A, A, A))[0]), *match(2, 3, (A, B, A))]
    assert matches(event().with_round(games))[0].match_points == (0, 0)
    assert matches(event("chess").with_round(games))[0].match_points == (2, 0)


def test_standings_and_criteria() -> None:
    games = [*match(0, 1, (A, A, A)), *match(2, 3, (A, B, A))]
    games += [*match(0, 2, (B, A, A), 2), *match(1, 3, (A, B, A), 2)]
    table = team_standings(event().with_round(games))
    assert table.round == 2
    assert table.criteria[:3] == ("TEAMP", "BDW", "BDW3U")
    rows = dict(zip(table.order.tolist(), table.values.tolist(), strict=True))
    assert [rows[team][0] for team in range(4)] == [2, 2, 4, 0]
    assert table.order[0] == 2
    assert rows[0][-1] == 2280
    buchholz = team_standings(event().with_round(games), criteria="mp,bp,bh,sb,b1u")
    assert buchholz.criteria == ("TEAMP", "BDW", "SOST", "SB", "BDW1U")
    row = dict(zip(buchholz.order.tolist(), buchholz.values.tolist(), strict=True))[0]
    assert row == [2, 3, 2 + 4, 2 * 2 + 4 * 1, 1]
    scores = {(s.team, s.player): (s.points, s.games) for s in table.members()}
    assert len(scores) == 12
    assert list(scores[0, 0]) == [1, 2]
    for wrong in ("wins", "B0", ""):
        with pytest.raises(UsageError, match="no criterion of teams"):
            team_standings(event(), criteria=wrong)
    with pytest.raises(UsageError, match="no round 4"):
        team_standings(event(), round_number=4)
    with pytest.raises(InputError, match="has no teams"):
        team_standings(event(teams=()))


def test_a_player_of_two_teams_is_refused() -> None:
    made = event()
    twice = (*made.teams[:3], replace(made.teams[3], lineups=((0, 10, 11),)))
    with pytest.raises(InputError, match="Oak1 is in two teams in round 1"):
        matches(replace(made, teams=twice, games=tuple(match(0, 1, (A, A, A)))))


def test_opengotha_keeps_and_changes_teams() -> None:
    made = event(teams=(Team(name="Oak", number=2, lineups=((0, -1, 2), (1, 0), (2,))),))
    made = replace(made, team_rules=TeamRules(size=3, criteria=("TEAMP", "BDW")))
    data = write_opengotha(made)
    back = read_opengotha(data)
    assert back.team_rules == made.team_rules
    assert back.teams == made.teams
    assert write_opengotha(back) == data
    changed = replace(back, teams=(*back.teams, Team(name="Elm", number=1, lineups=((3, 4),))))
    again = read_opengotha(write_opengotha(changed))
    assert [team.lineup(3) for team in again.teams] == [(2,), (3, 4)]
    assert b"<Team " not in write_opengotha(replace(back, teams=()))
    broken = data.replace(b'player="OAK3" roundNumber="1"', b'player="NOBODY" roundNumber="1"')
    assert read_opengotha(broken).teams[0].lineup(1) == (0,)
    skipped = SkipReport()
    assert read_opengotha(broken, skipped=skipped).teams[0].lineup(1) == (0,)
    assert len(skipped) == 1


def test_report_files_have_teams() -> None:
    made = event("chess")
    text = to_bytes(made, Path("x.trf"))
    assert b"082 4\n" in text
    back = read_trf(text)
    assert [(team.name, team.lineup(2)) for team in back.teams][1] == ("Elm", (3, 4, 5))
    assert back.team_rules.size == 3
    assert to_bytes(back, Path("x.trf")) == text
    fewer = replace(back, teams=back.teams[:2])
    assert to_bytes(fewer, Path("x.trf")).count(b"013 ") == 2
    with pytest.raises(InputError, match="013: no player has the number '99'"):
        read_trf(text.replace(b"10   11   12", b"10   11   99"))


@pytest.mark.parametrize("discipline", ["go", "chess"])
def test_an_event_of_teams_from_pairing_to_standings(
    discipline: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / ("cup.xml" if discipline == "go" else "cup.trf")
    file.write_bytes(to_bytes(event(discipline), file))

    def run(*arguments: str) -> str:
        application("tournament")(args=list(arguments), standalone_mode=False)
        return capsys.readouterr().out

    met: set[frozenset[int]] = set()
    for number in (1, 2, 3):
        text = run("pair", str(file), "--teams", "-o", str(file))
        assert "Boards\n" in text
        assert f"Round {number} of Forest: 2 boards" in text
        tournament = read_tournament(file)
        games = tournament.round_games(number)
        assert [game.table for game in games] == [1, 2, 3, 4, 5, 6] or discipline == "chess"
        listed = [each for each in matches(tournament) if each.round == number]
        assert [len(each.boards) for each in listed] == [3, 3]
        met |= {frozenset(each.teams) for each in listed}
        sides = {(game.first // 3, game.first % 3) for game in games}
        for each in listed:
            begins = each.teams[0]
            assert {(begins, 0), (each.teams[1], 1), (begins, 2)} <= sides
        done = tuple(
            replace(game, result=A if game.first < game.second else B)
            if game.round == number
            else game
            for game in tournament.games
        )
        file.write_bytes(to_bytes(replace(tournament, games=done), file))
    assert len(met) == 6
    text = run("standings", str(file), "--teams")
    assert "Forest: 4 teams, after round 3 of 3" in text
    assert "Round 3\n" in text
    result = json.loads(run("standings", str(file), "--teams", "--format", "json"))
    assert [team["name"] for team in result["teams"]] == list(NAMES)
    assert [team["teamp"] for team in result["teams"]] == [6, 4, 2, 0]
    assert len(result["matches"]) == 6
    with pytest.raises(UsageError, match="standings of players"):
        run("standings", str(file), "--teams", "--top", "2")
    with pytest.raises(UsageError, match="rounds of players"):
        run("pair", str(file), "--teams", "--compare")


def test_teams_without_a_line_up_are_not_seated(tmp_path: Path) -> None:
    made = event()
    empty = tuple(replace(team, lineups=()) for team in made.teams)
    file = tmp_path / "empty.xml"
    file.write_bytes(to_bytes(replace(made, teams=empty), file))
    with pytest.raises(InputError, match="no board has a player of both teams"):
        application("tournament")(args=["pair", str(file), "--teams"], standalone_mode=False)


def test_an_odd_team_sits_out_once_each() -> None:
    from yardstone.tournament.pairing import pair_round
    from yardstone.tournament.teams import team_tournament, with_boards

    made = event()
    made = replace(made, teams=made.teams[:3])
    free = []
    for number in (1, 2, 3):
        entrants = team_tournament(made)
        pairing = pair_round(entrants, number)
        assert pairing.bye is not None
        free.append(pairing.bye.first)
        made = with_boards(made, entrants, pairing.added_to(entrants))
        games = tuple(replace(g, result=A) if g.round == number else g for g in made.games)
        made = replace(made, games=games)
    assert sorted(free) == [0, 1, 2]
