"""Compare `yardstone ordo` with the real Ordo on random pools and switches, byte for byte.

    ORDO=/path/to/ordo python benchmarks/ordo_differential.py --cases 1000
    ORDOPREP=/path/to/ordoprep python benchmarks/ordo_differential.py --mode prep

Without a program in the environment variable there is nothing to compare with,
and the script says so. Each difference is classified: `boundary` means that
only the last digits of printed numbers differ, by one unit, where Ordo's search
stops short of the solution; everything else is `wrong` and kept for inspection
under --keep.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from yardstone.cli.ordo import main as yardstone_ordo
from yardstone.cli.prep import main as yardstone_prep

#: Switches whose numbers rest on Ordo's search; a unit of the last digit may differ.
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")

ODD_NAMES = (
    'The \\"Rock\\"',
    "Back\\\\slash",
    "Comma, Name",
    "x",
    "Semi;colon 'quote'",
    "A very long name of an engine indeed, version 12.3 x64",
    "100%",
    "[brackets]",
    "two  blanks",
)


@dataclass(frozen=True)
class Outcome:
    """Exit status, both streams, and the files written."""

    status: int
    out: str
    err: str
    files: dict[str, str]


@dataclass(frozen=True)
class Case:
    """Files and switches of one comparison."""

    inputs: dict[str, str]
    arguments: list[str]


MODES = ("plain", "likelihood", "perfect")
OUTPUTS = ("o.txt", "o.csv", "j.txt", "g.txt", "rating.dat", "programs.dat", "general.dat")


def games_of(
    rng: random.Random, names: list[str], games: int, draws: float, *, unfinished: bool
) -> list[str]:
    """Random games as PGN, each player of a random strength."""
    strength = {name: rng.gauss(0.0, rng.choice([0.0, 0.3, 1.0])) for name in names}
    advantage = rng.choice([0.0, 0.15, -0.1])
    texts = []
    for _ in range(games):
        white, black = rng.sample(names, 2)
        expected = 1.0 / (1.0 + 2.718281828 ** -(strength[white] + advantage - strength[black]))
        if rng.random() < draws * 4 * expected * (1 - expected):
            result = rng.choice(["1/2-1/2"] * 9 + ["=-="])
        else:
            result = "1-0" if rng.random() < expected else "0-1"
        if unfinished and rng.random() < 0.02:
            result = "*"
        texts.append(
            f'[Event "t"]\n[White "{white}"]\n[Black "{black}"]\n'
            f'[Result "{result}"]\n\n1. e4 {result}\n\n'
        )
    return texts


def random_case(rng: random.Random, mode: str) -> Case:
    """A random pool and random switches.

    `mode` is plain (score equations), likelihood (-M or priors) or perfect (a
    player who won or lost everything, with -G).
    """
    players = rng.choice([2, 3, 4, 6, 8, 12, 20, 40, 60])
    pool = [f"Player {number}" for number in range(players)]
    for number in range(players):
        if rng.random() < 0.1:
            odd = rng.choice(ODD_NAMES)
            if odd not in pool:
                pool[number] = odd
    unfinished = rng.random() < 0.4
    games = games_of(
        rng, pool, rng.randint(2, 25) * players, rng.choice([0.0, 0.3, 0.6]), unfinished=unfinished
    )
    if mode == "perfect":
        for name, result in rng.choice(
            [[("Zeus", "1-0")], [("Nul", "0-1")], [("Zeus", "1-0"), ("Nul", "0-1")]]
        ):
            opponents = rng.sample(pool, rng.randint(1, len(pool)))
            games += [
                f'[White "{name}"]\n[Black "{other}"]\n[Result "{result}"]\n\n{result}\n\n'
                for other in opponents
                for _ in range(rng.randint(1, 3))
            ]
            rng.shuffle(games)
    cut = rng.randint(1, len(games))
    inputs = {"a.pgn": "".join(games[:cut]), "b.pgn": "".join(games[cut:])}
    arguments = ["-q"] if rng.random() < 0.9 else []
    arguments += switches(rng, pool, inputs, mode, selecting=not unfinished)
    arguments += rng.choice([["-p", "a.pgn", "--", "b.pgn"], ["--", "a.pgn", "b.pgn"]])
    return Case(inputs, arguments)


def switches(
    rng: random.Random, pool: list[str], inputs: dict[str, str], mode: str, *, selecting: bool
) -> list[str]:
    """Random switches; the files they name are added to `inputs`."""

    def some(chance: float) -> bool:
        return rng.random() < chance

    chosen: list[str] = []
    plain = [name for name in pool if '"' not in name]
    if mode == "perfect":
        chosen.append("-G")
    if mode == "likelihood":
        chosen += rng.choice([["-M"], ["--ML"], ["-M"], []])
        if some(0.2):
            chosen += ["-w", str(rng.randint(-30, 40)), "-u", str(rng.randint(1, 30))]
        if some(0.2):
            chosen += ["-d", str(rng.randint(20, 70)), "-k", str(rng.randint(1, 10))]
        if some(0.25) and len(plain) > 1:
            rows = [
                f'"{n}",{rng.randint(2000, 2600)},{rng.randint(5, 80)}'
                for n in rng.sample(plain, 2)
            ]
            inputs["y.csv"] = "\n".join(rows) + "\n"
            chosen += ["-y", "y.csv"]
        if some(0.25) and len(plain) > 1:
            first, second = rng.sample(plain, 2)
            inputs["r.csv"] = (
                f'"{first}", "{second}", {rng.randint(-50, 50)}, {rng.randint(5, 60)}\n'
            )
            chosen += ["-r", "r.csv"] + (["-R"] if some(0.5) else [])
        if len(plain) > 2 and some(0.2) and "-y" not in chosen:
            rows = [f'"{n}", {rng.randint(2000, 2600)}' for n in rng.sample(plain, 2)]
            inputs["m.csv"] = "\n".join(rows) + "\n"
            chosen += ["-m", "m.csv"]
        if not {"-M", "--ML", "-u", "-k", "-y", "-r"} & set(chosen):
            chosen.append("-M")
    if "-w" not in chosen and "-u" not in chosen:
        chosen += rng.choice([[], [], ["-W"], ["-w", str(rng.randint(-40, 60))]])
    if "-d" not in chosen and "-k" not in chosen:
        chosen += rng.choice([[], [], ["-D"], [f"-d{rng.randint(10, 90)}"]])
    if "-y" not in chosen and "-m" not in chosen:
        chosen += rng.choice([[], [], ["-a", str(rng.choice([0, 1500, 2500.5, -300]))]])
    if "-m" not in chosen and "-y" not in chosen and some(0.2):
        chosen += ["-A", rng.choice(pool)]
    if some(0.1):
        chosen.append("-V")
    if some(0.15):
        chosen += ["-z", str(rng.choice([100, 173.7, 400]))]
    if some(0.2):
        chosen += ["-N", rng.choice(["0", "1", "2", "0,2", "1,1"])]
    if some(0.2):
        chosen += ["-t", str(rng.randint(0, 8))]
    if some(0.3):
        columns = rng.sample(range(15), rng.randint(1, 10))
        chosen += ["-U", ",".join(map(str, [0, *(c for c in columns if c not in (0, 6))]))]
    if some(0.1):
        chosen.append("-X")
    if some(0.15):
        inputs["b.txt"] = '0, 0, "ENGINE"\n1, 12, "ELO"\n3,2,"P"\n 11 ,9,"Opponents, mean"\n'
        chosen += ["-b", "b.txt"]
    if some(0.1) and len(plain) > 2:
        inputs["s.csv"] = f'"{plain[0]}","{plain[1]}"\n'
        chosen += [rng.choice(["-Y", "--aliases"]), "s.csv"]
        if {"-y", "-m", "-r", "-A"} & set(chosen):
            del chosen[-2:]
    if selecting and some(0.15) and len(pool) > 5 and not {"-y", "-m", "-r", "-A"} & set(chosen):
        kept = rng.sample(plain, max(len(plain) - rng.randint(1, 3), 1))
        inputs["i.txt"] = "".join(
            f'"{name}"\n' if some(0.7) or "," in name else f"{name}\n" for name in kept
        )
        chosen += [rng.choice(["-i", "-x"]), "i.txt"]
        if chosen[-2] == "-x":
            inputs["i.txt"] = f'"{plain[-1]}"\n'
    for chance, more in (
        (0.2, ["-o", "o.txt"]),
        (0.4, ["-c", "o.csv"]),
        (0.3, ["-j", "j.txt"]),
        (0.2, ["-E"]),
    ):
        if some(chance):
            chosen += more
    if some(0.1) and "-G" not in chosen:
        chosen += ["-g", "g.txt"]
    return chosen


def prep_case(rng: random.Random) -> Case:
    """A random pool and random switches of Ordoprep."""
    pool = [f"Player {number}" for number in range(rng.choice([2, 3, 5, 8, 14]))]
    pool[0] = rng.choice([*ODD_NAMES, pool[0]])
    games = games_of(
        rng, pool, rng.randint(1, 5) * len(pool), rng.choice([0.0, 0.3]), unfinished=False
    )
    cut = rng.randint(1, len(games))
    inputs = {"a.pgn": "".join(games[:cut]), "b.pgn": "".join(games[cut:]), "l.txt": "a.pgn\n"}
    arguments = rng.choice([[], ["-q"], ["--silent"]])
    arguments += rng.choice(
        [
            [],
            ["-d"],
            [f"-m{rng.randint(0, 60)}"],
            ["-M", str(rng.randint(0, 6))],
            ["-g", "g.txt"],
            ["--major-only"],
            ["--group-games=gg", "--group-players", "gp"],
            ["--group-games=gg", "--group-max=1"],
        ]
    )
    if rng.random() < 0.3 and "--major-only" not in arguments:
        arguments += ["--remaining", "r.pgn"]
    if rng.random() < 0.2:
        inputs["i.txt"] = f'"{rng.choice(pool[1:])}"\n'
        arguments += [rng.choice(["-x", "-i"]), "i.txt"]
    if rng.random() < 0.5:
        arguments += ["-o", "o.txt"]
    arguments += rng.choice([["-p", "a.pgn", "b.pgn"], ["--", "a.pgn", "b.pgn"], ["-P", "l.txt"]])
    return Case(inputs, arguments)


@contextlib.contextmanager
def folder_with(inputs: dict[str, str]) -> Iterator[Path]:
    """A temporary folder with these files, as the current folder."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        for file, text in inputs.items():
            Path(name, file).write_text(text, encoding="utf-8")
        os.chdir(name)
        try:
            yield Path(name)
        finally:
            os.chdir(before)


