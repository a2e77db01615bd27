"""Reads and writes the files of OpenGotha, fields of Go and settings of teams included.

Which attribute is which field of a tournament stands once, both ways. Defaults are those which
OpenGotha itself takes for attributes that a file lacks.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from yardstone.errors import InputError
from yardstone.grades import format_grade, split_grade
from yardstone.pool import SkipReport
from yardstone.records.decoding import finite_number, whole_number
from yardstone.tournament.formats.text_files import (
    Element,
    XmlFile,
    check_half_results,
    parse_xml,
    skip_or_raise,
    write_xml,
)
from yardstone.tournament.model import Bye, Game, Player, Result, System, Tournament
from yardstone.tournament.rules import (
    FloatMode,
    HandicapRules,
    PairingSettings,
    Scoring,
    SeedSystem,
    Team,
    TeamRules,
    TimeControl,
    TimeSystem,
    shortened,
)

#: A file says for so many rounds who takes part.
LAST_ROUND = 20
LOWEST, HIGHEST = -30, 8
_LARGEST = 10**18


@dataclass(frozen=True, slots=True)
class _Codec:
    """From the text of an attribute to a value and back; `parse` may raise ValueError."""

    parse: Callable[[str], Any]
    format: Callable[[Any], str]


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute, the name of the field, how it is written, and its default."""

    attribute: str
    name: str
    codec: _Codec
    default: str


def parse_rank(text: str) -> int:
    """A rank from 30 kyu to 9 dan (1 dan = 0): ``3D``, ``20K``, ``1P``; a number means kyu.

    A professional's is OpenGotha's: 1P to 3P are 7 dan, 4P to 6P 8 dan, others 9 dan.
    """
    word = text.strip()
    parts = split_grade(f"{word}k" if word.isdecimal() else word)
    if parts is None or not parts[0].is_integer() or parts[0] >= 1000:
        raise ValueError(f"{text!r} is not a rank such as 3D or 12K")
    number, kind = int(parts[0]), parts[1]
    if kind == "pro":
        return 6 if number <= 3 else 7 if number <= 6 else 8
    return max(LOWEST, min(HIGHEST, number - 1 if kind == "dan" else -number))


def format_rank(rank: int) -> str:
    """The inverse of `parse_rank`: 3D, 20K."""
    return format_grade(rank).upper()


def _whole(text: str) -> int:
    number = int(text.strip())
    if abs(number) > _LARGEST:
        raise ValueError("the number is too large")
    return number


def _decimal(text: str) -> float:
    number = float(text.strip())
    if not abs(number) <= 1e9:
        raise ValueError("no number of a sensible size")
    return number


def _choice(values: Mapping[str, Any], *, name: str) -> _Codec:
    texts = {value: text for text, value in reversed(list(values.items()))}

    def parse(text: str) -> Any:
        try:
            return values[text.strip()]
        except KeyError:
            raise ValueError(f"{text!r} is no {name} ({', '.join(values)})") from None

    return _Codec(parse, lambda value: texts.get(value, next(iter(values))))


_TEXT = _Codec(str, str)
_WHOLE = _Codec(_whole, str)
_DECIMAL = _Codec(_decimal, lambda value: f"{value:.1f}" if value == int(value) else f"{value:g}")
_KOMI = _Codec(
    lambda text: _decimal(text) if text.strip() else None,
    lambda value: "" if value is None else f"{value:g}",
)
_TRUTH = _Codec(lambda text: text.strip().lower() == "true", lambda value: str(value).lower())
_DATE = _Codec(
    lambda text: date.fromisoformat(text.strip()) if text.strip() else None,
    lambda value: "" if value is None else value.isoformat(),
)
_RANK = _Codec(parse_rank, format_rank)
_HALVES = _Codec(lambda text: _whole(text) / 2, lambda value: str(round(2 * value)))
_MINUTES = _Codec(lambda text: 60 * _whole(text), lambda value: str(round(value / 60)))
_FLOAT = _choice(
    {"MID": FloatMode.middle, "TOP": FloatMode.top, "BOT": FloatMode.bottom}, name="choice"
)
_SEEDS = {"RANDOM": SeedSystem.random, "FOLD": SeedSystem.fold, "SLIP": SeedSystem.slide}
_SEED = _choice({f"SPLITAND{name}": kind for name, kind in _SEEDS.items()}, name="seeding")
_TIMES = {
    "SUDDENDEATH": TimeSystem.sudden_death,
    "STDBYOYOMI": TimeSystem.byo_yomi,
    "CANBYOYOMI": TimeSystem.canadian,
    "FISCHER": TimeSystem.fischer,
}
_SYSTEM = _choice(_TIMES, name="time system")
_MIXED = {"RANK": "Rank", "RATING": "Rating"}
_CRITERION = _Codec(lambda text: text.strip().upper(), lambda name: _MIXED.get(name, name))

