"""Steps of an event: its creation and settings, wishes for pairings, teams; what a step changed."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import combinations
from operator import attrgetter
from pathlib import Path
from typing import Any

from yardstone.choices import check_choice, check_number
from yardstone.errors import InputError, MissingFileError, UsageError
from yardstone.files import changing, followed, read_bytes, write_text
from yardstone.pool import SkipReport
from yardstone.tournament.formats.trf_lines import difference, typed
from yardstone.tournament.model import System, Tournament
from yardstone.tournament.pairing import Constraints, to_be_paired
from yardstone.tournament.rules import (
    HandicapRules,
    PairingSettings,
    Scoring,
    SeedSystem,
    Team,
    TimeControl,
    TimeSystem,
    shortened,
)
from yardstone.tournament.standings_table import parse_criteria


@dataclass(frozen=True, eq=False, kw_only=True)
class EventChange:
    """Result of every step."""

    tournament: Tournament  #: As it is now; the same object where nothing had to be done
    lines: tuple[str, ...]  #: What was done, a sentence each
    made: bool = True  #: Whether the tournament differs from before
    #: Rows of a table that could not be used, with their lines
    skipped: SkipReport = field(default_factory=SkipReport)


def done(tournament: Tournament, *lines: str) -> EventChange:
    """The step that led to this tournament."""
    return EventChange(tournament=tournament, lines=lines)


def unchanged(tournament: Tournament, *lines: str) -> EventChange:
    """The step had been taken before."""
    return EventChange(tournament=tournament, lines=lines, made=False)


def check_planned(tournament: Tournament, number: int) -> None:
    """Refuse a round that the tournament does not have."""
    if not 1 <= number <= tournament.rounds:
        raise tournament.error(
            f"there is no round {number}: the tournament has {tournament.rounds} rounds"
        )


#: An hour, then byo-yomi; the rest holds if another system is chosen.
USUAL_TIME = TimeControl(system=TimeSystem.byo_yomi, basic=3600, period=30, moves=15, increment=10)

#: A file of OpenGotha has room for so many rounds, and for so many criteria.
MOST_ROUNDS, _MOST_CRITERIA = 20, 6
_BOARDS = (9, 13, 19)
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
#: Each setting, and the attribute of a tournament in which it stands.
SETTINGS = {
    "name": "name",
    "rounds": "rounds",
    "place": "place",
    "director": "director",
    "begin": "begin",
    "end": "end",
    "bar": "scoring.bar",
    "floor": "scoring.floor",
    "handicap": "handicap.ceiling",
    "correction": "handicap.correction",
    "criteria": "scoring.criteria",
    "komi": "komi",
    "size": "size",
    "time": "time",
}
#: Between which settings lie; bar and floor as OpenGotha knows them (1 dan = 0).
_LIMITS = {
    "rounds": (1, MOST_ROUNDS), "bar": (-10, 8), "floor": (-30, 0), "handicap": (0, 9),
    "correction": (-9, 9),
}  # fmt: skip


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

    Args:
        rounds: From 1 to 20.
        system: {"mcmahon", "swiss", "round-robin"}.
        bar, floor: Grades (1 dan = 0): by default 4 dan and 20 kyu. For a McMahon tournament only.
        handicap: Most stones of a handicap, 0 for even games; by default 9 in a McMahon tournament,
            which gives them below 1 dan, and 0 otherwise.
        correction: Stones by which a handicap is smaller than the difference; by default 1.
        criteria: Names in order, such as ``mms,sos,sosos``: at most six.
        komi: Points for White.
        size: {9, 13, 19}.
        begin, end: First and last day; today, and the first day, by default.
        time: By default an hour, then byo-yomi of 30 seconds.

    Raises:
        UsageError: A value is out of range, or does not go with the system.
    """
    check_choice("the system", str(system), [str(kind) for kind in _CRITERIA])
    kind = System(system)
    mcmahon, first = kind is System.mcmahon, begin or end or date.today()
    starts: dict[str, Any] = {"bar": 3, "floor": -20} if mcmahon else {}
    even = HandicapRules(by_score=False, threshold=-30, correction=0)
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    base = Tournament(
        name=name.strip(),
        short_name=re.sub(r"[^A-Za-z0-9]+", "", plain) or "tournament",
        begin=first,
        end=first,
        discipline="go",
        rounds=1,
        system=kind,
        scoring=Scoring(criteria=_CRITERIA[kind], **starts),
        handicap=HandicapRules(ceiling=9) if mcmahon else even,
        pairing=_PAIRING[kind],
        time=USUAL_TIME,
    )
    return _changed(
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

    Raises:
        InputError: Fewer rounds than are paired.
        UsageError: A value is out of range, or does not go with the system.
    """
    given = {name: value for name, value in settings.items() if value is not None}
    made = _changed(tournament, given)
    if made == tournament:
        return unchanged(tournament, "Nothing to change: the settings are these already.")
    places = {name: attrgetter(SETTINGS[name]) for name in given}
    words = [name for name, value in places.items() if value(made) != value(tournament)]
    return done(made, f"Changed: {', '.join(words)}.")


def _changed(tournament: Tournament, settings: dict[str, Any]) -> Tournament:
    """The same with settings checked and put in; None means as it is."""
    given = {name: value for name, value in settings.items() if value is not None}
    if unknown := set(given) - set(SETTINGS):
        raise UsageError(f"no setting is called {min(unknown)!r}")
    for name, (least, most) in _LIMITS.items():
        if name in given:
            check_number(name, given[name], least=least, most=most, whole=True)
    if "komi" in given:
        check_number("komi", given["komi"], least=-150, most=150)
        if 2 * given["komi"] % 1:
            raise UsageError(f"komi {given['komi']:g}: it is a whole number or ends in .5")
    if "size" in given and given["size"] not in _BOARDS:
        raise UsageError(f"a board of {given['size']}: 9, 13 or 19")
    if given.get("rounds", MOST_ROUNDS) < tournament.last_round:
        raise tournament.error(
            f"{given['rounds']} rounds, but round {tournament.last_round} is paired",
            hint="take its boards back first",
        )
    if tournament.system is not System.mcmahon and {"bar", "floor"} & set(given):
        raise UsageError("only a McMahon tournament has a bar and a floor")
    parts: dict[str, dict[str, Any]] = {"": {}, "scoring": {}, "handicap": {}}
    for name, value in given.items():
        part, _, at = SETTINGS[name].rpartition(".")
        parts[part][at] = value
    if "criteria" in given:
        parts["scoring"]["criteria"] = _criteria(given["criteria"], tournament.system)
    if given.get("handicap") and not tournament.handicap.ceiling:
        parts["handicap"] = {"threshold": 0, "correction": 1, **parts["handicap"]}
    made = replace(
        tournament,
        **parts.pop(""),
        **{part: replace(getattr(tournament, part), **values) for part, values in parts.items()},
    )
    if made.scoring.floor > made.scoring.bar:
        raise UsageError("the floor lies above the bar")
    if made.begin is not None and made.end is not None and made.end < made.begin:
        if "end" in given and "begin" in given:
            raise UsageError("the tournament ends before it begins")
        made = replace(made, end=made.begin) if "begin" in given else replace(made, begin=made.end)
    return made


def _criteria(text: str, system: System) -> tuple[str, ...]:
    names = tuple(each.name for each in parse_criteria(text, system))
    for name in names:
        if name not in _KNOWN:
            raise UsageError(
                f"OpenGotha has no criterion {name}, and could not open the file: "
                f"{', '.join(sorted(_KNOWN))}"
            )
    if len(names) > _MOST_CRITERIA:
        raise UsageError(f"{len(names)} criteria: a file of OpenGotha has room for six")
    main = {System.mcmahon: ("MMS", "STS")}.get(system, ("NBW", "CAT"))
    if names[:1] and names[0] not in main:
        raise UsageError(
            f"{names[0]} first: the standings of this system begin with {' or '.join(main)}, "
            "by which a file of OpenGotha tells the system"
        )
    return names


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


_MAX_BYTES = 1 << 20
_KINDS = {"never", "club", "country", "local"}
_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A demand on the boards of some rounds."""

    #: {"never", "club", "country", "local"}: ``never``: no two of the `players` meet. ``club``,
    #: ``country``: no two of one club or country. ``local``: players of the `country` meet the
    #: others, as far as the numbers allow.
    kind: str
    players: tuple[str, ...] = ()  #: Full names
    country: str = ""  #: Two letters
    first: int = 1  #: `first`, `last`: the rounds it holds for; 0 for the last means all rounds.
    last: int = 0

    def holds(self, round_number: int) -> bool:
        """Whether it is about a round."""
        return self.first <= round_number <= (self.last or round_number)

    def sentence(self) -> str:
        """The wish in words."""
        text = {
            "never": f"never {' - '.join(self.players)}",
            "club": "no game within a club",
            "country": "no game within a country",
            "local": f"{self.country} against the others",
        }[self.kind]
        if self.first == 1 and not self.last:
            return text
        if not self.last:
            return f"{text} (from round {self.first} on)"
        if self.first == self.last:
            return f"{text} (round {self.first})"
        return f"{text} (rounds {self.first} to {self.last})"


@dataclass(frozen=True, slots=True, kw_only=True)
class EventWishes:
    """What is kept beside a tournament's file."""

    wishes: tuple[Wish, ...] = ()
    system: System | None = None  #: That of the pairings, where the file cannot tell it


def wishes_of(path: str | os.PathLike[str]) -> Path:
    """The file of wishes that belongs to a tournament's file."""
    place = followed(path)
    return place.with_name(place.name + ".wishes")


def read_wishes(path: str | os.PathLike[str]) -> EventWishes:
    """The wishes for a tournament's file; none where there is no such file."""
    place = wishes_of(path)
    try:
        data = read_bytes(place, _MAX_BYTES, "a file of wishes")
    except MissingFileError:
        return EventWishes()
    try:
        values = json.loads(data.decode("utf-8"))
        if values["version"] != _VERSION:
            raise ValueError
        system = values.get("system")
        wishes = tuple(typed(Wish, each) for each in values["wishes"])
        if not {wish.kind for wish in wishes} <= _KINDS:
            raise ValueError
        return EventWishes(wishes=wishes, system=None if system is None else System(system))
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        raise InputError(
            "this is not a file of wishes", file=str(place), hint="correct or remove it"
        ) from None


def change_wishes(
    path: str | os.PathLike[str], change: Callable[[EventWishes], EventWishes]
) -> EventWishes:
    """Change the wishes for a tournament's file, and lose none that another process enters.

    Without any the file of wishes goes.
    """
    with changing(path):
        kept = read_wishes(path)
        made = change(kept)
        if made == EventWishes():
            wishes_of(path).unlink(missing_ok=True)
        elif made != kept:
            values: dict[str, Any] = {"version": _VERSION}
            if made.system is not None:
                values["system"] = str(made.system)
            values["wishes"] = [difference(wish, Wish(kind="")) for wish in made.wishes]
            write_text(wishes_of(path), json.dumps(values, ensure_ascii=False, indent=2) + "\n")
    return made


def with_wishes(
    constraints: Constraints, tournament: Tournament, wishes: Sequence[Wish], number: int
) -> tuple[Constraints, list[str]]:
    """The demands on a round with those of the wishes, and what is to be said of them.

    Boards that are fixed by hand come before wishes. A wish that names somebody who is not in the
    file any more is left out, and said.
    """
    now = [wish for wish in wishes if wish.holds(number)]
    if not now:
        return constraints, []
    rows = {player.full_name.casefold(): row for row, player in enumerate(tournament.players)}
    field = to_be_paired(tournament, number, constraints)
    forbidden: set[frozenset[int]] = set()
    lines = []
    for wish in now:
        missing = [name for name in wish.players if name.casefold() not in rows]
        if missing:
            lines.append(f"Not kept: {wish.sentence()}; {missing[0]} is not entered.")
            continue
        named = [rows[name.casefold()] for name in wish.players]
        forbidden |= _apart(tournament, wish, named, field)
        lines.append(f"Kept: {wish.sentence()}.")
    pairs = forbidden - {frozenset(pair) for pair in constraints.fixed}
    added = tuple((min(pair), max(pair)) for pair in sorted(pairs, key=sorted))
    return replace(constraints, forbidden=(*constraints.forbidden, *added)), lines


def _apart(
    tournament: Tournament, wish: Wish, named: Sequence[int], field: Sequence[int]
) -> set[frozenset[int]]:
    """The boards that a wish rules out: those within a group of players."""
    groups: dict[str, list[int]] = {"": sorted(named)}
    if wish.kind == "local":
        code = wish.country.casefold()
        local = [row for row in field if tournament.players[row].country.casefold() == code]
        others = [row for row in field if row not in local]
        groups[""] = min(others, local, key=len)
    elif wish.kind in ("club", "country"):
        for row in field:
            text = getattr(tournament.players[row], wish.kind).strip().casefold()
            groups.setdefault(text, []).append(row)
        groups[""] = []
    return {frozenset(pair) for group in groups.values() for pair in combinations(group, 2)}


def find_team(tournament: Tournament, name: str) -> Team:
    """The team of a name, whatever its capitals; InputError if there is none."""
    if (team := _team(tournament, name)) is not None:
        return team
    names = ", ".join(each.name for each in tournament.teams)
    hint = f"teams are {names}" if names else "no team is entered"
    raise tournament.error(f"there is no team {name!r}", hint=hint)


def set_team(
    tournament: Tournament,
    name: str,
    players: Sequence[int],
    round_number: int | None = None,
    *,
    boards: int | None = None,
) -> EventChange:
    """Enter a team, or another line-up of it from a round on.

    Args:
        players: By number from 0, the first board first; more than boards are reserves.
        round_number: From which the line-up holds; by default from the first round without boards.
        boards: Boards of a match; by default as many as the first team has players.

    Raises:
        InputError: The round has been paired, a player is named twice or plays for another team, or
            a match would have no boards.
    """
    name = " ".join(name.split())
    first = tournament.next_round if round_number is None else round_number
    check_planned(tournament, first)
    for number in range(first, tournament.rounds + 1):
        if tournament.round_games(number):
            raise tournament.error(
                f"round {number} has been paired",
                hint="a line-up can hold from a later round on",
            )
    if not name or not players:
        raise tournament.error("a team has a name and players")
    if len(set(players)) < len(players):
        raise tournament.error(f"{name} names a player twice")
    old = _team(tournament, name)
    for other in tournament.teams:
        if other is not old and (both := set(players) & set(other.everybody())):
            who = tournament.name_of(min(both))
            raise tournament.error(f"{who} plays for {other.name}")
    if boards is not None and boards < 1:
        raise tournament.error("a match has one board at least")
    size = boards or (tournament.team_rules.size if tournament.teams else len(players))
    before = [() if old is None else old.lineup(number) for number in range(1, first)]
    lineups = shortened([*before, tuple(players)])
    number = 1 + max((t.number for t in tournament.teams), default=0)
    team = replace(old or Team(name=name, number=number), lineups=lineups)
    teams = tuple(team if each is old else each for each in tournament.teams)
    if old is None:
        teams += (team,)
    if team == old and size == tournament.team_rules.size:
        return unchanged(tournament, f"{team.name} is entered so already.")
    made = replace(tournament, teams=teams, team_rules=replace(tournament.team_rules, size=size))
    names = ", ".join(tournament.name_of(row) for row in players)
    since = f" from round {first} on" if first > 1 else ""
    return done(
        made,
        f"{team.name}{since}: {names}.",
        f"{len(made.teams)} {'team is' if len(made.teams) == 1 else 'teams are'} entered; "
        f"a match has {size} {'board' if size == 1 else 'boards'}.",
    )


def remove_team(tournament: Tournament, name: str) -> EventChange:
    """Take out a team that has not played; its players stay.

    Raises:
        InputError: There is no such team, or it has played.
    """
    team = find_team(tournament, name)
    members = set(team.everybody())
    played = [g.round for g in tournament.games if g.first in members or g.second in members]
    if played:
        raise tournament.error(f"{team.name} has played in round {min(played)}")
    teams = tuple(each for each in tournament.teams if each is not team)
    return done(replace(tournament, teams=teams), f"{team.name} is taken out; its players stay.")


def _team(tournament: Tournament, name: str) -> Team | None:
    plain = " ".join(name.split()).casefold()
    return next((team for team in tournament.teams if team.name.casefold() == plain), None)
