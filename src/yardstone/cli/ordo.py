"""`yardstone ordo`: Ordo's switches, lists and exit statuses."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from math import log
from statistics import NormalDist
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from yardstone.cli.ordo_input import (
    SMALLEST_DEVIATION,
    Known,
    Session,
    csv_lines,
    known_beforehand,
    warn,
)
from yardstone.cli.ordo_switches import (
    SWITCHES,
    CommonOptions,
    OrdoOptions,
    Refused,
    Switch,
    check_combinations,
    help_lines,
    read_options,
    scan_integer,
)
from yardstone.errors import InputError, ModelError, UsageError, YardstoneError
from yardstone.kernels import Loops, rating_work, work
from yardstone.pool import PairCounts
from yardstone.ratings import BradleyTerry, Estimate, JointRatings, Prior, Status
from yardstone.ratings.connectivity import strong_components
from yardstone.ratings.ordo_search import SEARCHED
from yardstone.reports.ordo import (
    COLUMNS,
    SUPERIORITY_COLUMN,
    OrdoList,
    Row,
    TableFormat,
    as_in_tag,
    display_width,
    rank_players,
    ratings_csv,
    ratings_text,
)
from yardstone.reports.ordo_extras import find_groups

if TYPE_CHECKING:
    from yardstone.ratings.simulation import Simulated


__all__ = ["main"]


Options = TypeVar("Options", bound=CommonOptions)


def exit_status(run: Callable[[Sequence[str]], None], arguments: Sequence[str]) -> int:
    """Run a command: 0, or 1 after its refusal or error went to standard error."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    try:
        run(arguments)
    except Refused as refusal:
        if str(refusal):
            sys.stderr.write(f"{refusal}\n")
        return 1
    except YardstoneError as error:
        sys.stderr.write(f"yardstone: error: {error}\n")
        return 1
    return 0


#: Ratings that differ by less are the same number to a reader, and to Ordo.
_EQUAL_DECIMALS = 9

_ELOSTAT_FILES = ("general.dat", "rating.dat", "programs.dat")