_GENERAL = (
    Attribute("shortName", "short_name", _TEXT, "defaultshortname"),
    Attribute("name", "name", _TEXT, "default Name"),
    Attribute("location", "place", _TEXT, ""),
    Attribute("director", "director", _TEXT, ""),
    Attribute("beginDate", "begin", _DATE, ""),
    Attribute("endDate", "end", _DATE, ""),
    Attribute("size", "size", _WHOLE, "19"),
    Attribute("komi", "komi", _KOMI, "7.5"),
    Attribute("numberOfRounds", "rounds", _WHOLE, "5"),
)
TIME = (
    Attribute("complementaryTimeSystem", "system", _SYSTEM, "CANBYOYOMI"),
    Attribute("basicTime", "basic", _MINUTES, "60"),
    Attribute("nbMovesCanTime", "moves", _WHOLE, "15"),
    Attribute("fischerTime", "increment", _WHOLE, "10"),
    Attribute("bInternet", "internet", _TRUTH, "false"),
)
SCORING = (
    Attribute("genMMFloor", "floor", _RANK, "20K"),
    Attribute("genMMBar", "bar", _RANK, "4D"),
    Attribute("genMMZero", "zero", _RANK, "30K"),
    Attribute("genNBW2ValueAbsent", "wins_absent", _HALVES, "0"),
    Attribute("genNBW2ValueBye", "wins_bye", _HALVES, "0"),
    Attribute("genMMS2ValueAbsent", "score_absent", _HALVES, "0"),
    Attribute("genMMS2ValueBye", "score_bye", _HALVES, "0"),
    Attribute("genRoundDownNBWMMS", "round_down", _TRUTH, "true"),
    Attribute("genCountNotPlayedGamesAsHalfPoint", "unplayed_as_half", _TRUTH, "false"),
)
HANDICAP = (
    Attribute("hdBasedOnMMS", "by_score", _TRUTH, "true"),
    Attribute("hdNoHdRankThreshold", "threshold", _RANK, "1D"),
    Attribute("hdCorrection", "correction", _WHOLE, "1"),
    Attribute("hdCeiling", "ceiling", _WHOLE, "9"),
)
PAIRING = (
    Attribute("paiStandardNX1Factor", "nx1_factor", _DECIMAL, "0.5"),
    Attribute("paiBaAvoidDuplGame", "avoid_rematch", _WHOLE, "500000000000000"),
    Attribute("paiBaRandom", "randomness", _WHOLE, "0"),
    Attribute("paiBaDeterministic", "deterministic", _TRUTH, "true"),
    Attribute("paiBaBalanceWB", "balance_colours", _WHOLE, "1000"),
    Attribute("paiMaAvoidMixingCategories", "avoid_mixing_categories", _WHOLE, "20000000000000"),
    Attribute("paiMaMinimizeScoreDifference", "minimise_score_difference", _WHOLE, "100000000000"),
    Attribute("paiMaDUDDWeight", "float_weight", _WHOLE, "100000000"),
    Attribute("paiMaCompensateDUDD", "compensate_floats", _TRUTH, "true"),
    Attribute("paiMaDUDDUpperMode", "float_upper", _FLOAT, "MID"),
    Attribute("paiMaDUDDLowerMode", "float_lower", _FLOAT, "MID"),
    Attribute("paiMaMaximizeSeeding", "maximise_seeding", _WHOLE, "5000000"),
    Attribute("paiMaLastRoundForSeedSystem1", "seed_last_round_1", _WHOLE, "2"),
    Attribute("paiMaSeedSystem1", "seed_system_1", _SEED, "SPLITANDRANDOM"),
    Attribute("paiMaSeedSystem2", "seed_system_2", _SEED, "SPLITANDFOLD"),
    Attribute("paiMaAdditionalPlacementCritSystem1", "seed_criterion_1", _CRITERION, "Rating"),
    Attribute("paiMaAdditionalPlacementCritSystem2", "seed_criterion_2", _CRITERION, "NULL"),
    Attribute("paiSeRankThreshold", "rank_threshold", _RANK, "4D"),
    Attribute("paiSeNbWinsThresholdActive", "wins_threshold", _TRUTH, "true"),
    Attribute("paiSeBarThresholdActive", "bar_threshold", _TRUTH, "true"),
    Attribute("paiSeDefSecCrit", "secondary", _WHOLE, "100000000000"),
    Attribute("paiSeMinimizeHandicap", "minimise_handicap", _WHOLE, "0"),
    Attribute("paiSeAvoidSameGeo", "avoid_same_geography", _WHOLE, "100000000000"),
    Attribute("paiSePreferMMSDiffRatherThanSameCountry", "country_difference", _WHOLE, "1"),
    Attribute("paiSePreferMMSDiffRatherThanSameClub", "club_difference", _WHOLE, "3"),
)
#: Name of each result, with and without play; White moves second.
RESULTS: Mapping[str, tuple[Result, bool]] = {
    "RESULT_UNKNOWN": (Result.unknown, False),
    **{
        f"RESULT_{name}{ending}": (result, bool(ending))
        for name, result in (
            ("WHITEWINS", Result.second_wins),
            ("BLACKWINS", Result.first_wins),
            ("EQUAL", Result.draw),
            ("BOTHWIN", Result.both_win),
            ("BOTHLOSE", Result.both_lose),
        )
        for ending in ("", "_BYDEF")
    },
}


