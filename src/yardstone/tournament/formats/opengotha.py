"""Reads and writes the files of OpenGotha, fields of Go and settings of teams included.

Which attribute is which field of a tournament stands once, both ways. Defaults are those which
OpenGotha itself takes for attributes that a file lacks.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from yardstone.errors import InputError
from yardstone.grades import format_grade, split_grade
from yardstone.pool import Skipped, SkipReport
from yardstone.records.decoding import finite_number, whole_number
from yardstone.tournament.formats.text_files import (
    Element,
    XmlFile,
    check_half_results,
    parse_xml,
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

__all__ = [
    "GENERAL",
    "HANDICAP",
    "LAST_ROUND",
    "PAIRING",
    "RESULTS",
    "SCORING",
    "TIME",
    "LOWEST",
    "Attribute",
    "format_criterion",
    "format_rank",
    "fields_of",
    "parse_rank",
    "texts_of",
    "read_team_rules",
    "read_teams",
    "team_elements",
    "SINCE",
    "key",
    "read_opengotha",
    "write_opengotha",
]


#: A file says for so many rounds who takes part.
LAST_ROUND = 20
LOWEST, HIGHEST = -30, 8
_LARGEST = 10**18


@dataclass(frozen=True, slots=True)
class Codec:
    """From the text of an attribute to a value and back; `parse` may raise ValueError."""

    parse: Callable[[str], Any]
    format: Callable[[Any], str]


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute, the name of the field, how it is written, and its default."""

    attribute: str
    name: str
    codec: Codec
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


def _truth(text: str) -> bool:
    return text.strip().lower() == "true"


def _date(text: str) -> date | None:
    return date.fromisoformat(text.strip()) if text.strip() else None


def _choice(values: Mapping[str, Any], *, name: str) -> Codec:
    texts = {value: text for text, value in reversed(list(values.items()))}

    def parse(text: str) -> Any:
        try:
            return values[text.strip()]
        except KeyError:
            raise ValueError(f"{text!r} is no {name} ({', '.join(values)})") from None

    return Codec(parse, lambda value: texts.get(value, next(iter(values))))


def _short(number: float) -> str:
    return f"{number:g}" if number != int(number) else f"{number:.1f}"


_TEXT = Codec(str, str)
_WHOLE = Codec(_whole, str)
_DECIMAL = Codec(_decimal, _short)
_KOMI = Codec(
    lambda text: _decimal(text) if text.strip() else None,
    lambda value: "" if value is None else f"{value:g}",
)
_TRUTH = Codec(_truth, lambda value: "true" if value else "false")
_DATE = Codec(_date, lambda value: "" if value is None else value.isoformat())
_RANK = Codec(parse_rank, format_rank)
_HALVES = Codec(lambda text: _whole(text) / 2, lambda value: str(round(2 * value)))
_MINUTES = Codec(lambda text: 60 * _whole(text), lambda value: str(round(value / 60)))
_FLOAT = _choice(
    {"MID": FloatMode.middle, "TOP": FloatMode.top, "BOT": FloatMode.bottom}, name="choice"
)
_SEED = _choice(
    {
        "SPLITANDRANDOM": SeedSystem.random,
        "SPLITANDFOLD": SeedSystem.fold,
        "SPLITANDSLIP": SeedSystem.slide,
    },
    name="seeding",
)
_SYSTEM = _choice(
    {
        "SUDDENDEATH": TimeSystem.sudden_death,
        "STDBYOYOMI": TimeSystem.byo_yomi,
        "CANBYOYOMI": TimeSystem.canadian,
        "FISCHER": TimeSystem.fischer,
    },
    name="time system",
)
_MIXED = {"RANK": "Rank", "RATING": "Rating"}
_CRITERION = Codec(lambda text: text.strip().upper(), lambda name: _MIXED.get(name, name))

GENERAL = (
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
        f"RESULT_{name}{ending}": (result, forfeit)
        for name, result in (
            ("WHITEWINS", Result.second_wins),
            ("BLACKWINS", Result.first_wins),
            ("EQUAL", Result.draw),
            ("BOTHWIN", Result.both_win),
            ("BOTHLOSE", Result.both_lose),
        )
        for ending, forfeit in (("", False), ("_BYDEF", True))
    },
}