class _Session(Session[OrdoOptions]):
    """Everything between the switches and the exit status."""

    def run(self) -> None:
        """Read, rate and report; raises Refused where Ordo would fail."""
        options = self.options
        files = self.files()
        check_combinations(options)
        self.headers = self._load_headers()
        self.log("start")
        self.log("input...")
        self.games = self.load(files)
        if options.ignore_draws:
            self.games.used &= self.games.score != 0.5
        games, players = self.games.total, len(self.games.players.names)
        with work(Loops.RATING, rating_work(games, players, 1 + options.simulations)):
            self._rate_games()

    def _rate_games(self) -> None:
        options = self.options
        self._say_totals()
        self.known = known_beforehand(options, self.games.players)
        self._open_outputs()
        self.log("done with input")
        self.log("process groups if needed...")
        if self._report_groups():
            return
        apart = self._set_apart()
        if not options.force:
            check_connection(self.names, self.counts, apart, self.known)
        self.log("calculate rating...")
        ratings = self._rate()
        listed = self._list(ratings)
        self.log("output reports...")
        self._report(listed)
        self.log("DONE!!")
        self.say("\ndone!\n")

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of all players."""
        return self.games.players.names

    @cached_property
    def counts(self) -> PairCounts:
        """The games that count."""
        return self.games.pair_counts()

    @cached_property
    def anchor(self) -> str | None:
        """Name of the anchor as the games have it."""
        if self.options.anchor is None:
            return None
        number = self.games.players.find(self.options.anchor)
        if number is None or not self._has_games[number]:
            raise Refused(
                "ERROR: No games of anchor player, mispelled, wrong capital letters, "
                f'or extra spaces = "{self.options.anchor}"\n'
                'Surround the name with "quotes" if it contains spaces\n'
            )
        return self.names[number]

    @cached_property
    def _has_games(self) -> list[bool]:
        return [bool(games) for games in self.counts.player_totals().sum(axis=1)]

    def _load_headers(self) -> dict[int, tuple[str, int]]:
        """Widths and headers of columns (switch -b)."""
        path = self.options.column_format
        if path is None:
            return {}
        headers = {}
        for row in csv_lines(path):
            column, width = (
                (scan_integer(text) for text in row[:2]) if len(row) == 3 else (None, None)
            )
            if column is None or width is None or not 0 <= column < len(COLUMNS):
                raise Refused(f'Errors in file "{path}"')
            headers[column] = (row[2], max(width, 1 + display_width(row[2])))
        self.say("Column settings uploaded succesfully\n")
        return headers

    def _say_totals(self) -> None:
        """Check what the games must have, then print their totals."""
        options, games = self.options, self.games
        if len(self.counts.first):
            _ = self.anchor  # refused if it has no games
        wins, draws, losses = games.results()
        rate = 50.0 if options.draw is None else options.draw
        prior = options.likelihood_needed and not options.likelihood
        if not rate > 0.0 and draws and prior:
            raise Refused(
                "ERROR: Draws present in the database but -d switch specified an invalid number"
            )
        if rate > 99.9:
            raise Refused("ERROR: Draw rate set with -d switch is too high, > 99.9%")
        if not len(self.counts.first):
            raise Refused("ERROR: Input file contains no games to process")
        average = 2300.0 if options.average is None else options.average
        lines = [
            f"Total games            {games.total:8}",
            f" - White wins          {wins:8}",
            f" - Draws               {draws:8}",
            f" - Black wins          {losses:8}",
            f" - Truncated/Discarded {games.discarded:8}",
            f"Unique head to head    {100.0 * len(self.counts.first) / games.total:8.2f}%",
        ]
        if options.anchor is not None:
            lines.append(f'Reference rating    {average:8.1f} (set to "{options.anchor}")')
        elif options.loose_anchors is not None or options.multi_anchors is not None:
            lines.append("Reference rating     --> not fixed, determined by anchors")
        else:
            lines.append(f"Reference rating    {average:8.1f} (average of the pool)")
        self.say("\n".join(lines) + "\n\n")

    def _open_outputs(self) -> None:
        """Make sure that everything can be written before anything is computed."""
        options = self.options
        late = "Error trying to write on file: {}"
        self._text = self.open(options.output)
        self._csv = self.open(options.csv)
        self._groups = self.open(options.groups)
        if self._groups is not None and self._text is None and self._csv is None:
            return
        self._errors = self.open(options.error_matrix)
        self._superiority = self.open(options.cfs_matrix)
        self._head2head = self.open(options.head2head, late)
        self._elostat = [self.open(name, late) for name in _ELOSTAT_FILES if options.elostat]

    def _report_groups(self) -> bool:
        """Report groups, or warn of them; true if nothing else is to be done."""
        options = self.options
        if options.force:
            return False
        groups = find_groups(self.tag_names, self.counts)
        if self._groups is None:
            if len(groups) > 1:
                sys.stderr.write(NOT_CONNECTED.format(len(groups)))
            return False
        self.write_groups(self._groups, groups)
        return self._text is None and self._csv is None

    def _set_apart(self) -> NDArray[np.bool_]:
        """Find the players who cannot be rated with the others, and say how many."""
        apart, (nothing, all_won, all_lost) = perfect_players(self.names, self.counts, self.known)
        self.say(
            f"\nplayers with no games = {nothing}\n"
            f"players with all wins = {all_won}\n"
            f"players w/ all losses = {all_lost}\n"
        )
        if apart.any():
            self.say(f"players, total purged = {int(apart.sum())}\n\n")
        return apart

    def _rate(self) -> JointRatings:
        options = self.options
        system = rating_system(options, self.known, self.anchor)
        self.system, ratings = fit(system, self.names, self.counts, self.games.total)
        self._say_convergence(ratings)
        groups = len(np.unique(ratings.component[ratings.status == Status.NORMAL]))
        warn_of_traps(options, self.anchor, ratings, groups)
        return ratings

    def _say_convergence(self, ratings: JointRatings) -> None:
        likelihood = self.options.likelihood_needed
        head = (
            "Converging...\n\n" if likelihood else "\nConvergence rating calculation (cycle #1)\n\n"
        )
        perfect = [
            (text, row)
            for row, state in enumerate(ratings.status.tolist())
            for kind, text in _PERFECT_LINES
            if state == kind
        ]
        self.say(
            f"{head}Newton's method, steps = {ratings.converged_in}\ndone\n\n"
            f"White Advantage = {ratings.first_advantage.value:.1f}\n"
            f"Draw Rate (eq.) = {100.0 * ratings.draw_rate.value:.1f} %\n\n"
        )
        if likelihood and perfect:
            self.say("Post-Convergence rating estimation for all-wins / all-losses players\n\n")
        for text, row in perfect:
            self.say(f"{text}{self.tag_names[row]}\n")

    def _list(self, ratings: JointRatings) -> OrdoList:
        """The list, with simulated errors if they were asked for."""
        options = self.options
        listed = OrdoList(
            names=self.tag_names,
            rating=_without_noise(ratings),
            status=ratings.status,
            counts=self.counts,
            first_advantage=ratings.first_advantage,
            draw_rate=ratings.draw_rate,
            confidence_factor=NormalDist().inv_cdf(0.5 + options.confidence / 200.0),
            discarded=self.games.discarded,
        )
        if not options.simulations:
            if self.system.covariance:
                try:
                    known = ratings.deviation_of_difference()
                except ModelError as error:
                    raise Refused(f"yardstone: {error}") from None
                listed = replace(listed, deviation_of_difference=known)
            return listed
        self.log("simulation block...")
        simulated = run_simulation(self.system, self.counts, ratings, options)
        self._set_apart()
        advantage, rate = listed.first_advantage.value, listed.draw_rate.value
        return replace(
            listed,
            deviation=simulated.deviation,
            deviation_of_difference=simulated.deviation_of_difference,
            first_advantage=Estimate(advantage, simulated.first_advantage_deviation),
            draw_rate=Estimate(rate, simulated.draw_rate_deviation),
        )

    def _report(self, listed: OrdoList) -> None:
        options = self.options
        number = {name: row for row, name in enumerate(self.names)}
        rows = rank_players(
            listed,
            threshold=options.threshold,
            older=frozenset(number[relation.other] for relation in self.known.relations),
            hide_older=options.remove_older,
        )
        columns = options.columns
        if options.cfs_show and SUPERIORITY_COLUMN not in columns:
            columns = (*columns, SUPERIORITY_COLUMN)
        shape = TableFormat(
            columns=columns,
            decimals=options.decimals,
            score_decimals=options.score_decimals,
            headers=self.headers,
            simulated=options.simulations > 1,
        )
        text = ratings_text(listed, rows, shape)
        if self._text is None:
            sys.stdout.write(text)
        else:
            self._text.write(text)
        if self._csv is not None:
            self._csv.write(ratings_csv(listed, rows, shape))
        self._report_pairs(listed, rows)
        self._report_elostat(listed)

    def _report_pairs(self, listed: OrdoList, rows: list[Row]) -> None:
        options = self.options
        players = [row.player for row in rows]
        if self._errors is not None or self._superiority is not None:
            from yardstone.reports.ordo_extras import error_matrix, superiority_matrix

            if self._errors is not None:
                self._errors.write(error_matrix(listed, players))
            if self._superiority is not None:
                self._superiority.write(superiority_matrix(listed, players))
        if self._head2head is not None:
            from yardstone.reports.ordo_extras import head_to_head

            self.log("head to head output...")
            self._head2head.write(
                head_to_head(listed, decimals=options.decimals, with_errors=options.simulations > 1)
            )

    def _report_elostat(self, listed: OrdoList) -> None:
        options = self.options
        if not options.elostat:
            return
        from yardstone.reports.ordo_extras import general_dat, programs_dat, rating_dat

        self.log("output in elostat format...")
        self.say(
            "\nOutput (Elostat format):\ngeneral file = general.dat\n"
            "rating file = rating.dat\nprograms file = programs.dat\n"
        )
        texts = (
            general_dat(listed),
            rating_dat(listed, threshold=options.threshold, decimals=options.decimals),
            programs_dat(listed, decimals=options.decimals),
        )
        for output, text in zip(self._elostat, texts, strict=True):
            if output is not None:
                output.write(text)


def _without_noise(ratings: JointRatings) -> NDArray[np.float64]:
    """The ratings, 0 for players without games.

    A solution carries noise in its last digits that would order equal players; the
    search repeats Ordo's digits, noise and all.
    """
    rating = np.nan_to_num(ratings.rating)
    return rating if SEARCHED in ratings.extras else np.round(rating, _EQUAL_DECIMALS)


_PERFECT_LINES = (
    (Status.PERFECT_WINNER, "  all wins   --> "),
    (Status.PERFECT_LOSER, "  all losses --> "),
)


#: Where Ordo's search for an infinite first-move advantage ends: ten steps from
#: 10 points on, each half as long again as the one before.
_UNBOUNDED_ADVANTAGE = 20.0 * (1.5**10 - 1.0)

NOT_CONNECTED = """

