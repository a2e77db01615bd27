"""How far losses of moves can be believed, and how many mistakes that leaves professionals.

``python -m lab.studies.move_losses professionals`` counts moves of even games between
professionals that cost 3 points or more, by the difference of the leads before and after the
move, and by the losses that are shown. ``katago`` compares both with the losses that other
people's KataGo found in games of weaker players. ``noise`` compares losses of different effort
with a search of its own that is far longer and sees every position turned otherwise.
``effects`` measures how much what a move says of strength changes under the symmetries of the
board, ``effort`` which costly moves are missed where less is searched. Games are drawn by
``--seed``. Each part writes its own tables into ``docs/studies/move-losses-tables.md``; those of
parts that are not run stay.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import platform
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from importlib.metadata import version
from pathlib import Path

import numpy as np

from lab.studies.order import NETWORK, ROOT, require, shared_folder
from yardstone.go.analysis import GameAnalysis, analyse_games
from yardstone.go.losses import LossEffort, Tree, grow
from yardstone.go.nets import Network, load_network
from yardstone.go.points import BLACK, SYMMETRIES, WHITE, parse_colour, symmetry_points
from yardstone.go.rules import TROMP_TAYLOR, Conditions
from yardstone.pool import SkipReport
from yardstone.records.go_game import GoGame
from yardstone.records.sgf import read_games
from yardstone.strength.evidence import evidence_of_games
from yardstone.strength.listed_moves import costliest_moves, player_losses
from yardstone.strength.model import StrengthModel
from yardstone.strength.players import evaluate_games

#: Positions that the long search sees on either side.
LONG = 64
POINTS = 3.0
#: Positions looked at for losses, for each position of a game.
_SHARES = (0.3, 0.4, 0.5, 0.6, 0.9)
TABLES = ROOT / "docs" / "studies" / "move-losses-tables.md"
_SHARED = shared_folder() / "data" / "go"


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


def differences(analysis: GameAnalysis) -> np.ndarray:
    """Lead before each move less that after it, as losses were shown before: [m]."""
    lost = analysis.white_lead[:-1] - analysis.white_lead[1:]
    return np.where(analysis.colour == WHITE, lost, -lost)


@dataclass(frozen=True)
class Counted:
    """One player's side of a game: mistakes before and now, the costliest of each, moves."""

    before: int
    now: int
    worst_before: float
    worst_now: float
    moves: int


def counted(analysis: GameAnalysis, colour: int) -> Counted:
    """What is counted of one player's moves."""
    raw, mistakes = differences(analysis), np.zeros(len(analysis), bool)
    mistakes[analysis.mistakes(POINTS)] = True
    mine = analysis.counted & (analysis.colour == colour)
    return Counted(
        int((raw[mine] >= POINTS).sum()),
        int(mistakes[mine].sum()),
        float(raw[mine].max()),
        float(np.where(mistakes[mine], analysis.point_loss[mine], 0.0).max()),
        int(mine.sum()),
    )


def professionals(network: Network, number: int, seed: int) -> str:
    """Mistakes a player and game, before and now."""
    games: list[tuple[Counted, Counted]] = []
    for game in professional_games(number, seed):
        for result in analyse_games([game], network, rules=TROMP_TAYLOR, komi=6.5):
            games.append((counted(result, BLACK), counted(result, WHITE)))
            print(len(games), games[-1], flush=True)
    return counted_table(games)


def counted_table(games: Sequence[tuple[Counted, Counted]]) -> str:
    """Mistakes of professionals as a table."""
    sides = [side for game in games for side in game]
    moves = sum(side.moves for side in sides)
    lines = [
        "**Mistakes of professionals**: moves of 3 points or more for each player and game, in "
        "even games of the Fox server between two professionals, drawn at random "
        f"({len(games)} games, {moves:,} moves). The error of a mean is its standard error over "
        "games:",
        "",
        "| | mean | median | 90 % of players at most | costliest move |",
        "|---|--:|--:|--:|--:|",
    ]
    for name, mistakes, worst in (
        ("difference", [s.before for s in sides], [s.worst_before for s in sides]),
        ("as shown", [s.now for s in sides], [s.worst_now for s in sides]),
    ):
        means = np.reshape(mistakes, (-1, 2)).mean(axis=1)
        error = means.std(ddof=1) / np.sqrt(len(means))
        lines.append(
            f"| {name} | {means.mean():.1f} ± {error:.1f} | {np.median(mistakes):.0f} | "
            f"{np.quantile(mistakes, 0.9):.0f} | {max(worst):.0f} |"
        )
    return "\n".join(lines)


