"""Counts the modules that four paths through the package enter.

    python tools/paths.py [FOLDER]

FOLDER is a checkout, by default the one that this file is in. A module counts if one of its
functions runs, in the command or in any process that it starts. The third path needs a
network (``YARDSTONE_NET``), the fourth a free port.
"""

from __future__ import annotations

import http.client
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Imported by every process before anything else: notes each module that is entered.
_WATCH = """
import os, sys, threading
_entered = set()
def _watch(frame, event, argument):
    name = frame.f_globals.get("__name__", "")
    if name.startswith("yardstone.") and name not in _entered:
        if event == "call" and frame.f_code.co_name not in ("<module>", "__getattr__"):
            body = frame.f_code.co_qualname if hasattr(frame.f_code, "co_qualname") else ""
            if not _is_class_body(frame):
                _entered.add(name)
                with open(os.environ["ENTERED"], "a") as file:
                    file.write(name + "\\n")
def _is_class_body(frame):
    return "__qualname__" in frame.f_code.co_names and "__module__" in frame.f_code.co_names
threading.setprofile(_watch)
sys.setprofile(_watch)
"""
_COMMANDS = {
    "a PGN to a list": ("rate", "GAMES.pgn"),
    "a table to a comparison": ("evaluate", "examples/league.csv", "--systems", "elo,glicko2"),
    "an SGF to an estimate": (
        "strength", "estimate", "examples/professional.sgf", "--colour", "black",
    ),
}  # fmt: skip
_PGN = '[Event "?"]\n[White "{}"]\n[Black "{}"]\n[Result "{}"]\n\n{}\n\n'


def main() -> None:
    """Print the number of modules of each path."""
    root = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT
    for name, words in _COMMANDS.items():
        modules = _entered(root, lambda environment, words=words: _run(root, words, environment))
        print(f"{name}: {len(modules)} modules")
    modules = _entered(root, lambda environment: _upload(root, environment))
    print(f"an upload to its page: {len(modules)} modules")


def _entered(root: Path, walk: object) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "sitecustomize.py").write_text(_WATCH)
        notes = Path(folder) / "entered"
        notes.touch()
        path = os.pathsep.join([folder, str(root / "src")])
        walk({**os.environ, "PYTHONPATH": path, "ENTERED": str(notes)})  # type: ignore[operator]
        return sorted(set(notes.read_text().split()))


def _run(root: Path, words: tuple[str, ...], environment: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        games = Path(folder) / "games.pgn"
        results = [("Ann", "Bob", "1-0"), ("Bob", "Ann", "1/2-1/2"), ("Bob", "Ann", "1-0")]
        games.write_text("".join(_PGN.format(*each, each[2]) for each in results))
        command = [str(games) if word == "GAMES.pgn" else word for word in words]
        subprocess.run(
            [sys.executable, "-m", "yardstone", *command],
            cwd=root,
            env=environment,
            check=True,
            capture_output=True,
        )


def _upload(root: Path, environment: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        command = ["serve", "--port", "0", "--data", folder, "--workers", "1"]
        server = subprocess.Popen(
            [sys.executable, "-m", "yardstone", *command],
            cwd=root,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            _visit(server, (root / "examples" / "league.csv").read_bytes())
        finally:
            server.terminate()
            server.wait(30)


def _visit(server: subprocess.Popen[str], table: bytes) -> None:
    """Send a file, wait for the result, and look at its page."""
    assert server.stdout is not None
    port = 0
    while not port:
        line = server.stdout.readline()
        if "http://" in line:
            port = int(line.partition("http://")[2].partition(":")[2].split("/")[0].split()[0])
    mark = "----house"
    body = (
        f'--{mark}\r\nContent-Disposition: form-data; name="files"; filename="league.csv"\r\n'
        "Content-Type: text/csv\r\n\r\n"
    ).encode() + table + f"\r\n--{mark}--\r\n".encode()  # fmt: skip
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Content-Type": f"multipart/form-data; boundary={mark}"}
    connection.request("POST", "/send", body, headers)
    reply = connection.getresponse()
    reply.read()
    address = reply.headers["Location"]
    for _ in range(600):
        connection.request("GET", address)
        page = connection.getresponse().read().decode()
        if "Komodo" in page:
            return
        time.sleep(0.2)
    raise SystemExit("the upload came to nothing")


if __name__ == "__main__":
    main()