def fields_of(
    fields: Iterable[Attribute], attributes: Mapping[str, str], file: str, line: int
) -> dict[str, Any]:
    """The values of fields from the attributes of an element."""
    values = {}
    for field in fields:
        text = attributes.get(field.attribute, field.default)
        try:
            values[field.name] = field.codec.parse(text)
        except ValueError as error:
            message = str(error)
            reason = message if message.startswith(repr(text)) else "this cannot be used"
            raise InputError(
                f'{field.attribute}="{text}": {reason}', file=file, line=line
            ) from None
    return values


def texts_of(fields: Iterable[Attribute], owner: Any) -> dict[str, str]:
    """The attributes of an element from the values of fields."""
    return {field.attribute: field.codec.format(getattr(owner, field.name)) for field in fields}


def format_criterion(name: str) -> str:
    """The name of a criterion as OpenGotha writes it."""
    return _MIXED.get(name, name)


_MOST_BOARDS = 100


def read_teams(
    root: Element,
    player: Callable[[Element, str], int],
    number: Callable[[Element, str, str, int], int],
    rounds: int,
    skip: Callable[[InputError], None],
) -> tuple[Team, ...]:
    """The teams of a file; `player` and `number` read attributes, `skip` takes bad boards."""
    teams = []
    for place, element in enumerate(root.all("Team"), 1):
        lines: list[dict[int, int]] = [{} for _ in range(rounds)]
        for board in element.all("Board"):
            try:
                at = number(board, "boardNumber", "1", _MOST_BOARDS)
                who = player(board, "player")
                when = number(board, "roundNumber", "0", 10**6)
            except InputError as error:
                skip(error)
                continue
            for line in lines if when == 0 else lines[when - 1 : when]:
                line[max(at, 1)] = who
        lineups = [
            tuple(line.get(at, -1) for at in range(1, max(line, default=0) + 1)) for line in lines
        ]
        teams.append(
            Team(
                name=element.attributes.get("teamName", "") or f"Team {place}",
                number=number(element, "teamNumber", str(place), 10**6),
                lineups=shortened(lineups),
            )
        )
    return tuple(teams)


def read_team_rules(root: Element, number: Callable[[Element, str, str, int], int]) -> TeamRules:
    """Boards of a match, and the criteria of the standings of teams."""
    size = 4
    for element in root.all("TeamGeneralParameterSet"):
        size = number(element, "teamSize", "4", _MOST_BOARDS)
    criteria = []
    for section in root.all("TeamPlacementParameterSet"):
        for place, element in enumerate(section.all("PlacementCriterion"), 1):
            name = element.attributes.get("name", "NULL").strip().upper()
            if name != "NULL":
                criteria.append((number(element, "number", str(place), 10**6), name))
    return TeamRules(size=max(size, 1), criteria=tuple(name for _, name in sorted(criteria)))


def team_elements(tournament: Tournament, key: Callable[[int], str]) -> list[Element]:
    """The elements of the teams; `key` gives the text that names a player."""
    made = []
    for place, team in enumerate(tournament.teams, 1):
        attributes = {"teamName": team.name, "teamNumber": str(team.number or place)}
        element = Element("Team", attributes)
        for when in range(1, max(tournament.rounds, 1) + 1):
            for at, who in enumerate(team.lineup(when), 1):
                if who >= 0:
                    texts = {"boardNumber": str(at), "player": key(who), "roundNumber": str(when)}
                    element.children.append(Element("Board", texts))
        made.append(element)
    return made


MAX_PLAYERS = 20_000
MAX_ROUNDS = 200
#: Ratings of files before this version count from 1 dan = 0 and names are plain ASCII.
SINCE = 201
_OLD_RATING_ZERO = 2050
_IDS = {"egf": "egfPin", "ffg": "ffgLicence", "aga": "agaId"}
_PLAYER = {
    "name", "firstName", "country", "club", "rank", "grade", "rating", "ratingOrigin",
    "smmsCorrection", "participating", "registeringStatus", *_IDS.values(),
}  # fmt: skip


