"""Does noise model people's cube errors? ``python -m lab.studies.backgammon_cube``.

Compares the cube errors of people with those of GNU Backgammon with noise of about their
strength: what kinds they are of, how large, and what they cost by the results. The matches
of people are those of ``lab/studies/backgammon_people.py``; those of programs are made by ::

    yardstone backgammon play noise.jsonl --length 3 --first 0.0155,0.055 \
        --second 0.0205,0.085 --keep-moves --seed 2 --matches 600

and so on to 5, 7 and 13 points. All are analysed at 0 plies by ``yardstone backgammon analyse
--ledger``, and again with cube decisions at 2 plies. The tables made from these files
(``--people``, ``--deep``, ``--noise``, ``--deep-noise``, and ``--loud`` for the row of Appendix
II in which an expert meets cube noise of 1) are kept beside this file, so that the study needs
no GNU Backgammon. It writes ``docs/studies/backgammon-cube-tables.md``.
"""

from __future__ import annotations

import argparse
import gzip
import platform
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from lab.studies.backgammon.cube_costs import (
    CHEQUER,
    CUBE,
    Mix,
    WithError,
    cost_shares,
    difference,
    error_mix,
    matches_needed,
    points_for_a_unit,
    rarer_players,
)
from lab.studies.backgammon.cube_errors import (
    KINDS_OF_CUBE_ERRORS,
    SIZES,
    CubeErrors,
    match_rows,
    read_cube_errors,
    read_lines,
    read_sizes,
    rows_text,
    size_rows,
)
from yardstone.backgammon.formulas import PUBLISHED, REFIT
from yardstone.files import replaced, write_text
from yardstone_lab.vandendoel.comparison import fit_weights
from yardstone_lab.vandendoel.tables import MatchTable

HERE = Path(__file__).resolve().parent
MATCHES = HERE / "backgammon_cube.csv.gz"
ERRORS = HERE / "backgammon_cube_errors.csv.gz"
TABLE = HERE.parent / "docs" / "studies" / "backgammon-cube-tables.md"
PEOPLE, DEEP = "people", "people, cube at 2 plies"
NOISE, DEEP_NOISE, LOUD = "noise", "noise, cube at 2 plies", "cube noise of 1"
SOURCES = (PEOPLE, DEEP, NOISE, DEEP_NOISE, LOUD)
#: Options that name the analyses of each.
OPTIONS = ("people", "deep", "noise", "deep-noise", "loud")
KINDS = tuple(KINDS_OF_CUBE_ERRORS)
WORDS = {kind: kind.replace("_", " ") for kind in KINDS}
#: Lengths with matches enough to compare.
LENGTHS = (3, 5, 7)
#: Standard errors of a share that would settle what is open.
WANTED = (0.10, 0.05)
#: And a standard error of the weight of EPC, in points.
WEIGHT = 100
#: An error is large from here on (normalised equity).
LARGE = 0.2


def make_tables(files: Mapping[str, Path | None]) -> None:
    """Write both kept tables anew from analyses."""
    rows: list[dict[str, Any]] = []
    sizes: list[dict[str, Any]] = []
    for source, path in files.items():
        if path is None:
            raise SystemExit(f"give all of {', '.join(f'--{name}' for name in OPTIONS)}, or none")
        rows += match_rows(read_lines(path), source)
        sizes += size_rows(read_lines(path), source)
    for path, text in ((MATCHES, rows_text(rows)), (ERRORS, rows_text(sizes, SIZES))):
        with replaced(path) as temporary:
            temporary.write_bytes(gzip.compress(text.encode(), mtime=0))


def line(*cells: object) -> str:
    return f"| {' | '.join(str(cell) for cell in cells)} |"


def head(*names: str) -> list[str]:
    return [line(*names), line("---", *("--:" for _ in names[1:]))]


def number(estimate: WithError, digits: int) -> str:
    if np.isnan(estimate.value):
        return ""
    return f"{estimate.value:.{digits}f} ± {estimate.error:.{digits}f}"


