"""How far true strengths lie from entry lists: ``python -m lab.studies.true_strengths``.

The deviation under which the results of real events are likeliest, true strengths
integrated out (Laplace's approximation, as `yardstone.tournament.field` has it).
A pairing that goes by the results so far does not disturb this: given the results,
it says nothing more of the strengths. Writes ``docs/studies/true-strengths-tables.md``.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import sys
from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING

import numpy as np

from lab.studies.order import ROOT, require, shared_folder
from yardstone.arrays import Floats
from yardstone.evaluation.backtest import fit_draw_rate
from yardstone.files import write_text
from yardstone.tournament.field import (
    ELO_SPREAD,
    ENTRY_FACTOR,
    GamesOver,
    WinningLaw,
    entry_spread,
    most_probable,
    winning_law,
)
from yardstone.winprob import laws
from yardstone.winprob.scales import grade_of_egf

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

TABLE = ROOT / "docs/studies/true-strengths-tables.md"
#: Multiples of the spread within a grade, and points, of which the likelihood is told.
FACTORS = (0.5, 1.0, 1.5, 2.0)
POINTS = (30.0, 45.0, 60.0, 75.0, 90.0)
#: An event of fewer games is left out.
FEWEST = 5
#: What moving first is worth in chess, and the classes of Elo: both players are in it.
ADVANTAGE = 35.0
CLASSES = ((2000, 2200), (2200, 2400), (2400, 2600))


@dataclass(frozen=True, eq=False)
class Event:
    """Decided games, and the strengths that the entry list gives."""

    games: GamesOver
    entered: Floats


def evidence(event: Event, deviation: Floats) -> float:
    """Log-likelihood of a deviation, one a player, strengths integrated out."""
    mean, precision = most_probable(event.games, event.entered, deviation)
    off = (mean - event.entered) / deviation
    size = np.linalg.slogdet(precision)[1] + 2.0 * np.log(deviation).sum()
    return float(event.games.likelihood(mean) - 0.5 * (off @ off) - 0.5 * size)


def event_of(
    sides: Iterable[tuple[str, str]], strengths: dict[str, float], score: Sequence[float],
    chance: WinningLaw,
) -> Event:  # fmt: skip
    row = {name: number for number, name in enumerate(strengths)}
    pairs = np.array([[row[one], row[two]] for one, two in sides])
    games = GamesOver(
        pairs[:, 0], pairs[:, 1], np.array(score, float), np.zeros(len(pairs)), chance
    )
    return Event(games, np.array(list(strengths.values())))


def drawn_anew(event: Event, deviation: Floats, rng: np.random.Generator) -> Event:
    """The same games between players whose true strengths have that deviation."""
    strength = event.entered + deviation * rng.standard_normal(len(event.entered))
    won = rng.random(len(event.games.first)) < event.games.expected(strength)
    return replace(event, games=replace(event.games, score=won.astype(float)))


def likeliest(steps: Sequence[float], logs: Floats) -> float:
    """Where a parabola through the best step and its neighbours is highest."""
    best = int(np.clip(np.argmax(logs), 1, len(steps) - 2))
    if best != np.argmax(logs):
        return float(steps[int(np.argmax(logs))])
    near = slice(best - 1, best + 2)
    square, linear, _ = np.polyfit(np.array(steps)[near], logs[near], 2)
    return float(-linear / (2.0 * square))


def line(head: Sequence[str], steps: Sequence[float], logs: Floats, digits: int) -> str:
    cells = [*head, f"{likeliest(steps, logs):.{digits}f}"]
    cells += [f"{each:.1f}".replace("-", "−") for each in logs - logs.max()]
    text = f"| {' | '.join(cells)} |"
    print(text, file=sys.stderr, flush=True)
    return text


def head(names: Sequence[str], steps: Sequence[float]) -> list[str]:
    heads = [*names, "likeliest", *(f"{step:g}" for step in steps)]
    return [
        f"| {' | '.join(heads)} |",
        "|---" * (len(names) - 2) + "|---:" * (3 + len(steps)) + "|",
    ]


def group_of(name: str, begin: str) -> str:
    if name in ("EGC 2011 Main Tournament", "EGC 2024 Main Open"):
        return f"European Congress {begin[:4]}"
    return "2020 and 2021, mostly online" if begin[:4] in ("2020", "2021") else "others"


def grade(text: str) -> float | None:
    """Such as ``3K`` or ``2d``; 1 dan is 0."""
    number, kind = text[:-1], text[-1:].upper()
    if not number.isdigit() or kind not in ("K", "D"):
        return None
    return float(-int(number) if kind == "K" else int(number) - 1)


def go_events(path: Path, by: str, chance: WinningLaw) -> dict[str, list[Event]]:
    """Decided even games on 19x19, by event, in groups; strengths `by` grades or ratings."""
    games = defaultdict(list)
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            won = {"RESULT_WHITEWINS": 1.0, "RESULT_BLACKWINS": 0.0}.get(row["result"])
            if row["handicap"] != "0" or row["size"] != "19" or won is None:
                continue
            white, black = (grade(row[f"{side}_rank"]) for side in "wb")
            if by == "ratings" and row["w_rating"] and row["b_rating"]:
                white, black = (float(grade_of_egf(float(row[f"{side}_rating"]))) for side in "wb")
            if white is None or black is None:
                continue
            games[row["tournament"], row["begin"]].append(
                (row["white"], row["black"], white, black, won)
            )
    groups = defaultdict(list)
    for (name, begin), rows in games.items():
        if len(rows) < FEWEST:
            continue
        strengths: dict[str, float] = {}
        for one, two, white, black, _ in rows:
            strengths.setdefault(one, white)
            strengths.setdefault(two, black)
        sides = [(one, two) for one, two, *_ in rows]
        groups[group_of(name, begin)].append(
            event_of(sides, strengths, [won for *_, won in rows], chance)
        )
    return dict(groups)


def go_logs(events: list[Event]) -> Floats:
    spread = [entry_spread(event.entered) / ENTRY_FACTOR for event in events]
    return np.array(
        [
            sum(evidence(event, factor * each) for event, each in zip(events, spread, strict=True))
            for factor in FACTORS
        ]
    )


def go_lines(path: Path) -> list[str]:
    lines = head(["entry list", "events", "number", "games"], FACTORS)
    for by in ("grades", "ratings"):
        total = np.zeros(len(FACTORS))
        groups = go_events(path, by, winning_law("kaniuk"))
        for group, events in groups.items():
            logs = go_logs(events)
            total += logs
            lines.append(line(go_cells(by, group, events), FACTORS, logs, 2))
        every = [event for events in groups.values() for event in events]
        lines.append(line(go_cells(by, "all", every), FACTORS, total, 2))
    return lines


def go_cells(by: str, group: str, events: list[Event]) -> list[str]:
    games = sum(len(event.games.first) for event in events)
    return [by, group, str(len(events)), f"{games:,}"]


def go_check(path: Path, seed: int) -> list[str]:
    """What comes out where the truth is known."""
    rng = np.random.default_rng(seed)
    lines = head(["true factor", "number", "games"], FACTORS)
    groups = go_events(path, "grades", winning_law("kaniuk"))
    events = [event for group in groups.values() for event in group]
    for true in (1.0,):
        made = [
            drawn_anew(event, true * entry_spread(event.entered) / ENTRY_FACTOR, rng)
            for event in events
        ]
        games = sum(len(event.games.first) for event in made)
        lines.append(line([f"{true:g}", str(len(made)), f"{games:,}"], FACTORS, go_logs(made), 2))
    return lines


def chess_months(path: Path, years: Sequence[int], month: int) -> list[list[list[str]]]:
    """Games with both Elos: white, black, result and Elos, month by month."""
    months: dict[str, list[list[str]]] = {f"{year}-{month:02}": [] for year in years}
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row[0][:7] in months and row[4].isdigit() and row[5].isdigit():
                months[row[0][:7]].append(row[1:])
    return list(months.values())


def chess_events(
    months: list[list[list[str]]], lowest: int, highest: int
) -> tuple[list[Event], int, float]:
    """Decided games of players in a class of Elo; how many there were, and the draw rate.

    Given that a game was decided, its winner follows from the difference of strengths
    alone; the draw rate of equals is that which makes the results of the class likeliest.
    """
    score_of = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
    inside = [
        [row for row in rows if all(lowest <= int(elo) < highest for elo in row[3:5])]
        for rows in months
    ]
    every = [row for rows in inside for row in rows]
    elos = np.array([[float(row[3]), float(row[4])] for row in every])
    score = np.array([score_of[row[2]] for row in every])
    expected = laws.win_probability(elos[:, 0] - elos[:, 1] + ADVANTAGE)
    rate = fit_draw_rate(score, expected)
    both = winning_law("elo", advantage=ADVANTAGE, draw_rate=rate)

    def decided(first: Floats, second: Floats, stones: Floats) -> tuple[Floats, Floats]:
        win, draw = both(first, second, stones)
        return win / (1.0 - draw), np.zeros_like(win)

    events = []
    for rows in inside:
        won = [row for row in rows if row[2] != "1/2-1/2"]
        strengths: dict[str, float] = {}
        for row in won:
            strengths.setdefault(row[0], float(row[3]))
            strengths.setdefault(row[1], float(row[4]))
        sides = [(row[0], row[1]) for row in won]
        events.append(event_of(sides, strengths, [score_of[row[2]] for row in won], decided))
    return events, len(every), rate


def chess_lines(path: Path, years: Sequence[int], month: int, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    months = chess_months(path, years, month)
    lines = head(["Elo", "results", "players", "games", "decided"], POINTS)
    for lowest, highest in CLASSES:
        events, number, _ = chess_events(months, lowest, highest)
        decided = sum(len(event.games.first) for event in events)
        players = sum(len(event.entered) for event in events)
        cells = [f"{players:,}", f"{number:,}", f"{decided:,}"]
        for results in ("real", f"drawn, true deviation {ELO_SPREAD:g}"):
            if results != "real":
                events = [
                    drawn_anew(event, np.full(len(event.entered), ELO_SPREAD), rng)
                    for event in events
                ]
            logs = np.array(
                [
                    sum(evidence(event, np.full(len(event.entered), step)) for event in events)
                    for step in POINTS
                ]
            )
            name = f"{lowest} to {highest}"
            lines.append(line([name, results, *cells], POINTS, logs, 0))
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--shared", type=Path, default=shared_folder(), help="the shared data")
    parser.add_argument("--years", type=int, nargs="*", default=[2004, 2008, 2012])
    parser.add_argument("--month", type=int, default=4, help="of each year, for chess")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    require("true_strengths", options.shared)
    go = options.shared / "data/go/tournaments/games.csv.gz"
    chess = options.shared / "data/chess/kingbase_1990_2012.tsv.gz"
    years = ", ".join(map(str, options.years))
    parts = [
        "# How far true strengths lie from entry lists",
        f"Made by `python -m lab.studies.true_strengths` on {date.today()}; Python "
        f"{python_version()}, numpy {np.__version__}. The columns of numbers are log-likelihoods "
        "of a standard deviation, strengths integrated out, less that of the "
        "best shown. *Likeliest*: top of a parabola through the best three.",
        "## Go",
        "Deviations are multiples of the spread of ratings within a grade in the European list "
        "(1.2 grades at 20 kyu, 0.65 at 4 dan, 0.5 at 7 dan). Decided even games on 19×19 of "
        f"events of at least {FEWEST} such games; by ratings, the grade where a player has none.",
        "\n".join(go_lines(go)),
        "The same games with results drawn from a known factor: what is likeliest is too small.",
        "\n".join(go_check(go, options.seed)),
        "## Chess",
        f"KingBase, month {options.month} of {years}; each month is one event. Both players' "
        f"Elo is in the class; moving first is worth {ADVANTAGE:g} points, draws follow "
        "Davidson's law, and decided games count. The second line of each class has results "
        "drawn from a known deviation.",
        "\n".join(chess_lines(chess, options.years, options.month, options.seed)),
    ]
    write_text(TABLE, "\n\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
