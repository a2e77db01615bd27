"""Tie-breaks, pairing and its weights put to the test: ``python -m studies.tournaments``.

Plays the tournaments of Kaniuk's further work (2011, sections 7 and 8) and writes
``docs/studies/tournaments.md`` with its pictures. ``--quick`` plays a tenth.
"""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path
from platform import python_version

import numba
import numpy
import optuna

from yardstone.cli.tournament_study import variants
from yardstone.files import write_text
from yardstone.reports import tournament_simulation_plots as plots
from yardstone.reports import tournament_studies as report
from yardstone.reports.plot import save_plot
from yardstone.tournament.chances import chance_of
from yardstone.tournament.model import System
from yardstone.tournament.pairing_quality import Circuit, compare_quality
from yardstone.tournament.tiebreak_study import Setting, compare_tiebreaks
from yardstone.tournament.weight_search import search_weights

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "studies"

HEAD = """# Tie-breaks, pairing and its weights

Three studies that Kaniuk proposes ([](../papers/kaniuk.md)), played with his published
win probability. Each is one command, `yardstone tournament study`; what is counted is
explained in [](../tournament-simulation.md).

Made by `python -m studies.tournaments{arguments}` on {date}, seed {seed}; Python {python},
numpy {numpy}, numba {numba}, optuna {optuna}.
"""


def block(text: str) -> str:
    return f"```text\n{text.rstrip()}\n```\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="a tenth of everything")
    options = parser.parse_args()
    share = 10 if options.quick else 1
    seed = options.seed
    chance = chance_of("kaniuk")
    parts = [
        HEAD.format(
            arguments=" --quick" if options.quick else "",
            date=datetime.now(UTC).date(),
            seed=seed,
            python=python_version(),
            numpy=numpy.__version__,
            numba=numba.__version__,
            optuna=optuna.__version__,
        ),
        "## Which tie-break finds the stronger player\n",
    ]
    weekend, congress = Setting(), Setting(players=100, rounds=10)
    swiss = Setting(players=64, rounds=6, system=System.swiss, lowest=-2)
    questions = [
        ("Weekend tournaments", weekend, "all"),
        ("The same, players who began equal", weekend, "same-start"),
        ("The same, those tied for the first place", weekend, "top"),
        ("Congresses, ten rounds, players who began equal", congress, "same-start"),
        ("A Swiss of dan players", swiss, "all"),
    ]
    for place, (title, setting, among) in enumerate(questions):
        found = compare_tiebreaks(
            chance, setting, tournaments=2000 // share, among=among, seed=seed
        )
        parts += [f"### {title}\n", block(report.text_ties(found))]
        if place == 1:
            save_plot(plots.tie_plot(found), FOLDER / "tournaments-ties.svg")
            parts.append("![Right answers by tie-break](tournaments-ties.svg)\n")
    replicates = 40 // share
    circuit = Circuit()
    qualities = compare_quality(variants(), chance, circuit, replicates=replicates, seed=seed)
    save_plot(plots.quality_plot(qualities), FOLDER / "tournaments-pairing.svg")
    about = (
        f"{replicates} populations of {circuit.population} players, {circuit.tournaments} "
        f"tournaments of {circuit.players} players and {circuit.rounds} rounds each."
    )
    parts += [
        "## Which pairing measures players best\n",
        block(report.text_qualities(qualities, about=about)),
        "![The rms error of ratings as tournaments go by](tournaments-pairing.svg)\n",
    ]
    trials = 80 // share
    search = search_weights(chance, circuit, trials=trials, confirm=replicates, seed=seed)
    save_plot(plots.search_plot(search), FOLDER / "tournaments-weights.svg")
    parts += [
        "## Which weights measure players best\n",
        block(report.text_search(search, about=f"{trials} sets of rules, the ten best:")),
        "![The rms error of each trial](tournaments-weights.svg)\n",
    ]
    write_text(FOLDER / "tournaments.md", "\n".join(parts))


if __name__ == "__main__":
    main()
