"""Python as users of data frames write it: games in any form, results that are asked and shown."""

from __future__ import annotations

import ast
import importlib.util
import re
from itertools import permutations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import yardstone
from yardstone import errors
from yardstone.cli.main import main
from yardstone.examples import copy_examples, example, example_files
from yardstone.ratings import systems
from yardstone.ratings.rating_list import RatingList

LEAGUE = example("league.csv")
NAMES: Any = {"first": "home", "second": "away", "score": "FTR"}


def test_every_public_name_is_there_and_shown_to_type_checkers() -> None:
    assert all(getattr(yardstone, name) is not None for name in yardstone.__all__)
    assert set(yardstone.__all__) <= set(dir(yardstone))
    for entry in systems.SYSTEMS.values():
        assert getattr(yardstone, str(entry.home).partition(":")[2]) is entry.system_class()
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        _ = yardstone.no_such_name
    # Shown is what is imported as itself, by a star, or stands in the list that is added.
    tree = ast.parse(Path(yardstone.__file__).read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    aliases = [a for node in block.body if isinstance(node, ast.ImportFrom) for a in node.names]
    assert [alias.name for alias in aliases].count("*") == 2
    (added,) = (node.value for node in block.body if isinstance(node, ast.Assign))
    shown = {*ast.literal_eval(added), *systems.__all__, *errors.__all__}
    shown |= {alias.name for alias in aliases if alias.asname == alias.name}
    assert shown == set(yardstone.__all__)


def test_examples_by_name_and_their_copies(tmp_path: Path) -> None:
    about = example("league.csv").with_name("README.md").read_text("utf-8")
    assert [name for name in example_files() if f"`{name}`" not in about] == []
    with pytest.raises(yardstone.InputError, match=r"called 'no\.csv' .*league\.csv"):
        example("no.csv")
    (own := tmp_path / "open.xml").write_text("mine", "utf-8")
    with pytest.raises(yardstone.InputError, match=r"open\.xml.*not overwritten"):
        copy_examples(tmp_path)
    assert (list(tmp_path.iterdir()), own.read_text("utf-8")) == ([own], "mine")
    for _ in range(2):  # the second time they are there already
        paths = copy_examples(tmp_path / "new" / "folder")
        assert all(path.read_bytes() == example(path.name).read_bytes() for path in paths)
    with pytest.raises(yardstone.InputError, match="cannot be"):
        copy_examples(own / "folder")


@pytest.fixture(scope="module")
def football() -> Any:
    """Rounds of five clubs, with results as tables of football have them."""
    import pandas as pd

    rows = [*permutations(["Ajax", "Brugge", "Celtic", "Dinamo", "Espanyol"], 2)] * 3
    frame = pd.DataFrame(rows, columns=["home", "away"])
    chances = [0.45, 0.27, 0.28]
    frame["FTR"] = np.random.default_rng(5).choice(["H", "D", "A"], len(rows), p=chances)
    return frame


def test_games_in_every_form_are_the_same(football: Any, tmp_path: Path) -> None:
    import polars as pl
    import pyarrow as pa

    for name, frame in {"all": football, "one": football[:30], "two": football[30:]}.items():
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    known = yardstone.rate(yardstone.read(football, columns=NAMES))
    frames = (football, pl.from_pandas(football), pa.Table.from_pandas(football))
    whole, part = tmp_path / "all.csv", str(tmp_path / "two.csv")
    for games in (*frames, str(whole), whole, [tmp_path / "one.csv", part]):
        assert yardstone.rate(games, **NAMES) == known
    assert known != yardstone.rate(football, average=1500, **NAMES)
    own = football.replace({"H": "x", "D": "y", "A": "z"})
    assert yardstone.rate(own, **NAMES, results={"x": 1, "y": 0.5, "z": 0}) == known
    with pytest.raises(ValueError, match="results"):
        yardstone.rate(own, **NAMES)
    # Each function takes them.
    assert yardstone.evaluate(football, ["elo"], replicates=0, **NAMES).games == 18
    history = yardstone.history(football, intervals=False, settled=0, **NAMES)
    assert (len(history), len(list(history)), history.curve("Ajax").player) == (5, 5, "Ajax")
    game = yardstone.predict(football, "Ajax", "Celtic", system="elo", exact=True, **NAMES)
    assert 0.0 < game.expected < 1.0
    match = yardstone.match(football, ("Ajax", "Celtic"), **NAMES)
    assert match.players == ("Ajax", "Celtic")
    assert yardstone.match((859, 1329, 772)).superiority == pytest.approx(0.984, abs=1e-3)


def test_what_is_not_understood_is_refused() -> None:
    game = example("professional.sgf")
    rows: tuple[tuple[str, list[Any], dict[str, Any], Any, str], ...] = (
        ("rate", [LEAGUE], {"first": "hme"}, ValueError, "there is no column 'hme', only"),
        ("rate", [LEAGUE], {"avrage": 3}, ValueError, "did you mean 'average'"),
        ("rate", [3], {}, TypeError, "a int cannot be read here: give paths, or a frame"),
        ("rate", [[1, 2]], {}, TypeError, "a list of games must be one of paths"),
        ("rate", [yardstone.read(LEAGUE)], {"first": "white"}, ValueError, "has been read already"),
        ("rate", ["none.pgn"], {}, FileNotFoundError, "no such file"),
        ("read", ["none/*.pgn"], {}, FileNotFoundError, "no file matches"),
        ("match", [(1, 2)], {}, ValueError, "five counts"),
        ("match", [(1, 2, 3), ("a", "b")], {}, ValueError, "neither players nor columns"),
        ("estimate", ["none.sgf"], {}, FileNotFoundError, "no such file"),
        ("estimate", [[3]], {}, TypeError, "a int is not a game"),
        ("estimate", [game], {"colour": "green"}, ValueError, "colour"),
        ("estimate", [game, "Park Junghwan"], {"net": "none"}, yardstone.InputError, "none"),
    )
    for function, given, options, error, message in rows:
        with pytest.raises(error, match=message):
            getattr(yardstone, function)(*given, **options)


@pytest.fixture(scope="module")
def ratings() -> RatingList:
    return yardstone.rate(LEAGUE)


def test_a_list_is_a_sequence_that_knows_names(ratings: RatingList) -> None:
    names = [player.player for player in ratings]
    assert [player.rank for player in ratings] == list(range(1, 9))
    assert ratings[0] == ratings[names[0]] == ratings[-8] == ratings[:3][0]
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
    sequential = repr(yardstone.Glicko2().replay(yardstone.read(LEAGUE)).ratings)
    # No test says what its deviations hold.
    assert ("±" in sequential, "deviation" in sequential) == (False, True)


def test_frames_of_both_libraries(ratings: RatingList, monkeypatch: pytest.MonkeyPatch) -> None:
    import pandas as pd
    import polars as pl

    frame, other = ratings.to_frame("pandas"), ratings.to_frame("polars")
    assert (type(frame), type(other), list(frame)) == (pd.DataFrame, pl.DataFrame, other.columns)
    assert frame["player"].tolist() == other["player"].to_list() == [p.player for p in ratings]
    assert frame["rating"].tolist() == [player.rating for player in ratings]
    assert str(frame["games"].dtype) == "Int64"
    # A bound has no value in a frame.
    games = {"white": list("AABBCC"), "black": list("BCCADD"), "result": [1, 1, 0.5, 0, 0, 0]}
    bounded = yardstone.rate(pd.DataFrame(games))
    row = bounded.to_frame("pandas").set_index("player").loc["A"]
    assert (row["status"], pd.isna(row["rank"])) == ("at least", True)
    assert bounded.to_frame("polars").filter(pl.col("player") == "A")["rank"].item() is None
    with pytest.raises(yardstone.ModelError, match="has only a bound"):
        bounded.predict("A", "B")
    # Whichever library is there.
    gone, real = ["pandas"], importlib.util.find_spec
    monkeypatch.setattr("yardstone.reports.files.sys", SimpleNamespace(modules={}))
    monkeypatch.setattr(
        "yardstone.reports.files.find_spec", lambda name: None if name in gone else real(name)
    )
    assert type(ratings.to_frame()).__module__.startswith("polars")
    with pytest.raises(yardstone.MissingExtraError, match="pandas is not installed"):
        ratings.to_frame("pandas")
    gone.append("polars")
    with pytest.raises(yardstone.MissingExtraError, match=r"pandas \(or polars\) is not installed"):
        ratings.to_frame()


def test_pictures_and_pages(ratings: RatingList, tmp_path: Path) -> None:
    plot, page = ratings.plot(), ratings._repr_html_()
    plot.save(tmp_path / "list.svg")
    assert plot._repr_svg_() == (tmp_path / "list.svg").read_text("utf-8")
    assert all(player.player in plot.svg() and player.player in page for player in ratings)
    assert f"{ratings[0].rating:.1f}" in page
    # The style reaches nothing outside: every rule lies in that of the class.
    assert page.startswith('<div class="yardstone">')
    style = page.partition("<style>")[2].partition("</style>")[0]
    assert style.startswith(".yardstone {")
    assert (style.count("{"), ":root" in style) == (style.count("}"), False)
    assert "<script" not in page
    assert ratings.to_html().startswith("<!DOCTYPE html>")
    with pytest.raises(ValueError, match="does not end like a picture"):
        plot.save(tmp_path / "list.txt")


def test_printing_is_short() -> None:
    first, second = zip(*[(f"P{k}", f"P{k + 1}") for k in range(39)] * 2, strict=True)
    ratings = yardstone.rate(yardstone.Pool.from_names(first, second, [1.0, 0.0] * 39))
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
    for other, error in (("Nobody", KeyError), ("Fizbo 2", ValueError)):
        with pytest.raises(error, match=r"Nobody|against himself"):
            ratings.predict("Fizbo 2", other)