def _texts(fields: Iterable[Attribute], owner: Any) -> dict[str, str]:
    """The attributes of an element from the values of fields."""
    return {field.attribute: field.codec.format(getattr(owner, field.name)) for field in fields}


_MOST_BOARDS = 100
MAX_PLAYERS = 20_000
MAX_ROUNDS = 200
#: Ratings of files before this version count from 1 dan = 0 and names are plain ASCII.
SINCE = 201
_OLD_RATING_ZERO = 2050
#: Which system has which main criterion.
_SYSTEMS = {"MMS": System.mcmahon, "STS": System.mcmahon, "NBW": System.swiss,
            "CAT": System.swiss, "CPS": System.cup}  # fmt: skip
_IDS = {"egf": "egfPin", "ffg": "ffgLicence", "aga": "agaId"}
_PLAYER_TEXTS = (
    Attribute("firstName", "first_name", _TEXT, ""),
    Attribute("country", "country", _TEXT, ""),
    Attribute("club", "club", _TEXT, ""),
    Attribute("grade", "grade", _TEXT, ""),
    Attribute("ratingOrigin", "rating_origin", _TEXT, ""),
)
_PLAYER = {
    "name", "rank", "rating", "smmsCorrection", "participating", "registeringStatus",
    *_IDS.values(), *(each.attribute for each in _PLAYER_TEXTS),
}  # fmt: skip


def read_opengotha(data: bytes, file: str = "", *, skipped: SkipReport | None = None) -> Tournament:
    """A tournament from the bytes of an OpenGotha file.

    `file` is what messages call it; `skipped` takes games that cannot be used, without it the first
    one is an error.
    """
    document = parse_xml(data, file, root="Tournament")
    return _XmlReader(document, file, skipped).tournament()


def _is_old(root: Element) -> bool:
    version = whole_number(root.attributes.get("dataVersion", ""))
    return version is not None and version < SINCE


def key(player: Player) -> str:
    """The text by which games name a player: capitals without blanks."""
    return (player.name + player.first_name).replace(" ", "").upper()


def _plain_key(text: str) -> str:
    """The same in plain letters, for old files and those whose encoding was damaged."""
    letters = unicodedata.normalize("NFKD", text.replace("ø", "o").replace("Ø", "O")).upper()
    return "".join(letter for letter in letters if "A" <= letter <= "Z")


