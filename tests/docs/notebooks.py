"""The notebooks of the documentation: run, and compared with what they show.

``python -m tests.docs.notebooks`` runs them and writes their outputs anew.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
NOTEBOOKS = sorted((ROOT / "docs").rglob("notebooks/*.ipynb"))
#: Seconds that one cell may take.
PATIENCE = 300
#: Numbers that differ by less than this share are equal: machines add up in their own order.
TOLERANCE = 1e-3
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e-?\d+)?")


def run(path: Path) -> Any:
    """A notebook with fresh outputs."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    with tempfile.TemporaryDirectory() as folder, _environment(Path(folder)):
        place = {"metadata": {"path": folder}}
        client = NotebookClient(
            notebook, timeout=PATIENCE, kernel_name="python3", record_timing=False, resources=place
        )
        client.execute()
    notebook.metadata["language_info"] = {"name": "python"}
    return notebook


@contextmanager
def _environment(folder: Path) -> Iterator[None]:
    """The source of this checkout, and no network but the one that comes with it."""
    before = dict(os.environ)
    paths = [str(ROOT / "src"), *filter(None, [before.get("PYTHONPATH")])]
    os.environ |= {"PYTHONPATH": os.pathsep.join(paths), "XDG_CACHE_HOME": str(folder / "cache")}
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
    os.environ.pop("YARDSTONE_NET", None)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def differences(kept: Any, fresh: Any) -> Iterator[str]:
    """Where a notebook shows something else than a fresh run of it."""
    for number, (old, new) in enumerate(zip(kept.cells, fresh.cells, strict=True), 1):
        if old.cell_type != "code":
            continue
        before, after = _texts(old), _texts(new)
        if before.keys() != after.keys():
            yield f"cell {number}: shows {sorted(after)}, not {sorted(before)}"
            continue
        for kind, text in before.items():
            if not same(text, after[kind]):
                yield f"cell {number}, {kind}:\n{text[:2000]}\n--- now ---\n{after[kind][:2000]}"


def _texts(cell: Any) -> dict[str, str]:
    """What a cell shows, by kind."""
    texts: dict[str, str] = {}
    for output in cell.outputs:
        if output.output_type == "stream":
            texts[output.name] = texts.get(output.name, "") + output.text
        elif output.output_type == "error":
            texts["error"] = output.evalue
        else:
            for kind, text in output.data.items():
                texts[kind] = texts.get(kind, "") + text
    return texts


def same(one: str, other: str) -> bool:
    """Whether two texts are the same, but for the last digits of numbers.

    What stands between numbers must be equal.
    """
    if _NUMBER.split(one) != _NUMBER.split(other):
        return False
    pairs = zip(_NUMBER.findall(one), _NUMBER.findall(other), strict=True)
    return all(
        a == b or abs(float(a) - float(b)) <= TOLERANCE * max(abs(float(a)), abs(float(b)))
        for a, b in pairs
    )


def main() -> None:
    """Write all outputs anew."""
    import nbformat

    for path in NOTEBOOKS:
        nbformat.write(run(path), path)
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
