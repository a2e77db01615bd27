"""The description of an experiment."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from yardstone.errors import InputError
from yardstone_lab.neubauer.experiment.configuration import read_experiment
from yardstone_lab.neubauer.network.strength_network import PRESETS, TABLE_5_1

LEAST = '[games]\nrecords = ["games"]\n'


def written(folder: Path, text: str) -> Path:
    path = folder / "some.toml"
    path.write_text(text)
    return path


def test_what_is_not_said_is_as_published(tmp_path: Path) -> None:
    result = read_experiment(written(tmp_path, LEAST))
    assert (result.name, result.folder) == ("some", tmp_path / "some")
    assert result.games.records == (str(tmp_path / "games"),)
    assert (result.filters.size, result.filters.seconds, result.filters.first_pass) == (19, 5.0, 50)
    assert (result.judge.judge, result.judge.sure) == (True, 0.6)
    assert (result.ratings.advance, result.ratings.withhold) == (10, False)
    sizes = (result.sets.training, result.sets.validation, result.sets.test, result.sets.exhibition)
    assert sizes == (10_000, 5_000, 5_000, 5_000)
    assert (result.models.window, result.table.hidden) == (500, (0, 1, 2, 3, 4))
    assert result.models.full == result.models.basic == TABLE_5_1


def test_settings_of_every_kind(tmp_path: Path) -> None:
    text = """
name = "A name"
folder = "there"
[games]
moves = "lists/*.zip"
results = "/data/results.csv"
columns = ["size"]
[filters]
decisions = ["counted"]
seconds = 0
[features]
since = 2006-06-20
komi = 7
stores = ["a", "/b"]
[sets]
exhibition = -1
since = 2006-06-23T10:00:00
[models]
basic = false
full = { preset = "small", width = 32, learning_rate = 1e-4 }
device = "cpu"
"""
    result = read_experiment(written(tmp_path, text))
    assert result.folder == tmp_path / "there"
    assert result.games.moves == (str(tmp_path / "lists/*.zip"),)
    assert result.games.results == "/data/results.csv"
    assert result.filters.decisions == ("counted",)
    assert (result.filters.seconds, result.features.komi) == (0.0, 7.0)
    assert result.features.since == np.datetime64("2006-06-20T00:00:00")
    assert result.sets.since == np.datetime64("2006-06-23T10:00:00")
    assert result.features.stores == (str(tmp_path / "a"), "/b")
    assert result.models.basic is None
    assert result.models.full == PRESETS["small"].changed({"width": 32, "learning_rate": 1e-4})
    named = read_experiment(written(tmp_path, LEAST + '[models]\nfull = "small"\n'))
    assert named.models.full == PRESETS["small"]


@pytest.mark.parametrize(
    ("text", "trouble"),
    [
        ("", "must name either records or moves"), ("games = 3", "must be a part"),
        ('[games]\nrecords = ["a"]\nmoves = ["b"]\n', "either records or moves"),
        ('[games]\nmoves = ["b"]\n', "table of results"),
        (LEAST + "[filters]\nsise = 19", r"\[filters\] has no setting 'sise'"),
        (LEAST + "[filter]\nsize = 19", "no setting or part 'filter'"),
        (LEAST + '[filters]\nsize = "big"', "must be a whole number"),
        (LEAST + "[filters]\nsize = true", "must be a whole number"),
        (LEAST + "[filters]\nranked = 1", "must be true or false"),
        (LEAST + "[filters]\ndecisions = ['won']", "no decision 'won'"),
        (LEAST + "[filters]\nseconds = -1.0", "below 0"),
        (LEAST + f"[filters]\nseconds = 1{'0' * 400}", "filters.seconds is too large"),
        (LEAST + f"[models]\nfull = {{ width = 1{'0' * 400} }}", "must be a number"),
        (f"{'a.' * 101}a = 1\n{LEAST}", ":1: a name of more than 100 parts .*a line of its own"),
        (LEAST + "[features]\nsince = 2006", "must be a date"),
        (LEAST + "[features]\nstores = [1]", "list of texts"), ("name = 3\n" + LEAST, "be texts"),
        (LEAST + "[sets]\ntraining = -5", "must not be below 0"),
        (LEAST + "[table]\nhidden = [1, true]", "list of whole numbers"),
        (LEAST + "[models]\nfull = 7", "name of a preset or false"),
        (LEAST + "[models]\nfull = 'huge'", "no preset 'huge'"),
        (LEAST + "[models]\nfull = { widht = 7 }", "no setting 'widht'"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant(tmp_path: Path, text: str, trouble: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(InputError, match=trouble) as raised:
        read_experiment(path)
    assert raised.value.file == str(path)


def test_files_that_are_no_description(tmp_path: Path) -> None:
    for data in (b"\xff\xfe\x00", b"[games", b"\x00"):
        (tmp_path / "bytes.toml").write_bytes(data)
        with pytest.raises(InputError, match="is not TOML"):
            read_experiment(tmp_path / "bytes.toml")
    with pytest.raises(InputError, match="there is no such file"):
        read_experiment(tmp_path / "none.toml")
    with pytest.raises(InputError, match="too large"):
        read_experiment(written(tmp_path, "#" * (2 << 20)))
