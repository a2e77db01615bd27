from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.backgammon.gnubg_here import real_gnubg
from yardstone import parallel
from yardstone.errors import InputError, UsageError, WorkerError
from yardstone_lab.vandendoel import play

NOISY = play.MatchSetting(3, play.NoisyPlayer(), play.NoisyPlayer(0.04, 0.04))


def test_seeds_belong_to_the_match() -> None:
    jobs = [play.MatchJob(s, n, m) for s in play.part_one() for n in range(50) for m in (1, 2)]
    seeds = [job.seeds() for job in jobs]
    assert len(set(seeds)) == len(jobs)
    assert len({clock for _, clock in seeds}) > 0.999 * len(jobs)
    assert all(0 <= dice < 2**31 and 10**8 <= clock < 2**31 for dice, clock in seeds)
    # The project's table names its matches by these: they must never change.
    known = (1782575233, 1519733679)
    assert play.MatchJob(NOISY, 0, 1).seeds() == known
    assert play.MatchJob(replace(NOISY, analyses=(0, 2)), 0, 1).seeds() == known  # the same match
    swapped = replace(NOISY, first=NOISY.second, second=NOISY.first)
    assert play.MatchJob(swapped, 0, 1).seeds() != known


def test_settings() -> None:
    others = [*play.depth_check(), *play.strong_check(), *play.measurements().values()]
    for setting in play.part_one() + play.part_two() + others:
        assert play.MatchSetting.from_record(json.loads(json.dumps(setting.as_record()))) == setting
    assert (len(play.part_one()), len(play.part_two())) == (36, 80)
    changes: list[tuple[Any, dict[str, Any]]] = [
        *((NOISY.first, each) for each in ({"chequer_noise": -0.1}, {"plies": 5})),
        *((NOISY.first, {"chequer_noise": noise}) for noise in (float("nan"), 10.1)),
        *((NOISY, each) for each in ({"length": 0}, {"length": 65}, {"analyses": (5,)})),
        *((NOISY, {"analyses": plies}) for plies in ((), (0, 0))),
    ]
    for whole, change in changes:
        with pytest.raises(UsageError):
            replace(whole, **change)
    with pytest.raises(UsageError):
        play.part_two((1, 3))


def test_the_file_of_results(tmp_path: Path) -> None:
    """A torn line is dropped, and failures are tried again."""

    def record(number: int) -> dict[str, object]:
        return {**NOISY.as_record(), "number": number, "seed": 1, "winner": "X"}

    path = tmp_path / "results.jsonl"
    with play.ResultsFile(path) as results:
        results.append(record(0))
        results.append({**record(1), "failed": "it hung"})
        with pytest.raises(InputError, match="another process is changing"):
            play.ResultsFile(path)
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"length": 3, "fir')
    assert [line for line, _ in play.read_results(path)] == [1, 2]
    with play.ResultsFile(path) as results:
        assert results.done == {play.MatchJob(NOISY, 0, 1)}
        results.append(record(2))
    assert path.read_bytes().startswith(whole)
    assert len(list(play.read_results(path))) == 3
    for line in (
        *("hello", "[]", "{}", "[" * 100_000),
        '{"length": 0, "first": {}, "second": {}, "analyses": [0], "noise": "random"}',
    ):
        text = json.dumps(record(0)) + "\n" + line + "\n"
        path.write_text(text)
        with pytest.raises(InputError, match="no result of a match") as caught:
            play.ResultsFile(path)
        assert caught.value.line == 2
        assert path.read_text() == text  # nothing was changed
    with pytest.raises(InputError, match="cannot be written"):
        play.ResultsFile(tmp_path / "none" / "results.jsonl")


def test_rounds_fill_all_settings_evenly() -> None:
    settings = play.part_one((3, 5))
    jobs = play.in_rounds(settings, 60, 1, size=25)
    assert len(set(jobs)) == len(jobs) == 12 * 60
    assert {job.number for job in jobs[: 12 * 25]} == set(range(25))
    assert set(play.in_rounds(settings, 40, 1)) < set(jobs)  # more matches are the same and others


def test_a_crash_costs_its_match_alone(tmp_path: Path) -> None:
    """And equal seeds give equal matches, in any order, on any number of processes."""
    program = tmp_path / "gnubg"  # it crashes on every second match, by the seed of its dice
    crash = "grep -q '\"dice\": [0-9]*[02468],' data.json && { echo no luck >&2; kill -SEGV $$; }"
    program.write_text(f'#!/bin/sh\n{crash}\nexec {real_gnubg(clock=True)} "$@"\n')
    program.chmod(0o755)
    jobs = play.in_rounds([replace(NOISY, length=1)], 4, 5)
    even = {job.number for job in jobs if job.seeds()[0] % 2 == 0}
    assert 0 < len(even) < 4
    path = tmp_path / "results.jsonl"
    with parallel.context(workers=2):
        outcome = play.play_jobs(jobs, path, program=program)
    assert (outcome.played, outcome.kept, len(outcome.failed)) == (4 - len(even), 0, len(even))
    assert all("no luck" in line for line in outcome.failed)
    assert {r["number"] for _, r in play.read_results(path) if "failed" in r} == even
    with parallel.context(workers=2):
        assert play.play_jobs(jobs, path) == play.PlayedMatches(len(even), 4 - len(even), ())
    with parallel.context(workers=1):
        play.play_jobs(reversed(jobs), tmp_path / "again.jsonl")
    whole = {line for line in path.read_text().splitlines() if '"failed"' not in line}
    assert whole == set((tmp_path / "again.jsonl").read_text().splitlines())
    assert len(whole) == 4
    with pytest.raises(WorkerError, match=r"stopped after 0\.05"):
        play.play_match(jobs[0], timeout=0.05)


def test_a_match_says_everything() -> None:
    job = play.MatchJob(replace(NOISY, second=play.NoisyPlayer(0.04, 0.2)), 1, 3)
    match = play.play_match(job, program=real_gnubg(clock=True), export=True)
    assert (match["dice"], match["clock"]) == job.seeds()
    assert max(match["score"]) >= 3
    assert match["mat"].count(" Game ") == match["games"]
    result = match["analyses"]["0"]
    stats = result["stats"]
    assert stats[match["winner"]]["dice"]["actual-result"] == 0.5
    luck = [stats[who]["dice"]["luck-adjusted-result"] for who in "XO"]
    assert luck[0] == pytest.approx(-luck[1], abs=1e-6)
    # A player without noise plays what the analysis at the same depth calls best, but for
    # the rounding of equities.
    skill = [stats[who]["moves"]["error-skill"] for who in "XO"]
    assert skill[0] < 0.01 < skill[1]
    for who in "XO":
        cube, close = stats[who]["cube"], result["close"][who]
        assert (close["total"], close["close-2006"]) == (cube["total-cube"], cube["close-cube"])
    # Without a frozen clock the record says so.
    moving = play.play_match(play.MatchJob(replace(job.setting, length=1), 0, 1), frozen=False)
    assert (moving["clock"], moving["noise"]) == (None, "random")