********************[ WARNING ]**********************
*     Database is not well connected by games       *
* Run switch -g to find what groups need more games *
*****************************************************
 ====> Groups detected: {}


"""

NOT_CONNECTED_EVEN_THEN = """

*************************[ WARNING ]*************************
*       Database is not well connected by games...          *
* ...even after purging players with all-wins/all-losses    *
*                                                           *
*    Run switch -g to find what groups need more games      *
*   Run switch -G to ignore warnings and force calculation  *
*   (Attempting it may be very slow and may not converge)   *
*************************************************************"""


def rating_system(options: OrdoOptions, known: Known, anchor: str | None) -> BradleyTerry:
    """The system that the switches describe."""
    advantage: float | str | Prior = options.white or 0.0
    if options.white_auto:
        advantage = "auto"
    elif options.white_error is not None and options.white_error > SMALLEST_DEVIATION:
        advantage = Prior(options.white or 0.0, options.white_error)
    percent = 50.0 if options.draw is None else options.draw
    draw_rate: float | str | Prior = percent / 100.0
    if options.draw_auto:
        draw_rate = "auto"
    elif options.draw_error is not None and options.draw_error > SMALLEST_DEVIATION:
        draw_rate = Prior(percent / 100.0, options.draw_error / 100.0)
    try:
        return BradleyTerry(
            average=2300.0 if options.average is None else options.average,
            anchor=anchor,
            anchors=known.anchors,
            loose_anchors=known.loose,
            relations=tuple(known.relations),
            first_advantage=advantage,  # type: ignore[arg-type]
            draw_rate=draw_rate,  # type: ignore[arg-type]
            method="likelihood" if options.likelihood_needed else "score",
            scale=options.scale,
            reference="mean" if options.pool_relative else "anchor",
            bounds="ordo",
            covariance=_errors_wanted(options),
        )
    except UsageError as error:
        raise Refused(str(error)) from None


def _errors_wanted(options: OrdoOptions) -> bool:
    """Whether errors are to be shown that are not simulated."""
    asked = options.cfs_show or options.error_matrix is not None or options.cfs_matrix is not None
    return asked and not options.simulations


def perfect_players(
    names: Sequence[str], counts: PairCounts, known: Known
) -> tuple[NDArray[np.bool_], tuple[int, int, int]]:
    """Players to set apart, and how many have no games, only wins and only losses.

    Those about whom something is known beforehand can be rated all the same.
    """
    totals = counts.player_totals()
    games = totals.sum(axis=1)
    nothing = games == 0
    all_won = (totals[:, 0] == games) & ~nothing
    all_lost = (totals[:, 2] == games) & ~nothing
    informed = np.array([name in known.players for name in names], np.bool_)
    apart = nothing | ((all_won | all_lost) & ~informed)
    return apart, (int(nothing.sum()), int(all_won.sum()), int(all_lost.sum()))


def check_connection(
    names: Sequence[str], counts: PairCounts, apart: NDArray[np.bool_], known: Known
) -> None:
    """Refuse games that do not put the players on one scale.

    Relations count as links; and groups need no link where each holds a player
    whose rating is fixed or known beforehand.
    """
    active = ~apart
    number = {name: row for row, name in enumerate(names)}
    ties = [(number[relation.player], number[relation.other]) for relation in known.relations]
    grounded = [number[name] for name in (*known.anchors, *known.loose) if active[number[name]]]
    ties += pairwise(grounded)
    ties = [(a, b) for a, b in ties if active[a] and active[b]]
    label = strong_components(
        counts, active, ties=np.array(ties, np.int32).reshape(-1, 2), names=names
    )
    if int(label.max(initial=-1)) != 0:
        raise Refused(NOT_CONNECTED_EVEN_THEN)


def fit(
    system: BradleyTerry, names: tuple[str, ...], counts: PairCounts, games: int
) -> tuple[BradleyTerry, JointRatings]:
    """Rate, to Ordo's digits; `games` counts those of the input.

    Returns the system as well: a first-move advantage without bound is fixed where
    Ordo's search for it ends.
    """
    from yardstone.ratings.ordo_search import as_ordo_ends

    try:
        ratings = system.fit_counts(names, counts)
    except ModelError as error:
        if system.first_advantage != "auto":
            raise Refused(f"yardstone: {error}") from None
        fixed = _without_bound(system, names, counts, games, error)
        return fixed, replace(
            as_ordo_ends(system, counts, fixed.fit_counts(names, counts), all_games=games),
            first_advantage=Estimate(float(fixed.first_advantage)),  # type: ignore[arg-type]
        )
    except (InputError, UsageError) as error:
        raise Refused(f"yardstone: {error}") from None
    return system, as_ordo_ends(system, counts, ratings, all_games=games)


def _without_bound(
    system: BradleyTerry, names: tuple[str, ...], counts: PairCounts, games: int, error: ModelError
) -> BradleyTerry:
    """The system with the first-move advantage fixed where Ordo's search for it ends."""
    from yardstone.ratings.ordo_search import SEARCHED, as_ordo_ends

    level = replace(system, first_advantage=0.0).fit_counts(names, counts)
    searched = as_ordo_ends(system, counts, level, all_games=games)
    advantage = searched.first_advantage.value
    if SEARCHED not in searched.extras:
        advantage = _UNBOUNDED_ADVANTAGE
        if counts.losses.any() or counts.draws.any():
            advantage = -advantage
        if counts.draws.any() or (counts.losses.any() and counts.wins.any()):
            raise Refused(f"yardstone: {error}")
    warn(f"{error}; the list shows where the search for one ends")
    return replace(system, first_advantage=advantage)