def what_they_are(mixes: Mapping[str, Mix]) -> Iterator[str]:
    yield from head("", *mixes)
    rows: list[tuple[str, Callable[[Mix], WithError], int]] = [
        ("EPM, thousandths", lambda mix: _thousandths(mix.epm), 2),
        ("EPC, thousandths", lambda mix: _thousandths(mix.epc), 1),
        ("EPC by the rule of 2003", lambda mix: _thousandths(mix.epc_2003), 1),
    ]
    for title, get in (
        ("per cent of the sum: {}", lambda mix, k: _times(mix.shares[k], 100.0)),
        ("number a player and match: {}", lambda mix, k: mix.per_match[k]),
        ("mean size, thousandths: {}", lambda mix, k: _thousandths(mix.mean[k])),
    ):
        digits = 2 if title.startswith("number") else 0
        rows += [
            (title.format(WORDS[kind]), lambda mix, k=k, get=get: get(mix, k), digits)
            for k, kind in enumerate(KINDS)
        ]
    rows.append(("rank correlation of EPM and EPC in a match", lambda mix: mix.correlation, 2))
    for title, get_one, digits in rows:
        yield line(title, *(number(get_one(mix), digits) for mix in mixes.values()))


def _times(estimate: WithError, factor: float) -> WithError:
    return WithError(factor * estimate.value, factor * estimate.error)


def _thousandths(estimate: WithError) -> WithError:
    return _times(estimate, 1000.0)


def how_large(sizes: list[dict[str, Any]]) -> Iterator[str]:
    yield from head(
        "errors of 0.02 and more", "number", "median", "90 %", "99 %", "sum in those from 0.2",
        "player ahead", "level", "behind",
    )  # fmt: skip
    for source in SOURCES:
        mine = [row for row in sizes if row["source"] == source]
        if not mine:
            continue
        error = np.array([row["error"] for row in mine])
        lead = np.array([row["opponent_away"] - row["away"] for row in mine])
        by_score = [error[part].sum() / error.sum() for part in (lead > 0, lead == 0, lead < 0)]
        yield line(
            source,
            f"{len(mine):,}",
            *(f"{np.quantile(error, share):.3f}" for share in (0.5, 0.9, 0.99)),
            f"{100 * error[error >= LARGE].sum() / error.sum():.0f} %",
            *(f"{100 * share:.0f} %" for share in by_score),
        )


def what_they_cost(tables: Mapping[str, CubeErrors]) -> Iterator[str]:
    yield from head(
        "share of the chance called lost", *tables, "people less noise", "the same at 2 plies"
    )
    for title, by_kind, won in (
        ("luck-adjusted result", False, False),
        ("luck-adjusted result, by kind", True, False),
        ("who won", False, True),
    ):
        shares = {
            source: cost_shares(table, by_kind=by_kind, won=won) for source, table in tables.items()
        }
        for name in (CHEQUER, *(KINDS if by_kind else (CUBE,))):
            values = {
                s: share[name] if name in share.names else None for s, share in shares.items()
            }
            pairs = ((PEOPLE, NOISE), (DEEP, DEEP_NOISE))
            off = [_difference(values[one], values[other]) for one, other in pairs]
            texts = ["" if value is None else str(value) for value in values.values()]
            yield line(f"{WORDS.get(name, name)} ({title})", *texts, *off)


def _difference(one: WithError | None, other: WithError | None) -> str:
    if one is None or other is None:
        return ""
    off, error, _ = difference(one, other)
    return f"{off:+.2f} ± {error:.2f}"


def what_a_unit_costs(tables: Mapping[str, CubeErrors]) -> Iterator[str]:
    names = (PEOPLE, DEEP, NOISE)
    yield from head(
        "N", "published b(N)", "refit b(N)",
        *(f"{name}, {way}" for way in ("as claimed", "as lost") for name in names),
    )  # fmt: skip
    shares = {name: cost_shares(tables[name], by_kind=True) for name in names}
    for length in LENGTHS:
        values = [points_for_a_unit(tables[name], length) for name in names]
        values += [points_for_a_unit(tables[name], length, shares[name]) for name in names]
        formulas = [f"{float(formula.cube(length)):.0f}" for formula in (PUBLISHED, REFIT)]
        yield line(length, *formulas, *(number(each, 0) for each in values))