def read_opengotha(data: bytes, file: str = "", *, skipped: SkipReport | None = None) -> Tournament:
    """A tournament from the bytes of an OpenGotha file.

    `file` is what messages call it; `skipped` takes games that cannot be used, without it the first
    one is an error.
    """
    document = parse_xml(data, file, root="Tournament")
    root = document.root
    reader = _XmlReader(document, file, skipped)
    players = reader.players()
    games = reader.games()
    byes = reader.byes()
    general = _section(root, "GeneralParameterSet")
    values = fields_of(GENERAL, general.attributes, file, general.line)
    last = max([0, *(game.round for game in games), *(bye.round for bye in byes)])
    values["rounds"] = max(values["rounds"], last)
    if not 0 < values["rounds"] <= MAX_ROUNDS:
        raise InputError(f"{values['rounds']} rounds", file=file, line=general.line or None)
    scoring = _scoring(root, general, file)
    return Tournament(
        **values,
        discipline="go",
        system=_system(scoring.criteria),
        players=players,
        games=tuple(games),
        byes=tuple(byes),
        scoring=scoring,
        handicap=HandicapRules(**_values(root, "HandicapParameterSet", HANDICAP, file)),
        pairing=PairingSettings(**_values(root, "PairingParameterSet", PAIRING, file)),
        time=_time_of(general, file),
        teams=read_teams(
            root, reader.player_named, reader.number_in, values["rounds"], reader.skip_board
        ),
        team_rules=read_team_rules(root, reader.number_in),
        club_groups=tuple(
            frozenset(club.attributes.get("name", "") for club in group.all("Club"))
            for group in root.all("ClubsGroup")
        ),
        document=document,
        file=file,
    )


def _section(root: Element, name: str) -> Element:
    return next(root.all(name), Element(name))


def _values(
    root: Element, section: str, fields: tuple[Attribute, ...], file: str
) -> dict[str, Any]:
    element = _section(root, section)
    return fields_of(fields, element.attributes, file, element.line)


def _time_of(general: Element, file: str) -> TimeControl:
    """The time limits from the general settings."""
    attributes = dict(general.attributes)
    if "basicTime" not in attributes and "time" in attributes:
        attributes["basicTime"] = attributes["time"]
    if "complementaryTimeSystem" not in attributes and "byoYomi" in attributes:
        byo_yomi = attributes["byoYomi"].strip().lower() == "true"
        attributes["complementaryTimeSystem"] = "CANBYOYOMI" if byo_yomi else "SUDDENDEATH"
    values = fields_of(TIME, attributes, file, general.line)
    canadian = attributes.get("complementaryTimeSystem", "CANBYOYOMI") == "CANBYOYOMI"
    name, default = ("canByoYomiTime", "300") if canadian else ("stdByoYomiTime", "30")
    period = Attribute(name, "period", HANDICAP[2].codec, default)
    return TimeControl(**values, **fields_of([period], attributes, file, general.line))


def _scoring(root: Element, general: Element, file: str) -> Scoring:
    values = fields_of(SCORING, general.attributes, file, general.line)
    placement = _section(root, "PlacementParameterSet")
    numbered = []
    for place, element in enumerate(placement.all("PlacementCriterion")):
        text = element.attributes.get("number", str(place + 1))
        number = whole_number(text)
        if number is None:
            raise InputError(f'number="{text}": no number', file=file, line=element.line)
        numbered.append((number, element.attributes.get("name", "NULL").strip().upper()))
    criteria = tuple(name for _, name in sorted(numbered) if name != "NULL")
    limits = []
    for element in general.all("Category"):
        limit = element.attributes.get("lowerLimit", "30K")
        try:
            limits.append((int(element.attributes.get("number", "1")), parse_rank(limit)))
        except ValueError as error:
            raise InputError(
                f"a category cannot be read: {error}", file=file, line=element.line
            ) from None
    return Scoring(**values, criteria=criteria, categories=tuple(r for _, r in sorted(limits)))


def _system(criteria: tuple[str, ...]) -> System:
    for name in criteria:
        if name in ("MMS", "STS"):
            return System.mcmahon
        if name in ("NBW", "CAT"):
            return System.swiss
        if name == "CPS":
            return System.cup
    return System.other


def key(name: str, first_name: str) -> str:
    """The text by which games name a player: capitals without blanks."""
    return (name + first_name).replace(" ", "").upper()


