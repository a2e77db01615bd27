"""Rules of Go, as far as records and networks tell them apart.

Each named set is a combination of the same few choices. What they mean is said in
`Rules`; the names and the compact form ``koPOSITIONALscoreAREAtaxNONEsui1`` are
those that KataGo reads and writes (its documentation of rules,
lightvector.github.io/KataGo/rules.html).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

from yardstone.errors import InputError
from yardstone.records.go_game import GoGame

#: No text that names rules is longer.
_LONGEST = 1000
_HIGHEST_KOMI = 150.0


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules by which a game is played and scored."""

    #: What may not be repeated. Simple: the board before the opponent's move, by taking back a
    #: single stone (a game whose position comes a third time has no result). Positional superko:
    #: any earlier board. Situational superko: any earlier board with the same player to move.
    ko: Literal["simple", "positional", "situational"] = "positional"
    #: Whether stones on the board count, or prisoners.
    scoring: Literal["area", "territory"] = "area"
    #: Points that do not count: none, the eyes of groups in seki, or the two eyes that every living
    #: group needs as well.
    tax: Literal["none", "seki", "all"] = "none"
    suicide: bool = True  #: Whether a move may take the own stones, if they are two or more.
    button: bool = False  #: Whether the first pass takes a button that is worth half a point.
    white_handicap_bonus: Literal["0", "n-1", "n"] = "0"  #: What White gets for n handicap stones.
    #: Whether a game that ends by two passes is scored by agreement, so that one need not take dead
    #: stones off before passing.
    friendly_pass: bool = False

    def __post_init__(self) -> None:
        """Refuse what is not a choice."""
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise InputError(
                    f"{getattr(self, name)!r} is not a rule of {name.replace('_', ' ')}",
                    hint="the choices are " + ", ".join(choices),
                )

    @property
    def default_komi(self) -> float:
        """The usual komi: 7.5, with territory scoring 6.5, with a button 7."""
        return 6.5 if self.scoring == "territory" else 7.0 if self.button else 7.5

    @property
    def name(self) -> str:
        """The first of the names in `NAMED_RULES` that means these rules, or the compact form."""
        return next((name for name, rules in NAMED_RULES.items() if rules == self), str(self))

    def __str__(self) -> str:
        """Return the compact form; `parse_rules` reads it."""
        text = f"ko{self.ko.upper()}score{self.scoring.upper()}tax{self.tax.upper()}"
        text += f"sui{self.suicide:d}"
        text += "button1" if self.button else ""
        if self.white_handicap_bonus != "0":
            text += f"whb{self.white_handicap_bonus.upper()}"
        return text + ("fpok1" if self.friendly_pass else "")


CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "ko": ("simple", "positional", "situational"),
        "scoring": ("area", "territory"),
        "tax": ("none", "seki", "all"),
        "white_handicap_bonus": ("0", "n-1", "n"),
    }
)

TROMP_TAYLOR = Rules()
_JAPANESE = Rules(ko="simple", scoring="territory", tax="seki", suicide=False)
_CHINESE = Rules(ko="simple", suicide=False, white_handicap_bonus="n", friendly_pass=True)
_AGA = Rules(ko="situational", suicide=False, white_handicap_bonus="n-1", friendly_pass=True)

#: The rules that have a name.
NAMED_RULES: Mapping[str, Rules] = MappingProxyType(
    {
        "tromp-taylor": TROMP_TAYLOR,
        "chinese": _CHINESE,
        "japanese": _JAPANESE,
        "korean": _JAPANESE,
        "aga": _AGA,
        "aga-button": replace(_AGA, button=True),
        "new-zealand": Rules(ko="situational", friendly_pass=True),
        "ing": Rules(friendly_pass=True),
        "chinese-ogs": replace(_CHINESE, ko="positional"),
        "stone-scoring": Rules(ko="simple", tax="all", suicide=False, friendly_pass=True),
        "ancient-territory": replace(_JAPANESE, tax="all"),
    }
)

