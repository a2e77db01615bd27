"""Stages of a run: kept until something changes, whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from yardstone.errors import InputError
from yardstone_lab.neubauer.experiment.run import Stages, file_facts


def run(folder: Path, size: int = 1, *, fail: bool = False) -> tuple[list[str], str]:
    """Two stages, the second from the first."""
    said: list[str] = []
    stages = Stages(folder, said.append)

    def begin(place: Path) -> None:
        (place / "it").write_text(f"size {size}")

    def second(place: Path) -> None:
        (place / "begun").write_text("")
        if fail:
            raise KeyboardInterrupt
        (place / "it").write_text((first / "it").read_text() + "!")

    first = stages.run("first", begin, {"size": size})
    home = stages.run("second", second, {}, ["first"])
    return said, (home / "it").read_text()


def test_a_stage_is_kept_until_something_changes(tmp_path: Path) -> None:
    assert run(tmp_path)[1] == "size 1!"
    assert run(tmp_path)[0] == ["first: kept", "second: kept"]
    said, text = run(tmp_path, 2)
    assert text == "size 2!"
    assert said[0] == "first: done again, for size is 2, and was 1"
    assert said[2] == "second: done again, for first changed"
    assert not list(tmp_path.glob(".*.part"))


def test_a_stage_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    run(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, 2, fail=True)
    assert (tmp_path / ".second.part" / "begun").exists()
    assert (tmp_path / "second" / "it").read_text() == "size 1!"
    said, text = run(tmp_path, 2)
    assert (said[0], text) == ("first: kept", "size 2!")
    # Half of a stage is of no use to one with other settings.
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, 3, fail=True)
    (tmp_path / ".second.part" / "left").write_text("")
    run(tmp_path, 4)
    assert not (tmp_path / "second" / "left").exists()


def test_damaged_notes_do_a_stage_again(tmp_path: Path) -> None:
    run(tmp_path)
    (tmp_path / "first" / "stage.json").write_text("{")
    said, _ = run(tmp_path)
    assert said[0] == "first: done again, for its folder is damaged"
    assert said[-1] == "second: kept"
    about = json.loads((tmp_path / "second" / "stage.json").read_text())
    (tmp_path / "second" / "stage.json").write_text(json.dumps(about | {"format": 0}))
    assert run(tmp_path)[0][1] == "second: done again, for it was made by another version"


def test_files_are_told_apart_by_what_they_hold(tmp_path: Path) -> None:
    path = tmp_path / "games"
    path.write_text("a")
    before = file_facts([str(path)])
    os.utime(path, (0, 0))
    assert file_facts([str(path)]) == before
    path.write_text("b")
    assert file_facts([str(path)]) != before
    with pytest.raises(InputError, match="cannot be read"):
        file_facts([str(tmp_path / "none")])
