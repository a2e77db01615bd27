"""Words and numbers that a caller gives are checked, in every class that takes any."""

from __future__ import annotations

import dataclasses
import inspect
import pkgutil
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
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

PACKAGES = ("ratings", "winprob", "strength", "backgammon")
NEEDED: dict[str, dict[str, Any]] = {
    "Prior": {"mean": 0.0, "deviation": 1.0},
    "Relation": {"player": "A", "other": "B", "difference": 0.0, "deviation": 1.0},
    "Match": {"counts": (1.0, 1.0, 1.0)},
}
#: Fields of which a word does not go with the defaults of the others.
NOT_ALONE = {("Fusion", "period"), ("GlickoFromMoves", "period")}


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


def test_every_class_refuses_wrong_words_and_numbers() -> None:
    from yardstone.ratings.systems import SYSTEMS

    every = owners()
    systems = {type(entry.make()).__name__ for entry in SYSTEMS.values()}
    assert systems | {"BradleyTerry", "Sprt", "SktLr", "Handicap", "KFactor", "Prior"} <= set(every)
    for name, owner in every.items():
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
    refused = pytest.raises(UsageError, match=r"^n must be a (whole )?number")
    with nullcontext() if fits else refused:
        check_number("n", value, **limits)


@dataclasses.dataclass
class _Plain:
    number: float = 1.0
    whole: int | None = None
    name: str = "x"
    endless: float = inf


def checked(**fields: Any) -> None:
    check_fields(_Plain(**fields))


POOL = Pool.from_names("ABAB", "BABA", [1, 0, 1, 0])
elo: Any = yardstone.Elo
estimated: Any = yardstone.estimate
fitted: Any = yardstone.BradleyTerry
rated: Any = partial(yardstone.rate, POOL)
evaluated: Any = partial(yardstone.evaluate, POOL)


REFUSED: tuple[tuple[Callable[[], object], str], ...] = (
    (lambda: check_number("n", 2, least=3, whole=True), "n must be a whole number from 3, not 2"),
    (lambda: check_number("p", 1.0, above=0.0, below=1.0), r"p must be a number above 0 below 1, "),
    (lambda: check_choice("it", 3, ("a", "b")), "it is 'a' or 'b', not 3"),
    (lambda: checked(whole=0.5), "whole must be a whole number or None, not 0.5"),
    (lambda: checked(number=inf), "number must be a number, not inf"),
    (lambda: checked(number=None), "number must be a number, not None"),
    (lambda: checked(name=3), "name must be a name, not 3"),
    (lambda: fitted(method="likelihod"), "did you mean 'likelihood'"),
    (lambda: fitted(disconnected="component"), "did you mean 'components'"),
    (lambda: fitted(draw_rate="aut"), "did you mean 'auto'"),
    (lambda: fitted(join="100"), "join must be a number or None"),
    (lambda: PairingRules(floor=-(10**15) - 1), "floor = -1000000000000001: rules lie from"),
    (lambda: PairingRules(bar=10**400), "bar must be a whole number, not 1000"),
    (lambda: elo(intial=3.0), "did you mean 'initial'"),
    (lambda: rated(anchr={"A": 3000}), "did you mean 'anchors'"),
    (lambda: rated(anchor={"A": 3000}), "anchor must be a name.*'anchors'"),
    (lambda: rated(anchors={"A": "x"}), "anchors of A must be a number"),
    (lambda: rated(anchors=3000), "anchors must name numbers"),
    (lambda: evaluated(["elo"], metric="acuracy"), "did you mean 'accuracy'"),
    (lambda: evaluated(["gliko2"]), "did you mean 'glicko2'"),
    (lambda: evaluated(["elo"], confidence=95.0), "confidence"),
    # Whoever still gives what went into the context learns where it is set.
    (lambda: estimated(workers=2), r"parallel\.context\(workers=\.\.\.\)"),
)  # fmt: skip


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_what_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        call()


def test_what_is_right_is_taken() -> None:
    prior = yardstone.Prior(30.0, 10.0)
    fitted(first_advantage=prior, draw_rate=np.float64(0.5), join=9)
    checked(number=2.0, whole=3, name="anything")
    check_fields(_Plain(number=inf), infinite=["number"])
    assert nearest("BIRER", ["accuracy", "brier"]) == "brier"
    assert no_such("tag", "x", []) == "there is no tag 'x', and no other"
    many = [str(n) for n in range(100)]
    assert no_such("tag", "x", many[:60]).endswith("58, 59")
    assert no_such("tag", "x", many).endswith("58, 59 and 40 more")
    with pytest.raises(AttributeError, match=r"context\(engine=NAME\)"):
        parallel.engine  # noqa: B018


def test_a_misspelt_argument_of_any_public_function() -> None:
    functions = [getattr(yardstone, name) for name in yardstone.__all__]
    for function in filter(inspect.isfunction, functions):
        word = [*inspect.signature(function).parameters.values()][-1]
        known = "score" if word.kind is word.VAR_KEYWORD else word.name
        with pytest.raises(UsageError, match=f"there is no argument '{known}x', did you mean"):
            function(**{f"{known}x": 1})
