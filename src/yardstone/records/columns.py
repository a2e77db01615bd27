"""Which columns of a table hold the players, the result, the time, grades and handicaps.

The words of their names tell; what a caller names counts before that.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from yardstone.choices import nearest
from yardstone.errors import InputError, UsageError

if TYPE_CHECKING:
    from yardstone.pool import Pool
    from yardstone.records.results import Side


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
    "count counts cnt n times votes qty reps coefficient coef weight weights weighting multiplier "
    "multiplicity factor freq frequency "
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
_FIRST = frozenset("starter starting starts began begins opener".split())
_NEUTRAL = frozenset("neutral neutre neutro neutrale neutralsite neutralvenue".split())
#: Columns beside winner and loser that may say otherwise.
_BESIDE_WINNER = (["score"], ["result"], ["outcome"], ["comment"])
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
class Roles:
    """The columns for each part of a game, those of the players in order, and what follows."""

    first: str
    second: str
    #: what their names call the sides (``("white", "black")``); empty where they do not
    labels: tuple[str, str] = ("", "")
    named: bool = False  #: whether the caller named the columns of the players
    #: that may hold the result, the likeliest first; one if it was named
    results: tuple[str, ...] = ()
    points: tuple[str, str] | None = None  #: columns with the points of `first` and of `second`
    margin: str | None = None  #: column with the points of `first` less those of `second`
    #: the side, `first` (0) or `second` (1), whose result the caller says the column tells
    subject: int | None = None
    time: tuple[str, ...] = ()  #: columns of the date, and of the time of day
    extra: Mapping[str, str] = field(default_factory=dict)  #: further columns of the pool
    named_time: bool = False
    ordered: bool = True  #: whether it is known who moved first
    colour: Side | None = None  #: of `first`
    usual_subject: int | None = 0  #: the side whose result ``1`` tells; None if that must be asked
    pair_subject: int | None = 0  #: the side that stands first in ``1-0``; None as well

    def whose(self, column: str) -> tuple[int | None, int | None, bool]:
        """Subject and pair subject of a column of results, and if that is sure."""
        side = side_of(column, self.labels) if self.subject is None else self.subject
        if side is None:
            return self.usual_subject, self.pair_subject, False
        return side, side, True


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

    Examples:
        >>> words("White Player #"), words("homeTeam_ID"), words("FTHG"), words("player1")
        (['white', 'player'], ['home', 'team', 'id'], ['fthg'], ['player', '1'])
    """
    return [word.lower() for word in _WORDS.findall(name)]


def label(name: str) -> tuple[str, int] | None:
    """The side that the name of a column of players tells, and how telling it is (0 most).

    Examples:
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


def find_pair(names: Sequence[str]) -> Roles | None:
    """The two columns of players.

    Examples:
        >>> pair = find_pair(["date", "away_team", "home_team", "home_score"])
        >>> pair.first, pair.second, pair.labels
        ('home_team', 'away_team', ('home', 'away'))
    """
    by_label: dict[str, dict[tuple[str, ...], tuple[int, str]]] = {}
    lettered: dict[tuple[str, ...], tuple[int, str]] = {}  # b alone is Black, beside an a it is not
    for name in names:
        side_words, beside, rank = _split(name)
        if side_words == ["b"]:
            lettered.setdefault(beside, (rank, name))
        if (labelled := label(name)) is None:
            continue
        by_label.setdefault(labelled[0], {}).setdefault(beside, (labelled[1], name))
    for labels in PAIRS:
        one, other = by_label.get(labels[0], {}), by_label.get(labels[1], {})
        if labels == ("a", "b"):
            other = lettered
        shared = [key for key in one if key in other]
        if shared:
            best = min(shared, key=lambda key: one[key][0])
            return Roles(one[best][1], other[best][1], labels)
        if one and other:
            return Roles(min(one.values())[1], min(other.values())[1], labels)
    return None


def side_of(name: str, labels: tuple[str, str]) -> int | None:
    """Which side, 0 or 1, a name speaks of; None if neither or both.

    Examples:
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
    told = [*_points(names, labels)]
    if labels == ("player", "opponent"):
        own = ((name, _only(words(name), _BESIDE | _SELF, _POINTS_WORDS)) for name in names)
        told += [(name, 0, word) for name, word in own if word]
    by_word: dict[int, dict[int, str]] = {}
    for name, side, word in told:
        by_word.setdefault(_POINTS_WORDS.index(word), {}).setdefault(side, name)
    both = [pair for _, pair in sorted(by_word.items()) if len(pair) == 2]
    if both:
        return both[0][0], both[0][1]
    twice = (  # one heading, read twice, is numbered by its place
        (name, other)
        for name in names
        if len(words(name)) == 1 and words(name)[0] in _POINTS_WORDS
        for other in names
        if re.fullmatch(re.escape(name) + r"_\d+", other)
    )
    return next(twice, None)


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
            if word := _only(rest, _BESIDE, _POINTS_WORDS):
                yield name, side, word
                break


