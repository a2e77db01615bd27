"""Words and numbers that a caller gives are checked, in every class that takes any."""

from __future__ import annotations

import dataclasses
import inspect
import pkgutil
from collections.abc import Callable
from importlib import import_module
from math import inf, nan
from typing import Any

import numpy as np
import pytest

import yardstone
from yardstone import choices, parallel
from yardstone.choices import check_choice, check_fields, check_number, nearest, no_such
from yardstone.errors import UsageError
from yardstone.pool import Pool
from yardstone.tournament.model import PairingRules

#: Packages whose classes of parameters are walked over.
PACKAGES = ("ratings", "winprob", "strength", "backgammon")
NEEDED: dict[str, dict[str, Any]] = {
    "Prior": {"mean": 0.0, "deviation": 1.0},
    "Relation": {"player": "A", "other": "B", "difference": 0.0, "deviation": 1.0},
    "Match": {"counts": (1.0, 1.0, 1.0)},
}
#: Fields of which a word does not go with the defaults of the others.
NOT_ALONE = {("Fusion", "period"), ("GlickoFromMoves", "period")}


@pytest.fixture(scope="module")
def owners() -> dict[str, type]:
    """Public dataclasses that check their fields and need no argument."""
    result = {}
    for package in PACKAGES:
        module = import_module(f"yardstone.{package}")
        for info in pkgutil.walk_packages(module.__path__, f"yardstone.{package}."):
            for each in vars(import_module(info.name)).values():
                if inspect.isclass(each) and dataclasses.is_dataclass(each):
                    made = [vars(base).get("__post_init__") for base in each.__mro__]
                    codes = [function.__code__ for function in made if function is not None]
                    if any("check_fields" in code.co_names for code in codes):
                        result[each.__name__] = each
    return result


def test_every_class_refuses_wrong_words_and_numbers(owners: dict[str, type]) -> None:
    from yardstone.ratings.systems import SYSTEMS

    systems = {type(entry.make()).__name__ for entry in SYSTEMS.values()}
    assert systems | {"BradleyTerry", "Sprt", "SktLr", "Handicap", "KFactor", "Prior"} <= set(
        owners
    )
    for name, owner in owners.items():
        checked = choices._kinds(owner)
        worded = {part.name for part in dataclasses.fields(owner) if "Literal" in str(part.type)}
        assert worded <= {kind.name for kind in checked}, name
        kinds = [kind for kind in checked if kind.form is choices._Form.VALUE]
        assert kinds, name
        for kind in kinds:
            fixed = NEEDED.get(name, {})
            with pytest.raises(UsageError, match=kind.name):
                owner(**{**fixed, kind.name: "nonsense"})
            with pytest.raises(UsageError):
                owner(**{**fixed, kind.name: nan})
            for word in kind.words if (name, kind.name) not in NOT_ALONE else ():
                owner(**{**fixed, kind.name: word})


@pytest.mark.parametrize(
    ("value", "limits", "fits"),
    [
        (3, {"least": 3, "whole": True}, True),
        (2, {"least": 3, "whole": True}, False),
        (np.int64(3), {"whole": True}, True),
        (3.0, {"whole": True}, False),
        (3, {"most": 3}, True),
        (3.01, {"most": 3}, False),
        (0.5, {"above": 0.0, "below": 1.0}, True),
        (0.0, {"above": 0.0}, False),
        (1.0, {"below": 1.0}, False),
        (nan, {}, False),
        (inf, {}, False),
        ("3", {}, False),
        (10**400, {"least": 0.0}, False),  # beyond any float
        (10**400, {"whole": True}, False),
    ],
)
def test_numbers_have_limits(value: object, limits: dict[str, Any], fits: bool) -> None:
    if fits:
        check_number("n", value, **limits)
        return
    with pytest.raises(UsageError, match=r"^n must be a (whole )?number"):
        check_number("n", value, **limits)


