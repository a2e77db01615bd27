"""How far losses of moves can be believed, and how many mistakes that leaves professionals.

``python -m studies.move_losses professionals --net FILE`` counts moves of even games between
professionals that cost 3 points or more, by the difference of the leads before and after the
move, and by the losses that are shown. ``katago`` compares both with the losses that other
people's KataGo found in games of weaker players. ``noise`` compares losses of different effort
with a search of its own that is far longer and sees every position turned otherwise.
``effects`` measures how much what a move says of strength changes under the symmetries of the
board. Each prints the rows of its table; games are drawn by ``--seed``.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import os
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from yardstone.go.analysis import GameAnalysis, analyse_games
from yardstone.go.conditions import Conditions
from yardstone.go.losses import LossEffort
from yardstone.go.nets import Network, load_network
from yardstone.go.points import BLACK, SYMMETRIES, WHITE, parse_colour, symmetry_points
from yardstone.go.rules import TROMP_TAYLOR
from yardstone.go.search import Tree, grow
from yardstone.pool import SkipReport
from yardstone.records.go_game import GoGame
from yardstone.records.sgf import read_games
from yardstone.strength.estimate.seen import see_games
from yardstone.strength.evidence import evidence_of_games
from yardstone.strength.rank.model import RankModel

#: Positions that the long search sees on either side.
LONG = 64
POINTS = 3.0
_SHARED = Path(os.environ.get("YARDSTONE_SHARED", "../shared")) / "data" / "go"


def index(path: Path) -> list[dict[str, str]]:
    """The rows of a compressed table."""
    with gzip.open(path) as file:
        return list(csv.DictReader(io.TextIOWrapper(file, "utf-8", errors="replace")))


def games_of(archive: Path, names: Sequence[str]) -> Iterator[GoGame]:
    """Even games on 19x19 of an archive."""
    with zipfile.ZipFile(archive) as opened, tempfile.TemporaryDirectory() as folder:
        inside = {Path(name).name: name for name in opened.namelist()}
        for name in names:
            opened.extract(inside[Path(name).name], folder)
        for game in read_games(folder):
            if game.size == 19 and game.handicap < 2 and not len(game.setup_black):
                yield game


def drawn(names: Sequence[str], number: int, seed: int) -> list[str]:
    """Some names at random."""
    order = np.random.default_rng(seed).permutation(len(names))
    return [names[place] for place in order[:number]]


def professional_games(number: int, seed: int) -> Iterator[GoGame]:
    """Games of more than 100 moves between two professionals of the Fox server."""
    rows = [
        row
        for row in index(_SHARED / "fox_index.csv.gz")
        if row["set"] == "pro" and row["br"].endswith("p") and row["wr"].endswith("p")
        and row["handicap"] in ("0", "1") and int(row["moves"]) > 100
    ]  # fmt: skip
    names = [f"pro/{row['file']}" for row in rows]
    return games_of(_SHARED / "fox_sgf.zip", drawn(names, number, seed))


def fox_games(group: str, number: int, seed: int) -> Iterator[GoGame]:
    """Games of a rank group of the Fox server."""
    archive = _SHARED / "fox_ranked" / "games.zip"
    with zipfile.ZipFile(archive) as opened:
        names = [name for name in opened.namelist() if f"/testing/{group}/" in name]
    return games_of(archive, drawn(names, number, seed))


def differences(found: GameAnalysis) -> np.ndarray:
    """Lead before each move less that after it, as losses were shown before: [m]."""
    lost = found.white_lead[:-1] - found.white_lead[1:]
    return np.where(found.colour == WHITE, lost, -lost)


def professionals(network: Network, number: int, seed: int) -> None:
    """Mistakes a player and game, before and now."""
    before, now, worst, moves = [], [], [], 0
    for game in professional_games(number, seed):
        for found in analyse_games([game], network, rules=TROMP_TAYLOR, komi=6.5):
            raw, mistakes = differences(found), np.zeros(len(found), bool)
            mistakes[found.mistakes(POINTS)] = True
            for colour in (BLACK, WHITE):
                mine = found.counted & (found.colour == colour)
                moves += int(mine.sum())
                before.append(int((raw[mine] >= POINTS).sum()))
                now.append(int(mistakes[mine].sum()))
                worst.append(
                    (
                        float(raw[mine].max()),
                        float(np.nanmax(np.where(mistakes[mine], found.point_loss[mine], 0.0))),
                    )
                )
        print(_counted(before, now, worst, moves), flush=True)


def _counted(
    before: Sequence[int], now: Sequence[int], worst: Sequence[tuple[float, float]], moves: int
) -> str:
    old, new = (
        f"{np.mean(n):.1f} (median {np.median(n):.0f}, 90 % at most {np.quantile(n, 0.9):.0f})"
        for n in (before, now)
    )
    single = np.max(np.array(worst), axis=0)
    return (
        f"{len(now) // 2} games, {moves:,} moves: before {old}, worst {single[0]:.0f}; "
        f"now {new}, worst {single[1]:.0f}"
    )


def katago(network: Network, number: int, seed: int) -> None:
    """Losses of weaker players against those that another KataGo found."""
    rows = [
        row
        for row in index(_SHARED / "ogs_weak" / "index.csv.gz")
        if row["handicap"] == "0" and row["provisional"] == "0" and int(row["moves"]) > 100
    ]
    names = drawn([row["file"] for row in rows], number, seed)
    told = _katago_losses({Path(name).stem for name in names})
    raw, shown, reference = [], [], []
    for game in games_of(_SHARED / "ogs_weak" / "games.zip", names):
        losses = told[Path(game.file).stem]
        for found in analyse_games([game], network):
            for place, (colour, lost) in enumerate(losses[: len(found)]):
                if (
                    lost is not None
                    and colour == found.colour[place]
                    and not np.isnan(found.point_loss[place])
                    and found.counted[place]
                ):
                    raw.append(float(differences(found)[place]))
                    shown.append(float(found.point_loss[place]))
                    reference.append(lost)
        print(_agreement(np.array(raw), np.array(shown), np.array(reference)), flush=True)


def _katago_losses(names: set[str]) -> dict[str, list[tuple[int, float | None]]]:
    found = {}
    with gzip.open(_SHARED / "ogs_weak" / "katago_evals.tsv.gz", "rt") as file:
        next(file)
        for line in file:
            name, _, moves = line.rstrip("\n").split("\t")
            if name in names:
                parts = [move.split(",") for move in moves.split()]
                found[name] = [
                    (parse_colour(part[0][0]), None if part[3] == "-" else float(part[3]))
                    for part in parts
                ]
    return found


def _agreement(raw: np.ndarray, shown: np.ndarray, reference: np.ndarray) -> str:
    each = [
        f"{name}: mean {values.mean():.2f}, mean distance {np.abs(values - reference).mean():.2f}, "
        f"correlation {np.corrcoef(values, reference)[0, 1]:.2f}"
        for name, values in (("before", raw), ("now", shown))
    ]
    return f"{len(raw):,} moves, KataGo's mean {reference.mean():.2f}; " + "; ".join(each)


def noise(network: Network, number: int, seed: int) -> None:
    """Losses of different effort against a search far longer, by kind of player."""
    rows = []
    conditions = Conditions(TROMP_TAYLOR, 6.5)
    for group in ("3-5k", "3d", "9d", "pro"):
        games = list(professional_games(2, seed) if group == "pro" else fox_games(group, 2, seed))
        found = list(
            analyse_games(games, network, rules=TROMP_TAYLOR, komi=6.5, effort=LossEffort(visits=0))
        )
        suspects = [
            (analysis, int(place))
            for analysis in found
            for place in np.flatnonzero(analysis.point_loss >= 2.0)
        ]
        chosen = [suspects[k] for k in np.random.default_rng(seed).permutation(len(suspects))]
        for analysis, place in chosen[: number // 4]:
            rows.append(_searched(analysis, place, conditions, network))
            table = np.array(rows)
            for column, name in enumerate(("difference", "children", "8", "16"), 1):
                off = np.maximum(table[:, column], 0.0) - np.maximum(table[:, 0], 0.0)
                print(f"{len(rows)} {group} {name}: rms {np.sqrt((off**2).mean()):.2f}", end="; ")
            within = np.abs(table[:, 4] - table[:, 0]) / table[:, 5]
            print(f"off by less than the error at 16: {(within < 1).mean():.2f}", flush=True)


def _searched(
    found: GameAnalysis, place: int, conditions: Conditions, network: Network
) -> list[float]:
    """The long search, the difference, the children, 8 and 16 visits, the error of the last."""
    sign = 1.0 if found.colour[place] == WHITE else -1.0
    played = int(found.point[place])
    lost = []
    for first, visits in ((0, 8), (0, 16), (5, LONG)):
        trees = [
            Tree(found.game, conditions, place + 1, first=first),
            Tree(found.game, conditions, place, played, first=first),
        ]
        grow(trees, network, visits)
        best = trees[1].best()
        value = 0.0 if best is None else best.mean_lead - trees[0].root.mean_lead
        spread = np.hypot(*(np.std(tree.leads) for tree in trees))
        lost.append((sign * value, float(np.hypot(0.7, 1.25 * spread / np.sqrt(visits)))))
    plain = float(differences(found)[place]), float(found.point_loss[place])
    return [lost[2][0], *plain, lost[0][0], lost[1][0], lost[1][1]]


def effects(network: Network, number: int, seed: int) -> None:
    """What moves say of strength under four symmetries of the board."""
    model, shares = RankModel.load(), []
    for group in ("3-5k", "3d", "9d"):
        for game in fox_games(group, number // 3, seed):
            each = []
            for symmetry in (0, 1, 3, 6):
                table = symmetry_points(19)[symmetry % SYMMETRIES]
                turned = replace(
                    game, moves=np.where(game.moves >= 0, table[game.moves], -1).astype(np.int16)
                )
                (seen,) = see_games([turned], network, skipped=SkipReport())
                each.append(
                    [
                        model.move_scores(evidence_of_games([seen.features], [colour]))
                        for colour in (BLACK, WHITE)
                    ]
                )
            for side in range(2):
                said = np.array([turn[side] for turn in each])
                spread = np.sqrt(said.var(axis=0, ddof=1).mean())
                shares.append(float(spread / np.sqrt((said[0] ** 2).mean())))
            print(
                f"{len(shares)} players: noise {np.mean(shares):.2f} of the root mean square "
                f"({min(shares):.2f} to {max(shares):.2f})",
                flush=True,
            )


def main() -> None:
    """Run one part of the study."""
    parts = {
        "professionals": professionals, "katago": katago, "noise": noise, "effects": effects,
    }  # fmt: skip
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=parts)
    parser.add_argument("--net", required=True)
    parser.add_argument("--number", type=int, default=60, help="games, or moves of `noise`")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    parts[options.part](load_network(options.net), options.number, options.seed)


if __name__ == "__main__":
    main()