#: Other ways to write the names, without spaces, hyphens and underscores.
_SPELLINGS = {
    "tromp-taylor": "tt logical",
    "chinese": "cn china 中国 中國 中国规则 中國規則",
    "japanese": "jp japan 日本 日本規則 日本ルール 日本规则",
    "korean": "kr korea 한국 한국룰",
    "aga": "bga us french",
    "new-zealand": "nz",
    "ing": "goe",
    "chinese-ogs": "chinesekgs",
    "stone-scoring": "ancientarea",
}
_ALIASES = {word: name for name, words in _SPELLINGS.items() for word in words.split()}
_ALIASES.update({name.replace("-", ""): name for name in NAMED_RULES})

#: The rules by their names in the compact form, and in JSON objects.
_SHARED = {"ko": "ko", "score": "scoring", "scoring": "scoring", "tax": "tax"}
_PARTS = {
    **_SHARED,
    "sui": "suicide",
    "button": "button",
    "whb": "white_handicap_bonus",
    "fpok": "friendly_pass",
}
_FLAGS: dict[str, Any] = {"0": False, "1": True}
_PART = re.compile(
    r"(?:komi(?P<komi>[+-]?\d{1,3}(?:\.\d{1,4})?)"
    r"|(?P<name>ko|scoring|score|tax|sui|button|whb|fpok)\s*"
    r"(?P<value>SIMPLE|POSITIONAL|SITUATIONAL|AREA|TERRITORY|NONE|SEKI|ALL|N-1|N|0|1))\s*"
)
_KEYS = {
    **_SHARED,
    "suicide": "suicide",
    "hasButton": "button",
    "whiteHandicapBonus": "white_handicap_bonus",
    "friendlyPassOk": "friendly_pass",
}


def parse_rules(text: str) -> Rules:
    """Read rules from text; a komi that stands in it is left aside.

    Args:
        text: A name (one of `NAMED_RULES`, or the usual other spellings, in any case), the compact
            form ``koPOSITIONALscoreAREAtaxNONEsui1``, or a JSON object such as ``{"ko": "SIMPLE",
            "scoring": "TERRITORY"}``. What the last two leave out is as in the rules of Tromp and
            Taylor, but the tax is ``seki`` for territory scoring.

    Raises:
        InputError: If it is none of these.

    Examples:
        >>> parse_rules("Japanese").scoring
        'territory'
        >>> str(parse_rules("chinese"))
        'koSIMPLEscoreAREAtaxNONEsui0whbNfpok1'
    """
    return parse_rules_and_komi(text)[0]


def parse_rules_and_komi(text: str) -> tuple[Rules, float | None]:
    """Read rules, and the komi if the text has one; else see `parse_rules`."""
    stripped = text.strip()
    if len(stripped) > _LONGEST:
        raise _unknown(stripped[:40] + "...")
    name = re.sub(r"[\s_-]+", "", stripped).lower().removesuffix("rules").removesuffix("rule")
    if name in _ALIASES:
        return NAMED_RULES[_ALIASES[name]], None
    if stripped.startswith("{"):
        return _from_json(stripped)
    return _from_parts(stripped)


def _from_parts(text: str) -> tuple[Rules, float | None]:
    chosen: dict[str, Any] = {}
    komi: float | None = None
    place = 0
    while place < len(text) or not text:
        part = _PART.match(text, place)
        if part is None:
            raise _unknown(text)
        place = part.end()
        if part["komi"]:
            komi = _komi(float(part["komi"]), text)
            continue
        field = _PARTS[part["name"]]
        values = {word.upper(): word for word in CHOICES[field]} if field in CHOICES else _FLAGS
        if part["value"] not in values:
            raise _unknown(text)
        chosen[field] = values[part["value"]]
    return _with_usual_tax(chosen), komi


def _from_json(text: str) -> tuple[Rules, float | None]:
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        raise _unknown(text) from None
    komi: float | None = None
    chosen: dict[str, Any] = {}
    for key, value in given.items():
        if key == "komi" and isinstance(value, int | float) and not isinstance(value, bool):
            komi = _komi(float(value), text)
        elif key in _KEYS:
            field = _KEYS[key]
            flag = field not in CHOICES
            if not isinstance(value, bool if flag else str):
                raise _unknown(text, f"{key} must be {'true or false' if flag else 'a word'}")
            chosen[field] = value if flag else str(value).strip().lower()
        else:
            raise _unknown(text, f"{key} is not a rule")
    return _with_usual_tax(chosen), komi


