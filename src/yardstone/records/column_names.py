"""What the name of a column says: whose it is, and what it holds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = [
    "CHESS",
    "DATES",
    "GO",
    "PAIRS",
    "SIDES",
    "TIMES",
    "Pair",
    "find_pair",
    "is_indicator",
    "kind_of",
    "label",
    "points_columns",
    "result_columns",
    "side_of",
    "tells_winner",
    "words",
]

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
#: Words beside the one that tells the side, the most telling column first.
_PLAYER_WORDS = (
    "name", "player", "full", "username", "user", "nick", "nickname", "handle", "team", "club",
    "engine", "model", "bot", "program", "agent", "fighter", "competitor", "participant", "side",
    "p", "abbr", "id",
)  # fmt: skip
#: A column called so alone holds one of the two players, whose opponent has another.
_SELF = frozenset({"player", "name", "team", "username", "user"})
_ALIASES = {
    "visitor": "away", "visiting": "away", "visitors": "away", "guest": "away", "road": "away",
    "v": "away", "host": "home", "local": "home", "h": "home", "winning": "winner",
    "losing": "loser", "opp": "opponent", "one": "1", "two": "2", "w": "white", "b": "black",
    "pw": "white", "pb": "black",
}  # fmt: skip
_POINTS_WORDS = (
    "score", "scores", "goals", "goal", "points", "pts", "pt", "runs", "result", "results",
    "outcome", "sets", "legs", "frames", "maps", "won", "win", "wins", "winner",
)  # fmt: skip
_INDICATORS = frozenset({"won", "win", "wins", "winner"})
_BESIDE = frozenset({"team", "final", "full", "time", "ft", "match", "game", "the", "total", "no"})
_RESULT_WORDS = (
    "result", "score", "outcome", "winner", "res", "points", "wdl", "ftr", "victor", "winning",
)  # fmt: skip
_BESIDE_RESULT = _BESIDE | {"name", "id", "player", "color", "colour", "side", "username"} | {
    "map", "series",
}  # fmt: skip
#: Words of columns that make a row several games, or part of one, and words beside them.
_COUNTS = frozenset(
    "count counts n times weight weights weighting multiplier multiplicity factor freq frequency "
    "frequencies repeats repetitions quantity occurrences anzahl häufigkeit gewicht faktor poids "
    "peso nombre cantidad aantal количество вес".split()
)
_GAMES = frozenset("games matches partien spiele parties partidas partidos partite партии".split())
_OF_COUNTS = _GAMES | frozenset("number num nb of the total played game match row rows".split())
#: Words of columns with the games that each side won, that were drawn, that it lost.
_TALLIES = {
    "wins": "win wins won victories siege gewonnen victoires victorias vittorie победы",
    "draws": "draw draws drawn tie ties tied remis unentschieden nuls nulles empates pareggi ничьи",
    "losses": "loss losses lost defeats niederlagen verloren défaites derrotas sconfitte поражения",
}
_COLOUR = frozenset("colour color colours colors farbe couleur kleur colore cor цвет".split())
_VENUES = frozenset("side venue location site ground stadium home away ha h a played".split())
#: Kinds of columns that tell who moved first, most of which flag a side, or name who has it.
SIDES = frozenset({"side", "white", "black", "home", "away", "first"})
_FLAGS = frozenset("is was has had plays played moves moved move to opponent opp 1 2".split())
_NEUTRAL = frozenset("neutral neutre neutro neutrale neutralsite neutralvenue".split())
_FOOTBALL = (("fthg", "ftag"), ("hg", "ag"), ("hgoal", "vgoal"), ("hscore", "vscore"))
DATES = (
    "datetime", "timestamp", "playedat", "utcdate", "date", "played", "begin", "day", "gamedate",
    "matchdate", "dategame", "gameday", "tourneydate",
)  # fmt: skip
TIMES = ("time", "utctime")
#: Words of columns that only tables of Go, or of chess, have.
GO = frozenset({"komi", "handicap", "hcap"})
CHESS = frozenset({"eco", "opening", "fen", "pgn", "uci", "san"})


@dataclass(frozen=True, slots=True)
class Pair:
    """Two columns of players and the labels of their sides.

    Attributes
    ----------
    first, second : str
        The columns.
    labels : pair of str
        ``("home", "away")``, ``("1", "2")`` ...; empty where names say nothing.
    """

    first: str
    second: str
    labels: tuple[str, str]


#: The labels that two columns of players have, the surest first.
PAIRS = (
    ("first", "second"),
    ("white", "black"),
    ("home", "away"),
    ("1", "2"),
    ("a", "b"),
    ("blue", "red"),
    ("radiant", "dire"),
    ("winner", "loser"),
    ("player", "opponent"),
)


def words(name: str) -> list[str]:
    """The words of a name in lower case.

    Examples
    --------
    >>> words("White Player #"), words("homeTeam_ID"), words("FTHG"), words("player1")
    (['white', 'player'], ['home', 'team', 'id'], ['fthg'], ['player', '1'])
    """
    return [word.lower() for word in _WORDS.findall(name)]


def label(name: str) -> tuple[str, int] | None:
    """The side that the name of a column of players tells, and how telling it is (0 most).

    Examples
    --------
    >>> label("White Player"), label("model_a"), label("away_id"), label("white_elo")
    (('white', 2), ('a', 12), ('away', 22), None)
    """
    side_words, beside, rank = _split(name)
    if not side_words:
        return ("player", rank) if beside and beside[0] in _SELF else None
    if len(side_words) > 1:
        return None
    return _ALIASES.get(side_words[0], side_words[0]), rank


def _split(name: str) -> tuple[list[str], tuple[str, ...], int]:
    """The words that tell the side, those of any player, and how telling these are."""
    parts = words(name)
    beside = tuple(part for part in parts if part in _PLAYER_WORDS)
    rank = sum(_PLAYER_WORDS.index(part) + 1 for part in beside)
    return [part for part in parts if part not in _PLAYER_WORDS], beside, rank


def find_pair(names: Sequence[str]) -> Pair | None:
    """The two columns of players.

    Examples
    --------
    >>> find_pair(["date", "away_team", "home_team", "home_score"])
    Pair(first='home_team', second='away_team', labels=('home', 'away'))
    """
    by_label: dict[str, dict[tuple[str, ...], tuple[int, str]]] = {}
    for name in names:
        if (labelled := label(name)) is None:
            continue
        by_label.setdefault(labelled[0], {}).setdefault(_split(name)[1], (labelled[1], name))
    for labels in PAIRS:
        one, other = by_label.get(labels[0], {}), by_label.get(labels[1], {})
        if labels == ("a", "b"):  # b alone is Black, beside an a it is not
            other = _lettered(names, "b")
        shared = [key for key in one if key in other]
        if shared:
            best = min(shared, key=lambda key: one[key][0])
            return Pair(one[best][1], other[best][1], labels)
        if one and other:
            return Pair(min(one.values())[1], min(other.values())[1], labels)
    return None


def _lettered(names: Sequence[str], letter: str) -> dict[tuple[str, ...], tuple[int, str]]:
    """Columns of players whose side is this letter."""
    columns: dict[tuple[str, ...], tuple[int, str]] = {}
    for name in names:
        side_words, beside, rank = _split(name)
        if side_words == [letter]:
            columns.setdefault(beside, (rank, name))
    return columns


def side_of(name: str, labels: tuple[str, str]) -> int | None:
    """Which side, 0 or 1, a name speaks of; None if neither or both.

    Examples
    --------
    >>> side_of("score_black", ("white", "black")), side_of("model_a", ("a", "b"))
    (1, 0)
    """
    letters = labels == ("a", "b")
    parts = [part if letters else _ALIASES.get(part, part) for part in words(name)]
    sides = [place for place, each in enumerate(labels) if each and each in parts]
    return sides[0] if len(sides) == 1 else None


def points_columns(names: Sequence[str], labels: tuple[str, str]) -> tuple[str, str] | None:
    """The columns with the points of the two sides, such as home_score and away_score."""
    plain = {"".join(words(name)): name for name in reversed(names)}
    for one, other in _FOOTBALL if labels[0] in ("home", "1", "first", "") else ():
        if one in plain and other in plain:
            return plain[one], plain[other]
    by_word: dict[tuple[int, str], dict[int, str]] = {}
    for name, side, word in _points(names, labels):
        by_word.setdefault((_POINTS_WORDS.index(word), word), {}).setdefault(side, name)
    if labels == ("player", "opponent"):
        for name in names:
            left = [part for part in words(name) if part not in _BESIDE | _SELF]
            if len(left) == 1 and left[0] in _POINTS_WORDS:
                known = by_word.setdefault((_POINTS_WORDS.index(left[0]), left[0]), {})
                known.setdefault(0, name)
    both = [pair for _, pair in sorted(by_word.items()) if len(pair) == 2]
    return (both[0][0], both[0][1]) if both else None


def _points(names: Sequence[str], labels: tuple[str, str]) -> Iterator[tuple[str, int, str]]:
    """Columns that name one side and its points."""
    possible = [labels, ("home", "away"), ("1", "2")]
    for name in names:
        parts = [part for part in words(name) if part not in ("model", "engine", "player", "p")]
        for pair in possible if labels not in (("home", "away"), ("1", "2")) else [labels]:
            side = side_of(" ".join(parts), pair)
            if side is None:
                continue
            rest = [p for p in parts if _ALIASES.get(p, p) != pair[side] and p != pair[side]]
            left = [part for part in rest if part not in _BESIDE]
            if len(left) == 1 and left[0] in _POINTS_WORDS:
                yield name, side, left[0]
                break


def result_columns(names: Sequence[str], labels: tuple[str, str]) -> list[str]:
    """The columns that may hold the result, the likeliest first."""
    if set(labels) == {"winner", "loser"}:  # only draws and walkovers are looked for
        return [name for name in names if words(name) in (["score"], ["result"], ["comment"])]
    ranked = []
    for place, name in enumerate(names):
        left = [part for part in words(name) if part not in _BESIDE_RESULT]
        if len(left) == 1 and left[0] in _RESULT_WORDS:
            ranked.append((_RESULT_WORDS.index(left[0]), len(words(name)), place, name))
    columns = [name for *_, name in sorted(ranked)]
    columns += [name for name, _, _ in _points(names, labels) if name not in columns]
    return columns


def tells_winner(name: str) -> bool:
    """Whether a column names the winner, rather than holding a result.

    Examples
    --------
    >>> tells_winner("match_winner"), tells_winner("result")
    (True, False)
    """
    return not {"winner", "victor", "winning"}.isdisjoint(words(name))


def kind_of(name: str) -> str:
    """Whether a column counts games, marks neutral ground, or tells a side; else empty.

    One that flags a side, or names who has it, is of the kind of that side.

    Examples
    --------
    >>> kind_of("n_games"), kind_of("wins_a"), kind_of("Draws"), kind_of("game_number")
    ('count', 'wins', 'draws', '')
    >>> kind_of("player_color"), kind_of("is_white"), kind_of("home_team"), kind_of("white_elo")
    ('side', 'white', 'home', '')
    """
    parts = set(words(name))
    if parts and (parts & (_COUNTS | _GAMES)) and parts <= _COUNTS | _OF_COUNTS:
        return "count"
    if parts & _NEUTRAL:
        return "neutral"
    flagged = parts - _FLAGS - {*_PLAYER_WORDS}
    if len(flagged) == 1 and flagged <= SIDES:
        return flagged.pop()
    venue = parts - {"game", "match"}
    if parts & _COLOUR or (venue and venue <= _VENUES):
        return "side"
    sides = {each for pair in PAIRS[:-2] for each in pair} | {"player", "opponent"}
    left = {_ALIASES.get(part, part) for part in parts} - sides - _BESIDE - {*_PLAYER_WORDS}
    if len(left) == 1:
        return next((kind for kind, known in _TALLIES.items() if left <= {*known.split()}), "")
    return ""


def is_indicator(name: str) -> bool:
    """Whether a column says of one side that it won: ``home_win``, ``winner_model_a``."""
    return not _INDICATORS.isdisjoint(words(name))
