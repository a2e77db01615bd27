"""Words and numbers that a caller gives are checked, in every class that takes any."""

from __future__ import annotations

import dataclasses
import inspect
import pkgutil
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import yardstone
from yardstone import choices, parallel
from yardstone.choices import check_choice, check_fields, check_number, nearest, no_such
from yardstone.errors import UsageError
from yardstone.evaluation.backtest import evaluate
from yardstone.pool import Pool
from yardstone.ratings.bradley_terry import BradleyTerry
from yardstone.ratings.joint import Prior, Relation
from yardstone.ratings.match import Match
from yardstone.ratings.systems import SYSTEMS, find_system
from yardstone.tournament.model import PairingRules
from yardstone.winprob.scales import convert
from yardstone_lab.kaniuk import ModelForm

#: Packages whose classes of parameters are walked over.
PACKAGES = (
    "yardstone.ratings", "yardstone.winprob", "yardstone.strength", "yardstone.backgammon",
)  # fmt: skip


def classes_of_parameters() -> list[type]:
    """Public dataclasses that check their fields and need no argument."""
    result = {}
    for package in PACKAGES:
        module = import_module(package)
        for info in pkgutil.walk_packages(module.__path__, f"{package}."):
            for each in vars(import_module(info.name)).values():
                if inspect.isclass(each) and dataclasses.is_dataclass(each):
                    source = "".join(
                        inspect.getsource(base) for base in each.__mro__ if base is not object
                    )
                    if "check_fields(self" in source:
                        result[each.__name__] = each
    return list(result.values())


NEEDED: dict[str, dict[str, Any]] = {
    "Prior": {"mean": 0.0, "deviation": 1.0},
    "Relation": {"player": "A", "other": "B", "difference": 0.0, "deviation": 1.0},
    "Match": {"counts": (1.0, 1.0, 1.0)},
}


def test_every_rating_system_checks_its_fields() -> None:
    names = {each.__name__ for each in classes_of_parameters()}
    systems = {type(entry.make()).__name__ for entry in SYSTEMS.values()}
    assert systems | {"BradleyTerry", "Sprt", "SktLr", "Handicap", "KFactor", "Prior"} <= names


@pytest.mark.parametrize("owner", classes_of_parameters(), ids=lambda each: each.__name__)
def test_wrong_words_and_numbers_are_refused(owner: type) -> None:
    fixed = NEEDED.get(owner.__name__, {})
    kinds = [kind for kind in choices._kinds(owner) if kind.form is choices._Form.VALUE]
    assert kinds
    for kind in kinds:
        with pytest.raises(UsageError, match=kind.name):
            owner(**{**fixed, kind.name: "nonsense"})
        with pytest.raises(UsageError):
            owner(**{**fixed, kind.name: float("nan")})
        for word in kind.words:
            one_word = owner.__name__ in ("Fusion", "GlickoFromMoves") and kind.name == "period"
            if not one_word:
                owner(**{**fixed, kind.name: word})


def test_no_annotation_with_words_is_overlooked() -> None:
    for owner in classes_of_parameters():
        checked = {kind.name for kind in choices._kinds(owner)}
        worded = {part.name for part in dataclasses.fields(owner) if "Literal" in str(part.type)}
        assert worded <= checked, owner


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ({"method": "likelihod"}, "likelihood"),
        ({"reference": "ancor"}, "anchor"),
        ({"disconnected": "component"}, "components"),
        ({"bounds": "exakt"}, "exact"),
        ({"first_advantage": "atuo"}, "auto"),
        ({"draw_rate": "aut"}, "auto"),
    ],
)
def test_a_near_word_is_suggested(wrong: dict[str, Any], right: str) -> None:
    with pytest.raises(UsageError, match=f"did you mean '{right}'"):
        BradleyTerry(**wrong)


def test_what_is_right_is_taken() -> None:
    BradleyTerry(first_advantage=Prior(30.0, 10.0), draw_rate=np.float64(0.5), join=9)
    with pytest.raises(UsageError, match="join must be a number or None"):
        BradleyTerry(join="100")  # type: ignore[arg-type]