def _only(parts: Iterable[str], beside: Collection[str], known: Collection[str]) -> str:
    """The one word that is left when others are gone, if it is known; else empty."""
    left = [part for part in parts if part not in beside]
    return left[0] if len(left) == 1 and left[0] in known else ""


def result_columns(names: Sequence[str], labels: tuple[str, str]) -> list[str]:
    """The columns that may hold the result, the likeliest first."""
    if set(labels) == {"winner", "loser"}:  # only draws and walkovers are looked for
        return [name for name in names if words(name) in _BESIDE_WINNER]
    ranked = [
        (_RESULT_WORDS.index(word), len(words(name)), place, name)
        for place, name in enumerate(names)
        if (word := _only(words(name), _BESIDE_RESULT, _RESULT_WORDS))
    ]
    columns = [name for *_, name in sorted(ranked)]
    columns += [name for name, _, _ in _points(names, labels) if name not in columns]
    return columns


def tells_winner(name: str) -> bool:
    """Whether a column names the winner, rather than holding a result.

    Examples:
        >>> tells_winner("match_winner"), tells_winner("result")
        (True, False)
    """
    return not {"winner", "victor", "winning"}.isdisjoint(words(name))


def kind_of(name: str) -> str:
    """Whether a column counts games, marks neutral ground, or tells a side; else empty.

    One that flags a side, or names who has it, is of the kind of that side.

    Examples:
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
    flagged = {"first" if part in _FIRST else part for part in parts - _FLAGS - {*_PLAYER_WORDS}}
    if len(flagged) == 1 and flagged <= SIDES:
        return flagged.pop()
    venue = parts - {"game", "match"}
    if parts & _COLOUR or (venue and venue <= _VENUES):
        return "side"
    sides = {each for pair in PAIRS[:-2] for each in pair} | {"player", "opponent"}
    left = {_ALIASES.get(part, part) for part in parts - _FLAGS}
    left -= sides | _BESIDE | {*_PLAYER_WORDS}
    if len(left) == 1:
        return next((kind for kind, known in _TALLIES.items() if left <= {*known.split()}), "")
    return ""


def is_indicator(name: str) -> bool:
    """Whether a column says of one side that it won: ``home_win``, ``winner_model_a``."""
    return not _INDICATORS.isdisjoint(words(name))


#: The keys of a mapping of columns that have a meaning of their own.
KEYS = ("first", "second", "score", "first_score", "second_score", "margin", "time")
_LABELS = {each for pair in PAIRS for each in pair}


def find_roles(
    names: Sequence[str], columns: Mapping[str, str] | Iterable[str] | None, file: str
) -> Roles:
    """The columns to use, from what the caller says and from their names.

    `columns` holds any of `KEYS` with the columns that hold them; further keys are further columns
    of the pool, as are names alone. ``"all"`` makes every column that has no other role one of the
    pool. Raises InputError if a column that is needed cannot be found, UsageError if one that was
    asked for is not there, or a key is misspelt.
    """
    chosen = _chosen(names, columns, file)
    pair = _players(names, chosen, file)
    score = _scores(names, chosen, pair, file)
    plain = {_plain(name): name for name in reversed(names)}
    named_time = "time" in chosen
    time = [next((plain[n] for n in kind if n in plain), None) for kind in (DATES, TIMES)]
    if named_time:
        time = [chosen["time"]]
    extra = {key: name for key, name in chosen.items() if key not in KEYS}
    return replace(
        pair,
        named="first" in chosen or "second" in chosen,
        time=tuple(name for name in time if name is not None),
        extra=extra,
        named_time=named_time,
        **score,
    )


def has_role(name: str) -> bool:
    """Whether a column of this name could be taken for players, result or time.

    Examples:
        >>> has_role("White Player"), has_role("komi")
        (True, False)
    """
    if _plain(name) in {*DATES, *TIMES}:
        return True
    labelled = label(name)
    if labelled is not None and labelled[0] in _LABELS:
        return True
    return bool(result_columns([name], ("first", "second")))


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _chosen(
    names: Sequence[str], columns: Mapping[str, str] | Iterable[str] | None, file: str
) -> dict[str, str]:
    """What the caller asks for, with the names as the table has them."""
    if columns is None or columns == "all":
        return {}
    pairs = dict(columns) if isinstance(columns, Mapping) else {name: name for name in columns}
    lower = {name.lower(): name for name in reversed(names)}
    chosen: dict[str, str] = {}
    used: dict[str, str] = {}
    for key, name in pairs.items():
        if key not in KEYS and key != name:
            _check_key(key)
        there = name if name in names else lower.get(name.lower())
        if there is None:
            near = nearest(name, names)
            raise UsageError(
                f"{file}: there is no column {name!r}, only {', '.join(names)}"
                + (f" (did you mean {near!r}?)" if near else "")
            )
        chosen[key] = there
        if key in KEYS and used.setdefault(there, key) != key:
            raise UsageError(
                f"{file}: the column {there!r} is named for both {used[there]!r} and {key!r}"
            )
    return chosen


def _check_key(key: str) -> None:
    """Refuse a key that looks like a misspelt one; others name further columns."""
    from difflib import get_close_matches

    plain = key.strip().lower()
    if plain in (*LEVELS, *ERRORS):
        return
    near = get_close_matches(plain, KEYS, n=1, cutoff=0.75)
    labelled = label(key)
    if not near and len(key) > 1 and labelled is not None and labelled[0] in _LABELS:
        near = ["first", "second"]
    if not near and (plain in ("result", "winner", "points") or plain in DATES):
        near = ["time" if plain in DATES else "score"]
    if near:
        raise UsageError(
            f"columns: unknown key {key!r}; did you mean {' or '.join(near)}? "
            f"(The keys are {', '.join(KEYS)}; others name further columns.)"
        )


def _players(names: Sequence[str], chosen: Mapping[str, str], file: str) -> Roles:
    guess = find_pair([name for name in names if name not in chosen.values()])
    pair = find_pair(names)
    partners = {} if pair is None else {pair.first: pair.second, pair.second: pair.first}
    for key, other in (("first", "second"), ("second", "first")):
        if key not in chosen and (guess is None or ("first" in chosen) != ("second" in chosen)):
            partner = partners.get(chosen.get(other, ""))
            if partner is None:
                raise _which(key, names, file)
            chosen = {**chosen, key: partner}
    if "first" not in chosen and guess is not None:
        third = {"1": "3", "a": "c"}.get(guess.labels[0])
        like = [third if word == guess.labels[0] else word for word in words(guess.first)]
        if more := next((name for name in names if third and words(name) == like), None):
            raise InputError(
                f"more than two play in a row: {guess.first!r}, {guess.second!r}, {more!r}",
                file=file,
                hint="name the columns of two players first and second",
            )
        return guess
    first, second = chosen["first"], chosen["second"]
    return Roles(first, second, _labels(first, second))


def _which(key: str, names: Sequence[str], file: str) -> InputError:
    return InputError(
        f"which column is {key!r}? There are {', '.join(names)}",
        file=file,
        hint="name the columns first, second and score",
    )


def _labels(first: str, second: str) -> tuple[str, str]:
    """What the names of two columns call the sides."""
    pair = find_pair([first, second])
    if pair is None or pair.labels == ("player", "opponent"):
        return "", ""
    return pair.labels if pair.first == first else (pair.labels[1], pair.labels[0])


def _scores(
    names: Sequence[str], chosen: Mapping[str, str], pair: Roles, file: str
) -> dict[str, Any]:
    """The columns that tell who won."""
    one, other = chosen.get("first_score"), chosen.get("second_score")
    if one is not None and other is not None:
        return {"points": (one, other)}
    if "margin" in chosen:
        return {"margin": chosen["margin"]}
    if one is not None or other is not None:
        return {"results": (one or other,), "subject": 0 if one is not None else 1}
    if "score" in chosen:
        return {"results": (chosen["score"],)}
    free = [name for name in names if name not in (pair.first, pair.second)]
    points = points_columns(free, pair.labels)
    if points is not None and re.fullmatch(re.escape(points[0]) + r"_\d+", points[1]):
        free = [name for name in free if name not in points]
        straight = names.index(pair.first) < names.index(pair.second)
        points = points if straight else points[::-1]
    results = tuple(
        name
        for name in result_columns(free, pair.labels)
        if points is None or name not in points or side_of(name, pair.labels) is None
    )
    if not results and points is None and "winner" not in pair.labels:
        raise _which("score", names, file)
    return {"results": results, "points": points}


#: Column of matches of backgammon with the points to win.
LENGTH = "length"
#: Why a game is left out of an even comparison.
HANDICAP_GAME = "handicap game"
#: What is made of them in a pool.
LEVELS = ("first_grade", "second_grade", "first_rating", "second_rating", "handicap")
#: Error rates and numbers of decisions in matches of backgammon.
ERRORS = tuple(
    f"{side}_{name}" for name in ("epm", "epc", "unforced", "close") for side in ("first", "second")
)
#: The same for formats whose tags have fixed names.
PGN_LEVELS: Mapping[str, str] = {"first_rating": "WhiteElo", "second_rating": "BlackElo"}
SGF_LEVELS: Mapping[str, str] = {
    "first_grade": "black_rank",
    "second_grade": "white_rank",
    "handicap": "handicap",
}

_GRADE = {"grade", "rank", "dan"}
_RATING = {"rating", "elo", "gor"}
_HANDICAP = set("handicap handicaps hcp hcap hdcp hd handi handicapstones stones".split())
_NO_HANDICAP = {"", "nan", "none", "null", "no", "false", "even", "-", "n/a"}
#: Words of which nothing is left where two columns are compared.
_PLAIN = {"player", "players", "name", "id", "pin", "user", "p", "team", "engine", "model",
          "declared", "start", "before", "pre", "initial", "old", "the", "of"}  # fmt: skip
#: Levels that are not those before the game, or no levels at all.
_OTHER = {"after", "post", "new", "change", "diff", "difference", "delta", "deviation", "dev",
          "rd", "sd", "final", "end", "expected", "volatility", "won", "prob"}  # fmt: skip
_SIDES = {"white": "w", "black": "b", "pw": "w", "pb": "b", "one": "1", "two": "2", "first": "1",
          "second": "2", "a": "1", "wr": "w rank", "br": "b rank"}  # fmt: skip
#: So much of a column's name is looked at.
_LONGEST = 200
#: Words that may stand in one with others.
_KNOWN = re.compile(
    "|".join(
        sorted(_GRADE | _RATING | {"white", "black", "player", "name"}, key=len, reverse=True)
    ),
    re.IGNORECASE,
)


def _words(column: str) -> list[str]:
    """The words of a column's name, with sides in one spelling."""
    apart = _KNOWN.sub(r" \g<0> ", re.sub(r"[^A-Za-z0-9]+", " ", column[:_LONGEST]))
    return " ".join(_SIDES.get(word, word) for word in words(apart)).split()