class _XmlReader:
    def __init__(self, document: XmlFile, file: str, skipped: SkipReport | None) -> None:
        self.document = document
        self.root = document.root
        self.file = file
        self.skipped = skipped
        self.number: dict[str, int] = {}
        self.plain: dict[str, int] = {}

    def tournament(self) -> Tournament:
        players = self.players()
        games = self.games()
        byes = tuple(Bye(self.round_of(each), self.player_named(each, "player"))
                     for each in self.root.all("ByePlayer"))  # fmt: skip
        general = self.section("GeneralParameterSet")
        values = self.values(general, _GENERAL)
        last = [game.round for game in games] + [bye.round for bye in byes]
        values["rounds"] = max([0, values["rounds"], *last])
        if not 0 < values["rounds"] <= MAX_ROUNDS:
            raise self.error(f"{values['rounds']} rounds", general)
        handicap = self.values(self.section("HandicapParameterSet"), HANDICAP)
        pairing = self.values(self.section("PairingParameterSet"), PAIRING)
        scoring = Scoring(
            **self.values(general, SCORING),
            criteria=self.criteria(self.section("PlacementParameterSet")),
            categories=self.categories(general),
        )
        return Tournament(
            **values,
            discipline="go",
            system=next((_SYSTEMS[c] for c in scoring.criteria if c in _SYSTEMS), System.other),
            players=players,
            games=games,
            byes=byes,
            scoring=scoring,
            handicap=HandicapRules(**handicap),
            pairing=PairingSettings(**pairing),
            time=self.time(general),
            teams=self.teams(values["rounds"]),
            team_rules=self.team_rules(),
            club_groups=tuple(
                frozenset(club.attributes.get("name", "") for club in group.all("Club"))
                for group in self.root.all("ClubsGroup")
            ),
            document=self.document,
            file=self.file,
        )

    def error(self, message: str, element: Element, hint: str | None = None) -> InputError:
        return InputError(message, file=self.file, line=element.line or None, hint=hint)

    def section(self, name: str) -> Element:
        return next(self.root.all(name), Element(name))

    def values(self, element: Element, fields: Iterable[Attribute]) -> dict[str, Any]:
        """The values of fields from the attributes of an element."""
        values = {}
        for field in fields:
            text = element.attributes.get(field.attribute, field.default)
            try:
                values[field.name] = field.codec.parse(text)
            except ValueError as error:
                message = str(error)
                reason = message if message.startswith(repr(text)) else "this cannot be used"
                raise self.error(f'{field.attribute}="{text}": {reason}', element) from None
        return values

    def player_named(self, element: Element, attribute: str) -> int:
        """Number of the player whom an attribute names."""
        text = element.attributes.get(attribute, "")
        number = self.number.get(text.replace(" ", "").upper(), self.plain.get(_plain_key(text)))
        if number is None:
            raise self.error(f"no player is called {text!r}", element)
        return number

    def number_in(self, element: Element, attribute: str, default: int, highest: int) -> int:
        """An attribute that is a number up to `highest`."""
        text = element.attributes.get(attribute, str(default)).strip()
        number = whole_number(text)
        if number is None or number > highest:
            raise self.error(f'{attribute}="{text}": no number from 0 to {highest}', element)
        return number

    def round_of(self, element: Element) -> int:
        return max(self.number_in(element, "roundNumber", 1, MAX_ROUNDS), 1)

    def time(self, general: Element) -> TimeControl:
        """The time limits from the general settings; old files say them otherwise."""
        attributes = dict(general.attributes)
        if "time" in attributes:
            attributes.setdefault("basicTime", attributes["time"])
        if "byoYomi" in attributes:
            byo_yomi = attributes["byoYomi"].strip().lower() == "true"
            system = "CANBYOYOMI" if byo_yomi else "SUDDENDEATH"
            attributes.setdefault("complementaryTimeSystem", system)
        canadian = attributes.get("complementaryTimeSystem", "CANBYOYOMI") == "CANBYOYOMI"
        name, default = ("canByoYomiTime", "300") if canadian else ("stdByoYomiTime", "30")
        fields = (*TIME, Attribute(name, "period", _WHOLE, default))
        element = Element(general.name, attributes, line=general.line)
        return TimeControl(**self.values(element, fields))

    def criteria(self, section: Element) -> tuple[str, ...]:
        """The criteria of a section in the order of their numbers."""
        numbered = [
            (self.number_in(each, "number", place, 10**6), each.attributes.get("name", "NULL"))
            for place, each in enumerate(section.all("PlacementCriterion"), 1)
        ]
        names = [(number, name.strip().upper()) for number, name in numbered]
        return tuple(name for _, name in sorted(names) if name != "NULL")

    def categories(self, general: Element) -> tuple[int, ...]:
        limits = []
        for element in general.all("Category"):
            limit = element.attributes.get("lowerLimit", "30K")
            try:
                limits.append((int(element.attributes.get("number", "1")), parse_rank(limit)))
            except ValueError as error:
                raise self.error(f"a category cannot be read: {error}", element) from None
        return tuple(rank for _, rank in sorted(limits))

    def players(self) -> tuple[Player, ...]:
        players: list[Player] = []
        for element in self.root.all("Player"):
            player = self.player(element)
            name = key(player)
            if name in self.number:
                also = f"also on line {players[self.number[name]].line}"
                raise self.error(f"{player.full_name} is entered twice", element, also)
            self.number[name] = len(players)
            self.plain.setdefault(_plain_key(name), len(players))
            players.append(player)
            if len(players) > MAX_PLAYERS:
                raise InputError(f"more than {MAX_PLAYERS:,} players", file=self.file)
        return tuple(players)

    def player(self, element: Element) -> Player:
        attributes = element.attributes

        def number(name: str, default: str) -> float:
            text = attributes.get(name, default).strip() or default
            value = finite_number(text, below=1e6)
            if value is None:
                raise self.error(f'{name}="{text}": no such number', element)
            return value

        name = attributes.get("name", "")
        if not name.strip():
            raise self.error("a player without a name", element)
        try:
            rank = parse_rank(attributes.get("rank", "30K"))
        except ValueError as error:
            try:
                rank = parse_rank(attributes.get("grade", ""))
            except ValueError:
                raise self.error(f"{name}: {error}", element) from None
        part = attributes.get("participating", "")[:MAX_ROUNDS]
        return Player(
            name=name,
            **self.values(element, _PLAYER_TEXTS),
            rank=rank,
            rating=number("rating", "-900") + (_OLD_RATING_ZERO if _is_old(self.root) else 0),
            ids={kind: attributes[at] for kind, at in _IDS.items() if attributes.get(at)},
            smms_correction=int(number("smmsCorrection", "0")),
            absent=frozenset(place for place, mark in enumerate(part, 1) if mark == "0"),
            registered=attributes.get("registeringStatus", "FIN") != "PRE",
            extras={at: text for at, text in attributes.items() if at not in _PLAYER},
            line=element.line,
        )

    def games(self) -> tuple[Game, ...]:
        games: list[Game] = []
        taken: set[tuple[int, int]] = set()
        for part in self.root.all("Games"):
            for element in part.children:
                if element.name != "Game" and element.name[0] not in "!?":
                    error = self.error(f"<{element.name}> stands among the games", element)
                    skip_or_raise(self.skipped, error, "game")
            for element, text in [
                (part, part.text),
                *((each, each.tail) for each in part.children),
            ]:
                if text.strip():
                    error = self.error(f"{text.strip()[:40]!r} stands among the games", element)
                    skip_or_raise(self.skipped, error, "game")
        for element in self.root.all("Game"):
            try:
                game = self.game(element)
                both = {(game.round, game.first), (game.round, game.second)}
                if self.skipped is not None and both & taken:
                    raise self.error(f"a player has two games in round {game.round}", element)
            except InputError as error:
                skip_or_raise(self.skipped, error, "game")
                continue
            taken |= both
            games.append(game)
        return tuple(games)

    def game(self, element: Element) -> Game:
        text = element.attributes.get("result", "RESULT_UNKNOWN").strip()
        if text not in RESULTS:
            raise self.error(f"{text!r} is not a result", element)
        result, forfeit = RESULTS[text]
        first, second = (self.player_named(element, f"{side}Player") for side in ("black", "white"))
        if first == second:
            raise self.error("a player meets himself", element)
        return Game(
            round=self.round_of(element),
            table=self.number_in(element, "tableNumber", 1, 10**6),
            first=first,
            second=second,
            handicap=self.number_in(element, "handicap", 0, 99),
            result=result,
            forfeit=forfeit,
            known_colour=element.attributes.get("knownColor", "true").strip() != "false",
            line=element.line,
        )

    def teams(self, rounds: int) -> tuple[Team, ...]:
        """The teams without boards that cannot be used.

        OpenGotha leaves these too, after their players are deleted.
        """
        teams = []
        for place, element in enumerate(self.root.all("Team"), 1):
            lines: list[dict[int, int]] = [{} for _ in range(rounds)]
            for board in element.all("Board"):
                try:
                    at = self.number_in(board, "boardNumber", 1, _MOST_BOARDS)
                    who = self.player_named(board, "player")
                    when = self.number_in(board, "roundNumber", 0, 10**6)
                except InputError as error:
                    if self.skipped is not None:
                        skip_or_raise(self.skipped, error, "board")
                    continue
                for line in lines if when == 0 else lines[when - 1 : when]:
                    line[max(at, 1)] = who
            lineups = [
                tuple(line.get(at, -1) for at in range(1, max(line, default=0) + 1))
                for line in lines
            ]
            number = self.number_in(element, "teamNumber", place, 10**6)
            name = element.attributes.get("teamName", "") or f"Team {place}"
            teams.append(Team(name=name, number=number, lineups=shortened(lineups)))
        return tuple(teams)

    def team_rules(self) -> TeamRules:
        """Boards of a match, and the criteria of the standings of teams."""
        general = self.section("TeamGeneralParameterSet")
        size = self.number_in(general, "teamSize", 4, _MOST_BOARDS)
        criteria = self.criteria(self.section("TeamPlacementParameterSet"))
        return TeamRules(size=max(size, 1), criteria=criteria)


