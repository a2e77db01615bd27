"""`yardstone tournament pair`, `check` and `generate`: rounds paired, and held against rules."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from yardstone.cli.declare import (
    Seed,
    advanced,
    argument,
    bundle,
    flag,
    named_values,
    option,
    plain_value,
    round_option,
    target,
)
from yardstone.cli.output import Document, TableOutput, write_out
from yardstone.cli.tournament import TournamentFile
from yardstone.errors import UsageError
from yardstone.files import write_bytes
from yardstone.tournament.event.file import change_file
from yardstone.tournament.event.settings import EventWishes, read_wishes
from yardstone.tournament.files import format_to_write, read_tournament, to_bytes
from yardstone.tournament.model import PairingRules, Tournament
from yardstone.tournament.pairing import Constraints
from yardstone.tournament.rules import read_rules

if TYPE_CHECKING:
    from yardstone.reports.document import Document
    from yardstone.tournament.event.rounds import PairedRound, PairingSystem

_NO_WEIGHTS = "a round robin has no weights: --ask, --compare, --rules and --set"
#: Between the two names of a board.
_BETWEEN = (",", " - ", " – ", ";")


@bundle
class _WeightOptions:
    """By which rules the round is paired."""

    PANEL: ClassVar[str] = "Pairing rules"

    system: Literal["mcmahon", "swiss", "chess", "dutch", "round-robin"] | None = option(
        "Pair by the rules of this system. [default: the file's; dutch in chess]"
    )
    rules: Path | None = advanced("Read pairing rules from this JSON file.")
    settings: list[str] | None = advanced(
        "Set one pairing rule. Repeatable.", "--set", metavar="NAME=VALUE"
    )
    seed: int = advanced("Seed of random choices.", default=0, min=0, max=2**31 - 1)
    numbering: Literal["list", "rating", "rank", "name", "lot"] | None = advanced(
        "Numbers in a round robin. [default: those of earlier rounds]"
    )
    double: bool | None = advanced(
        "Play a round robin twice or once. [default: by the number of rounds]", "--double/--single"
    )

    def kind(self, tournament: Tournament, wishes: EventWishes) -> PairingSystem:
        """Which rules pair the round; refuses options that do not go with them."""
        from yardstone.tournament.event.rounds import usual_system

        weighed = bool(self.rules or self.settings)
        if self.system is None:
            kind = usual_system(tournament, wishes)
            if kind == "dutch" and weighed:
                kind = "weights"
        else:
            kind = self.system if self.system in ("round-robin", "dutch") else "weights"
        if weighed and kind == "round-robin":
            raise UsageError(_NO_WEIGHTS)
        if weighed and kind == "dutch":
            raise UsageError("the Dutch system has no weights: leave --rules and --set away")
        if kind != "round-robin" and (self.numbering is not None or self.double is not None):
            raise UsageError("--numbering and --double are for a round robin")
        return kind

    def weights(self, tournament: Tournament) -> PairingRules:
        """The tournament's rules, changed by those of a system, a file and the options."""
        rules = PairingRules.of(tournament)
        if self.system not in (None, "dutch"):
            rules = rules.with_system(self.system)
        if self.rules is not None:
            rules = rules.changed(read_rules(self.rules))
        seed = {"seed": self.seed} if self.seed else {}
        return rules.changed(seed | named_values(self.settings))


@bundle
class _ConstraintOptions:
    """What the organiser demands."""

    PANEL: ClassVar[str] = "Wishes"

    fix: list[str] | None = option("Require this board. Repeatable.", metavar="A,B")
    forbid: list[str] | None = option("Forbid this board. Repeatable.", metavar="A,B")
    absent: list[str] | None = option(
        "Leave this player out of the round. Repeatable.", metavar="NAME"
    )
    bye: str | None = option("Player who has the bye.", metavar="NAME")
    no_bye: bool = flag("Refuse an odd number of players.", advanced=True)
    allow_rematch: bool = flag("Let players meet again if need be.", advanced=True)
    allow_open: bool = flag(
        "Pair although earlier games have no result; they count nothing.", advanced=True
    )

    def of(self, tournament: Tournament) -> Constraints:
        """The same by the numbers of the players."""
        return Constraints(
            fixed=tuple(_boards(tournament, self.fix, "--fix")),
            forbidden=tuple(_boards(tournament, self.forbid, "--forbid")),
            absent=frozenset(tournament.find(text) for text in self.absent or []),
            bye=None if self.bye is None else tournament.find(self.bye),
            no_bye=self.no_bye,
            rematch=self.allow_rematch,
            open_results=self.allow_open,
        )


