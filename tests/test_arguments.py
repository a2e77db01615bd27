"""Words, numbers, sizes and games that a caller gives are checked; what is said is short."""

from __future__ import annotations

import dataclasses
import inspect
import pkgutil
from collections.abc import Callable
from functools import partial
from importlib import import_module
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import yardstone
from tests.fuzz.cases import bad_message
from yardstone import choices, memory, parallel
from yardstone.choices import check_choice, check_fields, check_number, nearest, no_such
from yardstone.errors import InputError, SkippedWarning, UsageError, shown
from yardstone.pool import MAX_SKIPPED_DETAILS, Pool, Skipped, SkipReport
from yardstone.records.options import skipped_line
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
    """Public dataclasses that check their fields."""
    packages = [import_module(f"yardstone.{package}") for package in PACKAGES]
    walks = [pkgutil.walk_packages(each.__path__, f"{each.__name__}.") for each in packages]
    members = [vars(import_module(info.name)).values() for walk in walks for info in walk]
    classes = {each for some in members for each in some if inspect.isclass(each)}
    classes = {each for each in classes if dataclasses.is_dataclass(each)}
    return {each.__name__: each for each in classes if "check_fields" in _after_init(each)}


def _after_init(each: type) -> set[str]:
    made = [vars(base).get("__post_init__") for base in each.__mro__]
    return {name for function in filter(None, made) for name in function.__code__.co_names}


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


def test_numbers_have_limits() -> None:
    whole: dict[str, Any] = {"least": 3, "whole": True}
    taken: tuple[tuple[object, dict[str, Any]], ...] = (
        (3, whole), (np.int64(3), whole), (3, {"most": 3}), (0.5, {"above": 0.0, "below": 1.0}),
    )  # fmt: skip
    for value, limits in taken:
        check_number("n", value, **limits)
    refused: tuple[tuple[object, dict[str, Any]], ...] = (
        (2, whole), (3.0, whole), (3.01, {"most": 3}), (0.0, {"above": 0.0}), (1.0, {"below": 1.0}),
        (nan, {}), (inf, {}), ("3", {}),
        (10**400, {"least": 0.0}), (10**400, {"whole": True}),  # beyond any float
    )  # fmt: skip
    for value, limits in refused:
        with pytest.raises(UsageError, match=r"^n must be a (whole )?number"):
            check_number("n", value, **limits)


@dataclasses.dataclass
class _Plain:
    number: float = 1.0
    whole: int | None = None
    name: str = "x"
    endless: float = inf


MANY = [str(n) for n in range(100)]
POOL = Pool.from_names("ABAB", "BABA", [1, 0, 1, 0])
plain: Any = _Plain
api: Any = yardstone
fitted: Any = yardstone.BradleyTerry
rated: Any = partial(yardstone.rate, POOL)
evaluated: Any = partial(yardstone.evaluate, POOL)
REFUSED: tuple[tuple[Callable[[], object], str], ...] = (
    (lambda: check_choice("it", 3, ("a", "b")), "it is 'a' or 'b', not 3"),
    (lambda: check_fields(plain(whole=0.5)), "whole must be a whole number or None, not 0.5"),
    (lambda: check_fields(plain(number=None)), "number must be a number, not None"),
    (lambda: check_fields(plain(name=3)), "name must be a name, not 3"),
    (lambda: fitted(method="likelihod"), "did you mean 'likelihood'"),
    (lambda: fitted(draw_rate="aut"), "did you mean 'auto'"),
    (lambda: fitted(join="100"), "join must be a number or None"),
    (lambda: PairingRules(floor=-(10**15) - 1), "floor = -1000000000000001: rules lie from"),
    (lambda: PairingRules(bar=10**400), "bar must be a whole number, not 1000"),
    (lambda: api.Elo(intial=3.0), "did you mean 'initial'"),
    (lambda: rated(anchr={"A": 3000}), "did you mean 'anchors'"),
    (lambda: rated(anchor={"A": 3000}), "anchor must be a name.*'anchors'"),
    (lambda: rated(anchors={"A": "x"}), "anchors of A must be a number"),
    (lambda: rated(anchors=3000), "anchors must name numbers"),
    (lambda: evaluated(["elo"], metric="acuracy"), "did you mean 'accuracy'"),
    (lambda: evaluated(["gliko2"]), "did you mean 'glicko2'"),
    (lambda: evaluated(["elo"], confidence=95.0), "confidence"),
    # Whoever still gives what went into the context learns where it is set.
    (lambda: api.estimate(workers=2), r"parallel\.context\(workers=\.\.\.\)"),
)  # fmt: skip


def test_what_is_refused() -> None:
    for call, message in REFUSED:
        with pytest.raises(UsageError, match=message):
            call()


def test_what_is_right_is_taken() -> None:
    prior = yardstone.Prior(30.0, 10.0)
    fitted(first_advantage=prior, draw_rate=np.float64(0.5), join=9)
    check_fields(_Plain(2.0, 3, "anything"))
    check_fields(_Plain(number=inf), infinite=["number"])
    assert nearest("BIRER", ["accuracy", "brier"]) == "brier"
    for known, end in (([], "'x', and no other"), (MANY[:60], "58, 59"), (MANY, "59 and 40 more")):
        assert no_such("tag", "x", known).endswith(end)
    with pytest.raises(AttributeError, match=r"context\(engine=NAME\)"):
        parallel.engine  # noqa: B018
    # A misspelt argument of any public function.
    functions = [getattr(yardstone, name) for name in yardstone.__all__]
    for function in filter(inspect.isfunction, functions):
        word = [*inspect.signature(function).parameters.values()][-1]
        right = "score" if word.kind is word.VAR_KEYWORD else word.name
        with pytest.raises(UsageError, match=f"there is no argument '{right}x', did you mean"):
            function(**{f"{right}x": 1})