def written() -> dict[str, str]:
    """The files of the current folder that a program has written."""
    files = [*OUTPUTS, "r.pgn", *(str(path) for path in Path().glob("g?.0*"))]
    return {
        name: Path(name).read_bytes().decode("utf-8", "replace")
        for name in files
        if Path(name).exists()
    }


def run_ordo(program: str, case: Case) -> Outcome:
    """What the real Ordo does."""
    with folder_with(case.inputs):
        try:
            done = subprocess.run(
                [program, *case.arguments], capture_output=True, timeout=60, check=False
            )
        except subprocess.TimeoutExpired:
            return Outcome(-99, "", "", {})
        return Outcome(
            done.returncode,
            done.stdout.decode("utf-8", "replace"),
            done.stderr.decode("utf-8", "replace"),
            written(),
        )


def run_ours(case: Case, command: Callable[[Sequence[str]], int]) -> Outcome:
    """What `yardstone ordo` or `yardstone prep` does."""
    out, err = io.StringIO(), io.StringIO()
    with folder_with(case.inputs), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = command(case.arguments)
        return Outcome(status, out.getvalue(), err.getvalue(), written())


def without_log(text: str) -> str:
    """Output without the log of the search."""
    text = re.sub(
        r"(\nConvergence rating calculation|Converging\.\.\.).*\ndone\n",
        "<log>\n",
        text,
        flags=re.DOTALL,
    )
    return text