@bundle
class _BoardOutput(TableOutput):
    """Where the boards go; `-o` writes the tournament with them."""

    FILE: ClassVar[str] = "--boards"

    output: list[Path] | None = option(
        "Write the boards to this file, or as a page to print (.html). Repeatable.", "--boards"
    )


def pair(
    file: Annotated[str, argument("Tournament: OpenGotha XML or FIDE's TRF.", metavar="FILE")],
    rules: _WeightOptions,
    constraints: _ConstraintOptions,
    *,
    round_number: int | None = round_option("Round to pair."),
    again: bool = flag("Drop the boards of this round and of later ones, and pair it again."),
    teams: bool = flag("Pair the teams; players and boards follow their line-ups."),
    compare: bool = flag("Pair a recorded round again, and show the differences.", advanced=True),
    ask: list[str] | None = option("Show what this board would cost. Repeatable.", metavar="A,B"),
    costs: bool | None = advanced(
        "Show what is lost without each board, or what stands against the first choice of the "
        "Dutch system. [default: up to 200 players]"
    ),
    brief: bool = flag("Show the boards without reasons.", advanced=True),
    no_wishes: bool = flag("Pair without the wishes kept beside the file.", advanced=True),
    written: Path | None = target(
        "Write the tournament with this round to a file, which may be the same one.",
        "--output",
        "-o",
        writes="beside",
    ),
    boards: _BoardOutput,
) -> Document | None:
    """Pair the next round, and explain each board.

    Examples:
        yardstone tournament pair swiss.trf
        yardstone tournament pair swiss.trf -o paired.trf --boards boards.html
        yardstone tournament pair swiss.trf --fix 'Silva Rui,Novak Petr' --absent 'Kaya Deniz'
        yardstone tournament pair open.xml --round 5 --again --ask 'Adler Ruth,Dahl Ingrid'
        yardstone tournament pair open.xml --round 3 --compare
        yardstone tournament pair teams.xml --teams
    """
    from yardstone.tournament.event.rounds import pair_event
    from yardstone.tournament.explanation import compare_rounds, without_rounds
    from yardstone.tournament.teams import team_tournament, with_boards

    if teams and compare:
        raise UsageError("--compare is for rounds of players")
    wishes = EventWishes() if file == "-" or no_wishes or teams else read_wishes(file)
    if compare:
        if written is not None or ask or again:
            raise UsageError(
                "--compare shows a recorded round; it goes without -o, --ask and --again"
            )
        if constraints != _ConstraintOptions():
            raise UsageError("--compare pairs the players of the recorded round as they are")
        tournament = read_tournament(file)
        kind = rules.kind(tournament, wishes)
        if kind == "round-robin":
            raise UsageError(_NO_WEIGHTS)
        from yardstone.reports.pairing import check_document, comparison_document
        from yardstone.tournament.dutch import check_rounds

        if kind == "dutch":
            return check_document(check_rounds(tournament, round_number))
        compared = compare_rounds(tournament, round_number, rules=rules.weights(tournament))
        return comparison_document(compared)

    def paired(tournament: Tournament) -> PairedRound:
        number = round_number
        if again:
            tournament, number = without_rounds(
                tournament, round_number, keep_results=written is not None
            )
        players = tournament
        if teams:
            tournament = team_tournament(players)
        kind = rules.kind(tournament, wishes)
        if kind == "round-robin":
            if ask:
                raise UsageError(_NO_WEIGHTS)
            options: dict[str, Any] = {"numbering": rules.numbering, "double": rules.double}
        else:
            options = {
                "questions": _boards(tournament, ask, "--ask"),
                "costs": False if brief else costs,
            }
        if kind == "weights":
            options["rules"] = rules.weights(tournament)
        else:
            options["seed"] = rules.seed
        made = pair_event(
            tournament,
            number,
            system=kind,
            wishes=wishes,
            constraints=constraints.of(tournament),
            **options,
        )
        if not teams:
            return made
        return replace(made, tournament=with_boards(players, tournament, made.tournament))

    made = _into(file, written, paired)
    document = _document(made, brief=brief)
    if teams:
        from yardstone.reports.standings import team_round_document

        games = made.tournament.round_games(made.number)
        document = team_round_document(document, made.tournament, games)
    boards.emit(document)
    if made.notes:
        print("\n".join(f"yardstone: {note}" for note in made.notes), file=sys.stderr)
    return None