_INDENT = "    "
#: OpenGotha has room for so many criteria.
_CRITERIA = 6
_NO_RATING = -900.0
_RESULT_NAMES = {value: name for name, value in RESULTS.items()}
#: The attributes of an element; first what tells it from others of its name.
_Record = tuple[Any, dict[str, str]]


def write_opengotha(tournament: Tournament) -> bytes:
    """The tournament as the bytes of an OpenGotha file.

    Raises:
        InputError: A game has a result that OpenGotha does not know.

    Examples:
        >>> from yardstone.tournament.model import Game, Player, Result, Tournament
        >>> players = [Player(name="Ann", first_name="Lee", rank=1), Player(name="Bo", rank=0)]
        >>> game = Game(round=1, table=1, first=1, second=0, result=Result.second_wins)
        >>> made = Tournament(name="Small", rounds=1, players=tuple(players), games=(game,))
        >>> b'result="RESULT_WHITEWINS"' in write_opengotha(made)
        True
    """
    check_half_results(tournament, "OpenGotha")
    tournament = _nameable(tournament)
    if isinstance(tournament.document, XmlFile):
        document = tournament.document.copy()
        before = read_opengotha(write_xml(document), tournament.file)
    else:
        document, before = XmlFile(_empty()), None
    _update_records(document.root, tournament, before)
    _update_settings(document.root, tournament, before)
    _update_teams(document.root, tournament, before)
    return write_xml(document)


