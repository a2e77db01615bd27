from __future__ import annotations

import dataclasses

import pytest

from tests.tournament.pairing_fields import made
from yardstone.errors import UsageError
from yardstone.tournament.model import LARGEST_WEIGHT, PairingRules, Rule, System
from yardstone.tournament.rules import SeedSystem


def test_rules_of_a_tournament() -> None:
    rules = PairingRules.of(made(4, rounds=7))
    assert (rules.rounds, rules.bar, rules.floor, rules.by_mcmahon) == (7, 2, -10, True)
    assert not PairingRules.of(made(4, system=System.swiss)).by_mcmahon


def test_every_rule_is_packed() -> None:
    packed = PairingRules().packed(3)
    assert len(packed) == len(Rule)
    for name, rule in (("avoid_rematch", Rule.REMATCH), ("maximise_seeding", Rule.SEEDING)):
        changed = PairingRules().changed({name: 123}).packed(3)
        assert changed[rule] == 123
        assert (changed != packed).sum() == 1


def test_changes_by_name() -> None:
    rules = PairingRules().changed(
        {"avoid-rematch": "1e12", "seed_system_1": "slide", "bar_threshold": "no", "bar": 3}
    )
    assert rules.avoid_rematch == 10**12
    assert rules.seed_system_1 is SeedSystem.slide
    assert rules.bar_threshold is False
    assert rules.bar == 3
    assert PairingRules().changed({"nx1_factor": "0.25"}).nx1_factor == 0.25
    assert PairingRules().changed({"seed_criterion_1": " RANK "}).seed_criterion_1 == "RANK"


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


def test_presets() -> None:
    assert PairingRules.preset("chess").half_points
    assert PairingRules.preset("swiss", rounds=9).rounds == 9
    with pytest.raises(UsageError, match="no rules for 'cup'"):
        PairingRules.preset("cup")
    kept = PairingRules.of(made(4, rounds=6)).with_system("chess")
    assert (kept.rounds, kept.bar, kept.handicap.ceiling) == (6, 2, 0)


def test_chess_is_paired_by_the_rules_of_chess() -> None:
    chess = dataclasses.replace(made(4, system=System.swiss, rounds=7), discipline="chess")
    assert PairingRules.of(chess) == PairingRules.preset("chess", rounds=7)
