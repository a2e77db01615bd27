from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from yardstone.errors import InputError, UsageError
from yardstone.ratings.rating_list import RatingList
from yardstone.reports.plot import rating_plot, save_plot


def words(path: Path) -> str:
    return " ".join(
        "".join(node.itertext())
        for node in ElementTree.parse(path).iter()
        if node.tag.endswith("text")
    )


def test_everybody_of_the_largest_group_is_drawn(report: RatingList, tmp_path: Path) -> None:
    path = tmp_path / "list.svg"
    save_plot(rating_plot(report), path)
    text = words(path)
    assert "Ratings with 95 % intervals" in text
    assert "Engine 07" in text
    assert "Lone A" not in text
    assert "1 other group cannot be compared" in text
    assert "<script>" in text  # as letters
    assert not list(ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}script"))


def test_long_lists_are_cut_and_say_so(large: RatingList, tmp_path: Path) -> None:
    figure = rating_plot(large)
    assert len(figure.axes[0].get_yticks()) == 60
    save_plot(figure, tmp_path / "top.svg")
    assert "top 60 of 300 players" in words(tmp_path / "top.svg")
    assert len(rating_plot(large, top=300).axes[0].get_yticks()) == 300


def test_labels_do_not_overlap(large: RatingList) -> None:
    for top in (10, 50, 300):
        figure = rating_plot(large, top=top)
        figure.canvas.draw()
        boxes = [label.get_window_extent() for label in figure.axes[0].get_yticklabels()]
        heights = sorted((box.y0, box.y1) for box in boxes)
        assert all(above[0] >= below[1] - 0.5 for below, above in pairwise(heights))
        assert all(box.x0 >= 0 for box in boxes)


def test_equal_pictures_are_equal_files(report: RatingList, tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg"):
        save_plot(rating_plot(report), tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


@pytest.mark.parametrize(("ending", "start"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_other_formats(report: RatingList, tmp_path: Path, ending: str, start: bytes) -> None:
    path = tmp_path / f"list.{ending}"
    save_plot(rating_plot(report), path)
    assert path.read_bytes().startswith(start)


def test_other_endings_and_places_are_refused(report: RatingList, tmp_path: Path) -> None:
    figure = rating_plot(report)
    with pytest.raises(UsageError, match="picture"):
        save_plot(figure, tmp_path / "list.txt")
    with pytest.raises(InputError):
        save_plot(figure, tmp_path / "gone" / "list.svg")


def test_dollars_in_names_are_no_formulas(tmp_path: Path) -> None:
    from yardstone.pool import Pool
    from yardstone.ratings.bradley_terry import BradleyTerry
    from yardstone.ratings.rating_list import summarise

    pool = Pool.from_names(["a$\\x$", "B"], ["B", "a$\\x$"], [1, 0.5])
    report = summarise(BradleyTerry().fit(pool), pool)
    save_plot(rating_plot(report), tmp_path / "x.svg")
    assert "a$\\x$" in words(tmp_path / "x.svg")