def warn_of_traps(
    options: OrdoOptions, anchor: str | None, ratings: JointRatings, groups: int
) -> None:
    """Say on standard error what the list does not show."""
    if groups > 1:
        warn(
            f"{groups} groups of players share no scale: each is rated on its own, "
            "and ratings may be compared within a group only"
        )
    if anchor is not None and options.loose_anchors is not None:
        warn("the anchor of -A has no effect: the loose anchors of -y set the level")
    if anchor is not None:
        held = ratings.status[ratings.index(anchor)] == Status.NORMAL
        if not held:
            warn(
                f'the anchor "{as_in_tag(anchor)}" won or lost every game: '
                "the level rests on a bound"
            )


def run_simulation(
    system: BradleyTerry, counts: PairCounts, ratings: JointRatings, options: OrdoOptions
) -> Simulated:
    """Simulated replays, with Ordo's signs of progress."""
    from yardstone.ratings.simulation import simulate

    progress = _Progress(
        options.simulations,
        stars=options.show_simulation or (not options.quiet and options.cpus > 1),
        heads=not options.quiet and options.cpus == 1,
    )
    progress.start()
    try:
        simulated = simulate(
            system, counts, ratings, options.simulations, workers=options.cpus, progress=progress
        )
    except ModelError as error:
        raise Refused(f"yardstone: {error}") from None
    progress.end()
    return simulated


