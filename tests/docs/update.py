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


def updated_console(block: blocks.Block, workplace: blocks.Workplace) -> str:
    body = ""
    for command, expected in blocks.commands(block):
        printed = workplace.run(command)
        whole = "".join(f"{line.rstrip()}\n" for line in printed.splitlines())
        agrees = blocks.agrees(expected, printed)
        kept = agrees or ("..." in expected and "..." not in printed)
        if kept and not agrees:
            print(f"{block}: {command}{printed}")
        body += f"$ {command}{expected if kept else whole}"
    for picture in block.pictures:
        if made := blocks.changed(picture, workplace):
            picture.parent.mkdir(exist_ok=True)
            picture.write_text(made, "utf-8")
    return body


def updated_session(block: blocks.Block, workplace: blocks.Workplace) -> str:
    body, name = "", str(block.document)
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
        agrees = checker.check_output(part.want, result, blocks.DOCTEST_OPTIONS)
        if not agrees and "..." in part.want:
            print(f"{block}: {part.source}{result}")
        kept = agrees or "..." in part.want
        body += part.want if kept else result.replace("\n\n", "\n<BLANKLINE>\n")
    return body


def update(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        workplace = blocks.Workplace.prepare(Path(folder))
        for block in blocks.blocks(document):
            body = block.body
            if block.needs:
                try:
                    with tempfile.TemporaryDirectory() as other:
                        alone = blocks.Workplace.prepare(Path(other), block.needs)
                        body = updated_console(block, alone)
                except pytest.skip.Exception as reason:
                    print(f"{block}: left as it is: {reason}")
            elif block.kind == "console":
                body = updated_console(block, workplace)
            elif ">>>" in block.body:
                body = updated_session(block, workplace)
            else:
                blocks.run_python(block, workplace)
            fence = f"```{block.kind}\n"
            text = text.replace(f"{fence}{block.body}", f"{fence}{body}", 1)
    document.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for page in [Path(name).resolve() for name in sys.argv[1:]] or blocks.documents():
        update(page)
