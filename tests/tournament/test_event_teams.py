"""Teams of an event: entered, changed, taken out, and kept when players go."""

from __future__ import annotations

from dataclasses import replace

import pytest

from yardstone.errors import InputError
from yardstone.tournament import Result, System, Tournament, pair_round
from yardstone.tournament.event import (
    EventEntry,
    GameResult,
    enter_players,
    new_tournament,
    remove_player,
    remove_team,
    set_result,
    set_team,
)
from yardstone.tournament.event.file import taken_back
from yardstone.tournament.teams import team_standings, team_tournament, with_boards


def event(players: int = 6, *, teams: int = 2) -> Tournament:
    entries = [EventEntry(name=f"F{n}", first_name="G", grade=f"{n + 1}k") for n in range(players)]
    made = enter_players(new_tournament("Cup", rounds=3, system=System.swiss), entries).tournament
    for number in range(teams):
        made = set_team(made, "AB"[number], [3 * number + n for n in range(3)]).tournament
    return made


def played(tournament: Tournament) -> Tournament:
    """Round 1, in which the first-named players win."""
    entrants = team_tournament(tournament)
    made = with_boards(tournament, entrants, pair_round(entrants).added_to(entrants))
    for game in made.round_games(1):
        result = GameResult(result=Result.first_wins, round=1, players=(game.first, game.second))
        made = set_result(made, result).tournament
    return made


def names(tournament: Tournament) -> dict[str, list[list[str]]]:
    """The line-ups of every team by the names of players."""
    return {
        team.name: [[tournament.players[row].name if row >= 0 else "" for row in line]
                    for line in team.lineups]
        for team in tournament.teams
    }  # fmt: skip


def test_teams_play_by_boards() -> None:
    made = event()
    assert names(made) == {"A": [["F0", "F1", "F2"]], "B": [["F3", "F4", "F5"]]}
    assert made.team_rules.size == 3
    made = played(made)
    assert {frozenset((g.first, g.second)) for g in made.games} == {
        frozenset((n, n + 3)) for n in range(3)
    }
    table = team_standings(made)
    # First-named players alternate between the teams: two boards go to one, one to the other.
    assert sorted(table.values[:, 1].tolist()) == [1.0, 2.0]


def test_a_later_line_up_leaves_what_was_played() -> None:
    made = played(event())
    changed = set_team(made, "a", [2, 0, 1])
    assert names(changed.tournament)["A"] == [["F0", "F1", "F2"], ["F2", "F0", "F1"]]
    assert changed.lines[0] == "A from round 2 on: F2 G, F0 G, F1 G."
    assert not set_team(changed.tournament, "A", [2, 0, 1]).made
    with pytest.raises(InputError, match="round 1 has been paired"):
        set_team(made, "A", [2, 0, 1], 1)
    with pytest.raises(InputError, match="has played in round 1"):
        remove_team(made, "A")


@pytest.mark.parametrize(
    ("name", "players", "boards", "message"),
    [
        ("C", [0, 1], None, "F0 G plays for A"),
        ("C", [], None, "a team has a name and players"),
        (" ", [6], None, "a team has a name and players"),
        ("C", [6, 6], None, "C names a player twice"),
        ("C", [6], 0, "a match has one board at least"),
    ],
)
def test_teams_that_cannot_be(
    name: str, players: list[int], boards: int | None, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        set_team(event(7), name, players, boards=boards)


def test_a_team_is_taken_out_and_not_found_again() -> None:
    made = remove_team(event(), "b").tournament
    assert names(made) == {"A": [["F0", "F1", "F2"]]}
    with pytest.raises(InputError, match=r"no team 'B' \(teams are A\)"):
        remove_team(made, "B")


def test_who_leaves_leaves_a_board_and_nobody_else_moves() -> None:
    made = remove_player(event(), 1).tournament
    assert names(made) == {"A": [["F0", "", "F2"]], "B": [["F3", "F4", "F5"]]}


def test_taking_back_keeps_teams_by_name() -> None:
    """Another program changed the file after a player was entered, and after a team was."""
    before = event(6)
    late = enter_players(before, [EventEntry(name="Late", first_name="L", grade="1k")]).tournament
    moved = remove_player(replace(late, place="Elsewhere"), 0).tournament
    now = taken_back(before, late, moved)
    assert names(now) == {"A": [["", "F1", "F2"]], "B": [["F3", "F4", "F5"]]}
    without = event(6, teams=1)
    both = set_team(without, "B", [3, 4, 5]).tournament
    now = taken_back(without, both, replace(both, place="Elsewhere"))
    assert (list(names(now)), now.place) == (["A"], "Elsewhere")