def katago(network: Network, number: int, seed: int) -> str:
    """Losses of weaker players against those that another KataGo found."""
    rows = [
        row
        for row in index(_SHARED / "ogs_weak" / "index.csv.gz")
        if row["handicap"] == "0" and row["provisional"] == "0" and int(row["moves"]) > 100
    ]
    names = drawn([row["file"] for row in rows], number, seed)
    by_katago = _katago_losses({Path(name).stem for name in names})
    raw, shown, reference = [], [], []
    for game in games_of(_SHARED / "ogs_weak" / "games.zip", names):
        losses = by_katago[Path(game.file).stem]
        for result in analyse_games([game], network):
            for place, (colour, lost) in enumerate(losses[: len(result)]):
                if (
                    lost is not None
                    and colour == result.colour[place]
                    and not np.isnan(result.point_loss[place])
                    and result.counted[place]
                ):
                    raw.append(float(differences(result)[place]))
                    shown.append(float(result.point_loss[place]))
                    reference.append(lost)
        print(f"{len(raw):,} moves", flush=True)
    return agreement_table(np.array(raw), np.array(shown), np.array(reference))


def _katago_losses(names: set[str]) -> dict[str, list[tuple[int, float | None]]]:
    result = {}
    with gzip.open(_SHARED / "ogs_weak" / "katago_evals.tsv.gz", "rt") as file:
        next(file)
        for line in file:
            name, _, moves = line.rstrip("\n").split("\t")
            if name in names:
                parts = [move.split(",") for move in moves.split()]
                result[name] = [
                    (parse_colour(part[0][0]), None if part[3] == "-" else float(part[3]))
                    for part in parts
                ]
    return result


def agreement_table(raw: np.ndarray, shown: np.ndarray, reference: np.ndarray) -> str:
    """Losses against those of another KataGo as a table."""
    lines = [
        "**Weaker players**: losses that another KataGo found with a search of its own, on "
        f"{len(raw):,} undecided moves of people who played bots at OGS. That reference is rough "
        "as well, and counts small losses as 0:",
        "",
        "| | mean loss | mean distance from KataGo's | correlation with it |",
        "|---|--:|--:|--:|",
        f"| KataGo | {reference.mean():.2f} | | |",
    ]
    lines += [
        f"| {name} | {values.mean():.2f} | {np.abs(values - reference).mean():.2f} | "
        f"{np.corrcoef(values, reference)[0, 1]:.2f} |"
        for name, values in (("difference", raw), ("as shown", shown))
    ]
    return "\n".join(lines)


