"""Python as users of data frames write it: games in any form, results that are asked and shown."""

from __future__ import annotations

import importlib.util
import re
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import yardstone
from yardstone.cli.main import main
from yardstone.examples import example
from yardstone.ratings.rating_list import RatingList

LEAGUE = example("league.csv")
NAMES: Any = {"first": "home", "second": "away", "score": "FTR"}


@pytest.fixture(scope="module")
def football() -> Any:
    """Rounds of five clubs, with results as tables of football have them."""
    import pandas as pd

    clubs = ["Ajax", "Brugge", "Celtic", "Dinamo", "Espanyol"]
    generator = np.random.default_rng(5)
    rows = [(one, other) for one in clubs for other in clubs if one != other] * 3
    frame = pd.DataFrame(rows, columns=["home", "away"])
    frame["FTR"] = generator.choice(["H", "D", "A"], len(rows), p=[0.45, 0.27, 0.28])
    return frame


def test_games_in_every_form_are_the_same(football: Any, tmp_path: Path) -> None:
    import polars as pl
    import pyarrow as pa

    paths = {"all": football, "one": football[:30], "two": football[30:]}
    for name, frame in paths.items():
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    known = yardstone.rate(yardstone.read(football, columns=NAMES))
    for games in (
        football,
        pl.from_pandas(football),
        pa.Table.from_pandas(football),
        str(tmp_path / "all.csv"),
        tmp_path / "all.csv",
        [tmp_path / "one.csv", str(tmp_path / "two.csv")],
    ):
        assert yardstone.rate(games, **NAMES) == known
    assert known != yardstone.rate(football, average=1500, **NAMES)
    # Each function takes them.
    assert yardstone.evaluate(football, ["elo"], replicates=0, **NAMES).games == 18
    history = yardstone.history(football, intervals=False, settled=0, **NAMES)
    assert len(history) == len(list(history)) == 5
    assert history.curve("Ajax").player == "Ajax"
    game = yardstone.predict(football, "Ajax", "Celtic", system="elo", exact=True, **NAMES)
    assert 0.0 < game.expected < 1.0
    match = yardstone.match(football, ("Ajax", "Celtic"), **NAMES)
    assert match.players == ("Ajax", "Celtic")
    assert yardstone.match((859, 1329, 772)).superiority == pytest.approx(0.984, abs=1e-3)


def test_results_in_words_of_ones_own(football: Any) -> None:
    frame = football.replace({"H": "x", "D": "y", "A": "z"})
    with pytest.raises(ValueError, match="results"):
        yardstone.rate(frame, **NAMES)
    given = yardstone.rate(frame, **NAMES, results={"x": 1, "y": 0.5, "z": 0})
    assert given == yardstone.rate(football, **NAMES)


@pytest.mark.parametrize(
    ("function", "given", "options", "error", "message"),
    [
        ("rate", ["league"], {"first": "hme"}, ValueError, "there is no column 'hme', only"),
        ("rate", ["league"], {"avrage": 3}, ValueError, "did you mean 'average'"),
        ("rate", [3], {}, TypeError, "a int cannot be read here: give paths, or a frame"),
        ("rate", [[1, 2]], {}, TypeError, "a list of games must be one of paths"),
        ("rate", ["pool"], {"first": "white"}, ValueError, "has been read already"),
        ("rate", ["none.pgn"], {}, FileNotFoundError, "no such file"),
        ("read", ["none/*.pgn"], {}, FileNotFoundError, "no file matches"),
        ("match", [(1, 2)], {}, ValueError, "five counts"),
        ("match", [(1, 2, 3), ("a", "b")], {}, ValueError, "neither players nor columns"),
        ("estimate", ["none.sgf"], {}, FileNotFoundError, "no such file"),
        ("estimate", [[3]], {}, TypeError, "a int is not a game"),
        ("estimate", ["game"], {"colour": "green"}, ValueError, "colour"),
        ("estimate", ["game", "Park Junghwan"], {"net": "none"}, yardstone.InputError, "none"),
    ],
)
def test_what_is_not_understood_is_refused(
    function: str, given: list[Any], options: dict[str, Any], error: Any, message: str
) -> None:
    named = {"league": LEAGUE, "game": example("professional.sgf"), "pool": yardstone.read(LEAGUE)}
    arguments = [named.get(each, each) if isinstance(each, str) else each for each in given]
    with pytest.raises(error, match=message):
        getattr(yardstone, function)(*arguments, **options)


@pytest.fixture(scope="module")
def ratings() -> RatingList:
    return yardstone.rate(LEAGUE)


def test_a_list_is_a_sequence_that_knows_names(ratings: RatingList) -> None:
    names = [player.player for player in ratings]
    assert len(ratings) == len(names) == 8
    assert [player.rank for player in ratings] == list(range(1, 9))
    assert ratings[0] == ratings[names[0]] == ratings[-8]
    assert ratings[:3] == [ratings[0], ratings[1], ratings[2]]
    assert (names[3] in ratings, ratings[3] in ratings, "Nobody" in ratings) == (True, True, False)
    with pytest.raises(KeyError, match=r"did you mean 'Fizbo 2'\?"):
        ratings["Fizbo"]
    with pytest.raises(IndexError):
        ratings[8]