def _nameable(tournament: Tournament) -> Tournament:
    """The same as OpenGotha can have it: with a round, and no two players of one name."""
    taken: set[str] = set()
    players = []
    for number, player in enumerate(tournament.players, 1):
        while key(player) in taken:
            player = replace(player, first_name=f"{player.first_name} ({number})".strip())
        taken.add(key(player))
        players.append(player)
    return replace(tournament, rounds=max(tournament.rounds, 1), players=tuple(players))


def _empty() -> Element:
    root = Element("Tournament", {"dataVersion": "201"})
    for name in ("Players", "Games", "TournamentParameterSet"):
        settings = _append(root, name, depth=1)
    for name in ("General", "Handicap", "Placement", "Pairing"):
        _append(settings, f"{name}ParameterSet", depth=2)
    return root


def _append(
    parent: Element, name: str, attributes: Mapping[str, str] | None = None, *, depth: int
) -> Element:
    """A new last child, with the line breaks of its brothers or else of its depth."""
    child = Element(name, dict(attributes or {}))
    if parent.children:
        last = parent.children[-1]
        child.tail = last.tail
        last.tail = parent.children[-2].tail if len(parent.children) > 1 else parent.text
    elif not parent.text.strip():
        parent.text = "\n" + _INDENT * depth
        child.tail = "\n" + _INDENT * (depth - 1)
    parent.children.append(child)
    return child