def _side(words: Sequence[str]) -> tuple[str, ...]:
    """What is left of a name when the plain words are gone."""
    return tuple(word for word in words if word not in _PLAIN | _GRADE | _RATING)


def level_columns(names: Sequence[str], first: str, second: str) -> tuple[dict[str, str], str]:
    """Columns of grades, ratings, handicap by the names in `LEVELS`; a remark on unused ones.

    `first` and `second` are the columns of the players; the remark is a sentence or empty.

    Examples:
        >>> level_columns(["white", "black", "w_rank", "b_rank", "BlackElo"], "black", "white")[0]
        {'first_grade': 'b_rank', 'second_grade': 'w_rank'}
    """
    split = {name: _words(name) for name in names if name not in (first, second)}
    sides = {"first": _side(_words(first)), "second": _side(_words(second))}
    if sides["first"] == sides["second"]:
        sides = {}
    roles: dict[str, str] = {}
    unused: list[str] = []
    for kind, meant in (("grade", _GRADE), ("rating", _RATING)):
        candidates = {
            name: _side(words)
            for name, words in split.items()
            if meant & set(words) and not _OTHER & set(words)
        }
        own = {side: name for name, side in reversed(candidates.items())}
        pair = {f"{role}_{kind}": own[side] for role, side in sides.items() if side in own}
        if len(pair) == 2:
            roles |= pair
        else:
            unused += candidates
    if (stones := handicap_column(list(split))) is not None:
        roles["handicap"] = stones
    if not unused or {*roles} - {"handicap"}:
        return roles, ""
    columns = ", ".join(repr(name) for name in unused)
    return roles, (
        f"Levels in {columns} are not used: it is not clear which belong to {first!r} and "
        f"which to {second!r} (name them with first_grade=NAME,second_grade=NAME)."
    )