def _into(
    file: str, target: Path | None, paired: Callable[[Tournament], PairedRound]
) -> PairedRound:
    """Pair, and write the tournament where it is to go: into its own file as a step of it."""
    own = target is not None and file != "-" and target.exists() and Path(file).exists()
    if target is not None and own and target.samefile(file):
        return change_file(target, paired)
    made = paired(read_tournament(file))
    if target is not None:
        write_bytes(target, to_bytes(made.tournament, target))
    return made


def _document(made: PairedRound, *, brief: bool) -> Document:
    from yardstone.tournament.dutch import DutchProposal
    from yardstone.tournament.round_robin import RoundRobin

    if isinstance(made.proposal, RoundRobin):
        from yardstone.reports.standings import round_robin_document

        return round_robin_document(made.proposal)
    if isinstance(made.proposal, DutchProposal):
        from yardstone.reports.pairing import dutch_document

        return dutch_document(made.proposal, brief=brief)
    from yardstone.reports.pairing import pairing_document

    return pairing_document(made.proposal, brief=brief)


def two_players(tournament: Tournament, text: str, option: str) -> tuple[int, int]:
    """Two players whose names stand in one text."""
    for between in _BETWEEN:
        one, mark, two = text.partition(between)
        if mark and one.strip() and two.strip():
            return tournament.find(one.strip()), tournament.find(two.strip())
    raise UsageError(f'{option} {text!r}: write two names with a comma between: "A,B"')


def _boards(tournament: Tournament, texts: list[str] | None, option: str) -> list[tuple[int, int]]:
    return [two_players(tournament, text, option) for text in texts or []]


def check(
    file: TournamentFile,
    *,
    round_number: int | None = option("This round only.", "--round", min=1),
    output: TableOutput,
) -> Document:
    """Check recorded rounds against FIDE's Dutch system.

    Each round is paired again from the state before it. Where the recorded boards differ,
    the first criterion that they meet worse is named.

    Examples:
        yardstone tournament check swiss.trf
        yardstone tournament check swiss.trf --round 3 --format json
    """
    from yardstone.reports.pairing import check_document
    from yardstone.tournament.dutch import check_rounds

    return check_document(check_rounds(file.read(), round_number))


def generate(
    *,
    players: int = option("Players.", default=40, min=2),
    rounds: int = option("Rounds.", default=9, min=1),
    seed: Seed = 0,
    plan: list[str] | None = option(
        "Set rating or spread (mean and standard deviation, 2000 and 250), draws of equal players "
        "(0.3), forfeits (0.02 of the games), byes (0.02 of the rounds), late or withdrawals (0.03 "
        "and 0.05 of the players), or accelerated (true: Baku). Repeatable.",
        "--set",
        metavar="NAME=VALUE",
    ),
    output: Path | None = target("Write the tournament to this file.", "--output", "-o"),
    quiet: bool = flag("Show no progress.", "-q", advanced=True),
) -> None:
    """Generate a random Swiss paired by FIDE's Dutch system.

    Results follow from the ratings. Equal seeds give equal tournaments. A tournament whose
    further rounds cannot be paired by the rules ends early.

    Examples:
        yardstone tournament generate --players 20 --rounds 5 --seed 7 -o random.trf
        yardstone tournament generate --players 41 --set forfeits=0.1 --set byes=0.05 -o random.trf
    """
    from yardstone.tournament.simulation import RandomPlan, random_tournament

    form = format_to_write(output, None if output is not None else "trf")
    planned: dict[str, Any] = {"players": players, "rounds": rounds, "seed": seed}
    others = (part.name for part in fields(RandomPlan) if part.name not in planned)
    planned |= {name: plain_value(text) for name, text in named_values(plan, *others).items()}
    made = random_tournament(RandomPlan(**planned))
    write_out(form.write(made), output)