def _plain_key(text: str) -> str:
    """The same in plain letters, for old files and those whose encoding was damaged."""
    letters = unicodedata.normalize("NFKD", text.replace("ø", "o").replace("Ø", "O")).upper()
    return "".join(letter for letter in letters if "A" <= letter <= "Z")


def _player_of(attributes: Mapping[str, str], file: str, line: int, *, old: bool) -> Player:
    """A player from the attributes of an element."""

    def number(name: str, default: str) -> float:
        text = attributes.get(name, default).strip() or default
        value = finite_number(text, below=1e6)
        if value is None:
            raise InputError(f'{name}="{text}": no such number', file=file, line=line)
        return value

    name = attributes.get("name", "")
    if not name.strip():
        raise InputError("a player without a name", file=file, line=line)
    grade = attributes.get("grade", "")
    try:
        rank = parse_rank(attributes.get("rank", "30K"))
    except ValueError as error:
        try:
            rank = parse_rank(grade)
        except ValueError:
            raise InputError(f"{name}: {error}", file=file, line=line) from None
    part = attributes.get("participating", "")
    return Player(
        name=name,
        first_name=attributes.get("firstName", ""),
        country=attributes.get("country", ""),
        club=attributes.get("club", ""),
        rank=rank,
        grade=grade,
        rating=number("rating", "-900") + (_OLD_RATING_ZERO if old else 0),
        rating_origin=attributes.get("ratingOrigin", ""),
        ids={kind: attributes[at] for kind, at in _IDS.items() if attributes.get(at)},
        smms_correction=int(number("smmsCorrection", "0")),
        absent=frozenset(place for place, mark in enumerate(part[:MAX_ROUNDS], 1) if mark == "0"),
        registered=attributes.get("registeringStatus", "FIN") != "PRE",
        extras={at: text for at, text in attributes.items() if at not in _PLAYER},
        line=line,
    )


class _XmlReader:
    def __init__(self, document: XmlFile, file: str, skipped: SkipReport | None) -> None:
        self.root = document.root
        self.file = file
        self.skipped = skipped
        version = whole_number(self.root.attributes.get("dataVersion", ""))
        self.old = version is not None and version < SINCE
        self.number: dict[str, int] = {}
        self.plain: dict[str, int] = {}

    def players(self) -> tuple[Player, ...]:
        players: list[Player] = []
        for element in self.root.all("Player"):
            player = _player_of(element.attributes, self.file, element.line, old=self.old)
            name = key(player.name, player.first_name)
            if name in self.number:
                raise InputError(
                    f"{player.full_name} is entered twice",
                    file=self.file,
                    line=element.line,
                    hint=f"also on line {players[self.number[name]].line}",
                )
            self.number[name] = len(players)
            self.plain.setdefault(_plain_key(name), len(players))
            players.append(player)
            if len(players) > MAX_PLAYERS:
                raise InputError(f"more than {MAX_PLAYERS:,} players", file=self.file)
        return tuple(players)

    def player_named(self, element: Element, attribute: str) -> int:
        """Number of the player whom an attribute names."""
        text = element.attributes.get(attribute, "")
        number = self.number.get(text.replace(" ", "").upper(), self.plain.get(_plain_key(text)))
        if number is None:
            raise InputError(f"no player is called {text!r}", file=self.file, line=element.line)
        return number

    def number_in(self, element: Element, attribute: str, default: str, highest: int) -> int:
        """An attribute that is a number up to `highest`."""
        text = element.attributes.get(attribute, default).strip()
        number = whole_number(text)
        if number is None or number > highest:
            raise InputError(
                f'{attribute}="{text}": no number from 0 to {highest}',
                file=self.file,
                line=element.line,
            )
        return number

    def skip_board(self, error: InputError) -> None:
        """Leave out a board of a team, as OpenGotha does after its player is deleted."""
        if self.skipped is not None:
            self.skipped.add(Skipped(self.file, error.line or 0, error.message), kind="board")

    def games(self) -> list[Game]:
        games: list[Game] = []
        taken: dict[tuple[int, int], int] = {}
        for element in self.root.all("Game"):
            try:
                game = self._game(element)
                for player in (game.first, game.second):
                    if self.skipped is not None and (game.round, player) in taken:
                        raise InputError(
                            f"a player has two games in round {game.round}",
                            file=self.file,
                            line=element.line,
                        )
            except InputError as error:
                if self.skipped is None:
                    raise
                self.skipped.add(Skipped(self.file, error.line or 0, error.message), kind="game")
                continue
            taken |= dict.fromkeys(((game.round, game.first), (game.round, game.second)), 0)
            games.append(game)
        return games

    def _game(self, element: Element) -> Game:
        attributes = element.attributes
        text = attributes.get("result", "RESULT_UNKNOWN").strip()
        if text not in RESULTS:
            raise InputError(f"{text!r} is not a result", file=self.file, line=element.line)
        result, forfeit = RESULTS[text]
        first, second = (
            self.player_named(element, "blackPlayer"),
            self.player_named(element, "whitePlayer"),
        )
        if first == second:
            raise InputError("a player meets himself", file=self.file, line=element.line)
        return Game(
            round=max(self.number_in(element, "roundNumber", "1", MAX_ROUNDS), 1),
            table=self.number_in(element, "tableNumber", "1", 10**6),
            first=first,
            second=second,
            handicap=self.number_in(element, "handicap", "0", 99),
            result=Result(result),
            forfeit=forfeit,
            known_colour=attributes.get("knownColor", "true").strip() != "false",
            line=element.line,
        )

    def byes(self) -> list[Bye]:
        return [
            Bye(
                max(self.number_in(element, "roundNumber", "1", MAX_ROUNDS), 1),
                self.player_named(element, "player"),
            )
            for element in self.root.all("ByePlayer")
        ]


