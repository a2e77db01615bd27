"""The notebooks run, and show what a fresh run of them shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs import notebooks


@pytest.mark.parametrize("path", notebooks.NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore")  # those of Jupyter's own are not ours to mend
def test_a_notebook_is_small_and_shows_what_it_computes(path: Path) -> None:
    for name in ("nbformat", "nbclient", "ipykernel"):
        pytest.importorskip(name, reason=f"{name} is not installed")
    import nbformat

    assert path.stat().st_size < 200_000
    kept = nbformat.read(path, as_version=4)
    shown = [cell for cell in kept.cells if cell.get("outputs")]
    assert len(shown) >= 3
    assert not any(out["output_type"] == "error" for cell in shown for out in cell["outputs"])
    wrong = list(notebooks.differences(kept, notebooks.run(path)))
    assert not wrong, "\n".join(wrong) + "\n(python -m tests.docs.notebooks writes them anew)"


def test_texts_are_compared() -> None:
    for other, equal in (("Ann 2300.2 ± 40.0", True), ("Ann 2305.1 ± 40.0", False), ("Bob", False)):
        assert notebooks.same("Ann 2300.1 ± 40.0", other) is equal
