"""The studies in the order that works: what each makes, what it needs, and how long it takes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOURNAMENTS = "data/go/tournaments/games.csv.gz"
NETWORK = "nets/g170-b6c96-s175395328-d26788732.bin.gz"
POOL = "build/strength-tygem/published/winners/pool.npz"
STORE = "build/strength-tygem/published/features/store"
FEATURES = "build/features"
FOX = f"{FEATURES}/fox_games"
OGS = (f"{FEATURES}/ogs_league", f"{FEATURES}/ogs_weak")
RANK_MODEL = "build/rank-from-moves/rank_model.npz"
SET_MODELS = "build/set-models/full.npz"
OWN_NETWORK = "build/own-network/yardstone-b6c64.bin.gz"
OUT_OF_FOLD = "build/rank-from-moves/out_of_fold.npz"


def shared_folder() -> Path:
    """The folder of shared data: YARDSTONE_SHARED, or ``shared`` beside the project."""
    return Path(os.environ.get("YARDSTONE_SHARED") or ROOT.parent / "shared")


@dataclass(frozen=True)
class Shared:
    """A file or folder of the shared data."""

    path: str

    def __str__(self) -> str:
        return f"shared/{self.path}"

    def missing(self, shared: Path) -> str:
        """What to do if it is not there; empty if it is."""
        place = shared / self.path
        return "" if place.exists() else f"no {place}: YARDSTONE_SHARED names the shared data"


@dataclass(frozen=True)
class Made:
    """What another study makes."""

    path: str
    study: str

    def __str__(self) -> str:
        return f"what {self.study} makes"

    def missing(self, shared: Path) -> str:
        """What to do if it is not there; empty if it is."""
        there = (ROOT / self.path).exists()
        return "" if there else f"no {self.path}: `python -m lab.studies {self.study}` makes it"


@dataclass(frozen=True)
class Package:
    """A package that only some installations have."""

    name: str
    extra: str

    def __str__(self) -> str:
        return self.name

    def missing(self, shared: Path) -> str:
        """What to do if it is not there; empty if it is."""
        there = find_spec(self.name) is not None
        return "" if there else f"no {self.name}: pip install 'yardstone[{self.extra}]'"


Need = Shared | Made | Package


@dataclass(frozen=True)
class Study:
    """One study, or a step that several of them need.

    Attributes:
        name: Of the module: ``python -m lab.studies.NAME`` makes it.
        minutes: About how long it takes on two cores.
        makes: Files and folders, from the folder of the project.
        arguments: With which it is run; ``{shared}`` stands for the folder of shared data.
    """

    name: str
    minutes: int
    makes: tuple[str, ...]
    needs: tuple[Need, ...] = ()
    arguments: tuple[str, ...] = ()

    def missing(self, shared: Path) -> list[str]:
        """What to do for each need that is not there."""
        return [what for need in self.needs if (what := need.missing(shared))]

    def command(self, shared: Path) -> list[str]:
        """The command line that runs it."""
        arguments = [argument.format(shared=shared) for argument in self.arguments]
        return [sys.executable, "-m", f"lab.studies.{self.name}", *arguments]


def _pages(*names: str) -> tuple[str, ...]:
    return tuple(f"docs/studies/{name}" for name in names)


#: What needs nothing first, then by what they need; those of many hours last.
STUDIES = (
    Study("coverage", 60, _pages("coverage-lists-tables.md")),
    Study("backgammon_people", 5, _pages("backgammon-people-tables.md")),
    Study("backgammon_cube", 2, _pages("backgammon-cube-tables.md")),
    Study("backgammon_earlier_errors", 3, _pages("backgammon-earlier-errors-tables.md")),
    Study("coverage_classes", 2, _pages("coverage-classes-tables.md")),
    Study("backgammon_simulated", 5, _pages("backgammon-simulated.md")),
    Study("coverage_refit", 15, _pages("coverage-refit-tables.md")),
    Study("tournaments", 15, _pages("tournaments.md")),
    Study("coverage_models", 10, _pages("coverage-models-tables.md")),
    Study("coverage_winprob", 60, _pages("coverage-winprob-tables.md")),
    Study(
        "coverage_backgammon",
        5,
        _pages("coverage-backgammon-tables.md"),
        (Shared("data/backgammon/gnubg_stats.csv.gz"),),
    ),
    Study("rank_accuracy", 5, _pages("rank-accuracy-tables.md")),
    Study(
        "handicaps",
        2,
        _pages("handicap-tables.md"),
        (Shared(TOURNAMENTS),),
        (f"{{shared}}/{TOURNAMENTS}",),
    ),
    Study(
        "winning_model",
        15,
        _pages("winning-model-tables.md", "winning-model-calibration.svg"),
        (Shared(TOURNAMENTS),),
        (f"{{shared}}/{TOURNAMENTS}", "--ship"),
    ),
    Study("coverage_forecasts", 60, _pages("coverage-forecasts.md")),
    Study(
        "true_strengths",
        10,
        _pages("true-strengths-tables.md"),
        (
            Shared(TOURNAMENTS),
            Shared("data/chess/kingbase_1990_2012.tsv.gz"),
        ),
    ),
    Study(
        "style_features",
        5,
        _pages("style-features-tables.md"),
        (Shared("data/go/kgs_style"),),
    ),
    Study(
        "settling",
        2,
        _pages("settling_deviations.svg", "settling_ratings.svg"),
        (Shared("data/go/tygem_2005_2011.tsv.gz"),),
    ),
    Study(
        "kaniuk",
        30,
        _pages("kaniuk-recovery.md", "kaniuk-real.md", "kaniuk-selection.md"),
        (Shared(TOURNAMENTS),),
        (f"{{shared}}/{TOURNAMENTS}",),
    ),
    Study(
        "move_losses",
        60,
        _pages("move-losses-tables.md"),
        (
            Shared("data/go/fox_index.csv.gz"),
            Shared("data/go/fox_sgf.zip"),
            Shared("data/go/fox_ranked/games.zip"),
            Shared("data/go/ogs_weak"),
            Shared(NETWORK),
            Package("onnxruntime", "go"),
        ),
    ),
    Study(
        "trickplays",
        30,
        _pages("trickplays.md", "trickplays.svg"),
        (
            Shared("data/go/trickplay"),
            Shared("data/go/fox_sgf.zip"),
            Shared("data/go/fox_ranked/games.zip"),
            Shared("data/go/tygem_moves"),
            Shared(NETWORK),
            Package("onnxruntime", "go"),
        ),
    ),
    Study(
        "systems_table",
        240,
        _pages("systems.md"),
        (Shared("data/chess/kingbase_1990_2012.tsv.gz"), Shared("data/go/tygem_2005_2011.tsv.gz")),
    ),
    Study(
        "strength_tygem",
        300,
        (POOL, STORE),
        (
            Shared("data/go/tygem_moves"),
            Shared("data/go/tygem_2005_2011.tsv.gz"),
            Shared(NETWORK),
            Package("openvino", "openvino"),
            Package("torch", "train"),
        ),
    ),
    Study(
        "thesis_size",
        240,
        _pages(
            "thesis-size-tables.md",
            "thesis-size-basic.svg",
            "thesis-size-full.svg",
            "thesis-size-windows.svg",
            "thesis-size-search.svg",
            "thesis-size-search-best.svg",
            "thesis-size-searched.svg",
        ),
        (
            Shared("data/go/tygem_moves"),
            Shared("data/go/tygem_2005_2011.tsv.gz"),
            Shared(NETWORK),
            Package("openvino", "openvino"),
            Package("torch", "train"),
        ),
    ),
    Study(
        "fusion",
        20,
        _pages("fusion-tables.md"),
        (Made(POOL, "strength_tygem"), Made(STORE, "strength_tygem")),
    ),
    Study(
        "features",
        220,
        (*OGS, FOX),
        (
            Shared("data/go/fox_ranked/games.zip"),
            Shared("data/go/ogs_weak/games.zip"),
            Shared("data/go/ogs_league.zip"),
            Shared(NETWORK),
            Package("openvino", "openvino"),
        ),
    ),
    Study(
        "ogs_shift",
        5,
        _pages("ogs-shift-tables.md"),
        (Shared("data/go/ogs_weak"), *(Made(store, "features") for store in OGS)),
        ("--shared", "{shared}"),
    ),
    Study(
        "ogs_ranks",
        5,
        _pages("ogs-ranks-tables.md"),
        (Shared("data/go/ogs_weak"), *(Made(store, "features") for store in OGS)),
        ("--shared", "{shared}"),
    ),
    Study(
        "programs",
        8,
        _pages("programs-tables.md"),
        (
            Shared("data/go/fox_sgf.zip"),
            Shared("data/go/fox_index.csv.gz"),
            Shared(NETWORK),
        ),
        ("--shared", "{shared}"),
    ),
    Study(
        "fusion_newcomers",
        30,
        _pages("fusion-newcomers-tables.md"),
        (
            Shared("data/go/ogs_weak"),
            Shared("data/go/tygem_2005_2011.tsv.gz"),
            Shared("data/go/tygem_moves"),
            Shared(NETWORK),
            Made(OGS[1], "features"),
            Package("openvino", "openvino"),
        ),
        ("--shared", "{shared}"),
    ),
    Study(
        "rank_from_moves",
        240,
        (RANK_MODEL, OUT_OF_FOLD, *_pages("rank-from-moves-tables.md")),
        (Shared("data/go/fox_ranked"), Made(FOX, "features")),
        ("--shared", "{shared}"),
    ),
    Study(
        "symmetries",
        150,
        _pages("symmetries-tables.md"),
        (
            Shared("data/go/fox_ranked"),
            Shared(NETWORK),
            Made(FOX, "features"),
            Package("openvino", "openvino"),
        ),
        ("--shared", "{shared}"),
    ),
    Study(
        "set_models",
        60,
        (SET_MODELS, *_pages("set-models-tables.md")),
        (
            Shared("data/go/fox_ranked"),
            Shared("data/go/ogs_weak"),
            Made(FOX, "features"),
            Made(OGS[1], "features"),
            Package("torch", "train"),
        ),
        ("--shared", "{shared}"),
    ),
    Study(
        "joint_model",
        5,
        _pages("joint-model-tables.md"),
        (
            Shared("data/go/fox_ranked"),
            Shared("data/go/ogs_weak"),
            Made(FOX, "features"),
            Made(OGS[1], "features"),
            Made(SET_MODELS, "set_models"),
            Package("torch", "train"),
        ),
        ("--shared", "{shared}"),
    ),
    Study(
        "own_network",
        100,
        (OWN_NETWORK, *_pages("own-network.svg")),
        (
            Shared("data/go/fox_ranked"),
            Shared("data/go/ogs_weak"),
            Shared("data/go/fox_sgf.zip"),
            Shared("data/go/tygem_moves"),
            Shared(NETWORK),
            Package("torch", "train"),
            Package("openvino", "openvino"),
        ),
        ("--shared", "{shared}"),
    ),
    Study(
        "own_ranks",
        50,
        _pages("own-ranks-tables.md"),
        (
            Shared("data/go/fox_ranked"),
            Shared("data/go/ogs_weak"),
            Shared(NETWORK),
            Made(OWN_NETWORK, "own_network"),
            Package("torch", "train"),
            Package("openvino", "openvino"),
        ),
        ("--shared", "{shared}"),
    ),
    Study(
        "own_model",
        20,
        _pages("own-model-tables.md"),
        (
            Shared("data/go/fox_ranked"),
            Shared("data/go/ogs_weak"),
            Shared(NETWORK),
            Made(OWN_NETWORK, "own_network"),
            Package("torch", "train"),
            Package("openvino", "openvino"),
        ),
        ("--shared", "{shared}"),
    ),
    Study(
        "strength_intervals",
        10,
        _pages("strength-intervals-tables.md"),
        (Shared("data/go/fox_ranked"), Made(FOX, "features")),
        ("--shared", "{shared}", "--stores", str(ROOT / FEATURES)),
    ),
)


def studies_named(names: list[str]) -> Iterator[Study]:
    """The studies of these names, or all, in their order."""
    return (study for study in STUDIES if not names or study.name in names)


def require(name: str, shared: Path | None = None) -> None:
    """Leave with a line for each need of a study that is not there."""
    (study,) = studies_named([name])
    if missing := study.missing(shared or shared_folder()):
        sys.exit("\n".join(f"lab.studies.{name}: {what}" for what in missing))
