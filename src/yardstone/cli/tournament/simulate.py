"""`yardstone tournament simulate`: whole tournaments played thousands of times."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from yardstone.cli.winprob.output import Output, Plot, TableFormat, as_text, write
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.tournament.chances import Chance
    from yardstone.tournament.outcome import Outcome
    from yardstone.tournament.simulate import Plan

__all__ = ["Seed", "Win", "WinChance", "Workers", "grade", "simulate"]

_VARIED = ("bar", "floor", "rounds", "handicap", "system", "players")


class WinChance(StrEnum):
    """Which win probability brings the results."""

    kaniuk = "kaniuk"
    egf = "egf"
    elo = "elo"


class Kind(StrEnum):
    """How rounds are paired."""

    mcmahon = "mcmahon"
    swiss = "swiss"
    round_robin = "round-robin"


Win = Annotated[
    WinChance,
    typer.Option(
        "--win", help="Win probability: Kaniuk's or the EGF's on grades, or Elo on ratings."
    ),
]
Seed = Annotated[int, typer.Option("--seed", metavar="NUMBER", min=0, help="Seed of chance.")]
Workers = Annotated[
    int | None,
    typer.Option("--workers", metavar="NUMBER", min=1, help="Processes; one a core by default."),
]


def simulate(
    file: Annotated[
        Path | None,
        typer.Argument(
            help="A tournament file: its players and rules; rounds that are over stay as they are. "
            "Without it, players are drawn as European tournaments have them.",
            show_default=False,
        ),
    ] = None,
    tournaments: Annotated[
        int, typer.Option(metavar="NUMBER", min=1, help="How many to play.")
    ] = 1000,
    players: Annotated[
        int, typer.Option(metavar="NUMBER", min=2, help="Players, without a file.")
    ] = 64,
    grades: Annotated[
        str, typer.Option(metavar="LOW:HIGH", help="Their grades, without a file.")
    ] = "20k:7d",
    rounds: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", min=1, help="Rounds. [default: the file's, or 5]"),
    ] = None,
    system: Annotated[
        Kind | None, typer.Option(help="Pairing. [default: the file's, or mcmahon]")
    ] = None,
    bar: Annotated[
        str | None, typer.Option(metavar="GRADE", help="Bar of a McMahon tournament, as in 3d.")
    ] = None,
    floor: Annotated[
        str | None, typer.Option(metavar="GRADE", help="Its floor, as in 20k.")
    ] = None,
    handicap: Annotated[
        int | None,
        typer.Option(
            metavar="STONES", min=0, max=36, help="Most handicap stones; 0: even games only."
        ),
    ] = None,
    criteria: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="What orders the players in the end, as mms,sos,sosos."),
    ] = None,
    restart: Annotated[
        bool, typer.Option("--restart", help="Play the rounds that are over again as well.")
    ] = False,
    win: Win = WinChance.kaniuk,
    advantage: Annotated[
        float, typer.Option(metavar="POINTS", help="With --win elo: worth of moving first.")
    ] = 0.0,
    draws: Annotated[
        float, typer.Option(metavar="RATE", help="With --win elo: draw rate of equal players.")
    ] = 0.0,
    deviation: Annotated[
        float | None,
        typer.Option(
            metavar="AMOUNT",
            min=0.0,
            help="Standard deviation of true strengths about the entry list (grades, or points "
            "with elo); 0: it is exact. [default: of a file, as measured in real tournaments]",
        ),
    ] = None,
    vary: Annotated[
        str | None,
        typer.Option(
            metavar="NAME=A,B,C",
            help=f"Compare tournaments that differ in one thing: {', '.join(_VARIED)}.",
        ),
    ] = None,
    top: Annotated[
        int, typer.Option(metavar="NUMBER", min=0, help="Players in the table; 0 shows all.")
    ] = 20,
    seed: Seed = 0,
    workers: Workers = None,
    form: Annotated[
        TableFormat, typer.Option("--format", help="How to write it.")
    ] = TableFormat.text,
    output: Output = None,
    plot: Plot = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
) -> None:
    """Play a tournament thousands of times, and say who comes where.

    Strengths are the ratings of the entry list, or the grades where there is none;
    results are drawn from the win probability, rounds paired as `tournament pair` does.

    Examples
    --------
    yardstone tournament simulate congress.xml --tournaments 2000 --plot places.svg
    yardstone tournament simulate --players 64 --rounds 5 --vary bar=1d,3d,5d
    yardstone tournament simulate open.trf --win elo --draws 0.4 --advantage 35
    """
    from yardstone.cli.output import check_picture, check_report
    from yardstone.cli.progress import progress_bar
    from yardstone.tournament.chances import chance_of
    from yardstone.tournament.outcome import simulate as play_all

    check_report(output, form)
    check_picture(plot)
    chance = chance_of(win.value, advantage=advantage, draw_rate=draws)
    options: dict[str, Any] = {
        "players": players,
        "grades": grades,
        "rounds": rounds,
        "system": system.value if system else None,
        "bar": bar,
        "floor": floor,
        "handicap": handicap,
    }
    name, values = ("", [""]) if vary is None else _variation(vary, file)
    outcomes: list[tuple[str, Outcome]] = []
    for value in values:
        changed = {**options, name: value} if name else options
        plan = _plan(file, changed, win, chance, deviation, restart=restart, seed=seed)
        show = progress_bar(f"{name} {value}".strip() or "tournaments", quiet=quiet)
        found = play_all(
            plan, tournaments, criteria=criteria, seed=seed, workers=workers, progress=show
        )
        outcomes.append((value, found))
    about = "\n".join(
        [
            _about(plan, tournaments, win, compared=bool(name)),
            _spread(plan, deviation, made_up=file is None, grades=win is not WinChance.elo),
        ]
    )
    write(_shown(outcomes, form, about, name, grades=win is not WinChance.elo, top=top), output)
    if plot is not None:
        from yardstone.reports.charts import tournament as charts

        drawn = (
            charts.variant_chart(outcomes, name=name)
            if name
            else charts.outcome_chart(outcomes[0][1])
        )
        drawn.save(plot)


def _shown(
    outcomes: list[tuple[str, Outcome]],
    form: TableFormat,
    about: str,
    name: str,
    *,
    grades: bool,
    top: int,
) -> str:
    from yardstone.reports.tournament import simulation as report

    found = outcomes[0][1]
    if form is TableFormat.json:
        return as_text(report.plain_variants(outcomes) if name else report.plain_outcome(found))
    if form is TableFormat.csv:
        return report.csv_variants(outcomes) if name else report.csv_outcome(found)
    if name:
        return report.text_variants(outcomes, about=about, name=name, grades=grades)
    return report.text_outcome(found, about=about, grades=grades, top=top)


def _variation(text: str, file: Path | None) -> tuple[str, list[str]]:
    name, equals, values = text.partition("=")
    name = name.strip()
    listed = [value.strip() for value in values.split(",") if value.strip()]
    if not equals or name not in _VARIED or not listed:
        raise UsageError(f"--vary {text!r}: write it as bar=1d,3d,5d (or {', '.join(_VARIED[1:])})")
    if name == "players" and file is not None:
        raise UsageError("--vary players: the file says who plays")
    return name, listed


def grade(text: str, what: str) -> int:
    """A grade as a whole number, 1 dan being 0."""
    from yardstone.errors import InputError
    from yardstone.winprob.grades import parse_grade

    try:
        value = parse_grade(text)
    except InputError as error:
        raise UsageError(f"{what}: {error}") from None
    if value != int(value):
        raise UsageError(f"{what}: {text!r} is not a whole grade")
    return int(value)


def _whole(value: object, what: str, least: int) -> int:
    try:
        number = int(str(value))
    except ValueError:
        raise UsageError(f"{what}: {value!r} is not a whole number") from None
    if number < least:
        raise UsageError(f"{what}: {number} is too few; at least {least}")
    return number


def _plan(
    file: Path | None,
    options: dict[str, Any],
    win: WinChance,
    chance: Chance,
    deviation: float | None,
    *,
    restart: bool,
    seed: int,
) -> Plan:
    """The tournament to be played, from a file or made up, with the changes asked for."""
    import dataclasses

    import numpy as np

    from yardstone.tournament.files import read_tournament
    from yardstone.tournament.model import System
    from yardstone.tournament.population import known_strength, synthetic_field
    from yardstone.tournament.rules import HandicapRules
    from yardstone.tournament.simulate import Plan, tournament_of
    from yardstone.tournament.true_strength import entry_spread

    if file is None:
        if win is WinChance.elo:
            raise UsageError("--win elo goes with a file of players who have ratings")
        low, colon, high = options["grades"].partition(":")
        if not colon:
            raise UsageError("--grades: write two grades, as in 20k:7d")
        field = synthetic_field(
            _whole(options["players"], "--vary players", 2),
            np.random.default_rng(seed),
            lowest=grade(low, "--grades"),
            highest=grade(high, "--grades"),
        )
        made = tournament_of(field, rounds=5, bar=2, floor=-20)
        strength = field.strength
    else:
        made = read_tournament(file)
        made = made.before(1) if restart else made
        strength = known_strength(made, points=win is WinChance.elo)
    changes: dict[str, Any] = {}
    if options["rounds"] is not None:
        changes["rounds"] = _whole(options["rounds"], "--vary rounds", 1)
    if options["system"] is not None:
        try:
            changes["system"] = System(options["system"])
        except ValueError:
            raise UsageError(f"--vary system: there is no {options['system']!r}") from None
        changes["scoring"] = dataclasses.replace(made.scoring, criteria=())
    if options["handicap"] is not None:
        stones = _whole(options["handicap"], "--vary handicap", 0)
        changes["handicap"] = HandicapRules(ceiling=stones, threshold=made.scoring.bar)
    scoring = changes.get("scoring", made.scoring)
    for name in ("bar", "floor"):
        if options[name] is not None:
            scoring = dataclasses.replace(scoring, **{name: grade(options[name], f"--{name}")})
    if scoring.floor > scoring.bar:
        raise UsageError("the floor lies above the bar")
    changes["scoring"] = scoring
    if changes.get("rounds", made.rounds) < made.complete_rounds:
        raise UsageError("more rounds are over than are to be played: add --restart")
    spread: float | Any = deviation
    if deviation is None:
        spread = 0.0 if file is None else entry_spread(strength, points=win is WinChance.elo)
    plan = Plan(dataclasses.replace(made, **changes), strength, chance, deviation=spread)
    if plan.done == plan.tournament.rounds:
        raise UsageError("all rounds are over: add --restart to play them again")
    return plan


def _about(plan: Plan, tournaments: int, win: WinChance, *, compared: bool) -> str:
    """One line that says what was played."""
    from yardstone.winprob.grades import format_grade

    whole = plan.tournament
    system = "McMahon" if whole.system == "mcmahon" else whole.system
    what = f"{len(whole.players)} players, {whole.rounds} rounds, {system}"
    if whole.system == "mcmahon":
        highest = max((p.rank for p in whole.players if p.rank is not None), default=0)
        what += f", bar {format_grade(min(whole.scoring.bar, highest))}"
    if whole.handicap.ceiling:
        what += f", up to {whole.handicap.ceiling} stones"
    name = f"{whole.name}: " if whole.name and whole.name != "simulated" else ""
    after = f", from round {plan.done + 1} on" if plan.done else ""
    head = "each of these, such as " if compared else ""
    return f"{name}{tournaments:,} tournaments of {head}{what}{after}; win probability: {win}."


def _spread(plan: Plan, deviation: float | None, *, made_up: bool, grades: bool) -> str:
    """How sure the strengths are."""
    import numpy as np

    if made_up and not deviation:
        return "The players are made up, so their strengths are known exactly."
    if plan.known.exact:
        return (
            "The entry list is taken as exact (--deviation 0), so the strongest win too often here."
        )
    entered = np.atleast_1d(np.asarray(plan.deviation, np.float64))
    low, high = float(entered.min()), float(entered.max())
    digits, unit = (2, "grades") if grades else (0, "points")
    size = f"{low:.{digits}f}"
    if high - low > 0.005:
        size += f" to {high:.{digits}f}"
    text = f"True strengths are drawn about the entry list, with a deviation of {size} {unit}"
    text += "" if deviation is not None else " (as in real tournaments; --deviation changes it)"
    return text + (", and corrected by the rounds that are over." if plan.done else ".")
