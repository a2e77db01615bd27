"""What the guide asks of curl, done with requests, for machines without it."""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path
from typing import Any

import requests


def main() -> int:
    """Send one request, and write the answer."""
    parser = argparse.ArgumentParser(prog="curl")
    parser.add_argument("url")
    parser.add_argument("-s", "--silent", action="store_true")
    parser.add_argument("-N", "--no-buffer", action="store_true")
    parser.add_argument("--fail-with-body", action="store_true")
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("-w", "--write-out", default="")
    parser.add_argument("-X", "--request")
    parser.add_argument("-H", "--header", action="append", default=[])
    parser.add_argument("-d", "--data")
    parser.add_argument("-F", "--form", action="append", default=[])
    given = parser.parse_args()
    headers = dict(line.split(": ", 1) for line in given.header)
    with contextlib.ExitStack() as opened:
        files: list[tuple[str, Any]] = []
        for name, _, value in (field.partition("=") for field in given.form):
            if value.startswith("@"):
                path = Path(value[1:])
                files.append((name, (path.name, opened.enter_context(path.open("rb")))))
            else:
                files.append((name, (None, value)))
        method = given.request or ("POST" if given.form or given.data else "GET")
        answer = requests.request(
            method,
            given.url,
            headers=headers,
            data=given.data,
            files=files or None,
            allow_redirects=False,
            timeout=100,
        )
    if given.output is None:
        sys.stdout.buffer.write(answer.content)
    else:
        given.output.write_bytes(answer.content)
    header = given.write_out.removeprefix("%header{").removesuffix("}")
    sys.stdout.write(answer.headers.get(header, "") if header else "")
    return 22 if given.fail_with_body and answer.status_code >= 400 else 0


if __name__ == "__main__":
    sys.exit(main())
