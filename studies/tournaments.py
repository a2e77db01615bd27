"""Tie-breaks, pairing and its weights put to the test: ``python -m studies.tournaments``.

Plays the tournaments of Kaniuk's further work (2011, sections 7 and 8) and writes
``docs/studies/tournaments.md`` with its pictures; of parts that are not chosen the page
keeps what it has. ``--quick`` plays a tenth.
"""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path
from platform import python_version

import numba
import numpy

from yardstone.files import write_text
from yardstone.lab.tournaments.pairing_quality import Circuit, compare_quality, usual_pairings
from yardstone.lab.tournaments.tiebreaks import TournamentSetting, compare_tiebreaks
from yardstone.lab.tournaments.weight_search import search_weights
from yardstone.reports.document import Document
from yardstone.reports.faces.text import document_text
from yardstone.reports.tournament.pairing_quality import quality_document, search_document
from yardstone.reports.tournament.tiebreaks import ties_document
from yardstone.tournament.model import System
from yardstone.tournament.winning_laws import winning_law

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "studies"

PAGE = FOLDER / "tournaments.md"
HEAD = """# Tie-breaks, pairing and its weights

Three studies that Kaniuk proposes ([](../explanation/papers/kaniuk.md)), played with his published
win probability. Each is one command, `yardstone tournament study`; what is counted is
explained in [](../how-to/tournament-simulation.md).
"""
TITLES = {
    "ties": "Which tie-break finds the stronger player",
    "pairing": "Which pairing measures players best",
    "weights": "Which weights measure players best",
}


def block(document: Document) -> str:
    return f"```text\n{document_text(document).rstrip()}\n```\n"


def picture(document: Document, name: str, caption: str) -> str:
    """Draw it, and show it on the page."""
    assert document.drawing is not None
    document.drawing().save(FOLDER / name)
    return f"![{caption}]({name})\n"


def made(part: str, arguments: str) -> str:
    """How a part was made, for the page."""
    libraries = f"Python {python_version()}, numpy {numpy.__version__}, numba {numba.__version__}"
    return (
        f"Made by `python -m studies.tournaments --parts {part}{arguments}` on "
        f"{datetime.now(UTC).date()}; {libraries}.\n"
    )


def ties(tournaments: int, seed: int) -> list[str]:
    weekend, congress = TournamentSetting(), TournamentSetting(players=100, rounds=10)
    swiss = TournamentSetting(players=64, rounds=6, system=System.swiss, lowest=-2)
    questions = [
        ("Weekend tournaments", weekend, "all"),
        ("The same, players who began equal", weekend, "same-start"),
        ("The same, those tied for the first place", weekend, "top"),
        ("Congresses, ten rounds, players who began equal", congress, "same-start"),
        ("A Swiss of dan players", swiss, "all"),
    ]
    parts = []
    for place, (title, setting, among) in enumerate(questions):
        comparison = compare_tiebreaks(
            winning_law("kaniuk"), setting, tournaments=tournaments, among=among, seed=seed
        )
        document = ties_document(comparison)
        parts += [f"### {title}\n", block(document)]
        if place == 1:
            parts.append(picture(document, "tournaments-ties.svg", "Right answers by tie-break"))
    return parts


def pairing(replicates: int, seed: int) -> list[str]:
    circuit = Circuit()
    qualities = compare_quality(
        usual_pairings(), winning_law("kaniuk"), circuit, replicates=replicates, seed=seed
    )
    document = quality_document(qualities, circuit, win="kaniuk")
    caption = "The RMS error of ratings over successive tournaments"
    return [block(document), picture(document, "tournaments-pairing.svg", caption)]


def weights(trials: int, replicates: int, seed: int) -> list[str]:
    search = search_weights(
        winning_law("kaniuk"), Circuit(), trials=trials, confirm=replicates, seed=seed
    )
    document = search_document(search, win="kaniuk")
    caption = "The RMS error of each trial"
    return [block(document), picture(document, "tournaments-weights.svg", caption)]


def sections() -> dict[str, str]:
    """The parts of the page as it stands."""
    text = PAGE.read_text("utf-8") if PAGE.exists() else ""
    parts = {}
    for part, title in TITLES.items():
        _, heading, rest = text.partition(f"## {title}\n")
        if heading:
            parts[part] = heading + rest.partition("\n## ")[0].rstrip() + "\n"
    return parts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--parts", nargs="*", choices=list(TITLES), default=list(TITLES))
    parser.add_argument("--tournaments", type=int, default=2000, help="of each kind, for ties")
    parser.add_argument("--quick", action="store_true", help="a tenth of everything")
    options = parser.parse_args()
    share = 10 if options.quick else 1
    replicates, trials = 40 // share, 80 // share
    makers = {
        "ties": lambda: ties(options.tournaments // share, options.seed),
        "pairing": lambda: pairing(replicates, options.seed),
        "weights": lambda: weights(trials, replicates, options.seed),
    }
    arguments = f" --seed {options.seed}" + (" --quick" if options.quick else "")
    page = sections()
    for part in options.parts:
        more = f" --tournaments {options.tournaments}" if part == "ties" else ""
        head = [f"## {TITLES[part]}\n", made(part, more + arguments)]
        page[part] = "\n".join([*head, *makers[part]()])
    write_text(PAGE, "\n".join([HEAD, *(page[part] for part in TITLES if part in page)]))


if __name__ == "__main__":
    main()