def noise(network: Network, number: int, seed: int) -> str:
    """Losses of different effort against a search far longer, by kind of player."""
    rows = []
    conditions = Conditions(TROMP_TAYLOR, 6.5)
    for group in ("3-5k", "3d", "9d", "pro"):
        games = list(professional_games(2, seed) if group == "pro" else fox_games(group, 2, seed))
        result = list(
            analyse_games(games, network, rules=TROMP_TAYLOR, komi=6.5, effort=LossEffort(visits=0))
        )
        suspects = [
            (analysis, int(place))
            for analysis in result
            for place in np.flatnonzero(analysis.point_loss >= 2.0)
        ]
        chosen = [suspects[k] for k in np.random.default_rng(seed).permutation(len(suspects))]
        for analysis, place in chosen[: number // 4]:
            rows.append(_searched(analysis, place, conditions, network))
            print(len(rows), group, np.round(rows[-1], 1).tolist(), flush=True)
    return noise_table(np.array(rows))


def noise_table(rows: np.ndarray) -> str:
    """Distances from the long search as a table: the columns are those of `_searched`."""
    off = np.maximum(rows[:, 1:5], 0.0) - np.maximum(rows[:, :1], 0.0)
    far = np.abs(rows[:, 4] - rows[:, 0]) / rows[:, 5]
    cells = [f"{value:.1f}" for value in np.sqrt((off**2).mean(axis=0))]
    cells += [f"{100 * (far < times).mean():.0f}" for times in (1, 2)]
    return "\n".join(
        [
            "**Noise**: root mean square distance in points from a search of "
            f"{LONG} positions on either side of which each was turned otherwise, for "
            f"{len(rows)} undecided moves that the comparison suspects to have cost 2 points or "
            "more, of 3-5 kyu, 3 dan, 9 dan and professionals; and how many of the losses "
            "after 16 positions were off by less than their error, and twice that:",
            "",
            "| difference | children alone | search of 8 | search of 16 | once % | twice % |",
            "|--:|--:|--:|--:|--:|--:|",
            f"| {' | '.join(cells)} |",
        ]
    )


def _searched(
    analysis: GameAnalysis, place: int, conditions: Conditions, network: Network
) -> list[float]:
    """The long search, the difference, the children, 8 and 16 visits, the error of the last."""
    sign = 1.0 if analysis.colour[place] == WHITE else -1.0
    played = int(analysis.point[place])
    lost = []
    for first, visits in ((0, 8), (0, 16), (5, LONG)):
        trees = [
            Tree(analysis.game, conditions, place + 1, first=first),
            Tree(analysis.game, conditions, place, played, first=first),
        ]
        grow(trees, network, visits)
        best = trees[1].best()
        value = 0.0 if best is None else best.mean_lead - trees[0].root.mean_lead
        spread = np.hypot(np.std(trees[0].leads), np.std(trees[1].leads))
        lost.append((sign * value, float(np.hypot(0.7, 1.25 * spread / np.sqrt(visits)))))
    plain = float(differences(analysis)[place]), float(analysis.point_loss[place])
    return [lost[2][0], *plain, lost[0][0], lost[1][0], lost[1][1]]


def effects(network: Network, number: int, seed: int) -> str:
    """What moves say of strength under four symmetries of the board."""
    model, shares = StrengthModel.load(), []
    for group in ("3-5k", "3d", "9d"):
        for game in fox_games(group, number // 3, seed):
            each = []
            for symmetry in (0, 1, 3, 6):
                table = symmetry_points(19)[symmetry % SYMMETRIES]
                turned = replace(
                    game, moves=np.where(game.moves >= 0, table[game.moves], -1).astype(np.int16)
                )
                (seen,) = evaluate_games([turned], network, skipped=SkipReport())
                each.append(
                    [
                        model.move_scores(evidence_of_games([seen.features], [colour]))
                        for colour in (BLACK, WHITE)
                    ]
                )
            for side in range(2):
                leads = np.array([turn[side] for turn in each])
                spread = np.sqrt(leads.var(axis=0, ddof=1).mean())
                shares.append(float(spread / np.sqrt((leads[0] ** 2).mean())))
            print(len(shares), [round(share, 2) for share in shares[-2:]], flush=True)
    return (
        "**What single moves say of strength** changes under four symmetries of the board by "
        f"{np.mean(shares):.2f} of what the moves of the player say on average (root mean "
        f"square; {min(shares):.2f} to {max(shares):.2f} in {len(shares)} players of 3-5 kyu, "
        "3 dan and 9 dan)."
    )


def effort(network: Network, number: int, seed: int) -> str:
    """Which of the costliest moves are listed when fewer positions are looked at."""
    people = {
        row["file"]: BLACK if row["bot"] == "W" else WHITE
        for row in index(_SHARED / "ogs_weak" / "index.csv.gz")
        if row["handicap"] == "0" and int(row["moves"]) > 100
    }
    names = drawn(list(people), number, seed)
    colours = {Path(name).stem: people[name] for name in names}
    games = list(games_of(_SHARED / "ogs_weak" / "games.zip", names))
    seen = evaluate_games(games, network, skipped=SkipReport())
    sides = [(each, colours[Path(each.game.file).stem]) for each in seen]
    listed, searched = {}, {}
    for share in (None, *_SHARES):
        losses = player_losses(sides, network, LossEffort(share=share))
        listed[share] = {
            (place, move.move)
            for place, ((each, colour), lost) in enumerate(zip(sides, losses, strict=True))
            for move in costliest_moves(evidence_of_games([each.features], [colour]), [lost])
        }
        searched[share] = sum(int((lost.visits > 0).sum()) for lost in losses) / len(sides)
    result = {share: len(listed[share] & listed[None]) / len(listed[None]) for share in _SHARES}
    lines = [f"| {share:g} | {searched[share]:.1f} | {result[share]:.0%} |" for share in _SHARES]
    return (
        f"**Where less is searched**: of the {len(listed[None])} moves that a search of all "
        f"suspects ({searched[None]:.0f} moves a game) lists as the costliest of a game, at most "
        f"five, those listed with fewer positions; {len(sides)} games of people who played bots:"
        "\n\n| positions for losses, for each of the game | searched a game | listed |\n"
        "|--:|--:|--:|\n" + "\n".join(lines)
    )


Part = Callable[[Network, int, int], str]
#: What each part is made by, and how many games (moves of `noise`) it takes.
PARTS: dict[str, tuple[Part, int]] = {
    "professionals": (professionals, 60),
    "katago": (katago, 10),
    "noise": (noise, 100),
    "effects": (effects, 6),
    "effort": (effort, 40),
}


def entered(page: str, part: str, section: str) -> str:
    """The page with the section of a part in place of its old one."""
    between = re.compile(rf"(<!-- {part} -->\n).*?(?=<!-- )", re.DOTALL)
    if not between.search(page):
        raise ValueError(f"{TABLES} has no <!-- {part} -->")
    return between.sub(lambda place: f"{place[1]}{section}\n\n", page, count=1)


def main() -> None:
    """Run parts of the study, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; by default all"
    )
    parser.add_argument("--net", help="by default that of the shared data")
    parser.add_argument("--number", type=int, help="games, or moves of noise")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"there is no part {min(unknown)}: there are {', '.join(PARTS)}")
    require("move_losses")
    network = load_network(options.net or shared_folder() / NETWORK)
    for part in options.parts or PARTS:
        measure, number = PARTS[part]
        number = options.number or number
        section = measure(network, number, options.seed)
        made = (
            f"`python -m lab.studies.move_losses {part} --number {number} --seed {options.seed}`, "
            f"{date.today():%Y-%m-%d}; Yardstone {version('yardstone')}, {network.name}, "
            f"numpy {version('numpy')}, Python {platform.python_version()}."
        )
        page = TABLES.read_text("utf-8")
        TABLES.write_text(entered(page, part, f"{section}\n\n{made}"), "utf-8")
        print(section, flush=True)


if __name__ == "__main__":
    main()
