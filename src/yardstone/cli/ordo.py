"""`yardstone ordo`: Ordo's switches, lists and exit statuses."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from math import log
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from yardstone.cli.ordo_input import (
    SMALLEST_DEVIATION,
    Known,
    OutputFile,
    Session,
    csv_lines,
    file_names,
    opened,
    say,
    warn,
)
from yardstone.cli.ordo_switches import (
    SWITCHES,
    OrdoOptions,
    Refused,
    Switch,
    check_combinations,
    help_lines,
    read_options,
    scan_integer,
)
from yardstone.errors import InputError, ModelError, UsageError, YardstoneError
from yardstone.pool import PairCounts
from yardstone.ratings import BradleyTerry, Estimate, JointRatings, Prior, Status
from yardstone.ratings.connectivity import strong_components
from yardstone.ratings.ordo_search import SEARCHED, as_ordo_ends
from yardstone.reports import ordo as lists

if TYPE_CHECKING:
    from yardstone.ratings.simulation import Simulated

#: Ratings that differ by less are the same number to a reader, and to Ordo.
_EQUAL_DECIMALS = 9

_ELOSTAT_FILES = ("general.dat", "rating.dat", "programs.dat")


class _Session(Session):
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
        self._rate_games()

    def _rate_games(self) -> None:
        self._say_totals()
        self.known = Known(self.options, self.games.players)
        self._open_outputs()
        self.log("done with input")
        self.log("process groups if needed...")
        if self._report_groups():
            return
        apart = self._set_apart()
        if not self.options.force:
            self._check_connection(apart)
        self.log("calculate rating...")
        listed = self._list(self._rate())
        self.log("output reports...")
        self._report(listed)
        self.log("DONE!!")
        say("\ndone!\n")

    @cached_property
    def names(self) -> tuple[str, ...]:
        return self.games.players.names

    @cached_property
    def number(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.names)}

    @cached_property
    def counts(self) -> PairCounts:
        return self.games.pair_counts()

    @cached_property
    def anchor(self) -> str | None:
        """Name of the anchor as the games have it."""
        if self.options.anchor is None:
            return None
        number = self.games.players.find(self.options.anchor)
        if number is None or not self.counts.player_totals()[number].any():
            raise Refused(
                "ERROR: No games of anchor player, mispelled, wrong capital letters, "
                f'or extra spaces = "{self.options.anchor}"\n'
                'Surround the name with "quotes" if it contains spaces\n'
            )
        return self.names[number]

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
            if column is None or width is None or not 0 <= column < len(lists.COLUMNS):
                raise Refused(f'Errors in file "{path}"')
            headers[column] = (row[2], max(width, 1 + lists.display_width(row[2])))
        say("Column settings uploaded succesfully\n")
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
        say("\n".join(lines) + "\n\n")

    def _open_outputs(self) -> None:
        """Make sure that everything can be written before anything is computed."""
        options = self.options
        late = "Error trying to write on file: {}"
        self._text, self._csv = opened(options.output), opened(options.csv)
        self._groups = opened(options.groups)
        if self._groups is not None and self._text is None and self._csv is None:
            return
        self._errors = opened(options.error_matrix)
        self._superiority = opened(options.cfs_matrix)
        self._head2head = opened(options.head2head, late)
        self._elostat = [OutputFile(name, late) for name in _ELOSTAT_FILES if options.elostat]

    def _report_groups(self) -> bool:
        """Report groups, or warn of them; true if nothing else is to be done."""
        options = self.options
        if options.force:
            return False
        groups = lists.find_groups(self.tag_names, self.counts)
        if self._groups is None:
            if len(groups) > 1:
                sys.stderr.write(_NOT_CONNECTED.format(len(groups)))
            return False
        self.write_groups(self._groups, groups)
        return self._text is None and self._csv is None

    def _set_apart(self) -> NDArray[np.bool_]:
        """Find who cannot be rated with the others, nor is known beforehand, and say how many."""
        totals = self.counts.player_totals()
        games = totals.sum(axis=1)
        nothing = games == 0
        all_won = (totals[:, 0] == games) & ~nothing
        all_lost = (totals[:, 2] == games) & ~nothing
        informed = np.array([name in self.known.players for name in self.names], np.bool_)
        apart: NDArray[np.bool_] = nothing | ((all_won | all_lost) & ~informed)
        say(
            f"\nplayers with no games = {nothing.sum()}\n"
            f"players with all wins = {all_won.sum()}\n"
            f"players w/ all losses = {all_lost.sum()}\n"
        )
        if apart.any():
            say(f"players, total purged = {apart.sum()}\n\n")
        return apart

    def _check_connection(self, apart: NDArray[np.bool_]) -> None:
        """Refuse games that, with relations and ratings known beforehand, give no common scale."""
        known, active = self.known, ~apart
        grounded = [self.number[name] for name in (*known.anchors, *known.loose)]
        ties = [(self.number[each.player], self.number[each.other]) for each in known.relations]
        ties += pairwise(row for row in grounded if active[row])
        ties = [(a, b) for a, b in ties if active[a] and active[b]]
        label = strong_components(
            self.counts, active, ties=np.array(ties, np.int32).reshape(-1, 2), names=self.names
        )
        if int(label.max(initial=-1)) != 0:
            raise Refused(_NOT_CONNECTED_EVEN_THEN)

    def _system(self) -> BradleyTerry:
        options, known = self.options, self.known
        percent = 50.0 if options.draw is None else options.draw
        errors = options.cfs_show or options.error_matrix is not None
        errors = errors or options.cfs_matrix is not None
        try:
            return BradleyTerry(
                average=2300.0 if options.average is None else options.average,
                anchor=self.anchor,
                anchors=known.anchors,
                loose_anchors=known.loose,
                relations=tuple(known.relations),
                first_advantage=_parameter(
                    options.white or 0.0, options.white_error, auto=options.white_auto
                ),
                draw_rate=_parameter(
                    percent, options.draw_error, auto=options.draw_auto, scale=100.0
                ),
                method="likelihood" if options.likelihood_needed else "score",
                scale=options.scale,
                reference="mean" if options.pool_relative else "anchor",
                bounds="ordo",
                covariance=errors and not options.simulations,
            )
        except UsageError as error:
            raise Refused(str(error)) from None

    def _rate(self) -> JointRatings:
        """Rate, to Ordo's digits; an advantage without bound is fixed where Ordo's search ends."""
        self.system = system = self._system()
        try:
            ratings = self._fit(system)
        except ModelError as error:
            if system.first_advantage != "auto":
                raise Refused(f"yardstone: {error}") from None
            advantage = self._unbounded_advantage(error)
            fixed = replace(system, first_advantage=advantage)
            ratings = replace(self._fit(fixed), first_advantage=Estimate(advantage))
            self.system = fixed
        except (InputError, UsageError) as error:
            raise Refused(f"yardstone: {error}") from None
        self._say_convergence(ratings)
        self._warn_of_traps(ratings)
        return ratings

    def _fit(self, system: BradleyTerry) -> JointRatings:
        ratings = system.fit_counts(self.names, self.counts)
        return as_ordo_ends(self.system, self.counts, ratings, all_games=self.games.total)

    def _unbounded_advantage(self, error: ModelError) -> float:
        """Where Ordo's search for a first-move advantage without bound ends."""
        counts = self.counts
        level = self._fit(replace(self.system, first_advantage=0.0))
        advantage = level.first_advantage.value
        if SEARCHED not in level.extras:
            advantage = _UNBOUNDED_ADVANTAGE
            if counts.losses.any() or counts.draws.any():
                advantage = -advantage
            if counts.draws.any() or (counts.losses.any() and counts.wins.any()):
                raise Refused(f"yardstone: {error}")
        warn(f"{error}; the list shows where the search for one ends")
        return advantage

    def _warn_of_traps(self, ratings: JointRatings) -> None:
        """Say on standard error what the list does not show."""
        groups = len(np.unique(ratings.component[ratings.status == Status.NORMAL]))
        if groups > 1:
            warn(
                f"{groups} groups of players share no scale: each is rated on its own, "
                "and ratings may be compared within a group only"
            )
        if self.anchor is None:
            return
        if self.options.loose_anchors is not None:
            warn("the anchor of -A has no effect: the loose anchors of -y set the level")
        if ratings.status[ratings.index(self.anchor)] != Status.NORMAL:
            warn(
                f'the anchor "{lists.as_in_tag(self.anchor)}" won or lost every game: '
                "the level rests on a bound"
            )

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
        say(
            f"{head}Newton's method, steps = {ratings.converged_in}\ndone\n\n"
            f"White Advantage = {ratings.first_advantage.value:.1f}\n"
            f"Draw Rate (eq.) = {100.0 * ratings.draw_rate.value:.1f} %\n\n"
        )
        if likelihood and perfect:
            say("Post-Convergence rating estimation for all-wins / all-losses players\n\n")
        for text, row in perfect:
            say(f"{text}{self.tag_names[row]}\n")

    def _list(self, ratings: JointRatings) -> lists.OrdoList:
        """The list, with simulated errors if they were asked for."""
        options, rating = self.options, np.nan_to_num(ratings.rating)
        listed = lists.OrdoList(
            names=self.tag_names,
            # Rounded where noise would order equal players; the search repeats Ordo's.
            rating=rating if SEARCHED in ratings.extras else np.round(rating, _EQUAL_DECIMALS),
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
        simulated = self._simulated(ratings)
        self._set_apart()
        advantage, rate = listed.first_advantage.value, listed.draw_rate.value
        return replace(
            listed,
            deviation=simulated.deviation,
            deviation_of_difference=simulated.deviation_of_difference,
            first_advantage=Estimate(advantage, simulated.first_advantage_deviation),
            draw_rate=Estimate(rate, simulated.draw_rate_deviation),
        )

    def _simulated(self, ratings: JointRatings) -> Simulated:
        """Simulated replays, with Ordo's signs of progress."""
        from yardstone.parallel import context
        from yardstone.ratings.simulation import simulate

        options = self.options
        progress = _Progress(
            stars=options.show_simulation or (not options.quiet and options.cpus > 1),
            heads=not options.quiet and options.cpus == 1,
        )
        try:
            with context(workers=options.cpus, progress=progress):
                simulated = simulate(self.system, self.counts, ratings, options.simulations)
        except ModelError as error:
            raise Refused(f"yardstone: {error}") from None
        progress.end()
        return simulated

    def _report(self, listed: lists.OrdoList) -> None:
        options = self.options
        rows = lists.rank_players(
            listed,
            threshold=options.threshold,
            older=frozenset(self.number[relation.other] for relation in self.known.relations),
            hide_older=options.remove_older,
        )
        columns = options.columns
        if options.cfs_show and lists.SUPERIORITY_COLUMN not in columns:
            columns = (*columns, lists.SUPERIORITY_COLUMN)
        shape = lists.TableFormat(
            columns=columns,
            decimals=options.decimals,
            score_decimals=options.score_decimals,
            headers=self.headers,
            simulated=options.simulations > 1,
        )
        text = lists.ratings_text(listed, rows, shape)
        if self._text is None:
            sys.stdout.write(text)
        else:
            self._text.write(text)
        if self._csv is not None:
            self._csv.write(lists.ratings_csv(listed, rows, shape))
        players = [row.player for row in rows]
        if self._errors is not None:
            self._errors.write(lists.error_matrix(listed, players))
        if self._superiority is not None:
            self._superiority.write(lists.superiority_matrix(listed, players))
        if self._head2head is not None:
            self.log("head to head output...")
            self._head2head.write(
                lists.head_to_head(
                    listed, decimals=options.decimals, with_errors=options.simulations > 1
                )
            )
        if options.elostat:
            self._report_elostat(listed)

    def _report_elostat(self, listed: lists.OrdoList) -> None:
        options = self.options
        self.log("output in elostat format...")
        say(
            "\nOutput (Elostat format):\ngeneral file = general.dat\n"
            "rating file = rating.dat\nprograms file = programs.dat\n"
        )
        texts = (
            lists.general_dat(listed),
            lists.rating_dat(listed, threshold=options.threshold, decimals=options.decimals),
            lists.programs_dat(listed, decimals=options.decimals),
        )
        for output, text in zip(self._elostat, texts, strict=True):
            output.write(text)


def _parameter(
    value: float, error: float | None, *, auto: bool, scale: float = 1.0
) -> float | Literal["auto"] | Prior:
    """A parameter of the system: to be estimated, known with an error, or fixed."""
    if auto:
        return "auto"
    if error is not None and error > SMALLEST_DEVIATION:
        return Prior(value / scale, error / scale)
    return value / scale


_PERFECT_LINES = (
    (Status.PERFECT_WINNER, "  all wins   --> "),
    (Status.PERFECT_LOSER, "  all losses --> "),
)


#: Where Ordo's search for an infinite first-move advantage ends: ten steps from
#: 10 points on, each half as long again as the one before.
_UNBOUNDED_ADVANTAGE = 20.0 * (1.5**10 - 1.0)

_NOT_CONNECTED = """

********************[ WARNING ]**********************
*     Database is not well connected by games       *
* Run switch -g to find what groups need more games *
*****************************************************
 ====> Groups detected: {}


"""

_NOT_CONNECTED_EVEN_THEN = """

*************************[ WARNING ]*************************
*       Database is not well connected by games...          *
* ...even after purging players with all-wins/all-losses    *
*                                                           *
*    Run switch -g to find what groups need more games      *
*   Run switch -G to ignore warnings and force calculation  *
*   (Attempting it may be very slow and may not converge)   *
*************************************************************"""


class _Progress:
    """Stars that grow to 51 while the replays are made, or a line for each."""

    def __init__(self, *, stars: bool, heads: bool) -> None:
        self._stars = stars
        self._heads = heads
        self._shown = 0
        if stars:
            print("0   10   20   30   40   50   60   70   80   90   100 (%)")
            print("|----|----|----|----|----|----|----|----|----|----|", flush=True)

    def __call__(self, _what: str, done: int, total: int) -> None:
        if self._heads:
            for number in range(self._shown + 1, done + 1):
                say(f"\n==> Simulation:{number}/{total}\n")
            self._shown = max(self._shown, done)
        elif self._stars:
            self._grow(min(done * 50 // total, 50))

    def end(self) -> None:
        if self._stars:
            self._grow(51)
            print(flush=True)

    def _grow(self, stars: int) -> None:
        print("*" * (stars - self._shown), end="", flush=True)
        self._shown = max(self._shown, stars)


_COMPATIBLE = "compatible with Ordo 1.2.6"

_LICENSE = """
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
    return run("ordo", _COMPATIBLE, _HELP, SWITCHES, read_options, arguments, work=_work)


def _work(options: OrdoOptions) -> None:
    if options.action == "table":
        sys.stdout.write(_expectation_table(options.scale))
    else:
        _Session(options).run()


def run(
    command: str,
    compatible: str,
    about: str,
    switches: Sequence[Switch],
    read: Callable[[Sequence[str]], OrdoOptions],
    arguments: Sequence[str],
    *,
    work: Callable[[OrdoOptions], None],
) -> int:
    """Run a command: 0, or 1 after its refusal, in the words of the original, or its error."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    table = "\n".join(help_lines(switches))
    usage = f"\nusage: yardstone {command} [-OPTION]\n\n{table}\n\n"
    texts = {
        "version": lambda: _version_line(command, compatible),
        "license": lambda: _version_line(command, compatible) + _LICENSE,
        "help": lambda: about + usage,
        "show-switches": lambda: usage,
    }
    try:
        if not arguments:
            raise Refused(f"{texts['version']()}for help type:\nyardstone {command} -h\n")
        try:
            options = read(arguments)
        except UsageError:
            sys.stdout.write("Error in parameters\n")
            return 1
        if options.action in texts:
            sys.stdout.write(texts[options.action]())
        else:
            if options.untrusted:
                _enter_cell(options, switches)
            work(options)
    except Refused as refusal:
        if str(refusal):
            sys.stderr.write(f"{refusal}\n")
        return 1
    except YardstoneError as error:
        sys.stderr.write(f"yardstone: error: {error}\n")
        return 1
    return 0


def _enter_cell(options: OrdoOptions, switches: Sequence[Switch]) -> None:
    """Confine the process to the files of the command; those of groups may be any beside."""
    from yardstone.cell import CellLimits, confine
    from yardstone.memory import usable_memory

    written = {each.field: getattr(options, each.field) for each in switches if each.writes}
    several = [written.get("group_games"), written.get("group_players")]
    targets = [Path(each) for each in [*written.values(), *_ELOSTAT_FILES] if each is not None]
    targets += [Path(each).absolute().parent for each in several if each is not None]
    names = [] if options.pgn_list is None else file_names(options.pgn_list)
    confine([*vars(options).values(), *names], targets, CellLimits(memory=usable_memory()))


def _version_line(command: str, compatible: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        number = version("yardstone")
    except PackageNotFoundError:
        number = "(not installed)"
    return f"yardstone {command} {number}, {compatible}\n"


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