_INDENT = "    "
#: OpenGotha has room for so many criteria.
_CRITERIA = 6
_NO_RATING = -900.0
_RESULT_NAMES = {value: name for name, value in RESULTS.items()}


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
        document = XmlFile(_empty())
        before = None
    root = document.root
    _update_players(root, tournament, before)
    _update_games(root, tournament, before)
    _update_byes(root, tournament, before)
    _update_settings(root, tournament, before)
    _update_teams(root, tournament, before)
    return write_xml(document)


def _nameable(tournament: Tournament) -> Tournament:
    """The same as OpenGotha can have it: with a round, and no two players of one name."""
    taken: set[str] = set()
    players = []
    for number, player in enumerate(tournament.players, 1):
        while _key(player) in taken:
            player = replace(player, first_name=f"{player.first_name} ({number})".strip())
        taken.add(_key(player))
        players.append(player)
    return replace(tournament, rounds=max(tournament.rounds, 1), players=tuple(players))


def _empty() -> Element:
    root = Element("Tournament", {"dataVersion": "201"})
    settings = Element("TournamentParameterSet")
    for name in ("General", "Handicap", "Placement", "Pairing"):
        _append(settings, Element(f"{name}ParameterSet"), depth=2)
    for child in (Element("Players"), Element("Games"), settings):
        _append(root, child, depth=1)
    return root


def _append(parent: Element, child: Element, *, depth: int) -> None:
    """Put a child last, with the line breaks of its brothers or else of its depth."""
    if parent.children:
        last = parent.children[-1]
        child.tail = last.tail
        last.tail = parent.children[-2].tail if len(parent.children) > 1 else parent.text
    elif not parent.text.strip():
        parent.text = "\n" + _INDENT * depth
        child.tail = "\n" + _INDENT * (depth - 1)
    parent.children.append(child)


def _remove(parent: Element, gone: Iterable[Element]) -> None:
    for child in gone:
        place = next(n for n, other in enumerate(parent.children) if other is child)
        if place == len(parent.children) - 1 and place:
            parent.children[-2].tail = child.tail
        del parent.children[place]


def _written_section(root: Element, name: str, *, before: str | None = None) -> Element:
    section = root.find(name)
    if section is not None:
        return section
    made = Element(name)
    place = next((n for n, c in enumerate(root.children) if c.name == before), None)
    if place is None:
        _append(root, made, depth=1)
    else:
        made.tail = root.children[place - 1].tail if place else root.text
        root.children.insert(place, made)
    return made


