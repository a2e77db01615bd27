"""Matches of players with noise: their seeds, settings and results, and that they go on."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from lab.tests.refusals import refuse
from tests.backgammon.gnubg_here import real_gnubg
from yardstone import parallel
from yardstone.errors import InputError, UsageError, WorkerError
from yardstone_lab.vandendoel import play

NOISY = play.MatchSetting(3, play.NoisyPlayer(), play.NoisyPlayer(0.04, 0.04))


def test_seeds_belong_to_the_match_and_rounds_fill_evenly() -> None:
    jobs = [play.MatchJob(s, n, m) for s in play.part_one() for n in range(50) for m in (1, 2)]
    assert len({job.seeds() for job in jobs}) == len(jobs)
    # The project's table names its matches by these: they must never change.
    known = (1782575233, 1519733679)
    assert play.MatchJob(NOISY, 0, 1).seeds() == known
    assert play.MatchJob(replace(NOISY, analyses=(0, 2)), 0, 1).seeds() == known  # the same match
    swapped = replace(NOISY, first=NOISY.second, second=NOISY.first)
    assert play.MatchJob(swapped, 0, 1).seeds() != known
    jobs = play.in_rounds(play.part_one((3, 5)), 60, 1, size=25)
    assert len(set(jobs)) == len(jobs) == 12 * 60
    assert {job.number for job in jobs[: 12 * 25]} == set(range(25))


def test_settings() -> None:
    assert (len(play.part_one()), len(play.part_two())) == (36, 80)
    for setting in (*play.part_one(), *play.part_two(), *play.measurements().values()):
        assert play.MatchSetting.from_record(json.loads(json.dumps(setting.as_record()))) == setting
    changes: list[tuple[Any, dict[str, Any]]] = [
        *((NOISY.first, {"chequer_noise": noise}) for noise in (-0.1, float("nan"), 10.1)),
        *((NOISY, {"length": length}) for length in (0, 65)), (NOISY.first, {"plies": 5}),
        *((NOISY, {"analyses": plies}) for plies in ((), (0, 0), (5,))),
    ]  # fmt: skip
    refuse(*((partial(replace, each, **change), UsageError, "") for each, change in changes))


def test_the_file_of_results(tmp_path: Path) -> None:
    """A torn line is dropped, and failures are tried again."""

    def record(number: int) -> dict[str, object]:
        return {**NOISY.as_record(), "number": number, "seed": 1, "winner": "X"}

    path = tmp_path / "results.jsonl"
    with play.ResultsFile(path) as results:
        results.append(record(0))
        results.append({**record(1), "failed": "it hung"})
        refuse((lambda: play.ResultsFile(path), InputError, "another process is changing"))
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
        refuse((lambda: play.ResultsFile(path), InputError, ":2: .*no result of a match"))
        assert path.read_text() == text  # nothing was changed
    nowhere = tmp_path / "none" / "results.jsonl"
    refuse((lambda: play.ResultsFile(nowhere), InputError, "cannot be written"))


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
    # Without a frozen clock the record says so.
    moving = play.play_match(jobs[0], frozen=False)
    assert (moving["clock"], moving["noise"]) == (None, "random")
