"""Renew outputs and pictures of the documentation: ``python -m tests.docs.update [--check] PAGES``.

Only whole outputs are written; one with ``...`` is left, and named if it no longer agrees. With
``--check`` nothing is written: an installed package alone is tried, by blocks that need no more.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from pathlib import Path

import yardstone
from tests.docs import blocks


def renewed(block: blocks.Block, workplace: blocks.Workplace) -> str:
    body = ""
    for typed, expected, printed in blocks.run(block, workplace):
        if "..." in expected and printed != expected:
            print(f"{block}: {typed}{printed}")
        body += typed + (expected if "..." in expected else printed)
    for picture in block.pictures:
        if made := blocks.changed(picture, workplace):
            picture.parent.mkdir(exist_ok=True)
            picture.write_text(made, "utf-8")
    return body


def update(page: Path, workplace: blocks.Workplace) -> None:
    text = page.read_text("utf-8")
    for block in blocks.blocks(page):
        place = workplace
        with tempfile.TemporaryDirectory() as folder:
            if block.needs:
                import pytest

                try:
                    place = blocks.Workplace.prepare(Path(folder), block.needs)
                except pytest.skip.Exception as reason:
                    print(f"{block}: left as it is: {reason}")
                    continue
            fence = f"```{block.kind}\n"
            text = text.replace(f"{fence}{block.body}", f"{fence}{renewed(block, place)}", 1)
    page.write_text(text, "utf-8")


def main() -> int:
    check = sys.argv[1:2] == ["--check"]
    if check and Path(yardstone.__file__).is_relative_to(blocks.ROOT):
        sys.exit("This is the package of the checkout, not an installed one.")
    wrong = []
    for page in map(Path.resolve, map(Path, sys.argv[1 + check :] or blocks.documents())):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            workplace = blocks.Workplace.prepare(Path(folder))
            if check:
                alone = [block for block in blocks.blocks(page) if not block.needs]
                wrong += blocks.problems(workplace, alone)
            else:
                update(page, workplace)
    print("\n".join(wrong) or "All as written.")
    return len(wrong)


if __name__ == "__main__":
    sys.exit(main())