def test_single_values() -> None:
    check_number("n", 3, least=3, whole=True)
    with pytest.raises(UsageError, match="n must be a whole number from 3, not 2"):
        check_number("n", 2, least=3, whole=True)
    with pytest.raises(UsageError, match=r"p must be a number above 0 below 1, not 1\.0"):
        check_number("p", 1.0, above=0.0, below=1.0)
    with pytest.raises(UsageError, match="not 'x'"):
        check_number("p", "x")
    with pytest.raises(UsageError, match="it is 'a' or 'b', not 3"):
        check_choice("it", 3, ("a", "b"))
    assert nearest("BIRER", ["accuracy", "brier"]) == "brier"
    assert no_such("tag", "x", []) == "there is no tag 'x', and no other"
    assert no_such("tag", "x", [str(n) for n in range(100)]).endswith("59 and 40 more")


def test_whole_numbers_beyond_any_float() -> None:
    with pytest.raises(UsageError, match="n must be a number from 0, not 1000"):
        check_number("n", 10**400, least=0.0)
    with pytest.raises(UsageError, match="bar must be a whole number, not 1000"):
        PairingRules(bar=10**400)
    with pytest.raises(UsageError, match="floor = -1000000000000001: rules lie from"):
        PairingRules(floor=-(10**15) - 1)


def test_words_of_functions() -> None:
    pool = Pool.from_names("ABAB", "BABA", [1, 0, 1, 0])
    with pytest.raises(UsageError, match="did you mean 'accuracy'"):
        evaluate(pool, ["elo"], metric="acuracy")
    with pytest.raises(yardstone.InputError, match="there is no column 'event'"):
        evaluate(pool, ["elo"], group_by="event")
    with pytest.raises(UsageError, match="did you mean 'glicko2'"):
        find_system("gliko2")
    with pytest.raises(UsageError, match="did you mean 'initial'"):
        find_system("elo").make(intial=3.0)
    with pytest.raises(UsageError, match="did you mean 'egf'"):
        convert(2100, "egff", "grade")
    with pytest.raises(UsageError, match="did you mean 'likelihood'"):
        ModelForm("x", method="likelihod")
    with pytest.raises(UsageError, match="confidence"):
        evaluate(pool, ["elo"], confidence=95.0)


@dataclasses.dataclass
class _Plain:
    number: float = 1.0
    whole: int | None = None
    name: str = "x"


def test_fields_of_any_dataclass() -> None:
    check_fields(_Plain(2.0, 3, "anything"))
    with pytest.raises(UsageError, match="whole must be a whole number or None"):
        check_fields(_Plain(whole=0.5))  # type: ignore[arg-type]


def test_matches_and_priors() -> None:
    with pytest.raises(UsageError):
        Match((1.0, float("nan"), 2.0))
    with pytest.raises(UsageError, match="mean must be a number"):
        Prior("2000", 3.0)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="deviation must be a number"):
        Relation("A", "B", 3.0, "1")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name", [n for n in yardstone.__all__ if inspect.isfunction(getattr(yardstone, n))]
)
def test_a_misspelt_argument_of_any_public_function(name: str) -> None:
    function = getattr(yardstone, name)
    word = [*inspect.signature(function).parameters.values()][-1]
    known = "score" if word.kind is word.VAR_KEYWORD else word.name
    with pytest.raises(UsageError, match=f"there is no argument '{known}x', did you mean"):
        function(**{f"{known}x": 1})


def test_ratings_by_name_are_anchors() -> None:
    pool = Pool.from_names("ABAB", "BABA", [1, 0, 1, 0])
    with pytest.raises(UsageError, match="did you mean 'anchors'"):
        yardstone.rate(pool, anchr={"A": 3000})
    with pytest.raises(UsageError, match=r"anchor must be a name.*did you mean 'anchors'"):
        yardstone.rate(pool, anchor={"A": 3000})
    with pytest.raises(UsageError, match="anchors of A must be a number, not 'x'"):
        yardstone.rate(pool, anchors={"A": "x"})
    with pytest.raises(UsageError, match="anchors must name numbers"):
        yardstone.rate(pool, anchors=3000)
    with pytest.raises(UsageError, match="no argument 'colums', did you mean 'columns'"):
        yardstone.read(None, colums="x")  # type: ignore[call-arg]


@pytest.mark.parametrize("name", ["progress", "workers"])
def test_arguments_that_went_into_the_context_are_named(name: str) -> None:
    """Whoever still gives them learns where they are set."""
    with pytest.raises(UsageError, match=rf"parallel\.context\({name}=\.\.\.\)"):
        yardstone.estimate(**{name: 2})  # type: ignore[arg-type]
    with pytest.raises(AttributeError, match=r"context\(engine=NAME\)"):
        parallel.engine  # noqa: B018
