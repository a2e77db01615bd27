"""Try a page from an installed package alone: ``python -m tests.docs.installed README.md``.

The Python that runs this needs nothing but Yardstone itself. The blocks of the page are run
and compared; of the commands within its text, those are run whose files are among the
examples and which find what they need, and of the others the options are looked up. Nothing
is downloaded.
"""

from __future__ import annotations

import contextlib
import re
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import yardstone
from tests.docs import blocks, tables

#: A word of a command that names a file or folder.
FILE = re.compile(r"[^-].*(?:\.[a-z]+|/)")
#: Commands that need the extra `go`, and run with the network that comes with the package.
NEED_GO = ("strength estimate", "go analyse")
#: Commands that need the internet or GNU Backgammon, or go on for ever.
NEVER_RUN = ("go nets download", "backgammon analyse", "serve")


def tried(command: str, workplace: blocks.Workplace) -> tuple[str, str]:
    """What was done with a command within the text, and what is wrong with it, or nothing."""
    words = command.split()
    files = [workplace.folder / word for word in words[1:] if FILE.fullmatch(word)]
    left_out = NEVER_RUN if find_spec("onnxruntime") else NEVER_RUN + NEED_GO
    # Words alone, such as `yardstone ordo`, name a command.
    runs = len(words) > 2 and not command.removeprefix("yardstone ").startswith(left_out)
    if runs and all(file.exists() for file in files):
        return "run", workplace.failure(command)
    return "looked up", tables.wrong_with(command)


def main() -> int:
    """Try the pages that are named: the number of things that are wrong."""
    if Path(yardstone.__file__).is_relative_to(blocks.ROOT):
        print("This is the package of the checkout, not an installed one.")
        return 1
    wrong = []
    for page in map(Path, sys.argv[1:]):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            workplace = blocks.Workplace.prepare(Path(folder))
            for block in blocks.blocks(blocks.ROOT / page):
                if not block.needs:
                    print(f"run        {page}:{block.line}", flush=True)
                    wrong += blocks.problems(workplace, [block])
            for command in tables.commands((blocks.ROOT / page).read_text("utf-8")):
                if command.startswith("yardstone "):
                    done, problem = tried(command, workplace)
                    print(f"{done:10} {command}", flush=True)
                    wrong += [problem] if problem else []
    print("\n".join(wrong) or "All as written.")
    return len(wrong)


if __name__ == "__main__":
    sys.exit(main())
