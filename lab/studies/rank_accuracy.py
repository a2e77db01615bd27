"""How sure are accuracies of the rank model? ``python -m lab.studies.rank_accuracy``.

The published protocol (n games of a rank group, both colours or one, and n games of one
player) on the players whom the shipped model has never seen, from what
``python -m lab.studies.strength_intervals`` keeps of their games. Draws of games share players,
so that their number says nothing: the standard errors are from the players of each group,
with all their games, drawn with replacement, less what the draws themselves add. The table
goes to ``docs/studies/rank-accuracy-tables.md``.
"""

from __future__ import annotations

import argparse
import platform
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lab.studies.rank.listed import Sides
from lab.studies.strength_intervals import KEPT
from yardstone.strength.model import StrengthModel
from yardstone_lab.neubauer.rank.intervals import draw_games, draw_players, knot_probabilities

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

TABLE = Path(__file__).resolve().parents[2] / "docs" / "studies" / "rank-accuracy-tables.md"
GAMES = (1, 5, 10, 15, 20)
_DRAWS = 150


def owners(sides: Sides) -> Ints:
    """The listed player to whom the game of each side counts."""
    result = np.full(int(sides.game.max()) + 1, -1, np.int64)
    listed = np.flatnonzero(sides.listed)[::-1]
    result[sides.game[listed]] = sides.player[listed]
    return result[sides.game]


def resampled(sides: Sides, owner: Ints, random: np.random.Generator) -> tuple[Ints, Ints, Ints]:
    """Rows, games and players of a set of players drawn with replacement in each group."""
    rows, games, players = [], [], []
    for group in np.unique(sides.group):
        own = np.unique(owner[(sides.group == group) & (owner >= 0)])
        for player in random.choice(own, len(own)):
            those = np.flatnonzero(owner == player)
            copy = len(rows)
            rows.append(those)
            games.append(sides.game[those].astype(np.int64) + 100_000 * copy)
            players.append(np.where(sides.player[those] == player, copy, -1))
    return np.concatenate(rows), np.concatenate(games), np.concatenate(players)


def right(
    model: StrengthModel,
    statistics: Array,
    group: Ints,
    game: Ints,
    player: Ints,
    kind: str,
    games: int,
    random: np.random.Generator,
) -> Array:
    """Whether each draw was placed right."""
    if kind == "games of one player":
        some = player >= 0
        names = player[some].astype(np.str_)
        sums, truth, _ = draw_players(
            statistics[some], group[some], names, games=games, draws=3, random=random
        )
        result = model.posterior(sums)[2] if len(truth) else np.empty((0, 11))
    else:
        sums, truth = draw_games(
            statistics, group, game,
            games=games, draws=_DRAWS, random=random, one_colour=kind == "one colour",
        )  # fmt: skip
        result = knot_probabilities(model.scale("fox"), sums) if len(truth) else np.empty((0, 11))
    return np.asarray(result.argmax(axis=1) == truth, np.float64)


def cell(sides: Sides, model: StrengthModel, kind: str, games: int, replicates: int) -> str:
    """An accuracy with its standard error, in per cent."""
    random = np.random.default_rng(games)
    owner, statistics = owners(sides), sides.statistics()
    group = sides.group.astype(np.int64)
    known = np.flatnonzero(owner >= 0)
    player = np.where(sides.player == owner, owner, -1)[known]
    whole = right(
        model, statistics[known], group[known], sides.game[known].astype(np.int64), player,
        kind, games, random,
    )  # fmt: skip
    if not len(whole):
        return "–"
    means, noise = [], []
    for _ in range(replicates):
        rows, copies, players = resampled(sides, owner, random)
        each = right(model, statistics[rows], group[rows], copies, players, kind, games, random)
        if len(each):
            means.append(each.mean())
            noise.append(each.var() / len(each))
    own = 0.0 if kind == "games of one player" else float(np.mean(noise))
    error = np.sqrt(max(np.var(means) - own, 0.0))
    return f"{100 * whole.mean():.1f} ± {100 * error:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--replicates", type=int, default=40)
    options = parser.parse_args()
    sides, model = Sides.load(KEPT), StrengthModel.load("rank")
    lines = [
        f"| % right ± standard error | {' | '.join(f'n = {games}' for games in GAMES)} |",
        "|---|" + "--:|" * len(GAMES),
    ]
    for kind in ("both colours", "one colour", "games of one player"):
        cells = [cell(sides, model, kind, games, options.replicates) for games in GAMES]
        lines.append(f"| {kind} | {' | '.join(cells)} |")
    owner = owners(sides)
    lines += [
        "",
        f"`python -m lab.studies.rank_accuracy --replicates {options.replicates}`, "
        f"{date.today():%Y-%m-%d}; {len(np.unique(owner[owner >= 0]))} listed players, "
        f"{len(np.unique(sides.game)):,} games; Yardstone {version('yardstone')}, model "
        f"{model.card['name']}, numpy {version('numpy')}, Python {platform.python_version()}.",
    ]
    TABLE.write_text("\n".join(lines) + "\n", "utf-8")
    print(TABLE.read_text("utf-8"))


if __name__ == "__main__":
    main()
