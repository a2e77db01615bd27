"""The thesis' trick plays 1 to 40, found in games and rated: ``python -m lab.studies.trickplays``.

Takes the problems, their published ratings, the games and the network from a folder of
shared data ($YARDSTONE_SHARED, or ../shared). The index of the games is kept
(``--index``); the tables go to ``docs/studies/trickplays.md``, the picture beside it.
"""

from __future__ import annotations

import argparse
import csv
import platform
from collections.abc import Iterator, Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path

import numpy as np
from scipy.stats import binomtest, spearmanr

from lab.studies.order import NETWORK, ROOT, require, shared_folder
from yardstone.go.patterns import GameIndex, build_index
from yardstone.pool import SkipReport
from yardstone.reports.text import document_text
from yardstone.reports.trickplay import found_lines, ratings_document, trickplay_chart
from yardstone.strength.evidence import Evidence
from yardstone.strength.model import StrengthModel
from yardstone.strength.players import model_network
from yardstone.strength.site_scales import SITE_SCALES
from yardstone.strength.trickplay import (
    Completion,
    FoundProblems,
    RatedProblem,
    RatedProblems,
    complete_problems,
    read_problems,
)
from yardstone.strength.trickplay.rating import Moves, answer_evidence, rate_answers

PAGE = ROOT / "docs" / "studies" / "trickplays.md"
PICTURE = PAGE.with_name("trickplays.svg")
GAMES = ("fox_sgf.zip", "fox_ranked/games.zip", "tygem_moves")
BOARDS = 5
WAYS: tuple[tuple[Moves, str], ...] = (
    ("all", "all moves"),
    ("equal", "as many of both"),
    (1, "the first move"),
)
LEVEL = 0.95


def published(path: Path) -> dict[str, tuple[float, float]]:
    """Failure and refutation of each problem, as the thesis rates them."""
    with path.open() as file:
        rows = csv.DictReader(file)
        return {
            f"problem{row['Nr']}": (float(row["Failure"]), float(row["Refutation"])) for row in rows
        }


def counted(number: int, whole: int) -> str:
    """A share with its interval."""
    low, high = binomtest(number, whole).proportion_ci(LEVEL, "wilson")
    return f"{number} of {whole} ({100 * low:.0f}–{100 * high:.0f} %)"


def comparison(
    rated: Sequence[RatedProblem], theirs: dict[str, tuple[float, float]]
) -> tuple[str, str, str, str]:
    """How often the refutation is above, by rating and by points lost, and what agrees."""
    compared = [problem for problem in rated if problem.difference is not None]
    difference = np.array([problem.difference for problem in compared])
    saved = np.array(
        [
            problem.failure.loss - problem.refutation.loss
            for problem in compared
            if problem.failure is not None and problem.refutation is not None
        ]
    )
    names = [problem.problem.name for problem in compared]
    thesis = np.array([theirs[name][1] - theirs[name][0] for name in names])
    correlations = [spearmanr(values, thesis).statistic for values in (difference, saved)]
    return (
        counted(int((difference > 0).sum()), len(compared)),
        f"{correlations[0]:.2f}",
        counted(int((saved > 0).sum()), len(compared)),
        f"{correlations[1]:.2f}",
    )


def rows(
    completions: Sequence[Completion],
    model: StrengthModel,
    answers: dict[bool, list[Evidence]],
    theirs: dict[str, tuple[float, float]],
) -> Iterator[str]:
    """A row for each way to rate."""
    for history in (True, False):
        for moves, name in WAYS:
            rated = rate_answers(completions, answers[history], model, moves=moves)
            cells = comparison(rated, theirs)
            shown = "with its history" if history else "set up"
            yield f"| {name} | {shown} | " + " | ".join(cells) + " |"


