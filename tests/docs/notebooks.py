"""The notebooks of the documentation: run, and compared with what they show.

``python -m tests.docs.notebooks`` runs them and writes their outputs anew.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from tests.docs.blocks import ROOT, alike

NOTEBOOKS = sorted((ROOT / "docs").rglob("notebooks/*.ipynb"))
#: Seconds that one cell may take.
PATIENCE = 300


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
            notebook, timeout=PATIENCE, kernel_name="python3", record_timing=False, resources=place
        ).execute()
    notebook.metadata["language_info"] = {"name": "python"}
    return notebook


def differences(kept: Any, fresh: Any) -> Iterator[str]:
    for number, (old, new) in enumerate(zip(kept.cells, fresh.cells, strict=True), 1):
        before, after = _texts(old), _texts(new)
        for kind in sorted({*before, *after}):
            one, other = before.get(kind, ""), after.get(kind, "")
            if not same(one, other):
                yield f"cell {number}, {kind}:\n{one[:2000]}\n--- now ---\n{other[:2000]}"


def _texts(cell: Any) -> dict[str, str]:
    texts: dict[str, str] = {}
    for output in cell.get("outputs", ()):
        shown = dict(output.get("data", ()))
        if output.output_type == "stream":
            shown = {output.name: output.text}
        for kind, text in shown.items():
            texts[kind] = texts.get(kind, "") + text
    return texts


def same(one: str, other: str) -> bool:
    return alike(one, other, lambda a, b: abs(float(a) - float(b)) <= 1e-3 * abs(float(a)))


def main() -> None:
    import nbformat

    for path in NOTEBOOKS:
        nbformat.write(run(path), path)
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