def _with_usual_tax(chosen: dict[str, Any]) -> Rules:
    if chosen.get("scoring") == "territory":
        chosen.setdefault("tax", "seki")
    return Rules(**chosen)


def _komi(komi: float, text: str) -> float:
    if not abs(komi) <= _HIGHEST_KOMI:
        raise _unknown(text, f"the komi must be between -{_HIGHEST_KOMI:g} and {_HIGHEST_KOMI:g}")
    return komi


def _unknown(text: str, why: str | None = None) -> InputError:
    return InputError(
        f"{text!r} does not name rules that are known",
        hint=why or "the names are " + ", ".join(NAMED_RULES),
    )


#: Komi that belongs to counting territory, where a record does not name its rules.
_TERRITORY_KOMI = (5.5, 6.5)
#: What White gets in a handicap game whose record does not say it.
_HANDICAP_KOMI = 0.5


@dataclass(frozen=True, slots=True)
class Conditions:
    """Rules and komi: what White gets.

    `remark` says why the network is asked under other rules than those of the game; it is empty if
    it is not.
    """

    rules: Rules
    komi: float
    remark: str = ""

    @property
    def in_words(self) -> str:
        """Rules and komi, and why they are not those of the game where they are not."""
        words = f"{self.rules.name} rules, komi {self.komi:g}"
        return f"{words} ({self.remark})" if self.remark else words


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What a network knows: rules, lowest and highest komi, size of board; `str` says it."""

    network: str
    rules: Rules
    komi: tuple[float, float]
    size: int

    def __str__(self) -> str:
        low, high = self.komi
        rules = f"{self.rules.name} rules, komi {low:g} to {high:g}"
        return f"{rules} and boards of {self.size}x{self.size}"

    def knows(self, rules: Rules) -> bool:
        """Whether these rules look to the network like those that it knows."""
        unseen = {name: getattr(self.rules, name) for name in _UNSEEN}
        return replace(rules, **unseen) == self.rules

    def asked(self, wanted: Conditions, size: int) -> Conditions:
        """The conditions that the network is asked under in place of these.

        Raises InputError where it knows neither this komi nor one that could stand for it, or no
        such board.
        """
        low, high = self.komi
        if size != self.size:
            reason = f"{self.network} does not know boards of {size}x{size}"
        elif not low <= wanted.komi <= high:
            reason = f"{self.network} does not know komi {wanted.komi:g} (name one with --komi)"
        elif self.knows(wanted.rules):
            return wanted
        else:
            remark = f"{self.network} does not know {wanted.rules.name} rules"
            return Conditions(self.rules, wanted.komi, remark)
        raise InputError(f"{reason}: only {self}", hint="or ask another network, with --net")


#: Rules that networks are not shown.
_UNSEEN = ("friendly_pass", "white_handicap_bonus")
#: What networks know that do not know everything, by the SHA-256 of their files. Within these
#: limits quiet openings look as level to them as to g170-b6c96 (docs/studies/own-network.md).
KNOWLEDGE: Mapping[str, Knowledge] = MappingProxyType(
    {
        "a4179d0bdd1f7fff2417ca958013d4d36035fb0e6767d2b4f15eeba6a9f80876": Knowledge(
            "yardstone-b6c64", TROMP_TAYLOR, (5.5, 7.5), 19
        )
    }
)


def conditions_of(
    game: GoGame, *, rules: Rules | None = None, komi: float | None = None
) -> Conditions:
    """Rules and komi of a game: those given, else those of its record, else a guess.

    A record without rules, or with rules that nobody knows, is taken to count
    territory if its komi is 5.5 or 6.5, and area otherwise. Without a komi the usual
    one of the rules holds, and half a point in a handicap game.
    """
    noted: float | None = None
    if rules is None:
        territory = game.komi in _TERRITORY_KOMI
        rules = NAMED_RULES["japanese" if territory else "chinese"]
        with suppress(InputError):
            if game.rules.strip():
                rules, noted = parse_rules_and_komi(game.rules)
    if komi is None:
        komi = game.komi if game.komi is not None else noted
    if komi is None:
        komi = _HANDICAP_KOMI if game.handicap > 1 else rules.default_komi
    return Conditions(rules, komi)
