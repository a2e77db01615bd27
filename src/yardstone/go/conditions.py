"""Under which rules and komi a recorded game is shown to a network.

A network that was trained under one set of rules answers nonsense under others. What such a
network knows stands in `KNOWLEDGE`, by the checksum of its file; whoever asks a network calls
`Knowledge.asked`, which takes the rules it knows in place of others and refuses what no others
can stand for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from yardstone.errors import InputError
from yardstone.go.rules import NAMED_RULES, TROMP_TAYLOR, Rules, parse_rules_and_komi

if TYPE_CHECKING:
    from yardstone.records.go_game import GoGame

__all__ = ["KNOWLEDGE", "Conditions", "Knowledge", "conditions_of"]

#: Komi that belongs to counting territory, where a record does not name its rules.
_TERRITORY_KOMI = (5.5, 6.5)
#: What White gets in a handicap game whose record does not say it.
_HANDICAP_KOMI = 0.5


@dataclass(frozen=True, slots=True)
class Conditions:
    """Rules and komi.

    Attributes
    ----------
    rules : Rules
    komi : float
        What White gets.
    remark : str
        Why the network is asked under other rules than those of the game; empty if it is not.
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
    """What a network knows; `str` says it in words.

    Attributes
    ----------
    network : str
        Its name.
    rules : Rules
    komi : (float, float)
        Lowest and highest.
    size : int
        Of the board.
    """

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

        Raises
        ------
        InputError
            It knows neither this komi nor one that could stand for it, or no such board.
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
        rules, noted = _recorded_rules(game)
    if komi is None:
        komi = game.komi if game.komi is not None else noted
    if komi is None:
        komi = _HANDICAP_KOMI if game.handicap > 1 else rules.default_komi
    return Conditions(rules, komi)


def _recorded_rules(game: GoGame) -> tuple[Rules, float | None]:
    if game.rules.strip():
        try:
            return parse_rules_and_komi(game.rules)
        except InputError:
            pass
    territory = game.komi in _TERRITORY_KOMI
    return NAMED_RULES["japanese" if territory else "chinese"], None