def test_sizes_and_memory_of_containers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("", "two", "2XB", "-1GB", "5MB", "nan", "1e9"):
        with pytest.raises(UsageError, match="--memory"):
            memory.bytes_of(text)
    assert memory.working_memory("2GB") == 2_000_000_000
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(memory, "_LIMITS", (limit, tmp_path / "absent"))
    limit.write_text("max\n")
    assert memory.usable_memory() > 600_000_000
    limit.write_text("600000000\n")
    assert memory.usable_memory() == 300_000_000


HOSTILE = "\x1b[2J\u202egnp.exe\r\ud800\x9b31m\u2028"


@given(st.text(st.characters(), max_size=600))
def test_whatever_is_shown_is_short_and_harmless(text: str) -> None:
    assert (len(shown(text)) <= 400, bad_message(shown(text))) == (True, None)


def test_messages_are_short_and_harmless() -> None:
    for text in ("no such file", "Dvořák – 九段 “x”\nsecond line", "a\u00a0b", "x" * 400):
        assert shown(text) == text
    assert shown(HOSTILE) == "\\x1b[2J\\u202egnp.exe\\r\\ud800\\x9b31m\\u2028"
    assert shown(f"column {'x' * 394}") == f"column {'x' * 240} … {'x' * 150}"
    for message in (
        InputError(f"{HOSTILE} is no result", file="a.csv", line=3, hint="x" * 60_000),
        InputError("x" * 60_000, file=f"{HOSTILE}.pgn"),
        UsageError(f"{HOSTILE * 1000} is no system"),
        SkippedWarning("left out: " + "x" * 60_000),
        Skipped("a.pgn", 3, f"result {HOSTILE * 1000}"),
    ):
        assert bad_message(str(message)) is None


def test_a_message_has_its_place_and_a_hint() -> None:
    error = InputError("gone", file="a.pgn", line=3, hint="look")
    assert (str(error), error.advice) == ("a.pgn:3: gone (look)", "gone (look)")
    assert str(InputError("gone", file="a.pgn")) == "a.pgn: gone"
    assert str(yardstone.UnknownPlayerError("nobody")) == "nobody"  # a KeyError shows quotes
    for extra, install in ((None, "pandas"), ("plot", "'yardstone[plot]'")):
        missing = yardstone.MissingExtraError("pandas (or polars)", extra)
        assert str(missing) == f"pandas (or polars) is not installed: pip install {install}"
    own = [ValueError, ValueError, TypeError, KeyError, FileNotFoundError, ImportError]
    names = "Input Usage WrongType UnknownPlayer MissingFile MissingExtra".split()
    for name, python in zip(names, own, strict=True):
        error = getattr(yardstone, f"{name}Error")
        assert {yardstone.YardstoneError, python} <= set(error.__mro__)


GAME = st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from([0.0, 0.5, 1.0]))


@given(st.lists(GAME, max_size=50))
def test_pair_counts_add_up_the_games(games: list[tuple[int, int, float]]) -> None:
    columns = zip(*games, strict=True) if games else ((), (), ())
    first, second, score = (np.array(column) for column in columns)
    pool = Pool(tuple("abcdef"), first, second, score)
    counts = pool.pair_counts()
    table = [counts.first, counts.second, counts.wins, counts.draws, counts.losses]
    pairs = sorted({(i, j) for i, j, _ in games})
    expected = [[*pair, *(games.count((*pair, s)) for s in (1.0, 0.5, 0.0))] for pair in pairs]
    assert np.array(table).T.tolist() == expected
    assert counts.player_totals().sum() == pool.played().sum() == 2 * len(games)


def test_a_pool_is_frozen_and_a_part_keeps_players_and_columns() -> None:
    pool = Pool.from_names("ABC", "BCA", [1, 0.5, 0], columns={"komi": [6.5, 7.5, 0.5]})
    with pytest.raises(ValueError, match="read-only"):
        pool.score[0] = 0
    part = pool.select(pool.score > 0)
    assert part.players == pool.players
    assert part.columns["komi"].tolist() == [6.5, 7.5]


def test_nonsense_is_refused() -> None:
    for first, second, score, says in (
        ([0, 1], [1, 2], [1, 0], "outside 0 to 1"),
        ([0], [1], [0.7], "1, 0.5 or 0"),
        ([0, 1], [1], [1, 0], "shape"),
        ([-1], [1], [1], "outside"),
    ):
        with pytest.raises(InputError, match=says):
            Pool(("A", "B"), np.array(first), np.array(second), np.array(score))


def test_skip_report_counts_all_and_keeps_the_first() -> None:
    report = SkipReport(Skipped("f.pgn", line, "odd") for line in range(1, 2001))
    report.merge(SkipReport([Skipped("g.pgn", 0, "empty")]))
    assert (len(report), report.reasons) == (2001, {"odd": 2000, "empty": 1})
    assert len(report.details) == MAX_SKIPPED_DETAILS
    assert str(report.details[0]) == "f.pgn:1: odd"
    many = SkipReport(Skipped("g.pgn", line, f"odd {line}") for line in range(10))
    assert skipped_line(report) == "2,001 records were skipped: 2,000 odd, 1 empty"
    assert skipped_line(many).endswith(", 1 odd 7 and 2 other reasons")
