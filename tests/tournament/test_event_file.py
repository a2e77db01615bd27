"""A tournament's file under many hands: whole or as it was, nothing lost, and the way back."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tournament.made_events import entry, paired
from tests.tournament.samples import DATA
from yardstone.errors import InputError, MissingFileError
from yardstone.tournament import Result, Tournament, read_tournament, to_bytes
from yardstone.tournament.event import EventChange, change_player, create_file, enter_players
from yardstone.tournament.event import file as event_file
from yardstone.tournament.event.file import change_file, journal_of, read_journal, undo_step
from yardstone.tournament.event.rounds import GameResult, set_result
from yardstone.tournament.event.settings import new_tournament

PLAYERS = [entry(f"F{n} G", f"{n + 1}k") for n in range(8)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """An event of eight with its first round."""
    made = tmp_path / "open.xml"
    create_file(made, new_tournament("Open", rounds=3, komi=7))
    change_file(made, lambda t: enter_players(t, PLAYERS))
    change_file(made, pair)
    return made


def pair(tournament: Tournament) -> EventChange:
    return EventChange(tournament=paired(tournament), lines=("Paired.",))


def win(table: int, result: Result = Result.first_wins) -> GameResult:
    return GameResult(result=result, round=1, table=table)


def enter_result(path: Path, table: int, result: Result = Result.first_wins) -> EventChange:
    return change_file(path, lambda t: set_result(t, win(table, result)))


def rewritten(path: Path, **changes: object) -> None:
    """Another program writes the file, without the lock."""
    tournament = read_tournament(path)
    path.write_bytes(to_bytes(replace(tournament, **changes), path))  # type: ignore[arg-type]


def test_steps_are_refused_or_taken_back_one_by_one(path: Path) -> None:
    states = [path.read_bytes()]
    for table in (1, 2, 3):
        enter_result(path, table)
        states.append(path.read_bytes())
    before, journal = path.stat(), read_journal(path)
    assert [step.number for step in journal] == [1, 2, 3, 4, 5]
    assert not enter_result(path, 1).made
    with pytest.raises(InputError, match="has the result"):
        enter_result(path, 1, Result.second_wins)
    with pytest.raises(InputError, match="there already"):
        create_file(path, new_tournament("Other"))
    with pytest.raises(InputError, match="another one: Round 1, table 3"):
        undo_step(path, number=4)
    assert (path.stat().st_mtime_ns, path.read_bytes()) == (before.st_mtime_ns, states[-1])
    assert read_journal(path) == journal
    for back, state in enumerate(reversed(states[:-1])):
        change = undo_step(path, number=5 - back)
        assert path.read_bytes() == state
        assert change.lines[0].startswith("Taken back: Round 1, table")
    undo_step(path)
    undo_step(path)
    assert read_tournament(path).players == ()
    assert not journal_of(path).exists()
    with pytest.raises(InputError, match="nothing to take back"):
        undo_step(path)


def test_a_step_is_taken_back_although_another_program_wrote_since(path: Path) -> None:
    enter_result(path, 2)
    rewritten(path, place="Elsewhere")
    change = undo_step(path)
    assert "is kept" in change.lines[1]
    read = read_tournament(path)
    assert read.place == "Elsewhere"
    assert all(game.result is Result.unknown for game in read.games)
    # and the pairing before it, of which the other program knows all boards
    undo_step(path)
    assert read_tournament(path).games == ()
    change_file(path, lambda t: change_player(t, 0, name="Else, Some"))
    rewritten(path, director="Somebody")
    undo_step(path)
    names = {player.full_name for player in read_tournament(path).players}
    assert names == {f"F{n} G" for n in range(8)}


def test_what_was_changed_again_or_paired_since_is_not_taken_back(path: Path) -> None:
    enter_result(path, 2)
    games = read_tournament(path).games
    rewritten(path, games=tuple(replace(g, result=Result.draw) for g in games))
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"the game F.* of round 1 was changed again"):
        undo_step(path)
    assert path.read_bytes() == before
    late = [entry(name, "1k") for name in ("A X", "B X")]
    change_file(path, lambda t: enter_players(t, late, first_round=1))
    rewritten(path, games=paired(read_tournament(path), 1).games)
    with pytest.raises(InputError, match="has been paired since"):
        undo_step(path)


def test_another_program_writes_in_the_middle(path: Path) -> None:
    """The step is taken anew on what that program wrote."""
    calls = []

    def slowly(tournament: Tournament) -> EventChange:
        calls.append(tournament.place)
        if len(calls) < 5:
            rewritten(path, place=f"Elsewhere {len(calls)}")
        return set_result(tournament, win(1))

    change_file(path, slowly)
    assert calls == ["", *(f"Elsewhere {n}" for n in (1, 2, 3, 4))]
    read = read_tournament(path)
    assert (read.place, read.round_games(1)[0].result) == (calls[-1], Result.first_wins)

    def too_late(tournament: Tournament) -> EventChange:
        rewritten(path, place=tournament.place + "x")
        return set_result(tournament, win(2))

    with pytest.raises(InputError, match="keeps changing"):
        change_file(path, too_late)


def test_journals_are_kept_short_and_what_was_never_written_is_passed_over(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The latter as after a process that died between the journal and the file."""
    assert event_file.MOST_STEPS == 100
    monkeypatch.setattr(event_file, "MOST_STEPS", 5)
    for table in (1, 2, 3):
        enter_result(path, table)
    before = path.read_bytes()
    enter_result(path, 4)
    assert [step.number for step in read_journal(path)] == [2, 3, 4, 5, 6]
    path.write_bytes(before)
    assert "table 3" in undo_step(path).lines[0]


