from __future__ import annotations

import dataclasses

import pytest

from tests.tournament.pairing_fields import made
from yardstone.errors import UsageError
from yardstone.tournament.model import LARGEST_WEIGHT, PairingRules, System
from yardstone.tournament.rules import SeedSystem


def test_rules_of_a_tournament_and_presets() -> None:
    rules = PairingRules.of(made(4, rounds=7))
    assert (rules.rounds, rules.bar, rules.floor, rules.by_mcmahon) == (7, 2, -10, True)
    swiss = made(4, system=System.swiss, rounds=7)
    assert not PairingRules.of(swiss).by_mcmahon
    chess = PairingRules.preset("chess", rounds=7)
    assert (chess.half_points, chess.rounds) == (True, 7)
    assert PairingRules.of(dataclasses.replace(swiss, discipline="chess")) == chess
    kept = rules.with_system("chess")
    assert (kept.rounds, kept.bar, kept.handicap.ceiling) == (7, 2, 0)
    with pytest.raises(UsageError, match="no rules for 'cup'"):
        PairingRules.preset("cup")


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("avoid-rematch", "1e12", 10**12),
        ("seed_system_1", "slide", SeedSystem.slide),
        ("bar_threshold", "no", False),
        ("bar", 3, 3),
        ("nx1_factor", "0.25", 0.25),
        ("seed_criterion_1", " RANK ", "RANK"),
    ],
)
def test_changes_by_name(name: str, text: object, value: object) -> None:
    changed = getattr(PairingRules().changed({name: text}), name.replace("-", "_"))
    assert (changed, type(changed)) == (value, type(value))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"foo": 1}, "no setting 'foo'"),
        ({"handicap": 1}, "no setting"),
        ({"avoid_rematch": "many"}, "must be a number"),
        ({"avoid_rematch": "1.5"}, "must be a whole number"),
        ({"avoid_rematch": True}, "must be a number"),
        ({"bar_threshold": "perhaps"}, "must be true or false"),
        ({"bar_threshold": 1}, "must be true or false"),
        ({"seed_system_1": "snake"}, "must be 'fold', 'slide'"),
        ({"avoid_rematch": LARGEST_WEIGHT + 1}, "from 0 to"),
        ({"nx1_factor": 2.0}, "from 0 to 1"),
        ({"seed": 2**31}, "seeds of lots"),
        ({"bar": -20, "floor": 0}, "below the floor"),
    ],
)
def test_changes_that_cannot_be(values: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        PairingRules().changed(values)