def one_weight_each(tables: Mapping[str, CubeErrors]) -> Iterator[str]:
    yield from head(
        "fitted to luck-adjusted results", "EPM", "EPC, 2006", "EPC, 2003",
        f"matches for ± {WEIGHT}",
    )  # fmt: skip
    for name in (PEOPLE, DEEP, NOISE):
        values, errors = [], []
        for rule in ("close", "close_2003"):
            fit = fit_weights(
                as_matches(tables[name], rule),
                model="moves-and-cube-constant",
                clusters=rarer_players(tables[name]),
            )
            errors.append(float(fit.errors[1]))
            values.append(
                [f"{v:.0f} ± {e:.0f}" for v, e in zip(fit.values, fit.errors, strict=True)]
            )
        needed = matches_needed(errors[0], len(tables[name]), WEIGHT)
        yield line(name, *values[0], values[1][1], f"{needed:,}")


def as_matches(table: CubeErrors, rule: str) -> MatchTable:
    """The same matches as the fits of weights take them."""
    return MatchTable(
        table.length,
        table.players,
        table.won,
        table.luck_adjusted,
        table.chequer,
        table.cube.sum(axis=2),
        table.unforced,
        getattr(table, rule),
    )


def what_would_decide(tables: Mapping[str, CubeErrors]) -> Iterator[str]:
    yield from head(
        "share by luck-adjusted results", "now", *(f"matches for ± {each:.2f}" for each in WANTED)
    )
    for source, name, by_kind in (
        (PEOPLE, CUBE, False),
        *((PEOPLE, kind, True) for kind in KINDS),
        (DEEP, "missed_double", True),
        (NOISE, "missed_double", True),
    ):
        share = cost_shares(tables[source], by_kind=by_kind)
        needed = [f"{matches_needed(share[name].error, share.matches, each):,}" for each in WANTED]
        yield line(f"{source}: {WORDS.get(name, name)}", share[name], *needed)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for option in OPTIONS:
        parser.add_argument(f"--{option}", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    given = [getattr(arguments, option.replace("-", "_")) for option in OPTIONS]
    files = dict(zip(SOURCES, given, strict=True))
    if any(files.values()):
        make_tables(files)
    every = read_cube_errors(MATCHES)
    tables = {source: every.of(source) for source in SOURCES}
    sizes = read_sizes(ERRORS)
    numbers = {
        source: ", ".join(
            f"{n} to {length:g}"
            for length, n in zip(*np.unique(table.length, return_counts=True), strict=True)
        )
        for source, table in tables.items()
    }
    parts = [
        *what_they_are({source: error_mix(table) for source, table in tables.items()}),
        "",
        *how_large(sizes),
        "",
        *what_they_cost(tables),
        "",
        *what_a_unit_costs(tables),
        "",
        *one_weight_each(tables),
        "",
        *what_would_decide(tables),
        "",
        f"`python -m lab.studies.backgammon_cube`, {date.today():%Y-%m-%d}; Yardstone "
        f"{version('yardstone')}, numpy {np.__version__}, Python {platform.python_version()}, GNU "
        f"Backgammon 1.07.001. Matches with a winner: {len(tables[PEOPLE])} of people "
        f"({numbers[PEOPLE]} points), {len(tables[NOISE])} of programs ({numbers[NOISE]}); "
        f"{len(tables[DEEP])} and {len(tables[DEEP_NOISE])} of them again with cube decisions "
        "analysed at 2 plies; "
        f"{len(tables[LOUD])} of cube noise of 1 ({numbers[LOUD]}). ± is one "
        "standard error; matches of one opponent are kept together.",
    ]
    write_text(TABLE, "\n".join(parts) + "\n")
    print(TABLE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