def outcome_text(outcome: Outcome) -> str:
    """Everything of an outcome in one text."""
    files = "".join(f"==> {name}\n{text}" for name, text in sorted(outcome.files.items()))
    return f"status {outcome.status}\n{without_log(outcome.out)}\n{files}"


def classify(ordo: Outcome, ours: Outcome) -> str:
    """`same`, `boundary` or `wrong`, or why the two are not comparable."""
    if ordo.status == -99:
        return "ordo did not finish"
    if ordo.status < 0:
        return "ordo crashed"
    if "share no scale" in ours.err:
        return "groups rated apart"
    if ordo.status != 0 and "even after" in ordo.err:
        return "unconnected" if ours.status == 1 or "purg" in ordo.err else "wrong"
    left, right = outcome_text(ordo), outcome_text(ours)
    if re.search(r"\bnan\b|-21474836", left):
        return "ordo gives no number"
    if left == right:
        return "same"
    if NUMBER.sub("#", left) != NUMBER.sub("#", right) and re.sub(
        r" +", " ", NUMBER.sub("#", left)
    ) != re.sub(r" +", " ", NUMBER.sub("#", right)):
        if sorted(left.split("\n")) == sorted(right.split("\n")):
            return "order of ties"
        return "wrong"
    for one, other in zip(NUMBER.findall(left), NUMBER.findall(right), strict=True):
        if one == other:
            continue
        digits = len(one.partition(".")[2])
        if abs(float(one) - float(other)) > 1.01 * 10.0**-digits:
            return "wrong"
    return "boundary"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--mode", choices=[*MODES, "all", "prep"], default="all")
    parser.add_argument("--keep", type=Path, help="folder for the cases that differ")
    options = parser.parse_args()
    variable = "ORDOPREP" if options.mode == "prep" else "ORDO"
    program = os.environ.get(variable)
    if program is None or shutil.which(program) is None:
        sys.stderr.write(f"set {variable} to the program to compare with\n")
        return 0
    tally: dict[str, Counter[str]] = {}
    modes = MODES if options.mode == "all" else (options.mode,)
    for number in range(options.cases):
        seed = options.seed + number
        mode = modes[seed % len(modes)]
        rng = random.Random(seed)
        case = prep_case(rng) if mode == "prep" else random_case(rng, mode)
        ordo = run_ordo(program, case)
        ours = run_ours(case, yardstone_prep if mode == "prep" else yardstone_ordo)
        kind = classify(ordo, ours)
        tally.setdefault(mode, Counter())[kind] += 1
        if kind not in ("same", "unconnected") and options.keep is not None:
            keep(options.keep / f"{kind.replace(' ', '-')}-{mode}-{seed}", case, ordo, ours)
    for mode, counts in tally.items():
        print(mode, dict(counts.most_common()))
    return 0


def keep(folder: Path, case: Case, ordo: Outcome, ours: Outcome) -> None:
    """Leave everything about a case that differs."""
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in case.inputs.items():
        (folder / file).write_text(text, encoding="utf-8")
    (folder / "arguments").write_text(repr(case.arguments), encoding="utf-8")
    for name, outcome in (("ordo", ordo), ("ours", ours)):
        (folder / f"{name}.out").write_text(outcome_text(outcome), encoding="utf-8")
        (folder / f"{name}.err").write_text(outcome.err, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
