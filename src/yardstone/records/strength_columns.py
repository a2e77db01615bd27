"""Columns of a table that tell how strong the players are, and the handicap.

Grades and ratings are coupled to the columns of the players by what their names have
in common: ``w_rank`` belongs to ``white``, ``rank2`` to ``player2``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from yardstone.errors import InputError

if TYPE_CHECKING:
    from yardstone.pool import Pool

__all__ = [
    "ERRORS",
    "HANDICAP_GAME",
    "LEVELS",
    "PGN_LEVELS",
    "SGF_LEVELS",
    "check_stones",
    "handicap_column",
    "handicap_reason",
    "level_columns",
]

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
_HANDICAP = {"handicap", "handicaps", "hcp", "hcap", "hdcp", "handi", "handicapstones", "stones"}
_NO_HANDICAP = {"", "nan", "none", "null", "no", "false", "even", "-", "n/a"}
#: Words of which nothing is left where two columns are compared.
_PLAIN = {"player", "players", "name", "id", "pin", "user", "p", "team", "engine", "model",
          "declared", "start", "before", "pre", "initial", "old", "the", "of"}  # fmt: skip
#: Levels that are not those before the game, or no levels at all.
_OTHER = {"after", "post", "new", "change", "diff", "difference", "delta", "deviation", "dev",
          "rd", "sd", "final", "end", "expected", "volatility", "won", "prob"}  # fmt: skip
_SIDES = {"white": "w", "black": "b", "pw": "w", "pb": "b", "one": "1", "two": "2", "first": "1",
          "second": "2", "a": "1", "wr": "w rank", "br": "b rank"}  # fmt: skip
_KNOWN = sorted(_GRADE | _RATING | {"white", "black", "player", "name"}, key=len, reverse=True)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
#: So much of a column's name is looked at.
_LONGEST = 200
_WORD = re.compile(rf"{'|'.join(_KNOWN)}|\d+|[a-z]+?(?={'|'.join(_KNOWN)}|\d|$)")


def _words(column: str) -> list[str]:
    """The words of a column's name, with sides in one spelling."""
    parts = re.split(r"[^A-Za-z0-9]+", _CAMEL.sub(" ", column[:_LONGEST]))
    words = [word for part in parts for word in _WORD.findall(part.lower())]
    return " ".join(_SIDES.get(word, word) for word in words).split()


def _side(words: Sequence[str]) -> tuple[str, ...]:
    """What is left of a name when the plain words are gone."""
    return tuple(word for word in words if word not in _PLAIN | _GRADE | _RATING)


def level_columns(names: Sequence[str], first: str, second: str) -> tuple[dict[str, str], str]:
    """Columns of grades, ratings and handicap, and a remark on those that fit nobody.

    Parameters
    ----------
    names : sequence of str
        The columns there are.
    first, second : str
        Those of the players.

    Returns
    -------
    columns, remark
        Columns by the names in `LEVELS`; a sentence, or an empty text.

    Examples
    --------
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
        pair = {
            f"{role}_{kind}": name
            for role, side in sides.items()
            for name in [next((each for each, own in candidates.items() if own == side), None)]
            if name is not None
        }
        if len(pair) == 2:
            roles |= pair
        else:
            unused += candidates
    if (stones := handicap_column(list(split))) is not None:
        roles["handicap"] = stones
    used_kinds = {role.partition("_")[2] for role in roles}
    if not unused or used_kinds & {"grade", "rating"}:
        return roles, ""
    columns = ", ".join(repr(name) for name in unused)
    return roles, (
        f"Levels in {columns} are not used: it is not clear which belong to {first!r} and "
        f"which to {second!r} (name them with first_grade=NAME,second_grade=NAME)."
    )


def handicap_column(names: Sequence[str]) -> str | None:
    """Return the column with the handicap, if there is one."""
    return next((name for name in names if "".join(_words(name)) in _HANDICAP), None)


def handicap_reason(text: str) -> str | None:
    """Say why a game with this handicap is no even game; None if it is one.

    Examples
    --------
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
