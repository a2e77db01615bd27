"""Under which rules and komi a recorded game is shown to a network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from yardstone.errors import InputError
from yardstone.go.rules import NAMED_RULES, Rules, parse_rules_and_komi

if TYPE_CHECKING:
    from yardstone.records.go_game import GoGame

__all__ = ["Conditions", "conditions_of"]

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
    """

    rules: Rules
    komi: float


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