def _set(element: Element, texts: dict[str, str], earlier: dict[str, str] | None) -> None:
    """Write the attributes that mean something else than before; new elements get all."""
    for name in sorted(texts):
        if earlier is None or earlier.get(name) != texts[name]:
            element.attributes[name] = texts[name]
    if earlier is None:
        element.attributes = dict(sorted(element.attributes.items()))


def _merge(
    parent: Element,
    name: str,
    old: Sequence[tuple[Any, dict[str, str]]],
    new: Sequence[tuple[Any, dict[str, str]]],
) -> None:
    """Make the elements called `name` be those of `new`, by their keys."""
    elements = [child for child in parent.children if child.name == name]
    at = {key: (element, texts) for element, (key, texts) in zip(elements, old, strict=True)}
    keys = {key for key, _ in new}
    _remove(parent, [element for key, (element, _) in at.items() if key not in keys])
    for key_, texts in new:
        if key_ in at:
            element, earlier = at[key_]
            _set(element, texts, earlier)
        else:
            element = Element(name)
            _set(element, texts, None)
            _append(parent, element, depth=2)


def _both(
    tournament: Tournament,
    before: Tournament | None,
    make: Callable[[Tournament], list[tuple[Any, dict[str, str]]]],
) -> tuple[list[tuple[Any, dict[str, str]]], list[tuple[Any, dict[str, str]]]]:
    return ([] if before is None else make(before)), make(tournament)


def _update_players(root: Element, tournament: Tournament, before: Tournament | None) -> None:
    parent = _written_section(root, "Players", before="Games")
    version = whole_number(root.attributes.get("dataVersion", ""))
    shift = 2050.0 if version is not None and version < SINCE else 0.0

    def texts(player: Player) -> dict[str, str]:
        rating = _NO_RATING if player.rating is None else player.rating
        part = "".join("01"[n not in player.absent] for n in range(1, LAST_ROUND + 1))
        return {
            **player.extras,
            "name": player.name,
            "firstName": player.first_name,
            "country": player.country,
            "club": player.club,
            "egfPin": player.ids.get("egf", ""),
            "ffgLicence": player.ids.get("ffg", ""),
            "agaId": player.ids.get("aga", ""),
            "rank": format_rank(LOWEST if player.rank is None else player.rank),
            "grade": player.grade,
            "rating": str(round(rating - shift)),
            "ratingOrigin": player.rating_origin,
            "smmsCorrection": str(player.smms_correction),
            "participating": part,
            "registeringStatus": "FIN" if player.registered else "PRE",
        }

    _merge(
        parent,
        "Player",
        *_both(
            tournament,
            before,
            lambda t: [(key(p.name, p.first_name), texts(p)) for p in t.players],
        ),
    )


def _update_games(root: Element, tournament: Tournament, before: Tournament | None) -> None:
    def texts(of: Tournament, game: Game) -> dict[str, str]:
        return {
            "roundNumber": str(game.round),
            "tableNumber": str(game.table),
            "whitePlayer": _key(of.players[game.second]),
            "blackPlayer": _key(of.players[game.first]),
            "knownColor": "true" if game.known_colour else "false",
            "handicap": str(game.handicap),
            "result": _RESULT_NAMES[
                game.result, game.forfeit and game.result is not Result.unknown
            ],
        }

    def name(of: Tournament, game: Game) -> tuple[int, frozenset[str]]:
        return game.round, frozenset(_key(of.players[p]) for p in (game.first, game.second))

    def make(of: Tournament) -> list[tuple[Any, dict[str, str]]]:
        return [(name(of, game), texts(of, game)) for game in of.games]

    _merge(_written_section(root, "Games"), "Game", *_both(tournament, before, make))


def _update_byes(root: Element, tournament: Tournament, before: Tournament | None) -> None:
    def make(of: Tournament) -> list[tuple[Any, dict[str, str]]]:
        def one(bye: Bye) -> tuple[Any, dict[str, str]]:
            who = _key(of.players[bye.player])
            return (bye.round, who), {"player": who, "roundNumber": str(bye.round)}

        return [one(bye) for bye in of.byes]

    old, new = _both(tournament, before, make)
    if old or new:
        section = root.find("ByePlayers")
        if section is None:
            section = Element("ByePlayers")
            place = root.children.index(_written_section(root, "Games")) + 1
            section.tail = root.children[place - 1].tail
            root.children.insert(place, section)
        _merge(section, "ByePlayer", old, new)
        if not new:
            _remove(root, [section])


