"""Tie-breaks, pairing and its weights put to the test: ``python -m lab.studies.tournaments``.

Plays the tournaments of Kaniuk's further work (2011, sections 7 and 8) and writes
``docs/studies/tournaments.md`` with its pictures; of parts and models of winning that are
not chosen the page keeps what it has. ``--quick`` plays a tenth.
"""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path
from platform import python_version

import numpy

from yardstone.files import write_text
from yardstone.parallel import context
from yardstone.reports.document import Document
from yardstone.reports.text import document_text
from yardstone.tournament.field import winning_law
from yardstone.tournament.model import System
from yardstone_lab.reports.tournament import quality_document, search_document, ties_document
from yardstone_lab.tournaments.pairing import (
    Circuit,
    SingleEvents,
    compare_quality,
    search_weights,
    usual_pairings,
)
from yardstone_lab.tournaments.tiebreaks import TournamentSetting, compare_tiebreaks

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "studies"

PAGE = FOLDER / "tournaments.md"
HEAD = """# Tie-breaks, pairing and its weights

Three studies that Kaniuk proposes ([](../explanation/papers/kaniuk.md)), played with the model of
winning that Yardstone fitted to real tournaments, and again with his published one. Each is
one command, `yardstone tournament study`; what is counted, and why, is explained in
[](../how-to/tournament-simulation.md).

A model of winning speaks of grades, and the scatter of strengths about them is in it already.
Where strengths are drawn about grades, games are played by the steeper law between strengths
from which the model's chances between grades come about (`yardstone.tournament.field`);
with the model itself the scatter would count twice.
"""
#: Headings of the page by part and model of winning, in their order.
TITLES = {
    ("ties", "fitted"): "Which tie-break finds the stronger player",
    ("ties", "kaniuk"): "Tie-breaks with Kaniuk's model",
    ("pairing", "fitted"): "Which pairing measures players best",
    ("pairing", "kaniuk"): "Pairing with Kaniuk's model",
    ("circuit", "fitted"): "Kaniuk's own quality of pairing",
    ("circuit", "kaniuk"): "Kaniuk's own quality with his model",
    ("weights", "fitted"): "Which weights measure players best",
    ("weights", "kaniuk"): "Weights with Kaniuk's model",
}
PARTS = tuple(dict.fromkeys(part for part, _ in TITLES))
MODELS = tuple(dict.fromkeys(win for _, win in TITLES))


def block(document: Document) -> str:
    return f"```text\n{document_text(document).rstrip()}\n```\n"


def picture(document: Document, name: str, caption: str) -> str:
    """Draw it, and show it on the page."""
    assert document.drawing is not None
    document.drawing().save(FOLDER / name)
    return f"![{caption}]({name})\n"


def made(part: str, win: str, arguments: str) -> str:
    """How a part was made, for the page."""
    libraries = f"Python {python_version()}, numpy {numpy.__version__}"
    return (
        f"Made by `python -m lab.studies.tournaments --parts {part} --win {win}{arguments}` on "
        f"{datetime.now(UTC).date()}; {libraries}.\n"
    )


def ties(win: str, share: int, seed: int) -> list[str]:
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
            winning_law(win),
            setting,
            tournaments=200 // share,
            among=among,
            seed=seed,
        )
        document = ties_document(comparison, win=win)
        parts += [f"### {title}\n", block(document)]
        if place == 1:
            parts.append(
                picture(document, f"tournaments-ties-{win}.svg", "Right answers by tie-break")
            )
    return parts


def pairing(win: str, share: int, seed: int) -> list[str]:
    measure = SingleEvents()
    qualities = compare_quality(
        usual_pairings(),
        winning_law(win),
        measure,
        replicates=500 // share,
        seed=seed,
    )
    document = quality_document(qualities, measure, win=win)
    caption = "Error of strengths and order of players, by pairing"
    return [block(document), picture(document, f"tournaments-pairing-{win}.svg", caption)]


def circuit(win: str, share: int, seed: int) -> list[str]:
    measure = Circuit()
    qualities = compare_quality(
        usual_pairings(),
        winning_law(win),
        measure,
        replicates=max(8 // share, 2),
        seed=seed,
    )
    document = quality_document(qualities, measure, win=win)
    caption = "The RMS error of ratings over successive tournaments"
    return [block(document), picture(document, f"tournaments-circuit-{win}.svg", caption)]


def weights(win: str, share: int, seed: int) -> list[str]:
    measure = SingleEvents()
    search = search_weights(
        winning_law(win),
        measure,
        trials=30 // share,
        replicates=80 // share,
        confirm=500 // share,
        seed=seed,
    )
    document = search_document(search, measure, win=win)
    caption = "The RMS error of each trial"
    return [block(document), picture(document, f"tournaments-weights-{win}.svg", caption)]


MAKERS = {"ties": ties, "pairing": pairing, "circuit": circuit, "weights": weights}


def sections() -> dict[tuple[str, str], str]:
    """The sections of the page as it stands."""
    text = PAGE.read_text("utf-8") if PAGE.exists() else ""
    parts = {}
    for key, title in TITLES.items():
        _, heading, rest = text.partition(f"## {title}\n")
        if heading:
            parts[key] = heading + rest.partition("\n## ")[0].rstrip() + "\n"
    return parts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=PARTS)
    parser.add_argument("--win", nargs="*", choices=MODELS, default=MODELS)
    parser.add_argument("--quick", action="store_true", help="a tenth of everything")
    parser.add_argument("--workers", type=int, help="processes [default: one a core]")
    options = parser.parse_args()
    share = 10 if options.quick else 1
    arguments = f" --seed {options.seed}" + (" --quick" if options.quick else "")
    for part, win in TITLES:
        if part in options.parts and win in options.win:
            with context(workers=options.workers):
                text = MAKERS[part](win, share, options.seed)
            head = [f"## {TITLES[part, win]}\n", made(part, win, arguments)]
            page = sections() | {(part, win): "\n".join([*head, *text])}
            write_text(PAGE, "\n".join([HEAD, *(page[key] for key in TITLES if key in page)]))


if __name__ == "__main__":
    main()
