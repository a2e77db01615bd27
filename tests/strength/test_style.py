"""A model of style: its fit, its predictions, its validation and the tables it reads."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import multivariate_normal, norm

from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.strength.style import (
    StyleRatings,
    StyleTable,
    Validation,
    _against,
    cross_validate,
    fit_style,
    folds_of,
    normal_scores,
    read_style,
)

Array = NDArray[np.float64]

HEAD = "a\tb\tplayer strength\tname\tsize\ncontinuous\tcontinuous\tcontinuous\tstring\tcontinuous\n"
ROLES = "\t\tclass\tmeta\tmeta\n"


def made_table() -> StyleTable:
    """Ranks that two features of three tell, one in a curve, with noise of one rank."""
    generator = np.random.default_rng(3)
    features = generator.normal(size=(60, 3))
    strength = 3.0 * features[:, 0] + 4.0 * np.abs(features[:, 1])
    strength = np.round(strength + generator.normal(size=60))
    features[:, 0] = np.exp(2.0 * features[:, 0])  # a long tail changes no places
    names = tuple(f"player {row}" for row in range(60))
    return StyleTable(features, strength, ("one", "two", "none"), names)


TABLE = made_table()
FEW = TABLE.select(np.arange(40))


def test_the_likelihood_is_that_of_a_normal_density_and_has_its_gradient() -> None:
    generator = np.random.default_rng(1)
    scores, rest = generator.normal(size=(12, 2)), generator.normal(size=12)
    here = np.array([0.2, -0.5, 0.4, -0.3])
    apart = np.array([[np.sum(np.exp(here[:2]) * (a - b) ** 2) for b in scores] for a in scores])
    covariance = np.exp(here[2]) * np.exp(-0.5 * apart) + np.exp(here[3]) * np.eye(12)
    density = multivariate_normal(np.zeros(12), covariance).logpdf(rest)
    value, gradient = _against(here, scores, rest)
    assert value + 6 * np.log(2 * np.pi) == pytest.approx(-density)
    for k, step in enumerate(1e-5 * np.eye(4)):
        up, down = (_against(here + sign * step, scores, rest)[0] for sign in (1, -1))
        assert gradient[k] == pytest.approx((up - down) / 2e-5, rel=1e-5, abs=1e-6)


def test_predictions_against_the_formulas() -> None:
    """Mean and variance as in Rasmussen and Williams 2006, equations 2.25 and 2.26."""
    model, strength, ordered = fit_style(FEW), FEW.strength, np.sort(FEW.features, axis=0)
    place, new = (normal_scores(each, ordered) for each in (FEW.features, TABLE.features[40:43]))

    def covariance(a: Array, b: Array) -> float:
        return float(model.signal**2 * np.exp(-0.5 * np.sum(((a - b) / model.lengths) ** 2)))

    own = np.array([[covariance(a, b) for b in place] for a in place])
    own += model.noise**2 * np.eye(40)
    rank, deviation = model.predict(TABLE.features[40:43])
    for row in range(3):
        near = np.array([covariance(new[row], b) for b in place])
        mean = strength.mean() + near @ np.linalg.solve(own, strength - strength.mean())
        left = model.signal**2 - near @ np.linalg.solve(own, near) + model.noise**2
        assert rank[row] == pytest.approx(np.clip(mean, strength.min(), strength.max()))
        assert deviation[row] == pytest.approx(np.sqrt(left))
    ordered = np.array([[1.0], [2.0], [2.0], [3.0]])  # quantiles of places, ties in the middle
    result = normal_scores(np.array([[2.0], [0.0], [9.0], [1.0]]), ordered)[:, 0]
    assert result == pytest.approx(norm.ppf([0.5, 0.1, 0.9, 0.2]))
    many = np.zeros((20000, 1))  # never further out than one in ten thousand
    assert normal_scores(np.array([[-1.0]]), many)[0, 0] == pytest.approx(norm.ppf(1e-4))


def test_cross_validation_in_equal_shares_knows_no_player_it_predicts() -> None:
    """Each part is predicted by a fit to the others, which tells more than their mean."""
    strength = np.repeat(np.arange(5.0), 20)
    fold = folds_of(strength, 10, seed=1)
    for rank in range(5):
        assert (np.bincount(fold[strength == rank], minlength=10) == 2).all()
    again = [np.array_equal(fold, folds_of(strength, 10, seed=seed)) for seed in (1, 2)]
    assert again == [True, False]
    result = cross_validate(FEW, folds=2)
    assert result.error < 0.7 * result.baseline_error
    for number in range(2):
        here = result.fold == number
        alone = fit_style(FEW.select(~here)).predict(FEW.features[here])[0]
        assert np.allclose(alone, result.predicted[here])
        assert np.allclose(result.baseline[here], FEW.strength[~here].mean())


def test_figures_of_a_validation() -> None:
    right = np.array([0.0, 1.0, 2.0, 7.0])
    spread = np.array([1.0, 1.0, 0.5, 2.0])
    result = Validation(
        right, right + np.array([1.0, -1.0, 1.0, 3.0]), spread, np.arange(4), right + 2.0
    )
    assert (result.error, result.absolute_error, result.baseline_error) == (3**0.5, 1.5, 2.0)
    assert (result.coverage(), result.coverage(1.0), result.coverage(0.9)) == (0.75, 0.5, 0.0)
    generator = np.random.default_rng(5)
    draws = [
        np.sqrt(np.mean(np.array([1, 1, 1, 9])[generator.integers(0, 4, 4)])) for _ in range(4000)
    ]
    low, high = result.interval(level=0.9, replicates=4000, seed=1)
    assert (low, high) == pytest.approx(np.quantile(draws, [0.05, 0.95]), abs=1e-9)
    rated = StyleRatings(("a", "b"), np.array([3.0, np.nan]), np.array([5.0, 9.0]), spread[:2], 9)
    assert rated.error == 2.0
    assert rated.known.tolist() == [True, False]
    assert replace(rated, strength=np.full(2, np.nan)).error is None


def test_reading_tables_side_by_side(tmp_path: Path) -> None:
    one = tmp_path / "one.tab"
    one.write_text(HEAD + ROLES + "1\t2\t-5\tAnn (6d)\t30\n3\t4.5\t?\tBob\t20\n")
    other = tmp_path / "two.tab.gz"
    text = HEAD.replace("a\tb", "c\td") + ROLES + "5\t6\t-5\tAnn (6d)\t30\n7\t8\t3\tBob\t20\n"
    other.write_bytes(gzip.compress(text.encode()))
    result = read_style(tmp_path)
    assert result.names == ("a", "b", "c", "d")
    assert result.players == ("Ann (6d)", "Bob")
    assert result.features.tolist() == [[1.0, 2.0, 5.0, 6.0], [3.0, 4.5, 7.0, 8.0]]
    assert result.strength.tolist() == [-5.0, 3.0]
    assert np.isnan(read_style(one).strength[1])


def test_what_cannot_be_read_or_fitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, row = tmp_path / "bad.tab", "1\t2\t3\tA\t4\n"
    path.write_text(HEAD + "\tclass\n" + row)
    assert read_style(path).names == ("a", "player strength", "size")
    for text, message in (
        ("", "no player"),
        (HEAD + ROLES, "no player"),
        (HEAD + ROLES + "1\tx\t3\tA\t4\n", r"bad\.tab:4: 'b' is 'x' in place of a number"),
        (HEAD + ROLES + "1\tinf\t3\tA\t4\n", "in place of a number"),
        (HEAD + ROLES + row + "1\t2\t3\n", r"bad\.tab:5: has 3 fields in place of 5"),
        ("a\tb\nstring\n\n1\t2\n", "headings"),
        ("a\tb\nstring\tstring\n\t\n1\t2\n", "no column of numbers"),
        ("\t".join("abc" * 2000) + "\nc\n\n1\n", "more than 4096 columns"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=message):
            read_style(path)
    one, other, empty = (tmp_path / name for name in ("1.tab", "2.tab", "empty"))
    one.write_text(HEAD + ROLES + row + row.replace("A", "B"))
    empty.mkdir()
    large = tmp_path / "big.tab.gz"  # of a table that expands too far
    large.write_bytes(gzip.compress(b"1\t" * (1 << 20)))
    monkeypatch.setattr("yardstone.strength.style._MOST_BYTES", 1 << 20)
    model = fit_style(TABLE.select(np.arange(10)))
    assert np.isfinite(model.weights).all()
    nine = TABLE.select(np.arange(9))
    rows: list[tuple[type[Exception], str, Any]] = [
        (InputError, r"2\.tab:4: this player is another one", row.replace("A", "B") + row),
        (InputError, "has 1 players", row),
        (InputError, "no such", lambda: read_style(tmp_path / "none.tab")),
        (InputError, "this folder is empty", lambda: read_style(empty)),
        (NoGamesError, "no table of style features", read_style),
        (InputError, "larger than 1 MiB", lambda: read_style(large)),
        (UsageError, "columns", lambda: model.predict(np.zeros((2, 5)))),
        (NoGamesError, "takes 10", lambda: fit_style(nine)),
        (UsageError, "folds", lambda: cross_validate(TABLE, folds=1)),
        (UsageError, "folds", lambda: cross_validate(nine, folds=5)),
    ]
    for error, message, wrong in rows:
        if isinstance(wrong, str):
            other.write_text(HEAD + ROLES + wrong)
        with pytest.raises(error, match=message):
            read_style(one, other) if isinstance(wrong, str) else wrong()
