"""Teams of an event: entered, changed, taken out, and kept when players go."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.tournament.made_events import entered, entry
from yardstone.errors import InputError
from yardstone.tournament import Result, System, Tournament, pair_round
from yardstone.tournament.event import GameResult, enter_players, remove_player, set_result
from yardstone.tournament.event.file import taken_back
from yardstone.tournament.event.settings import remove_team, set_team
from yardstone.tournament.teams import team_standings, team_tournament, with_boards


def event(players: int = 6, *, teams: int = 2) -> Tournament:
    made = entered([f"{n + 1}k" for n in range(players)], rounds=3, system=System.swiss)
    for number in range(teams):
        made = set_team(made, "AB"[number], [3 * number + n for n in range(3)]).tournament
    return made


def lineups(tournament: Tournament) -> dict[str, list[str]]:
    """The line-ups of every team by the names of players."""
    names = [player.name for player in tournament.players] + ["-"]
    return {
        team.name: [" ".join(names[row] for row in line) for line in team.lineups]
        for team in tournament.teams
    }


def test_teams_play_by_boards_and_a_later_line_up_leaves_what_was_played() -> None:
    made = event()
    assert lineups(made) == {"A": ["F0 F1 F2"], "B": ["F3 F4 F5"]}
    assert (made.team_rules.size, [team.number for team in made.teams]) == (3, [1, 2])
    assert set_team(made, "B", [3, 4, 5], boards=1).tournament.team_rules.size == 1
    entrants = team_tournament(made)
    made = with_boards(made, entrants, pair_round(entrants).added_to(entrants))
    for game in made.round_games(1):
        won = GameResult(result=Result.first_wins, round=1, players=game.players)
        made = set_result(made, won).tournament
    assert {frozenset(game.players) for game in made.games} == {
        frozenset((n, n + 3)) for n in range(3)
    }
    # First-named players alternate between the teams: two boards go to one, one to the other.
    assert sorted(team_standings(made).values[:, 1].tolist()) == [1.0, 2.0]
    changed = set_team(made, "a", [2, 0, 1])
    assert lineups(changed.tournament)["A"] == ["F0 F1 F2", "F2 F0 F1"]
    assert changed.lines[0] == "A from round 2 on: F2 G, F0 G, F1 G."
    assert not set_team(changed.tournament, "A", [2, 0, 1]).made
    back = set_team(changed.tournament, "A", [0, 1, 2])
    assert lineups(back.tournament)["A"] == ["F0 F1 F2"]
    with pytest.raises(InputError, match="round 1 has been paired"):
        set_team(made, "A", [2, 0, 1], 1)
    for name in "AB":  # each moved first at some tables
        with pytest.raises(InputError, match="has played in round 1"):
            remove_team(made, name)
    late = set_team(enter_players(made, [entry()]).tournament, "C", [6]).tournament
    assert remove_team(late, "C").tournament.teams == made.teams


@pytest.mark.parametrize(
    ("name", "players", "boards", "message"),
    [("C", [0, 1], None, "F0 G plays for A"), ("C", [], None, "a team has a name and players"),
     (" ", [6], None, "a team has a name and players"), ("C", [6, 6], None, "names a player twice"),
     ("C", [6], 0, "a match has one board at least")],
)  # fmt: skip
def test_teams_that_cannot_be(
    name: str, players: list[int], boards: int | None, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        set_team(event(7), name, players, boards=boards)


def test_who_goes_is_not_found_again_and_nobody_else_moves() -> None:
    made = remove_team(event(), "b").tournament
    assert lineups(made) == {"A": ["F0 F1 F2"]}
    with pytest.raises(InputError, match=r"no team 'B' \(teams are A\)"):
        remove_team(made, "B")
    made = remove_player(event(), 1).tournament
    assert lineups(made) == {"A": ["F0 - F2"], "B": ["F3 F4 F5"]}
    # Another program changed the file after a player was entered, and after a team was.
    before = event(6)
    late = enter_players(before, [entry()]).tournament
    moved = remove_player(replace(late, place="Elsewhere"), 0).tournament
    assert lineups(taken_back(before, late, moved)) == {"A": ["- F1 F2"], "B": ["F3 F4 F5"]}
    without = event(6, teams=1)
    both = set_team(without, "B", [3, 4, 5]).tournament
    now = taken_back(without, both, replace(both, place="Elsewhere"))
    assert (list(lineups(now)), now.place) == (["A"], "Elsewhere")
