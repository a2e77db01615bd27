"""What tests ask of pictures."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import TypeVar
from xml.etree import ElementTree

import numpy as np

from yardstone.reports.chart import Chart
from yardstone.reports.drawing import Discs, Element, Shape, Sheet, Words

E = TypeVar("E", bound=Element)
SVG = "{http://www.w3.org/2000/svg}"


def texts(drawing: object, width: float = 760.0) -> list[str]:
    sheet = drawing if isinstance(drawing, Sheet) else drawing.sheet(width)  # type: ignore[attr-defined]
    return [each.text for each in sheet.elements if isinstance(each, Words)]


def elements(sheet: Sheet, kind: type[E], colour: str = "") -> list[E]:
    names = ("fill", "stroke", "colour")
    return [
        each
        for each in sheet.elements
        if isinstance(each, kind)
        and (not colour or colour in [getattr(each, name, "") for name in names])
    ]


def check_files(chart: Chart, folder: Path) -> None:
    """The chart is as `check` asks, and so is its file, in which nothing runs."""
    check(chart)
    chart.save(folder / "chart.svg")
    root = ElementTree.parse(folder / "chart.svg").getroot()
    assert not list(root.iter(f"{SVG}script"))
    assert root[0].text  # the title says what is drawn


def check(chart: Chart) -> None:
    """All lies on the sheet, nothing written touches, and pages can show it."""
    for width in chart.widths:
        sheet = chart.sheet(width)
        boxes = []
        for each in sheet.elements:
            if isinstance(each, Words):
                left, top, right, bottom = each.box
                assert -1.0 <= left <= right <= width + 1.0, (each, width)
                assert -1.0 <= top <= bottom <= sheet.height + 1.0, each
                boxes.append((each.text, (left, top + 2.0, right, bottom - 2.0)))
                continue
            parts = each.parts if isinstance(each, Shape) else [each.centres]
            room = 12.0 if isinstance(each, Discs) else 8.0
            for part in parts:
                assert np.isfinite(part).all(), each
                assert (part >= -room).all(), each
                assert (part <= np.array([width, sheet.height]) + room).all(), each
        for (one, a), (other, b) in combinations(boxes, 2):
            apart = a[2] <= b[0] + 1 or b[2] <= a[0] + 1 or a[3] <= b[1] or b[3] <= a[1]
            assert apart, (one, other, width)
    for element in ElementTree.fromstring(f"<div>{chart.svg()}</div>").iter():
        assert element.tag in {
            "div",
            *(SVG + n for n in ("svg", "path", "circle", "text", "title")),
        }
        assert "style" not in element.attrib
        assert element.attrib.get("aria-label", "words")
