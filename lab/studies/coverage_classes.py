"""How often the intervals of classes of play hold: ``python -m lab.studies.coverage_classes``.

Matches are drawn from those of one person, whose losses per decision in all of them are
taken for the truth. Decisions and losses by match and class lie beside this file;
``--ledger FILE`` makes them anew from what ::

    yardstone backgammon analyse human_matches.tar.gz --ledger FILE

has kept. The result is written to ``docs/studies/coverage-classes-tables.md``.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from yardstone.backgammon.matches import (
    CHEQUER_CLASSES,
    CUBE_CLASSES,
    ClassErrors,
    class_errors,
)
from yardstone.backgammon.rating import ratio_interval

HERE = Path(__file__).resolve().parent
TABLE = HERE.parent / "docs" / "studies" / "coverage-classes-tables.md"
MATCHES = HERE / "backgammon_classes.csv.gz"
PERSON = "lasse"
NUMBERS = (10, 20, 40, 80, 160)
NAMES = (*CHEQUER_CLASSES, *CUBE_CLASSES)
#: Losses and decisions, an array of shape (matches, 2) for each class.
Matches = dict[str, NDArray[np.float64]]


def keep(ledger: Path) -> None:
    """Write the person's decisions and losses by match and class."""
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(["match", "class", "loss", "decisions"])
    number = 0
    for line in ledger.read_text("utf-8").splitlines():
        row = json.loads(line)
        names = row["found"]["match"]["names"] if row["status"] == "analysed" else []
        if PERSON in names:
            number += 1
            classes = class_errors(row["found"]["decisions"])[names.index(PERSON)]
            for name in NAMES:
                each = classes.get(name, ClassErrors())
                if each.decisions:
                    out.writerow([number, name, f"{each.loss:.6f}", each.decisions])
    MATCHES.write_bytes(gzip.compress(text.getvalue().encode(), mtime=0))


def read_matches(path: Path = MATCHES) -> Matches:
    """The person's matches."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    number = max(int(row["match"]) for row in rows)
    matches = {name: np.zeros((number, 2)) for name in NAMES}
    for row in rows:
        matches[row["class"]][int(row["match"]) - 1] = float(row["loss"]), float(row["decisions"])
    return matches


def coverage(
    matches: NDArray[np.float64], number: int, draws: int, generator: np.random.Generator
) -> float:
    """Share of the intervals at 90 % about `number` matches that hold the truth."""
    loss, decisions = matches.sum(axis=0)
    truth = loss / decisions
    held = []
    for _ in range(draws):
        drawn = matches[generator.integers(len(matches), size=number)]
        result = ratio_interval([(drawn[:, 0], drawn[:, 1])], 0.9)
        if not np.isnan(result.low):
            held.append(result.low <= truth <= result.high)
    return float(np.mean(held)) if held else float("nan")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--ledger", type=Path)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.ledger is not None:
        keep(arguments.ledger)
    matches = read_matches()
    generator = np.random.default_rng(arguments.seed)
    lines = [
        "| class | decisions | lost each | " + " | ".join(f"{n} matches" for n in NUMBERS) + " |",
        "|---|--:|--:|" + "--:|" * len(NUMBERS),
    ]
    for name, rows in matches.items():
        loss, decisions = rows.sum(axis=0)
        shares = [100 * coverage(rows, n, arguments.draws, generator) for n in NUMBERS]
        cells = [name, f"{decisions:,.0f}", f"{1000 * loss / decisions:.1f}"]
        lines.append(f"| {' | '.join([*cells, *(f'{share:.1f}' for share in shares)])} |")
    made = (
        f"`python -m lab.studies.coverage_classes --draws {arguments.draws} "
        f"--seed {arguments.seed}`: "
        f"{len(rows):,} matches of {PERSON}; of {arguments.draws:,} draws of so many matches the "
        "share, in per cent, whose interval at 90 % holds the loss per decision (thousandths of "
        "equity) of all of them."
    )
    TABLE.write_text("\n".join(lines) + f"\n\n{made}\n", encoding="utf-8")
    print(TABLE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
