"""A new tournament, and its settings changed later.

The defaults are those of OpenGotha for a new tournament of the same system.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from datetime import date
from typing import Any

from yardstone.choices import check_choice, check_number
from yardstone.errors import UsageError
from yardstone.tournament.event.changes import EventChange, refused, unchanged
from yardstone.tournament.model import System, Tournament
from yardstone.tournament.rules import (
    HandicapRules,
    PairingSettings,
    Scoring,
    SeedSystem,
    TimeControl,
    TimeSystem,
)
from yardstone.tournament.standings_table import parse_criteria

__all__ = ["MOST_ROUNDS", "USUAL_TIME", "change_settings", "new_tournament"]

#: An hour, then byo-yomi; the rest holds if another system is chosen.
USUAL_TIME = TimeControl(system=TimeSystem.byo_yomi, basic=3600, period=30, moves=15, increment=10)

#: A file of OpenGotha has room for so many rounds, and for so many criteria.
MOST_ROUNDS, MOST_CRITERIA = 20, 6
_BOARDS = (9, 13, 19)
#: OpenGotha knows a floor and a bar within these ranks (1 dan = 0).
_FLOORS, _BARS = (-30, 0), (-10, 8)
_CRITERIA = {
    System.mcmahon: ("MMS", "SOSM", "SOSOSM"),
    System.swiss: ("NBW", "SOSW", "SOSOSW"),
    System.round_robin: ("NBW", "SDC"),
}
#: The only criteria that OpenGotha has.
_KNOWN = frozenset(
    {"CAT", "RANK", "RATING", "NBW", "MMS", "STS", "CPS", "SOSTS", "EXT", "EXR", "DC", "SDC"}
    | {f"{name}{kind}" for name in ("SOS", "SODOS", "SOSOS", "CUSS") for kind in "WM"}
    | {f"SOS{kind}-{cut}" for kind in "WM" for cut in (1, 2)}
)
_GENERAL = ("name", "place", "director", "begin", "end", "size", "komi", "rounds", "time")


def new_tournament(
    name: str,
    *,
    rounds: int = 5,
    system: System | str = System.mcmahon,
    bar: int | None = None,
    floor: int | None = None,
    handicap: int | None = None,
    correction: int | None = None,
    criteria: str | None = None,
    komi: float = 7.5,
    size: int = 19,
    place: str = "",
    director: str = "",
    begin: date | None = None,
    end: date | None = None,
    time: TimeControl | None = None,
) -> Tournament:
    """A tournament of Go without players.

    Parameters
    ----------
    name : str
    rounds : int
        From 1 to 20.
    system : {"mcmahon", "swiss", "round-robin"}
    bar, floor : int, optional
        Grades (1 dan = 0): by default 4 dan and 20 kyu. For a McMahon tournament only.
    handicap : int, optional
        Most stones of a handicap, 0 for even games; by default 9 in a McMahon tournament,
        which gives them below 1 dan, and 0 otherwise.
    correction : int, optional
        Stones by which a handicap is smaller than the difference; by default 1.
    criteria : str, optional
        Names in order, such as ``mms,sos,sosos``: at most six.
    komi : float
        Points for White.
    size : {9, 13, 19}
    place, director : str
    begin, end : date, optional
        First and last day; today, and the first day, by default.
    time : TimeControl, optional
        By default an hour, then byo-yomi of 30 seconds.

    Raises
    ------
    UsageError
        A value is out of range, or does not go with the system.
    """
    kind = _system(system)
    mcmahon = kind is System.mcmahon
    if not mcmahon and (bar is not None or floor is not None):
        raise UsageError("only a McMahon tournament has a bar and a floor")
    first = begin or end or date.today()
    base = Tournament(
        name=name.strip(),
        short_name=_short(name),
        begin=first,
        end=max(first, end or first),
        discipline="go",
        rounds=1,
        system=kind,
        scoring=Scoring(
            criteria=_CRITERIA[kind],
            bar=3 if mcmahon else 8,
            floor=-20 if mcmahon else -30,
        ),
        handicap=(
            HandicapRules(by_score=True, threshold=0, correction=1, ceiling=9)
            if mcmahon
            else HandicapRules(by_score=False, threshold=-30, correction=0, ceiling=0)
        ),
        pairing=_PAIRING[kind],
        time=USUAL_TIME,
    )
    return changed(
        base,
        {
            "rounds": rounds, "bar": bar, "floor": floor, "handicap": handicap,
            "correction": correction, "criteria": criteria, "komi": komi, "size": size,
            "place": place, "director": director, "begin": first, "end": end, "time": time,
        },
    )  # fmt: skip


def change_settings(tournament: Tournament, **settings: Any) -> EventChange:
    """The same tournament with other settings; those that are None stay.

    The names are those of `new_tournament`, ``name`` among them, without ``system``.

    Raises
    ------
    InputError
        Fewer rounds than are paired.
    UsageError
        A value is out of range, or does not go with the system.
    """
    given = {name: value for name, value in settings.items() if value is not None}
    made = changed(tournament, given)
    if made == tournament:
        return unchanged(tournament, "Nothing to change: the settings are these already.")
    words = [name for name in given if _value(made, name) != _value(tournament, name)]
    return EventChange(tournament=made, lines=(f"Changed: {', '.join(words)}.",))


def changed(tournament: Tournament, settings: dict[str, Any]) -> Tournament:
    """The same with settings checked and put in; None means as it is."""
    given = {name: value for name, value in settings.items() if value is not None}
    known = {*_GENERAL, "bar", "floor", "handicap", "correction", "criteria"}
    if set(given) - known:
        raise UsageError(f"no setting is called {sorted(set(given) - known)[0]!r}")
    _check(tournament, given)
    scoring, stones = tournament.scoring, tournament.handicap
    scoring = replace(scoring, **{key: given[key] for key in ("bar", "floor") if key in given})
    if scoring.floor > scoring.bar:
        raise UsageError("the floor lies above the bar")
    if "criteria" in given:
        scoring = replace(scoring, criteria=_criteria(given["criteria"], tournament.system))
    if "handicap" in given:
        stones = replace(stones, ceiling=given["handicap"])
        if stones.ceiling and not tournament.handicap.ceiling:
            stones = replace(stones, threshold=0, correction=1)
    if "correction" in given:
        stones = replace(stones, correction=given["correction"])
    general = {name: given[name] for name in _GENERAL if name in given}
    made = replace(tournament, **general, scoring=scoring, handicap=stones)
    if made.begin is not None and made.end is not None and made.end < made.begin:
        if "end" in given and "begin" in given:
            raise UsageError("the tournament ends before it begins")
        made = replace(made, end=made.begin) if "begin" in given else replace(made, begin=made.end)
    return made


def _check(tournament: Tournament, given: dict[str, Any]) -> None:
    limits: dict[str, tuple[int, int]] = {
        "rounds": (1, MOST_ROUNDS), "bar": _BARS, "floor": _FLOORS, "handicap": (0, 9),
        "correction": (-9, 9),
    }  # fmt: skip
    for name, (least, most) in limits.items():
        if name in given:
            check_number(name, given[name], least=least, most=most, whole=True)
    if "komi" in given:
        check_number("komi", given["komi"], least=-150, most=150)
        if 2 * given["komi"] % 1:
            raise UsageError(f"komi {given['komi']:g}: it is a whole number or ends in .5")
    if "size" in given and given["size"] not in _BOARDS:
        raise UsageError(f"a board of {given['size']}: 9, 13 or 19")
    if given.get("rounds", MOST_ROUNDS) < tournament.last_round:
        raise refused(
            tournament,
            f"{given['rounds']} rounds, but round {tournament.last_round} is paired",
            hint="take its boards back first",
        )
    if tournament.system is not System.mcmahon and {"bar", "floor"} & set(given):
        raise UsageError("only a McMahon tournament has a bar and a floor")


def _system(system: System | str) -> System:
    check_choice("the system", str(system), [str(kind) for kind in _CRITERIA])
    return System(system)


def _criteria(text: str, system: System) -> tuple[str, ...]:
    names = tuple(each.name for each in parse_criteria(text, system))
    for name in names:
        if name not in _KNOWN:
            raise UsageError(
                f"OpenGotha has no criterion {name}, and could not open the file: "
                f"{', '.join(sorted(_KNOWN))}"
            )
    if len(names) > MOST_CRITERIA:
        raise UsageError(f"{len(names)} criteria: a file of OpenGotha has room for six")
    main = {System.mcmahon: ("MMS", "STS")}.get(system, ("NBW", "CAT"))
    if names[:1] and names[0] not in main:
        raise UsageError(
            f"{names[0]} first: the standings of this system begin with {' or '.join(main)}, "
            "by which a file of OpenGotha tells the system"
        )
    return names


def _short(name: str) -> str:
    """A name for files: plain letters and digits."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9]+", "", plain) or "tournament"


def _value(tournament: Tournament, name: str) -> Any:
    scoring, stones = tournament.scoring, tournament.handicap
    nested = {
        "bar": scoring.bar, "floor": scoring.floor, "criteria": scoring.criteria,
        "handicap": stones.ceiling, "correction": stones.correction,
    }  # fmt: skip
    return nested[name] if name in nested else getattr(tournament, name)


_SWISS = PairingSettings(
    avoid_mixing_categories=0,
    seed_last_round_1=1,
    seed_system_1=SeedSystem.slide,
    seed_system_2=SeedSystem.slide,
    seed_criterion_2="RATING",
    rank_threshold=-30,
    secondary=20_000_000_000_000,
    avoid_same_geography=0,
    country_difference=0,
    club_difference=0,
)
_PAIRING = {
    System.mcmahon: PairingSettings(avoid_mixing_categories=0, seed_system_2=SeedSystem.slide),
    System.swiss: _SWISS,
    System.round_robin: _SWISS,
}