def test_plus_minus_and_auto_are_those_of_the_command(
    ratings: RatingList, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rate", str(LEAGUE)]) == 0
    said = capsys.readouterr().out
    table = re.findall(r"^ +\d+  (.+?) {2,}(\d+\.\d) +(\d+\.\d) ", said, re.MULTILINE)
    assert len(table) == 8
    system = yardstone.BradleyTerry(first_advantage="auto", draw_rate="auto")
    fit = system.fit(yardstone.read(LEAGUE))
    for name, rating, reach in table:
        assert f"{name}: {rating} ± {reach}" == str(ratings[name])
        assert re.search(rf"{re.escape(name)} +{rating} ± {reach}$", repr(fit), re.MULTILINE)
    assert "±: 95 % confidence interval" in repr(fit)
    assert f"First-move advantage: {fit.first_advantage.value:.1f} ±" in said
    sequential = yardstone.Glicko2().replay(yardstone.read(LEAGUE)).ratings
    assert "±" not in repr(sequential)  # no test says what its deviations hold
    assert "deviation" in repr(sequential)


def test_frames_of_both_libraries(ratings: RatingList, monkeypatch: pytest.MonkeyPatch) -> None:
    import pandas as pd
    import polars as pl

    frame, other = ratings.to_frame("pandas"), ratings.to_frame("polars")
    assert isinstance(frame, pd.DataFrame)
    assert isinstance(other, pl.DataFrame)
    assert list(frame.columns) == other.columns
    assert frame["player"].tolist() == other["player"].to_list() == [p.player for p in ratings]
    assert frame["rating"].tolist() == [player.rating for player in ratings]
    assert str(frame["games"].dtype) == "Int64"
    with pytest.raises(ValueError, match="'pandas' or 'polars'"):
        ratings.to_frame("numpy")  # type: ignore[arg-type]
    # A bound has no value in a frame.
    games = {"white": list("AABBCC"), "black": list("BCCADD"), "result": [1, 1, 0.5, 0, 0, 0]}
    bounded = yardstone.rate(pd.DataFrame(games))
    row = bounded.to_frame("pandas").set_index("player").loc["A"]
    assert row["status"] == "at least"
    assert pd.isna(row["rank"])
    assert bounded.to_frame("polars").filter(pl.col("player") == "A")["rank"].item() is None
    with pytest.raises(yardstone.ModelError, match="has only a bound"):
        bounded.predict("A", "B")
    real = importlib.util.find_spec

    def without(*missing: str) -> None:
        monkeypatch.setattr("yardstone.reports.files.sys", SimpleNamespace(modules={}))
        monkeypatch.setattr(
            "yardstone.reports.files.find_spec",
            lambda name: None if name in missing else real(name),
        )

    without("pandas")
    assert type(ratings.to_frame()).__module__.startswith("polars")
    with pytest.raises(ImportError, match="pandas is not installed"):
        ratings.to_frame("pandas")
    without("pandas", "polars")
    with pytest.raises(yardstone.MissingExtraError, match=r"pandas \(or polars\) is not installed"):
        ratings.to_frame()


def test_pictures_and_pages(ratings: RatingList, tmp_path: Path) -> None:
    plot = ratings.plot()
    plot.save(tmp_path / "list.svg")
    assert plot._repr_svg_() == (tmp_path / "list.svg").read_text("utf-8")
    assert all(player.player in plot.svg() for player in ratings)
    page = ratings._repr_html_()
    assert page.startswith('<div class="yardstone">')
    assert all(player.player in page for player in ratings)
    assert f"{ratings[0].rating:.1f}" in page
    # The style reaches nothing outside: every rule lies in that of the class.
    style = page[page.index("<style>") + 7 : page.index("</style>")]
    assert style.startswith(".yardstone {")
    assert ":root" not in style
    assert style.count("{") == style.count("}")
    assert "<script" not in page
    assert ratings.to_html().startswith("<!DOCTYPE html>")
    with pytest.raises(ValueError, match="does not end like a picture"):
        plot.save(tmp_path / "list.txt")


def test_printing_is_short() -> None:
    names = [f"P{number}" for number in range(40)]
    pairs = list(pairwise(names)) * 9
    score = np.random.default_rng(1).choice([0.0, 0.5, 1.0], len(pairs))
    first, second = zip(*pairs, strict=True)
    ratings = yardstone.rate(yardstone.Pool.from_names(first, second, score))
    assert len(str(ratings).splitlines()) < 25
    assert "… and 30 more players" in str(ratings) == repr(ratings)


def test_predictions_agree_with_the_model(ratings: RatingList) -> None:
    game = ratings.predict("Fizbo 2", "Jonny 8.1")
    assert game.win + game.draw + game.loss == pytest.approx(1.0)
    assert game.win + game.draw / 2.0 == pytest.approx(game.expected)
    assert game.low < game.expected < game.high
    turned = ratings.predict("Jonny 8.1", "Fizbo 2")
    assert game.reversed_expected == pytest.approx(1.0 - turned.expected)
    system = yardstone.BradleyTerry(first_advantage="auto", draw_rate="auto")
    plain = system.expected_score(ratings.ratings, "Fizbo 2", "Jonny 8.1")
    assert 0.5 < game.expected < plain  # a mean over the uncertainty lies nearer to even
    with pytest.raises(KeyError):
        ratings.predict("Fizbo 2", "Nobody")
    with pytest.raises(ValueError, match="against himself"):
        ratings.predict("Fizbo 2", "Fizbo 2")
