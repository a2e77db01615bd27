"""`yardstone tournament study`: tie-breaks, pairing and its weights, put to the test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from yardstone.cli.output import Output
from yardstone.cli.tournament.file import Runs, Win, grade
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.lab.tournaments.pairing_quality import Circuit
    from yardstone.tournament.winning_laws import WinningLaw

__all__ = ["pairing", "ties", "weights"]

_Entrants = Annotated[
    int, typer.Option("--players", metavar="NUMBER", min=2, help="Players of each tournament.")
]
_Rounds = Annotated[int, typer.Option(metavar="NUMBER", min=1, help="Rounds of each tournament.")]
_Replicates = Annotated[int, typer.Option(metavar="NUMBER", min=2, help="Independent populations.")]


@dataclass(frozen=True)
class CircuitOptions:
    """The tournaments by which a population is measured."""

    population: Annotated[
        int, typer.Option(metavar="NUMBER", min=2, help="Number of players in all.")
    ] = 192
    players: _Entrants = 48
    rounds: _Rounds = 5
    tournaments: Annotated[
        int, typer.Option(metavar="NUMBER", min=2, help="Tournaments played in succession.")
    ] = 80

    def circuit(self) -> Circuit:
        """What the studies play."""
        from yardstone.lab.tournaments.pairing_quality import Circuit

        return Circuit(
            population=self.population,
            players=self.players,
            rounds=self.rounds,
            tournaments=self.tournaments,
        )


def _probability(win: str) -> WinningLaw:
    from yardstone.tournament.winning_laws import winning_law

    if win == "elo":
        raise UsageError("--win elo: the studies draw players by grades; take kaniuk or egf")
    return winning_law(win)


def ties(
    *,
    tournaments: Annotated[
        int, typer.Option(metavar="NUMBER", min=2, help="Number of tournaments.")
    ] = 1000,
    players: _Entrants = 100,
    rounds: _Rounds = 5,
    system: Annotated[
        Literal["mcmahon", "swiss", "round-robin"],
        typer.Option(help="Pairing system."),
    ] = "mcmahon",
    bar: Annotated[str, typer.Option(metavar="GRADE", help="Bar of the McMahon system.")] = "3d",
    grades: Annotated[
        str, typer.Option(metavar="LOW:HIGH", help="Grades of the players.")
    ] = "20k:7d",
    criteria: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Tie-breaks to test, separated by commas; the first is the reference.",
        ),
    ] = None,
    among: Annotated[
        Literal["all", "same-start", "top"],
        typer.Option(
            help="Test on all tied players, those who began equal, or those at the top.",
        ),
    ] = "all",
    win: Win = "kaniuk",
    runs: Runs,
    output: Output,
) -> None:
    """Test how often a tie-break puts the stronger player ahead.

    Hiddema's test, which Kaniuk (2011, section 7) proposes with his win probability.

    Examples
    --------
    yardstone tournament study ties --players 100 --rounds 5 --among top --plot ties.svg
    """
    from yardstone.lab.tournaments.tiebreaks import CANDIDATES, TournamentSetting, compare_tiebreaks
    from yardstone.reports.tournament.tiebreaks import ties_document
    from yardstone.tournament.results import System

    output.check()
    low, _, high = grades.partition(":")
    names = CANDIDATES if criteria is None else [c.strip() for c in criteria.split(",")]
    comparison = compare_tiebreaks(
        _probability(win),
        TournamentSetting(
            players=players,
            rounds=rounds,
            system=System(system),
            bar=grade(bar, "--bar"),
            lowest=grade(low, "--grades"),
            highest=grade(high, "--grades"),
        ),
        candidates=[name for name in names if name],
        tournaments=tournaments,
        among=among,
        seed=runs.seed,
        workers=runs.workers,
        progress=output.progress("tournaments"),
    )
    output.emit(ties_document(comparison))


def pairing(
    size: CircuitOptions,
    *,
    replicates: _Replicates = 10,
    win: Win = "kaniuk",
    runs: Runs,
    output: Output,
) -> None:
    """Compare pairing systems by the accuracy of the ratings.

    Kaniuk's quality (2011, section 8): the rms error of ratings by the rules of the
    European Go Federation, after many tournaments of players whose strength is fixed.

    Examples
    --------
    yardstone tournament study pairing --replicates 20 --plot pairing.svg
    """
    from yardstone.lab.tournaments.pairing_quality import compare_quality, usual_pairings
    from yardstone.reports.tournament.pairing_quality import quality_document

    output.check()
    circuit = size.circuit()
    qualities = compare_quality(
        usual_pairings(),
        _probability(win),
        circuit,
        replicates=replicates,
        seed=runs.seed,
        workers=runs.workers,
        progress=output.progress("circuits"),
    )
    output.emit(quality_document(qualities, circuit, win=win))


def weights(
    *,
    trials: Annotated[
        int, typer.Option(metavar="NUMBER", min=1, help="Sets of rules to try.")
    ] = 40,
    size: CircuitOptions,
    replicates: _Replicates = 4,
    confirm: Annotated[
        int,
        typer.Option(metavar="NUMBER", min=2, help="Fresh populations that confirm the result."),
    ] = 20,
    win: Win = "kaniuk",
    runs: Runs,
    output: Output,
) -> None:
    """Search for the pairing weights with the most accurate ratings.

    Examples
    --------
    yardstone tournament study weights --trials 60 --plot search.svg
    """
    from yardstone.lab.tournaments.weight_search import search_weights
    from yardstone.reports.tournament.pairing_quality import search_document

    output.check()
    search = search_weights(
        _probability(win),
        size.circuit(),
        trials=trials,
        replicates=replicates,
        confirm=confirm,
        seed=runs.seed,
        workers=runs.workers,
        progress=output.progress("trials"),
    )
    output.emit(search_document(search, win=win))
