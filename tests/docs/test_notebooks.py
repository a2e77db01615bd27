"""The notebooks run, and show what a fresh run shows; as a program it writes their outputs anew."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from tests.docs.blocks import ROOT, alike

NOTEBOOKS = sorted((ROOT / "docs").rglob("notebooks/*.ipynb"))


def run(path: Path) -> Any:
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    paths = [str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ):
        os.environ.pop("YARDSTONE_NET", None)
        os.environ["PYTHONPATH"] = os.pathsep.join(paths)
        os.environ["XDG_CACHE_HOME"] = str(Path(folder) / "cache")
        os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
        place = {"metadata": {"path": folder}}
        NotebookClient(
            notebook, timeout=300, kernel_name="python3", record_timing=False, resources=place
        ).execute()
    notebook.metadata["language_info"] = {"name": "python"}
    return notebook


def texts(cell: Any) -> dict[str, str]:
    result: dict[str, str] = {}
    for output in cell.get("outputs", ()):
        stream = output.output_type == "stream"
        shown = {output.name: output.text} if stream else dict(output.get("data", ()))
        for kind, text in shown.items():
            result[kind] = result.get(kind, "") + text
    return result


def same(one: str, other: str) -> bool:
    return alike(one, other, lambda a, b: abs(float(a) - float(b)) <= 1e-3 * abs(float(a)))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
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
    for number, (old, new) in enumerate(zip(kept.cells, run(path).cells, strict=True), 1):
        before, after = texts(old), texts(new)
        assert before.keys() == after.keys(), f"cell {number}"
        for kind, text in before.items():
            assert same(text, after[kind]), f"cell {number}: python -m {__name__} writes it anew"


def test_texts_are_compared() -> None:
    for other, equal in (("Ann 2300.2 ± 40.0", True), ("Ann 2305.1 ± 40.0", False), ("Bob", False)):
        assert same("Ann 2300.1 ± 40.0", other) is equal


if __name__ == "__main__":
    import nbformat

    for notebook in NOTEBOOKS:
        nbformat.write(run(notebook), notebook)
