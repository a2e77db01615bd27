"""Rounds of FIDE's Dutch system here and by bbpPairings: agreement and time.

    python -m benchmarks.dutch_speed --bbp PATH [--players 20 50 100 200 400] [--each 5]

Both programs generate tournaments, with forfeits, byes and withdrawals, and both check
every round of all of them; each round's pairs and colours must be the same. Checking is
timed, which is one pairing a round: processor time, reading the file included. Ours runs
in this process, where the loops are compiled before the first measurement.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import tempfile
import time
from pathlib import Path

from yardstone.tournament.dutch import check_rounds
from yardstone.tournament.files import read_tournament, to_bytes
from yardstone.tournament.simulation import RandomPlan, random_tournament

CONFIGURATION = """PlayersNumber={players}
RoundsNumber={rounds}
DrawPercentage=35
ForfeitRate=20
RetiredRate=60
HalfPointByeRate=30
"""


def generated(bbp: Path, players: int, seed: int, folder: Path) -> list[Path]:
    """A tournament by each program; none by one that cannot finish it."""
    ours, theirs = folder / f"ours{players}_{seed}.trf", folder / f"bbp{players}_{seed}.trf"
    plan = RandomPlan(players=players, rounds=9, seed=seed, forfeits=0.05, byes=0.03, late=0.05)
    ours.write_bytes(to_bytes(random_tournament(plan), ours))
    settings = folder / "settings.txt"
    settings.write_text(CONFIGURATION.format(players=players, rounds=9))
    command = [str(bbp), "--dutch", "-g", str(settings), "-o", str(theirs), "-s", str(seed)]
    done = subprocess.run(command, capture_output=True)
    return [ours, theirs] if done.returncode == 0 else [ours]


def bbp_check(bbp: Path, path: Path) -> tuple[int, float]:
    """Rounds in which bbpPairings finds something wrong, and its processor seconds."""
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([bbp, "--dutch", path, "-c"], capture_output=True, text=True, check=True)
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime
    rounds: list[bool] = []
    for line in done.stdout.splitlines():
        if "Round #" in line:
            rounds.append(False)
        elif line.strip():
            rounds[-1] = True
    return sum(rounds), seconds


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--bbp", type=Path, required=True, help="bbpPairings, built")
    parser.add_argument("--players", type=int, nargs="+", default=[20, 50, 100, 200, 400])
    parser.add_argument("--each", type=int, default=5, help="tournaments of each size and program")
    arguments = parser.parse_args()
    check_rounds(random_tournament(RandomPlan(players=200, rounds=2)))
    print("players  rounds  agree  ours (s/round)  bbpPairings (s/round)  ratio")
    with tempfile.TemporaryDirectory() as name:
        for players in arguments.players:
            rounds = agree = 0
            ours = theirs = 0.0
            for seed in range(arguments.each):
                for path in generated(arguments.bbp, players, seed, Path(name)):
                    start = time.process_time()
                    checks = check_rounds(read_tournament(path))
                    ours += time.process_time() - start
                    wrong, seconds = bbp_check(arguments.bbp, path)
                    theirs += seconds
                    rounds += len(checks)
                    agree += min(sum(check.agrees for check in checks), len(checks) - wrong)
            print(
                f"{players:7d} {rounds:7d} {agree:6d} {ours / rounds:15.4f} "
                f"{theirs / rounds:22.4f} {theirs / ours:6.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
