from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.reports.pictures import check, texts
from yardstone.errors import InputError, UsageError
from yardstone.pool import Pool
from yardstone.ratings.bradley_terry import BradleyTerry
from yardstone.ratings.rating_list import RatingList, summarise
from yardstone.reports.rating_list import rating_list_chart


def test_everybody_of_the_largest_group_is_drawn(report: RatingList, tmp_path: Path) -> None:
    chart = rating_list_chart(report)
    check(chart)
    path = tmp_path / "list.svg"
    chart.save(path)
    root = ElementTree.parse(path)
    text = " ".join("".join(node.itertext()) for node in root.iter() if node.tag.endswith("text"))
    assert "Ratings with 95 % intervals" in text
    assert "Engine 07" in text
    assert "Lone A" not in text
    assert "1 other group cannot be compared" in text
    assert "<script>" in text  # as letters
    assert not list(root.iter("{http://www.w3.org/2000/svg}script"))


def test_long_lists_are_cut_and_say_so(large: RatingList) -> None:
    def players(top: int | None) -> int:
        return sum(text.startswith("Engine") for text in texts(rating_list_chart(large, top=top)))

    assert players(None) == 60
    assert "top 60 of 300 players" in " ".join(texts(rating_list_chart(large)))
    assert players(300) == 300


@pytest.mark.parametrize("top", [10, 50, 300])
def test_names_do_not_overlap(large: RatingList, top: int) -> None:
    check(rating_list_chart(large, top=top))


def test_equal_pictures_are_equal_files(report: RatingList, tmp_path: Path) -> None:
    for ending in ("svg", "pdf", "png"):
        for name in ("a", "b"):
            rating_list_chart(report).save(tmp_path / f"{name}.{ending}")
        one, other = ((tmp_path / f"{name}.{ending}").read_bytes() for name in ("a", "b"))
        assert one == other


@pytest.mark.parametrize(("ending", "start"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_other_formats(report: RatingList, tmp_path: Path, ending: str, start: bytes) -> None:
    path = tmp_path / f"list.{ending}"
    rating_list_chart(report).save(path)
    assert path.read_bytes().startswith(start)


def test_other_endings_and_places_are_refused(report: RatingList, tmp_path: Path) -> None:
    chart = rating_list_chart(report)
    with pytest.raises(UsageError, match="picture"):
        chart.save(tmp_path / "list.txt")
    for ending in ("svg", "png"):
        with pytest.raises(InputError):
            chart.save(tmp_path / "gone" / f"list.{ending}")


@pytest.mark.parametrize("name", ["a$\\x$", "_a_ & <b>", "陳" * 40, "w" * 300, "\x07bell"])
def test_names_are_only_letters(name: str, tmp_path: Path) -> None:
    pool = Pool.from_names([name, "B", "C"], ["B", name, name], [1, 0.5, 0])
    chart = rating_list_chart(summarise(BradleyTerry().fit(pool), pool))
    check(chart)
    assert any(text.rstrip("…") and name.startswith(text.rstrip("…")) for text in texts(chart))
    for ending in ("svg", "png", "pdf"):
        chart.save(tmp_path / f"x.{ending}")
    ElementTree.parse(tmp_path / "x.svg")