@pytest.mark.parametrize("text", ["x\n", "[]\n", '{"number": 1}\n'])
def test_a_damaged_journal_is_an_error_and_the_file_stays(path: Path, text: str) -> None:
    before, good = path.read_bytes(), journal_of(path).read_text()
    for damaged, message in (
        (text, r"open\.xml\.undo:1: this is not a journal"),
        (good.replace('"before": "', '"before": "!'), "cannot be unpacked"),
        (good.replace('"before": "eN', '"before": "eA'), "cannot be unpacked"),
    ):
        journal_of(path).write_text(damaged)
        with pytest.raises(InputError, match=message):
            undo_step(path)
    journal_of(path).write_text(text)
    with pytest.raises(InputError, match="not a journal"):
        enter_result(path, 1)
    assert path.read_bytes() == before


def test_places_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError):
        change_file(tmp_path / "none.xml", pair)
    with pytest.raises(InputError, match="no such folder"):
        create_file(tmp_path / "none" / "a.xml", new_tournament("A"))
    other = tmp_path / "a.xml"
    other.write_text("<Games/>")
    with pytest.raises(InputError, match="tournament"):
        change_file(other, pair)


def test_trf_is_changed_as_well_and_a_link_stays_a_link(tmp_path: Path) -> None:
    path, link = tmp_path / "swiss.trf", tmp_path / "link.trf"
    path.write_bytes(before := (DATA / "exercise.trf").read_bytes())
    link.symlink_to(path)

    def change_first(tournament: Tournament) -> EventChange:
        players = tournament.round_games(1)[0].players
        given = GameResult(result=Result.both_lose, round=1, players=players)
        return set_result(tournament, given, replace_other=True)

    change_file(link, change_first)
    assert link.is_symlink()
    assert path.read_bytes() != before
    undo_step(link)
    assert path.read_bytes() == before


WRITER = """
import sys
from yardstone.tournament import Result
from yardstone.tournament.event import GameResult, change_file, set_result
path, table, turns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
print("ready", flush=True)
results = [Result.first_wins, Result.second_wins, Result.draw]
for turn in range(turns):
    given = GameResult(result=results[turn % 3], round=1, table=table)
    change_file(path, lambda t: set_result(t, given, replace_other=True))
"""


def writer(path: Path, table: int, turns: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), str(table), str(turns)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process.stdout as said:
        assert said.readline() == "ready\n"
    return process


def test_processes_lose_no_result_and_leave_a_whole_file_when_killed(path: Path) -> None:
    processes = [writer(path, table, 4) for table in (1, 2)]
    assert [process.wait(60) for process in processes] == [0, 0]
    results = [game.result for game in read_tournament(path).round_games(1)]
    assert results == [Result.first_wins] * 2 + [Result.unknown] * 2
    assert len(read_journal(path)) == 2 + 2 * 4
    process = writer(path, 1, 10**9)
    while len(read_journal(path)) == 2 + 2 * 4:
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.wait(30)
    tournament = read_tournament(path)
    assert (len(tournament.players), len(tournament.games)) == (8, 4)
    assert all(step.after for step in read_journal(path))
    assert enter_result(path, 3).made  # the lock went with the process
    assert {each.name for each in path.parent.iterdir()} <= {"open.xml", "open.xml.undo"}