class _Progress:
    """Stars that grow to 51 while the replays are made, or a line for each."""

    def __init__(self, simulations: int, *, stars: bool, heads: bool) -> None:
        self._simulations = simulations
        self._stars = stars
        self._heads = heads
        self._shown = 0

    def start(self) -> None:
        if self._stars:
            self._say("0   10   20   30   40   50   60   70   80   90   100 (%)\n")
            self._say("|----|----|----|----|----|----|----|----|----|----|\n")

    def __call__(self, done: int, total: int) -> None:
        if self._heads:
            for number in range(self._shown + 1, done + 1):
                self._say(f"\n==> Simulation:{number}/{total}\n")
            self._shown = max(self._shown, done)
        elif self._stars:
            stars = min(done * 50 // total, 50)
            self._say("*" * (stars - self._shown))
            self._shown = max(self._shown, stars)

    def end(self) -> None:
        if self._stars:
            self._say("*" * (51 - self._shown) + "\n")

    @staticmethod
    def _say(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()


COMPATIBLE = "compatible with Ordo 1.2.6"

LICENSE = """
Yardstone is free software under the MIT licence, without warranty of any kind.
It is a program of its own: the switches and the outputs are Ordo's, the code is not.
"""

_HELP = """
Ratings of players from the results of their games, by Ordo's model

quick example: yardstone ordo -a 2500 -p input.pgn -o output.txt
  reads the games of input.pgn and writes their ratings, on average 2500,
  to output.txt
"""


def main(arguments: Sequence[str]) -> int:
    """Run the command with these arguments; returns the exit status."""
    return exit_status(_run, arguments)


def _run(arguments: Sequence[str]) -> None:
    options = asked("ordo", COMPATIBLE, _HELP, SWITCHES, read_options, arguments)
    if options is not None and options.action == "table":
        sys.stdout.write(_expectation_table(options.scale))
    elif options is not None:
        session = _Session(options)
        with session.stack:
            session.run()


def asked(
    command: str,
    compatible: str,
    about: str,
    switches: Sequence[Switch],
    read: Callable[[Sequence[str]], Options],
    arguments: Sequence[str],
) -> Options | None:
    """The options; None if they only ask for help, version or licence, which is printed.

    Wrong ones are refused in the words of the original.
    """
    from importlib.metadata import PackageNotFoundError, version

    try:
        number = version("yardstone")
    except PackageNotFoundError:
        number = "(not installed)"
    line = f"yardstone {command} {number}, {compatible}\n"
    if not arguments:
        raise Refused(f"{line}for help type:\nyardstone {command} -h\n")
    try:
        options = read(arguments)
    except UsageError:
        sys.stdout.write("Error in parameters\n")
        raise Refused("") from None
    usage = "\n".join(
        ["", f"usage: yardstone {command} [-OPTION]", "", *help_lines(switches), "", ""]
    )
    texts = {
        "version": line,
        "license": line + LICENSE,
        "help": about + usage,
        "show-switches": usage,
    }
    if options.action not in texts:
        return options
    sys.stdout.write(texts[options.action])
    return None


def _expectation_table(scale: float) -> str:
    """Expected scores from 50 to 99 % and the rating differences they mean."""
    unit = scale / log(0.76 / 0.24)
    rule = "-" * 58
    lines = [
        "",
        "  p%: Performance expected (%)",
        "Rtng: Rating difference",
        "",
        f"{'p%':>3}{'Rtng':>6}   " * 5,
        rule,
    ]
    for tenth in range(10):
        cells = []
        for percent in range(50 + tenth, 100, 10):
            difference = 0.0 if percent == 50 else -unit * log(100.0 / percent - 1.0)
            cells.append(f"{percent:3}{difference:6.1f}   ")
        lines.append("".join(cells))
    return "\n".join([*lines, rule, "", ""])