def _key(player: Player) -> str:
    return key(player.name, player.first_name)


def _update_settings(root: Element, tournament: Tournament, before: Tournament | None) -> None:
    settings = _written_section(root, "TournamentParameterSet")
    for name, fields, part in (
        ("General", GENERAL, None),
        ("General", SCORING, "scoring"),
        ("General", TIME, "time"),
        ("Handicap", HANDICAP, "handicap"),
        ("Pairing", PAIRING, "pairing"),
    ):
        element = _written_section(settings, f"{name}ParameterSet")
        new, old = (
            None if t is None else texts_of(fields, getattr(t, part) if part else t)
            for t in (tournament, before)
        )
        _set(element, new or {}, old)
    general = _written_section(settings, "GeneralParameterSet")
    if before is None or before.time.period != tournament.time.period:
        canadian = tournament.time.system is TimeSystem.canadian
        name = "canByoYomiTime" if canadian else "stdByoYomiTime"
        general.attributes[name] = str(tournament.time.period)
    if before is None or before.scoring.categories != tournament.scoring.categories:
        _update_categories(general, tournament.scoring.categories)
    if before is None or before.scoring.criteria != tournament.scoring.criteria:
        placement = _written_section(settings, "PlacementParameterSet")
        _update_criteria(placement, tournament.scoring.criteria)


def _team_texts(tournament: Tournament) -> list[tuple[dict[str, str], list[dict[str, str]]]]:
    """What the elements of the teams, and of their boards, would say."""
    names = [_key(player) for player in tournament.players]
    elements = team_elements(tournament, names.__getitem__)
    return [(each.attributes, [board.attributes for board in each.children]) for each in elements]


def _update_teams(root: Element, tournament: Tournament, before: Tournament | None) -> None:
    texts = _team_texts(tournament)
    if texts != ([] if before is None else _team_texts(before)):
        _remove(root, [child for child in root.children if child.name == "Teams"])
        for attributes, boards in texts:
            element = Element("Team", attributes)
            _append(
                _written_section(root, "Teams", before="TournamentParameterSet"), element, depth=2
            )
            for board in boards:
                _append(element, Element("Board", board), depth=3)
    earlier = None if before is None else before.team_rules
    if tournament.team_rules != (earlier or TeamRules()):
        rules = _written_section(root, "TeamTournamentParameterSet")
        general = _written_section(rules, "TeamGeneralParameterSet")
        general.attributes["teamSize"] = str(tournament.team_rules.size)
        if tournament.team_rules.criteria != (earlier or TeamRules()).criteria:
            placement = _written_section(rules, "TeamPlacementParameterSet")
            _update_criteria(placement, tournament.team_rules.criteria)


def _update_categories(general: Element, limits: tuple[int, ...]) -> None:
    general.attributes["numberOfCategories"] = str(len(limits) + 1)
    _remove(general, [child for child in general.children if child.name == "Categories"])
    if not limits:
        general.text = general.text if general.text.strip() else ""
        return
    group = Element("Categories")
    _append(general, group, depth=3)
    for number, limit in enumerate(limits, 1):
        made = Element("Category", {"lowerLimit": format_rank(limit), "number": str(number)})
        _append(group, made, depth=4)


def _update_criteria(placement: Element, criteria: tuple[str, ...]) -> None:
    group = placement.find("PlacementCriteria")
    if group is None:
        group = Element("PlacementCriteria")
        _append(placement, group, depth=3)
    room = max(_CRITERIA, len(criteria))
    names = [*criteria, *["NULL"] * (room - len(criteria))]
    elements = [child for child in group.children if child.name == "PlacementCriterion"]
    for number, name in enumerate(names, 1):
        text = format_criterion(name)
        if number <= len(elements):
            elements[number - 1].attributes |= {"name": text, "number": str(number)}
        else:
            made = Element("PlacementCriterion", {"name": text, "number": str(number)})
            _append(group, made, depth=4)