def handicap_column(names: Sequence[str]) -> str | None:
    """Return the column with the handicap, if there is one."""
    words = {name: "".join(_words(name)) for name in names}
    called = _HANDICAP | ({"h"} if {"b", "w"} <= {*words.values()} else set())
    return next((name for name in names if words[name] in called), None)


def handicap_reason(text: str) -> str | None:
    """Say why a game with this handicap is no even game; None if it is one.

    Examples:
        >>> handicap_reason("2"), handicap_reason("0.0"), handicap_reason("none")
        ('handicap game', None, None)
    """
    key = text.strip().lower()
    try:
        return HANDICAP_GAME if abs(float(key)) > 0.0 else None
    except ValueError:
        return None if key in _NO_HANDICAP else HANDICAP_GAME


def check_stones(pool: Pool, first: str, file: str) -> None:
    """Raise InputError if there are handicap stones, which are Black's, and White is first.

    `first` is the column of the players who move first.
    """
    if "handicap" not in pool.columns or _side(_words(first)) != ("w",):
        return
    texts = {str(stones) for stones in pool.columns["handicap"].tolist()}
    stones = [text for text in texts if handicap_reason(text)]
    if stones:
        raise InputError(
            f"handicap stones ({', '.join(sorted(stones)[:3])}) are Black's, and White is first",
            file=file,
            hint="say that Black moves first: --first black, in Python first='black'",
        )
