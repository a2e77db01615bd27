"""Reads the files of OpenGotha, the most used program for Go tournaments in Europe.

Old and new versions of the format are known (dataVersion 200 and 201, and those of
3.50 and later without one). White moves second.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

from yardstone.errors import InputError
from yardstone.pool import Skipped, SkipReport
from yardstone.records.decoding import finite_number, whole_number
from yardstone.tournament.formats import opengotha_fields as known
from yardstone.tournament.formats.opengotha_teams import read_team_rules, read_teams
from yardstone.tournament.formats.xml_files import Element, XmlFile, parse_xml
from yardstone.tournament.model import Bye, Game, Player, Result, System, Tournament
from yardstone.tournament.rules import HandicapRules, PairingSettings, Scoring, TimeControl

__all__ = ["SINCE", "key", "read_opengotha"]

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

    Parameters
    ----------
    data : bytes
        The whole file.
    file : str
        What messages call it.
    skipped : SkipReport, optional
        Takes games that cannot be used; without it the first one is an error.

    Raises
    ------
    InputError
        The file is no such file, or something in it cannot be used.
    """
    document = parse_xml(data, file, root="Tournament")
    root = document.root
    reader = _XmlReader(document, file, skipped)
    players = reader.players()
    games = reader.games()
    byes = reader.byes()
    general = _section(root, "GeneralParameterSet")
    values = known.fields_of(known.GENERAL, general.attributes, file, general.line)
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
        handicap=HandicapRules(**_values(root, "HandicapParameterSet", known.HANDICAP, file)),
        pairing=PairingSettings(**_values(root, "PairingParameterSet", known.PAIRING, file)),
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
    root: Element, section: str, fields: tuple[known.Attribute, ...], file: str
) -> dict[str, Any]:
    element = _section(root, section)
    return known.fields_of(fields, element.attributes, file, element.line)


def _time_of(general: Element, file: str) -> TimeControl:
    """The time limits from the general settings."""
    attributes = dict(general.attributes)
    if "basicTime" not in attributes and "time" in attributes:
        attributes["basicTime"] = attributes["time"]
    if "complementaryTimeSystem" not in attributes and "byoYomi" in attributes:
        byo_yomi = attributes["byoYomi"].strip().lower() == "true"
        attributes["complementaryTimeSystem"] = "CANBYOYOMI" if byo_yomi else "SUDDENDEATH"
    values = known.fields_of(known.TIME, attributes, file, general.line)
    canadian = attributes.get("complementaryTimeSystem", "CANBYOYOMI") == "CANBYOYOMI"
    name, default = ("canByoYomiTime", "300") if canadian else ("stdByoYomiTime", "30")
    period = known.Attribute(name, "period", known.HANDICAP[2].codec, default)
    return TimeControl(**values, **known.fields_of([period], attributes, file, general.line))


def _scoring(root: Element, general: Element, file: str) -> Scoring:
    values = known.fields_of(known.SCORING, general.attributes, file, general.line)
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
            limits.append((int(element.attributes.get("number", "1")), known.parse_rank(limit)))
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
        rank = known.parse_rank(attributes.get("rank", "30K"))
    except ValueError as error:
        try:
            rank = known.parse_rank(grade)
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
        if text not in known.RESULTS:
            raise InputError(f"{text!r} is not a result", file=self.file, line=element.line)
        result, forfeit = known.RESULTS[text]
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
