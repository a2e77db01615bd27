"""The commands `yardstone tournament study` and `winprob trace`, `published` and `compare`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from yardstone.choices import words
from yardstone.cli.declare import Confidence, Seed, advanced, argument, bundle, flag, option
from yardstone.cli.output import Output, TableOutput
from yardstone.cli.tournament import Runs, Win, grade
from yardstone.cli.winprob import Begin, End, Files, Free, Save
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.tournament.field import ModelLaw
    from yardstone_lab.tournaments.pairing import Circuit, SingleEvents


_Entrants = Annotated[int, option("Players of each tournament.", "--players", min=2)]
_Rounds = Annotated[int, option("Rounds of each tournament.", min=1)]
_Replicates = Annotated[int | None, option("Independent events or populations.", min=2)]


@bundle
class MeasureOptions:
    """What is played, and what is measured of it."""

    objective: Literal["strength", "kaniuk"] = advanced(
        "The error that is left of strengths after one event, or Kaniuk's quality: of EGF ratings "
        "after many events of one population.",
        default="strength",
    )
    players: int | None = option(
        "Players of each tournament. [default: 100, or 48 of a population]", min=2
    )
    rounds: _Rounds = 5
    population: int | None = advanced("kaniuk: number of players in all. [default: 192]", min=2)
    tournaments: int | None = option("kaniuk: tournaments in succession. [default: 80]", min=2)

    def measure(self) -> SingleEvents | Circuit:
        """What the studies play."""
        from yardstone_lab.tournaments.pairing import Circuit, SingleEvents

        sizes = {
            "players": self.players,
            "population": self.population,
            "tournaments": self.tournaments,
        }
        given = {name: value for name, value in sizes.items() if value is not None}
        if self.objective == "kaniuk":
            return Circuit(rounds=self.rounds, **given)
        for name in ("population", "tournaments"):
            if name in given:
                raise UsageError(f"--{name} goes with --objective kaniuk")
        return SingleEvents(rounds=self.rounds, **given)

    def replicates(self, given: int | None, events: int, populations: int) -> int:
        """How many are given, or as many as the measure needs."""
        if given is not None:
            return given
        return populations if self.objective == "kaniuk" else events


def _law(win: str | None) -> ModelLaw:
    from yardstone.tournament.field import usual_model, winning_law

    law = winning_law(win or usual_model(None))
    if law.model.scale != "grades":
        raise UsageError(f"--win {win}: the studies draw players by grades; take fitted or egf")
    return law


def ties(
    *,
    tournaments: int = option("Number of tournaments.", default=1000, min=2),
    players: _Entrants = 100,
    rounds: _Rounds = 5,
    system: Literal["mcmahon", "swiss", "round-robin"] = option(
        "Pairing system.", default="mcmahon"
    ),
    bar: str = option("Bar of the McMahon system.", default="3d", metavar="GRADE"),
    grades: str = option("Grades of the players.", default="20k:7d", metavar="LOW:HIGH"),
    criteria: str | None = option(
        "Tie-breaks to test, separated by commas; the first is the reference.", metavar="NAMES"
    ),
    among: Literal["all", "same-start", "top"] = option(
        "Test on all tied players, those who began equal, or those at the top.", default="all"
    ),
    win: Win = None,
    runs: Runs,
    output: Output,
) -> None:
    """Test how often a tie-break puts the stronger player ahead.

    Hiddema's test, which Kaniuk (2011, section 7) proposes with his win probability.

    Examples:
        yardstone tournament study ties --players 100 --rounds 5 --among top -o ties.svg
    """
    from yardstone.tournament.model import System
    from yardstone_lab.reports.tournament import ties_document
    from yardstone_lab.tournaments.tiebreaks import CANDIDATES, TournamentSetting, compare_tiebreaks

    law = _law(win)
    low, _, high = grades.partition(":")
    names = CANDIDATES if criteria is None else [c.strip() for c in criteria.split(",")]
    comparison = compare_tiebreaks(
        law,
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
    )
    output.emit(ties_document(comparison, win=law.model.name))


def pairing(
    size: MeasureOptions,
    *,
    replicates: _Replicates = None,
    win: Win = None,
    runs: Runs,
    output: Output,
) -> None:
    """Compare pairing systems by how well they measure strength.

    Players enter with grades, and after the event the most probable strengths are computed
    from all results; what is left of their error depends on who met whom. With --objective
    kaniuk it is his quality (2011, section 8): the RMS error of ratings by the rules of the
    European Go Federation, after many tournaments of players whose strength is fixed.

    Examples:
        yardstone tournament study pairing --replicates 100 -o pairing.svg
    """
    from yardstone_lab.reports.tournament import quality_document
    from yardstone_lab.tournaments.pairing import compare_quality, usual_pairings

    law = _law(win)
    measure = size.measure()
    qualities = compare_quality(
        usual_pairings(),
        law,
        measure,
        replicates=size.replicates(replicates, events=400, populations=10),
        seed=runs.seed,
    )
    output.emit(quality_document(qualities, measure, win=law.model.name))


def weights(
    *,
    trials: int = option("Sets of rules to try.", default=40, min=1),
    size: MeasureOptions,
    replicates: _Replicates = None,
    confirm: int | None = option("Fresh events or populations that confirm the result.", min=2),
    win: Win = None,
    runs: Runs,
    output: Output,
) -> None:
    """Search for the pairing weights that measure strength best.

    Examples:
        yardstone tournament study weights --trials 60 -o search.svg
    """
    from yardstone_lab.reports.tournament import search_document
    from yardstone_lab.tournaments.pairing import search_weights

    law = _law(win)
    measure = size.measure()
    search = search_weights(
        law,
        measure,
        trials=trials,
        replicates=size.replicates(replicates, events=100, populations=4),
        confirm=size.replicates(confirm, events=1000, populations=20),
        seed=runs.seed,
    )
    output.emit(search_document(search, measure, win=law.model.name))


def trace(
    file: Path = argument("Dated games with grades.", metavar="FILE"),
    *,
    years: int = option("Years in a window.", default=5, min=1),
    follow: str = option(
        "Grades whose probabilities to follow.", default="10k,2d", metavar="GRADES"
    ),
    figure: Literal["measured", "coefficients", "model"] = option(
        "What the chart shows: measured ratios, coefficients, model.", default="coefficients"
    ),
    output: Output,
) -> None:
    """Follow ratios and coefficients through a moving window of years.

    Examples:
        yardstone winprob trace graded_games_simulated.csv --years 5 -o trace.svg
    """
    from yardstone.grades import parse_grade
    from yardstone.winprob.statistics import read_graded_games
    from yardstone_lab.kaniuk import trace as follow_windows
    from yardstone_lab.reports.winprob import trace_document

    grades = [int(parse_grade(word)) for word in follow.split(",") if word.strip()]
    if not grades or min(grades) < -20 or max(grades) > 6:
        raise UsageError("--follow takes grades from 20k to 7d")
    result = follow_windows(read_graded_games(file), years=years, grades=grades)
    output.emit(trace_document(result, figure))


def published(
    files: Files,
    *,
    method: Literal["newton", "conjugate"] = option(
        "Newton steps, or conjugate gradients as published.", default="newton"
    ),
    free: Free = "u0,v0,u1,u3,K",
    begin: Begin = None,
    end: End = None,
    bootstrap: int = option(
        "Newton: intervals from this many tables simulated from the fit, 39 or more.",
        default=0,
        min=0,
        metavar="SAMPLES",
    ),
    save: Save = None,
    seed: Seed = 0,
    confidence: Confidence = 95,
    output: Output,
) -> None:
    """Fit the model as Kaniuk did: weighted least squares on ratios.

    Examples:
        yardstone winprob published graded_games_simulated.csv --bootstrap 99 -o a.svg
    """
    from yardstone.winprob.model import write_model
    from yardstone.winprob.statistics import statistics_of_files
    from yardstone_lab.least_squares import fit_published
    from yardstone_lab.reports.winprob import published_document

    if bootstrap and method != "newton":
        raise UsageError("--bootstrap goes with --method newton")
    result = fit_published(
        statistics_of_files(files, begin=begin, end=end),
        method=method,
        free=words(free),
        simulated=bootstrap,
        level=confidence,
        seed=seed,
    )
    if save is not None:
        write_model(save, replace(result.winning, name=save.stem))
    output.emit(published_document(result))


def compare(
    file: Path = argument("Games with grades.", metavar="FILE"),
    *,
    folds: int = option("Parts of the cross-validation.", default=10, min=2),
    by_event: bool = flag("Leave out whole events, not single games."),
    seed: Seed = 0,
    confidence: Confidence = 95,
    output: TableOutput,
) -> None:
    """Cross-validate the published form against others.

    Examples:
        yardstone winprob compare graded_games_simulated.csv --by-event
    """
    from yardstone.winprob.games import GameColumns
    from yardstone.winprob.statistics import read_graded_games
    from yardstone_lab.kaniuk import cross_validate
    from yardstone_lab.reports.winprob import comparison_document

    games = GameColumns.from_pool(read_graded_games(file), group="event" if by_event else None)
    comparison = cross_validate(games, folds=folds, seed=seed)
    output.emit(comparison_document(comparison, level=confidence))
