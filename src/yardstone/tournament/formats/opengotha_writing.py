"""Writes OpenGotha's files: what was read from one and not changed stays as it was.

A tournament that was read from such a file is written over a copy of that file: only
the attributes whose meaning differs are touched, so that whatever Yardstone does not
use (what is published, attributes of later versions) comes back unharmed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from yardstone.records.decoding import whole_number
from yardstone.tournament.formats import opengotha_fields as known
from yardstone.tournament.formats.half_results import check_half_results
from yardstone.tournament.formats.opengotha_reading import SINCE, key, read_opengotha
from yardstone.tournament.formats.opengotha_teams import team_elements
from yardstone.tournament.formats.xml_files import Element, XmlFile, write_xml
from yardstone.tournament.model import Bye, Game, Player, Result, Tournament
from yardstone.tournament.rules import TeamRules, TimeSystem

__all__ = ["write_opengotha"]

_INDENT = "    "
#: OpenGotha has room for so many criteria.
_CRITERIA = 6
_NO_RATING = -900.0
_RESULT_NAMES = {value: name for name, value in known.RESULTS.items()}


def write_opengotha(tournament: Tournament) -> bytes:
    """The tournament as the bytes of an OpenGotha file.

    Raises
    ------
    InputError
        A game has a result that OpenGotha does not know.

    Examples
    --------
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
    """The same with a round at least, and no two players of one name.

    OpenGotha knows no tournament without rounds, and its games name players: a second one
    of a name gets his number in the list behind it.
    """
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


def _section(root: Element, name: str, *, before: str | None = None) -> Element:
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
    parent = _section(root, "Players", before="Games")
    version = whole_number(root.attributes.get("dataVersion", ""))
    shift = 2050.0 if version is not None and version < SINCE else 0.0

    def texts(player: Player) -> dict[str, str]:
        rating = _NO_RATING if player.rating is None else player.rating
        part = "".join("01"[n not in player.absent] for n in range(1, known.LAST_ROUND + 1))
        return {
            **player.extras,
            "name": player.name,
            "firstName": player.first_name,
            "country": player.country,
            "club": player.club,
            "egfPin": player.ids.get("egf", ""),
            "ffgLicence": player.ids.get("ffg", ""),
            "agaId": player.ids.get("aga", ""),
            "rank": known.format_rank(known.LOWEST if player.rank is None else player.rank),
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

    _merge(_section(root, "Games"), "Game", *_both(tournament, before, make))


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
            place = root.children.index(_section(root, "Games")) + 1
            section.tail = root.children[place - 1].tail
            root.children.insert(place, section)
        _merge(section, "ByePlayer", old, new)
        if not new:
            _remove(root, [section])


def _key(player: Player) -> str:
    return key(player.name, player.first_name)


def _update_settings(root: Element, tournament: Tournament, before: Tournament | None) -> None:
    settings = _section(root, "TournamentParameterSet")
    for name, fields, part in (
        ("General", known.GENERAL, None),
        ("General", known.SCORING, "scoring"),
        ("General", known.TIME, "time"),
        ("Handicap", known.HANDICAP, "handicap"),
        ("Pairing", known.PAIRING, "pairing"),
    ):
        element = _section(settings, f"{name}ParameterSet")
        new, old = (
            None if t is None else known.texts_of(fields, getattr(t, part) if part else t)
            for t in (tournament, before)
        )
        _set(element, new or {}, old)
    general = _section(settings, "GeneralParameterSet")
    if before is None or before.time.period != tournament.time.period:
        canadian = tournament.time.system is TimeSystem.canadian
        name = "canByoYomiTime" if canadian else "stdByoYomiTime"
        general.attributes[name] = str(tournament.time.period)
    if before is None or before.scoring.categories != tournament.scoring.categories:
        _update_categories(general, tournament.scoring.categories)
    if before is None or before.scoring.criteria != tournament.scoring.criteria:
        placement = _section(settings, "PlacementParameterSet")
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
            _append(_section(root, "Teams", before="TournamentParameterSet"), element, depth=2)
            for board in boards:
                _append(element, Element("Board", board), depth=3)
    earlier = None if before is None else before.team_rules
    if tournament.team_rules != (earlier or TeamRules()):
        rules = _section(root, "TeamTournamentParameterSet")
        general = _section(rules, "TeamGeneralParameterSet")
        general.attributes["teamSize"] = str(tournament.team_rules.size)
        if tournament.team_rules.criteria != (earlier or TeamRules()).criteria:
            placement = _section(rules, "TeamPlacementParameterSet")
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
        made = Element("Category", {"lowerLimit": known.format_rank(limit), "number": str(number)})
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
        text = known.format_criterion(name)
        if number <= len(elements):
            elements[number - 1].attributes |= {"name": text, "number": str(number)}
        else:
            made = Element("PlacementCriterion", {"name": text, "number": str(number)})
            _append(group, made, depth=4)
