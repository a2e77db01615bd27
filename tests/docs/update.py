"""Renew outputs and pictures of the examples in the documentation: ``python -m tests.docs.update``.

Only whole outputs are written; one with ``...`` for what varies is left, and named if
it no longer agrees.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import sys
import tempfile
from pathlib import Path

import pytest

from tests.docs import blocks


def updated_console(block: blocks.Block, workplace: blocks.Workplace) -> tuple[str, list[str]]:
    """A console block with what its commands print now; what has to be done by hand."""
    body, by_hand = "", []
    for command in blocks.commands(block):
        printed = workplace.run(command.command)
        body += f"$ {command.command}"
        if blocks.agrees(command.expected, printed):
            body += command.expected
        elif "..." in command.expected and "..." not in printed:
            body += command.expected
            by_hand.append(f"{block.document}:{block.line}: {command.command}{printed}")
        else:
            body += "".join(f"{line.rstrip()}\n" for line in printed.splitlines())
    return body, by_hand


def updated_session(block: blocks.Block, workplace: blocks.Workplace) -> tuple[str, list[str]]:
    """A Python session with what it prints now; what has to be done by hand."""
    body, by_hand, name = "", [], str(block.document)
    checker = doctest.OutputChecker()
    for part in doctest.DocTestParser().parse(block.body):
        if isinstance(part, str):
            body += part
            continue
        lines = part.source.splitlines(keepends=True)
        body += f">>> {lines[0]}" + "".join(f"... {line}" for line in lines[1:])
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            try:
                exec(compile(part.source, name, "single", dont_inherit=True), workplace.names)
            except Exception:
                if part.exc_msg is None:
                    raise
                body += part.want  # the error is what the example shows
                continue
        result = printed.getvalue()
        if checker.check_output(part.want, result, blocks.DOCTEST_OPTIONS):
            body += part.want
        elif "..." in part.want:
            body += part.want
            by_hand.append(f"{block.document}:{block.line}: {part.source}{result}")
        else:
            body += result.replace("\n\n", "\n<BLANKLINE>\n")
    return body, by_hand


def keep_pictures(block: blocks.Block, workplace: blocks.Workplace) -> None:
    """Copy the pictures that a block has drawn to where its page shows them."""
    for picture in block.pictures:
        made = (workplace.folder / picture.name).read_text("utf-8")
        if not picture.exists() or not blocks.same_picture(picture.read_text("utf-8"), made):
            picture.parent.mkdir(exist_ok=True)
            picture.write_text(made, "utf-8")


def update(document: Path) -> list[str]:
    """Update one document; what has to be done by hand."""
    by_hand: list[str] = []
    text = document.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        workplace = blocks.Workplace.prepare(Path(folder))
        for block in blocks.blocks(document):
            if block.needs:
                try:
                    with tempfile.TemporaryDirectory() as other:
                        alone = blocks.Workplace.prepare(Path(other), block.needs)
                        body, more = updated_console(block, alone)
                        keep_pictures(block, alone)
                except pytest.skip.Exception as reason:
                    by_hand.append(f"{block.document}:{block.line}: left as it is: {reason}")
                    continue
            elif block.kind == "console":
                body, more = updated_console(block, workplace)
                keep_pictures(block, workplace)
            elif ">>>" in block.body:
                body, more = updated_session(block, workplace)
            else:
                blocks.run_python(block, workplace)
                continue
            by_hand += more
            text = text.replace(f"```{block.kind}\n{block.body}", f"```{block.kind}\n{body}", 1)
    document.write_text(text, encoding="utf-8")
    return by_hand


def main() -> None:
    """Update the documents that are named, or all."""
    pages = [Path(name).resolve() for name in sys.argv[1:]] or blocks.documents()
    for page in pages:
        for problem in update(page):
            print(problem)


if __name__ == "__main__":
    main()