def _remove(parent: Element, gone: Iterable[Element]) -> None:
    for child in gone:
        place = next(n for n, other in enumerate(parent.children) if other is child)
        if place == len(parent.children) - 1 and place:
            parent.children[-2].tail = child.tail
        del parent.children[place]


def _written_section(
    parent: Element, name: str, depth: int, *, before: str | None = None, after: str | None = None
) -> Element:
    """The child of that name, made if need be: at its place, or else as the last."""
    section = parent.find(name)
    if section is not None:
        return section
    places = (n + (c.name == after) for n, c in enumerate(parent.children)
              if c.name in (before, after))  # fmt: skip
    place = next(places, None)
    if place is None:
        return _append(parent, name, depth=depth)
    made = Element(name, tail=parent.children[place - 1].tail if place else parent.text)
    parent.children.insert(place, made)
    return made


def _set(element: Element, texts: dict[str, str], earlier: dict[str, str] | None) -> None:
    """Write the attributes that mean something else than before; new elements get all."""
    for name in sorted(texts):
        if earlier is None or earlier.get(name) != texts[name]:
            element.attributes[name] = texts[name]
    if earlier is None:
        element.attributes = dict(sorted(element.attributes.items()))


def _merge(parent: Element, name: str, old: list[_Record], new: list[_Record]) -> None:
    """Make the elements called `name` be those of `new`, by their keys."""
    elements = [child for child in parent.children if child.name == name]
    at = {key: (element, texts) for element, (key, texts) in zip(elements, old, strict=True)}
    keys = {key for key, _ in new}
    _remove(parent, [element for key, (element, _) in at.items() if key not in keys])
    for key_, texts in new:
        element, earlier = at.get(key_, (None, None))
        _set(element or _append(parent, name, depth=2), texts, earlier)


def _update_records(root: Element, tournament: Tournament, before: Tournament | None) -> None:
    """Players, games and byes."""
    old_rating = _is_old(root)
    there_before = {} if before is None else _records(before, old_rating)
    for name, new in _records(tournament, old_rating).items():
        old = there_before.get(name, [])
        if name == "ByePlayer" and not (old or new):
            continue
        places = {"Player": {"before": "Games"}, "ByePlayer": {"after": "Games"}}
        section = _written_section(root, f"{name}s", 1, **places.get(name, {}))
        there = sum(child.name == name for child in section.children)
        if there != len(old):
            raise tournament.error(
                f"{there} of {len(old)} elements {name} stand in {section.name}",
                hint="move the others there, or convert the file",
            )
        _merge(section, name, old, new)
        if name == "ByePlayer" and not new:
            _remove(root, [section])


def _records(tournament: Tournament, old_rating: bool) -> dict[str, list[_Record]]:
    """All players, games and byes of a tournament by the names of their elements."""
    names = [key(player) for player in tournament.players]
    players = [_player_texts(player, old_rating) for player in tournament.players]
    games = [
        {
            "roundNumber": str(game.round),
            "tableNumber": str(game.table),
            "whitePlayer": names[game.second],
            "blackPlayer": names[game.first],
            "knownColor": _TRUTH.format(game.known_colour),
            "handicap": str(game.handicap),
            "result": _RESULT_NAMES[
                game.result, game.forfeit and game.result is not Result.unknown
            ],
        }
        for game in tournament.games
    ]
    pairs = [
        (game.round, frozenset((names[game.first], names[game.second])))
        for game in tournament.games
    ]
    byes = [(bye.round, names[bye.player]) for bye in tournament.byes]
    return {
        "Player": list(zip(names, players, strict=True)),
        "Game": list(zip(pairs, games, strict=True)),
        "ByePlayer": [((n, who), {"player": who, "roundNumber": str(n)}) for n, who in byes],
    }


def _player_texts(player: Player, old_rating: bool) -> dict[str, str]:
    rating = _NO_RATING if player.rating is None else player.rating
    return {
        **player.extras,
        "name": player.name,
        **_texts(_PLAYER_TEXTS, player),
        **{attribute: player.ids.get(kind, "") for kind, attribute in _IDS.items()},
        "rank": format_rank(LOWEST if player.rank is None else player.rank),
        "rating": str(round(rating - (_OLD_RATING_ZERO if old_rating else 0))),
        "smmsCorrection": str(player.smms_correction),
        "participating": "".join("01"[n not in player.absent] for n in range(1, LAST_ROUND + 1)),
        "registeringStatus": "FIN" if player.registered else "PRE",
    }


