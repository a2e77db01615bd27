"""The rules of pairing: defaults, presets, and changes by name."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import pytest

from tests.tournament.pairing_fields import made
from yardstone.errors import UsageError
from yardstone.tournament.model import PairingRules, System
from yardstone.tournament.rules import FloatMode, PairingSettings, Scoring, SeedSystem

#: What stands in no file; what stands there is compared with OpenGotha's own in its test.
DEFAULTS = {
    "rounds": 5, "by_mcmahon": True, "bar": 8, "floor": -30, "zero": -30, "category_count": 1,
    "half_points": False, "repeated_bye": 10**14, "choose_bye": 10**13, "absolute_colour": 0,
    "colour_preference": 0, "seed": 0,
    "handicap": {"by_score": True, "threshold": 0, "correction": 1, "ceiling": 0},
}  # fmt: skip


def test_rules_of_a_tournament_and_presets() -> None:
    assert asdict(PairingRules()) == asdict(PairingSettings()) | DEFAULTS
    swiss: dict[str, Any] = {"by_mcmahon": False, "avoid_same_geography": 0}
    swiss["seed_system_1"] = SeedSystem.slide
    chess = PairingRules(
        **swiss, half_points=True, seed_system_2=SeedSystem.slide, float_upper=FloatMode.bottom,
        float_lower=FloatMode.top, balance_colours=0, absolute_colour=5 * 10**13,
        colour_preference=2 * 10**7,
    )  # fmt: skip
    for name, preset in (
        ("mcmahon", PairingRules()), ("swiss", PairingRules(**swiss)), ("chess", chess)
    ):  # fmt: skip
        assert PairingRules.preset(name) == preset
    with pytest.raises(UsageError, match="no rules for 'cup'"):
        PairingRules.preset("cup")
    rules = PairingRules.of(made(4, rounds=7))
    assert (rules.rounds, rules.bar, rules.floor, rules.by_mcmahon) == (7, 2, -10, True)
    assert (rules.category_count, rules.half_points, rules.handicap.ceiling) == (1, False, 9)
    odd = Scoring(bar=-5, floor=0, categories=(0, -9), round_down=False)
    event = replace(made(4, rounds=0, system=System.swiss), scoring=odd)
    rules = PairingRules.of(event)
    assert (rules.rounds, rules.bar, rules.floor, rules.by_mcmahon) == (1, 0, 0, False)
    assert (rules.category_count, rules.half_points) == (3, True)
    assert PairingRules.of(replace(event, discipline="chess")) == replace(chess, rounds=1)
    mine = replace(rules, seed=4, bar=2)
    kept = replace(chess, rounds=1, bar=2, floor=0, category_count=3, seed=4)
    assert mine.with_system("chess") == kept
    assert mine.with_system("swiss").handicap == rules.handicap


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [("avoid-rematch", "1e12", 10**12), ("seed_system_1", "slide", SeedSystem.slide),
     ("bar_threshold", "no", False), ("bar", -30, -30), ("nx1_factor", "1", 1.0),
     ("nx1_factor", 0, 0.0), ("seed_criterion_1", " RANK ", "RANK"),
     ("avoid_rematch", 10**15, 10**15), ("avoid_rematch", 0, 0), ("seed", 2**31 - 1, 2**31 - 1),
     ("rounds", 10**15, 10**15)],
)  # fmt: skip
def test_changes_by_name(name: str, text: object, value: object) -> None:
    changed = getattr(PairingRules().changed({name: text}), name.replace("-", "_"))
    assert (changed, type(changed)) == (value, type(value))


@pytest.mark.parametrize(
    ("values", "message"),
    [({"foo": 1}, "no setting 'foo'"), ({"handicap": 1}, "no setting"),
     ({"avoid_rematch": "many"}, "must be a number"),
     ({"avoid_rematch": "1.5"}, "must be a whole number"),
     ({"avoid_rematch": True}, "must be a number"),
     ({"bar_threshold": "perhaps"}, "must be true or false"),
     ({"bar_threshold": 1}, "must be true or false"),
     ({"seed_system_1": "snake"}, "must be 'fold', 'slide'"),
     ({"repeated_bye": 10**15 + 1}, "from 0 to"), ({"choose_bye": -1}, "from 0 to"),
     ({"nx1_factor": 1.01}, "from 0 to 1"), ({"seed": 2**31}, "seeds of lots"),
     ({"bar": -20, "floor": 0}, "below the floor"), ({"rounds": 10**15 + 1}, "rules lie from")],
)  # fmt: skip
def test_changes_that_cannot_be(values: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        PairingRules().changed(values)