@dataclasses.dataclass
class _Plain:
    number: float = 1.0
    whole: int | None = None
    name: str = "x"
    endless: float = inf


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: check_number("n", 2, least=3, whole=True),
            "n must be a whole number from 3, not 2",
        ),
        (
            lambda: check_number("p", 1.0, above=0.0, below=1.0),
            r"p must be a number above 0 below 1, not 1\.0",
        ),
        (lambda: check_choice("it", 3, ("a", "b")), "it is 'a' or 'b', not 3"),
        (lambda: check_fields(_Plain(whole=0.5)), "whole must be a whole number or None, not 0.5"),  # type: ignore[arg-type]
        (lambda: check_fields(_Plain(number=inf)), "number must be a number, not inf"),
        (lambda: check_fields(_Plain(number=None)), "number must be a number, not None"),  # type: ignore[arg-type]
        (lambda: check_fields(_Plain(name=3)), "name must be a name, not 3"),  # type: ignore[arg-type]
        (lambda: yardstone.BradleyTerry(method="likelihod"), "did you mean 'likelihood'"),  # type: ignore[arg-type]
        (lambda: yardstone.BradleyTerry(disconnected="component"), "did you mean 'components'"),  # type: ignore[arg-type]
        (lambda: yardstone.BradleyTerry(draw_rate="aut"), "did you mean 'auto'"),  # type: ignore[arg-type]
        (lambda: yardstone.BradleyTerry(join="100"), "join must be a number or None"),  # type: ignore[arg-type]
        (lambda: PairingRules(floor=-(10**15) - 1), "floor = -1000000000000001: rules lie from"),
        (lambda: PairingRules(bar=10**400), "bar must be a whole number, not 1000"),
        (lambda: yardstone.Elo(intial=3.0), "did you mean 'initial'"),  # type: ignore[call-arg]
        (lambda: yardstone.rate(_pool(), anchr={"A": 3000}), "did you mean 'anchors'"),
        (lambda: yardstone.rate(_pool(), anchor={"A": 3000}), "anchor must be a name.*'anchors'"),
        (lambda: yardstone.rate(_pool(), anchors={"A": "x"}), "anchors of A must be a number"),
        (lambda: yardstone.rate(_pool(), anchors=3000), "anchors must name numbers"),
        (lambda: yardstone.evaluate(_pool(), ["elo"], metric="acuracy"), "did you mean 'accuracy'"),
        (lambda: yardstone.evaluate(_pool(), ["gliko2"]), "did you mean 'glicko2'"),
        (lambda: yardstone.evaluate(_pool(), ["elo"], confidence=95.0), "confidence"),
        # Whoever still gives what went into the context learns where it is set.
        (lambda: yardstone.estimate(workers=2), r"parallel\.context\(workers=\.\.\.\)"),  # type: ignore[call-arg]
        (lambda: yardstone.estimate(progress=2), r"parallel\.context\(progress=\.\.\.\)"),  # type: ignore[call-arg]
    ],
)
def test_what_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        call()


def _pool() -> Pool:
    return Pool.from_names("ABAB", "BABA", [1, 0, 1, 0])


def test_what_is_right_is_taken() -> None:
    yardstone.BradleyTerry(
        first_advantage=yardstone.Prior(30.0, 10.0), draw_rate=np.float64(0.5), join=9
    )
    check_fields(_Plain(2.0, 3, "anything"))
    check_fields(_Plain(number=inf), infinite=["number"])
    assert nearest("BIRER", ["accuracy", "brier"]) == "brier"
    assert no_such("tag", "x", []) == "there is no tag 'x', and no other"
    many = [str(n) for n in range(100)]
    assert no_such("tag", "x", many[:60]).endswith("58, 59")
    assert no_such("tag", "x", many).endswith("58, 59 and 40 more")
    with pytest.raises(AttributeError, match=r"context\(engine=NAME\)"):
        parallel.engine  # noqa: B018


@pytest.mark.parametrize(
    "name", [n for n in yardstone.__all__ if inspect.isfunction(getattr(yardstone, n))]
)
def test_a_misspelt_argument_of_any_public_function(name: str) -> None:
    function = getattr(yardstone, name)
    word = [*inspect.signature(function).parameters.values()][-1]
    known = "score" if word.kind is word.VAR_KEYWORD else word.name
    with pytest.raises(UsageError, match=f"there is no argument '{known}x', did you mean"):
        function(**{f"{known}x": 1})
