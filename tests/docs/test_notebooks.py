"""The notebooks run, and show what a fresh run of them shows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.docs import notebooks


@pytest.mark.parametrize("path", notebooks.NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore")  # those of Jupyter's own are not ours to mend
def test_a_notebook_shows_what_it_computes(path: Path) -> None:
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    kept = nbformat.read(path, as_version=4)
    wrong = list(notebooks.differences(kept, notebooks.run(path)))
    assert not wrong, "\n".join(wrong) + "\n(python -m tests.docs.notebooks writes them anew)"


def test_notebooks_are_small_and_have_outputs() -> None:
    assert {path.stem for path in notebooks.NOTEBOOKS} >= {"football", "engines", "go"}
    for path in notebooks.NOTEBOOKS:
        assert path.stat().st_size < 200_000, path
        cells = json.loads(path.read_text("utf-8"))["cells"]
        shown = [cell for cell in cells if cell.get("outputs")]
        assert len(shown) >= 3, path
        assert not any(out["output_type"] == "error" for cell in shown for out in cell["outputs"])


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("Ann 2300.1 ± 40.0", "Ann 2300.1 ± 40.0", True),
        ("Ann 2300.1 ± 40.0", "Ann 2300.2 ± 40.0", True),
        ("Ann 2300.1 ± 40.0", "Ann 2305.1 ± 40.0", False),
        ("Ann 2300.1 ± 40.0", "Bob 2300.1 ± 40.0", False),
        ("3 games", "4 games", False),
    ],
)
def test_equal_texts(one: str, other: str, equal: bool) -> None:
    assert notebooks.same(one, other) is equal
