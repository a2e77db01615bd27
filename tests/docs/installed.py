"""Try pages from an installed package alone: ``python -m tests.docs.installed README.md``.

The Python that runs this needs nothing but Yardstone itself. The blocks of the pages are run
and compared, but for those that need more. Nothing is downloaded.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from pathlib import Path

import yardstone
from tests.docs import blocks


def main() -> int:
    if Path(yardstone.__file__).is_relative_to(blocks.ROOT):
        print("This is the package of the checkout, not an installed one.")
        return 1
    wrong = []
    for page in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            workplace = blocks.Workplace.prepare(Path(folder))
            for block in blocks.blocks(blocks.ROOT / page):
                if not block.needs:
                    print(block, flush=True)
                    wrong += blocks.problems(workplace, [block])
    print("\n".join(wrong) or "All as written.")
    return len(wrong)


if __name__ == "__main__":
    sys.exit(main())