def by_length(
    completions: Sequence[Completion], model: StrengthModel, answers: Sequence[Evidence]
) -> Iterator[str]:
    """Mean ratings by the first moves, of the problems both of whose variations have so many."""
    for moves in (1, 2, 3):
        rated = [
            (problem.failure, problem.refutation)
            for problem in rate_answers(completions, answers, model, moves=moves)
        ]
        pairs = [
            (failure, refutation)
            for failure, refutation in rated
            if failure is not None
            and refutation is not None
            and failure.moves == refutation.moves == moves
        ]
        ratings = np.array([[each.rating for each in pair] for pair in pairs])
        ends = [each.interval for pair in pairs for each in pair]
        widths = [high - low for low, high in ends if low is not None and high is not None]
        means = " | ".join(f"{mean:.2f}" for mean in ratings.mean(axis=0))
        yield f"| {moves} | {len(pairs)} | {means} | {np.mean(widths):.1f} |"


def main() -> None:
    """Search, rate, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--shared", type=Path, default=shared_folder(), help="folder of shared data"
    )
    parser.add_argument("--index", type=Path, default=ROOT / "build" / "trickplays.idx")
    parser.add_argument("--threads", type=int, help="for the network; all cores by default")
    chosen = parser.parse_args()
    require("trickplays", chosen.shared)
    data = chosen.shared / "data" / "go"
    if chosen.index.exists():
        index = GameIndex(chosen.index)
    else:
        chosen.index.parent.mkdir(parents=True, exist_ok=True)
        index, _ = build_index([data / name for name in GAMES], chosen.index)
    problems, skipped = read_problems(data / "trickplay")
    theirs = published(data / "trickplay" / "ratings.csv")
    answer = complete_problems(problems, index, boards=BOARDS)
    where = FoundProblems(answer, len(index), index.positions, skipped, SkipReport())
    model = StrengthModel.load()
    network = model_network(model, chosen.shared / NETWORK, threads=chosen.threads)
    answers = {
        history: answer_evidence(answer, network, history=history) for history in (True, False)
    }
    result = RatedProblems(
        rate_answers(answer, answers[True], model), SITE_SCALES["fox"], 0.9, "equal", network.name,
        str(model.card["name"]), where,
    )  # fmt: skip
    trickplay_chart(result).save(PICTURE)
    above = sum(refutation > failure for failure, refutation in theirs.values())
    PAGE.write_text(
        f"""# Trick plays 1 to 40

The problems 1 to 40 of the collection that Neubauer's thesis rates (section 7.2), set into
games of the Fox and Tygem servers, and rated by the model that is shipped
([](../how-to/trickplay.md) explains how).

Made by `python -m lab.studies.trickplays` on {date.today()}; no randomness;
Python {platform.python_version()}, numpy {version("numpy")}.

## Where they stand

{chr(10).join("- " + line for line in found_lines(where))}

The thesis found 38 of these 40 as they are, in seven million games; of problems 24 and 40
it took the last stone off.

## How often the refutation is rated above the failure

{above} of 40 in the thesis. Here, on up to {BOARDS} boards a problem:

| rated by | position | rating above | correlation | fewer points lost | correlation |
|---|---|--:|--:|--:|--:|
{chr(10).join(rows(result, model, answers, theirs))}

In brackets the interval at 95 %. The correlation (Spearman) is that of the difference with
the thesis' difference in rating. *Fewer points lost* asks the network alone, without the
model: do the moves of the refutation cost less, by single looks at each position? Those are too
rough to say it of one problem.

The length of a variation has a say of its own. These are the mean ratings by the first moves
only, with the history, of the problems both of whose variations have so many moves of the
side to answer, and the mean width of an interval at 90 %:

| moves | problems | failures | refutations | width |
|--:|--:|--:|--:|--:|
{chr(10).join(by_length(result, model, answers[True]))}

Where later moves are rated otherwise than the first, the longer variation wins or loses by
being longer. A book plays a local position to its end, where a strong player would have
turned elsewhere; the thesis makes the same remark on its problems 8 and 31. That is why as
many moves of both variations are rated unless told otherwise. And the intervals are wide:
most differences between two answers are far smaller than what a few moves can tell.

## The table

As many moves of both variations, with the history of the game.

```text
{document_text(ratings_document(result))}```

![Both ratings of each problem]({PICTURE.name})
""",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