def _update_settings(root: Element, tournament: Tournament, before: Tournament | None) -> None:
    settings = _written_section(root, "TournamentParameterSet", 1)
    for name, fields, part in (
        ("General", _GENERAL, None),
        ("General", SCORING, "scoring"),
        ("General", TIME, "time"),
        ("Handicap", HANDICAP, "handicap"),
        ("Pairing", PAIRING, "pairing"),
    ):
        element = _written_section(settings, f"{name}ParameterSet", 2)
        new, old = (
            None if t is None else _texts(fields, getattr(t, part) if part else t)
            for t in (tournament, before)
        )
        _set(element, new or {}, old)
    general = _written_section(settings, "GeneralParameterSet", 2)
    if before is None or before.time.period != tournament.time.period:
        canadian = tournament.time.system is TimeSystem.canadian
        name = "canByoYomiTime" if canadian else "stdByoYomiTime"
        general.attributes[name] = str(tournament.time.period)
    if before is None or before.scoring.categories != tournament.scoring.categories:
        _update_categories(general, tournament.scoring.categories)
    if before is None or before.scoring.criteria != tournament.scoring.criteria:
        placement = _written_section(settings, "PlacementParameterSet", 2)
        _update_criteria(placement, tournament.scoring.criteria)


def _team_texts(tournament: Tournament) -> list[tuple[dict[str, str], list[dict[str, str]]]]:
    """The attributes of the teams, and of their boards."""
    names = [key(player) for player in tournament.players]
    return [
        (
            {"teamName": team.name, "teamNumber": str(team.number or place)},
            [
                {"boardNumber": str(at), "player": names[who], "roundNumber": str(when)}
                for when in range(1, max(tournament.rounds, 1) + 1)
                for at, who in enumerate(team.lineup(when), 1)
                if who >= 0
            ],
        )
        for place, team in enumerate(tournament.teams, 1)
    ]


def _update_teams(root: Element, tournament: Tournament, before: Tournament | None) -> None:
    texts = _team_texts(tournament)
    if texts != ([] if before is None else _team_texts(before)):
        _remove(root, [child for child in root.children if child.name == "Teams"])
        for attributes, boards in texts:
            section = _written_section(root, "Teams", 1, before="TournamentParameterSet")
            element = _append(section, "Team", attributes, depth=2)
            for board in boards:
                _append(element, "Board", board, depth=3)
    earlier = TeamRules() if before is None else before.team_rules
    if tournament.team_rules != earlier:
        rules = _written_section(root, "TeamTournamentParameterSet", 1)
        general = _written_section(rules, "TeamGeneralParameterSet", 2)
        general.attributes["teamSize"] = str(tournament.team_rules.size)
        if tournament.team_rules.criteria != earlier.criteria:
            placement = _written_section(rules, "TeamPlacementParameterSet", 2)
            _update_criteria(placement, tournament.team_rules.criteria)


def _update_categories(general: Element, limits: tuple[int, ...]) -> None:
    general.attributes["numberOfCategories"] = str(len(limits) + 1)
    _remove(general, [child for child in general.children if child.name == "Categories"])
    if not limits:
        general.text = general.text if general.text.strip() else ""
        return
    group = _append(general, "Categories", depth=3)
    for number, limit in enumerate(limits, 1):
        texts = {"lowerLimit": format_rank(limit), "number": str(number)}
        _append(group, "Category", texts, depth=4)


def _update_criteria(placement: Element, criteria: tuple[str, ...]) -> None:
    name = "PlacementCriteria"
    group = placement.find(name) or _append(placement, name, depth=3)
    room = max(_CRITERIA, len(criteria))
    names = [*criteria, *["NULL"] * (room - len(criteria))]
    elements = [child for child in group.children if child.name == "PlacementCriterion"]
    for number, name in enumerate(names, 1):
        if number > len(elements):
            elements.append(_append(group, "PlacementCriterion", depth=4))
        elements[number - 1].attributes |= {"name": _MIXED.get(name, name), "number": str(number)}
