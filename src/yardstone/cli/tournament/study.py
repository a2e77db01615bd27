"""`yardstone tournament study`: tie-breaks, pairing and its weights, put to the test."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from yardstone.cli.tournament.simulate import Seed, Win, WinChance, Workers, grade
from yardstone.cli.winprob.output import Output, Plot, TableFormat, as_text, write
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.lab.tournaments.pairing_quality import Circuit, Variant
    from yardstone.tournament.chances import Chance

__all__ = []


class Among(StrEnum):
    """Which tied players are asked about."""

    all = "all"
    same_start = "same-start"
    top = "top"


class Kind(StrEnum):
    """Systems whose tie-breaks are tested."""

    mcmahon = "mcmahon"
    swiss = "swiss"
    round_robin = "round-robin"


_Format = Annotated[TableFormat, typer.Option("--format", help="How to write it.")]
_Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
_Population = Annotated[int, typer.Option(metavar="NUMBER", min=2, help="Players in all.")]
_Entrants = Annotated[
    int, typer.Option("--players", metavar="NUMBER", min=2, help="Players of each tournament.")
]
_Rounds = Annotated[int, typer.Option(metavar="NUMBER", min=1, help="Rounds of each tournament.")]
_Circuit = Annotated[
    int, typer.Option(metavar="NUMBER", min=2, help="Tournaments played one after the other.")
]
_Replicates = Annotated[int, typer.Option(metavar="NUMBER", min=2, help="Independent populations.")]


def _chance(win: WinChance) -> Chance:
    from yardstone.tournament.chances import chance_of

    if win is WinChance.elo:
        raise UsageError("--win elo: the studies draw players by grades; take kaniuk or egf")
    return chance_of(win.value)


def ties(
    tournaments: Annotated[
        int, typer.Option(metavar="NUMBER", min=2, help="How many to play.")
    ] = 1000,
    players: _Entrants = 100,
    rounds: _Rounds = 5,
    system: Annotated[Kind, typer.Option(help="How they are paired.")] = Kind.mcmahon,
    bar: Annotated[str, typer.Option(metavar="GRADE", help="Bar of the McMahon system.")] = "3d",
    grades: Annotated[
        str, typer.Option(metavar="LOW:HIGH", help="Grades of the players.")
    ] = "20k:7d",
    criteria: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Tie-breaks to test, with commas; the first is what others are compared with.",
        ),
    ] = None,
    among: Annotated[
        Among,
        typer.Option(help="Ask about all tied players, those who began equal, or the first."),
    ] = Among.all,
    win: Win = WinChance.kaniuk,
    seed: Seed = 0,
    workers: Workers = None,
    form: _Format = TableFormat.text,
    output: Output = None,
    plot: Plot = None,
    quiet: _Quiet = False,
) -> None:
    """Test tie-breaks: how often the stronger of two tied players comes ahead.

    Hiddema's test, which Kaniuk (2011, section 7) proposes with his win probability.

    Examples
    --------
    yardstone tournament study ties --players 100 --rounds 5 --among top --plot ties.svg
    """
    from yardstone.cli.output import check_picture, check_report
    from yardstone.cli.progress import progress_bar
    from yardstone.lab.tournaments.tiebreaks import CANDIDATES, Setting, compare_tiebreaks
    from yardstone.reports.tournament import studies as report
    from yardstone.tournament.model import System

    check_report(output, form)
    check_picture(plot)
    low, _, high = grades.partition(":")
    setting = Setting(
        players=players,
        rounds=rounds,
        system=System(system.value),
        bar=grade(bar, "--bar"),
        lowest=grade(low, "--grades"),
        highest=grade(high, "--grades"),
    )
    names = CANDIDATES if criteria is None else [c.strip() for c in criteria.split(",")]
    found = compare_tiebreaks(
        _chance(win),
        setting,
        candidates=[name for name in names if name],
        tournaments=tournaments,
        among=among.value,
        seed=seed,
        workers=workers,
        progress=progress_bar("tournaments", quiet=quiet),
    )
    views = {
        TableFormat.text: lambda: report.text_ties(found),
        TableFormat.csv: lambda: report.csv_ties(found),
        TableFormat.json: lambda: as_text(report.plain_ties(found)),
    }
    write(views[form](), output)
    if plot is not None:
        from yardstone.reports.charts.tournament import tie_chart

        tie_chart(found).save(plot)


def variants() -> tuple[Variant, ...]:
    """The ways to pair that are compared; the first is the usual one."""
    from yardstone.lab.tournaments.pairing_quality import Variant
    from yardstone.tournament.model import System
    from yardstone.tournament.rules import HandicapRules, SeedSystem

    def seeded(system: SeedSystem) -> Variant:
        changes = {"seed_system_1": system, "seed_system_2": system}
        return Variant(name=f"McMahon, {system} seeding", changes=changes)

    return (
        Variant(name="McMahon, bar 3d"),
        Variant(name="McMahon, bar 1d", bar=0),
        Variant(name="McMahon, bar 5k", bar=-5),
        Variant(name="McMahon, handicap", handicap=HandicapRules(ceiling=9, threshold=2)),
        *(seeded(system) for system in SeedSystem),
        Variant(name="McMahon, no groups", changes={"minimise_score_difference": 0}),
        Variant(name="Swiss", system=System.swiss),
    )


def _circuit(population: int, players: int, rounds: int, tournaments: int) -> Circuit:
    from yardstone.lab.tournaments.pairing_quality import Circuit

    return Circuit(population=population, players=players, rounds=rounds, tournaments=tournaments)


def _about(circuit: Circuit, replicates: int, win: WinChance) -> str:
    return (
        f"{replicates} populations of {circuit.population} players, {circuit.tournaments} "
        f"tournaments of {circuit.players} players and {circuit.rounds} rounds each; win "
        f"probability: {win}."
    )


def pairing(
    population: _Population = 192,
    players: _Entrants = 48,
    rounds: _Rounds = 5,
    tournaments: _Circuit = 80,
    replicates: _Replicates = 10,
    win: Win = WinChance.kaniuk,
    seed: Seed = 0,
    workers: Workers = None,
    form: _Format = TableFormat.text,
    output: Output = None,
    plot: Plot = None,
    quiet: _Quiet = False,
) -> None:
    """Compare pairing systems by how well ratings come to measure strengths.

    Kaniuk's quality (2011, section 8): the rms error of ratings by the rules of the
    European Go Federation, after many tournaments of players whose strength is fixed.

    Examples
    --------
    yardstone tournament study pairing --replicates 20 --plot pairing.svg
    """
    from yardstone.cli.output import check_picture, check_report
    from yardstone.cli.progress import progress_bar
    from yardstone.lab.tournaments.pairing_quality import compare_quality
    from yardstone.reports.tournament import studies as report

    check_report(output, form)
    check_picture(plot)
    circuit = _circuit(population, players, rounds, tournaments)
    found = compare_quality(
        variants(),
        _chance(win),
        circuit,
        replicates=replicates,
        seed=seed,
        workers=workers,
        progress=progress_bar("circuits", quiet=quiet),
    )
    views = {
        TableFormat.text: lambda: report.text_qualities(
            found, about=_about(circuit, replicates, win)
        ),
        TableFormat.csv: lambda: report.csv_qualities(found),
        TableFormat.json: lambda: as_text(report.plain_qualities(found)),
    }
    write(views[form](), output)
    if plot is not None:
        from yardstone.reports.charts.tournament import quality_chart

        quality_chart(found).save(plot)


def weights(
    trials: Annotated[
        int, typer.Option(metavar="NUMBER", min=1, help="Sets of rules to try.")
    ] = 40,
    population: _Population = 192,
    players: _Entrants = 48,
    rounds: _Rounds = 5,
    tournaments: _Circuit = 80,
    replicates: _Replicates = 4,
    confirm: Annotated[
        int, typer.Option(metavar="NUMBER", min=2, help="Fresh populations for the verdict.")
    ] = 20,
    win: Win = WinChance.kaniuk,
    seed: Seed = 0,
    workers: Workers = None,
    form: _Format = TableFormat.text,
    output: Output = None,
    plot: Plot = None,
    quiet: _Quiet = False,
) -> None:
    """Search the weights of pairing for those that measure best (needs optuna).

    Examples
    --------
    yardstone tournament study weights --trials 60 --plot search.svg
    """
    from yardstone.cli.output import check_picture, check_report
    from yardstone.cli.progress import progress_bar
    from yardstone.lab.tournaments.weight_search import search_weights
    from yardstone.reports.tournament import studies as report

    check_report(output, form)
    check_picture(plot)
    circuit = _circuit(population, players, rounds, tournaments)
    found = search_weights(
        _chance(win),
        circuit,
        trials=trials,
        replicates=replicates,
        confirm=confirm,
        seed=seed,
        workers=workers,
        progress=progress_bar("trials", quiet=quiet),
    )
    about = f"{trials} sets of rules; each: {_about(circuit, replicates, win)}"
    views = {
        TableFormat.text: lambda: report.text_search(found, about=about),
        TableFormat.csv: lambda: report.csv_search(found),
        TableFormat.json: lambda: as_text(report.plain_search(found)),
    }
    write(views[form](), output)
    if plot is not None:
        from yardstone.reports.charts.tournament import weight_chart

        weight_chart(found).save(plot)
