"""Writes the files of `requirements`: exact versions, with the hashes of their files.

    python -m tools.pins            what `pyproject.toml` and the laboratory's ask for, versions
                                    kept where they do
    python -m tools.pins --upgrade  the newest versions of everything

They hold for all systems and versions of Python that are supported. PyTorch is not among
them: which build of it is taken is for the machine to say (``make TORCH=…``), so that its
version stands in the Makefile and its files are not checked.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

from yardstone.files import replaced

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "requirements"
#: PyTorch, and what its builds for graphics cards bring along.
_NOT_PINNED = re.compile(r"(torch|triton|cuda-.*|nvidia-.*)==")
#: What the project is built with, also for an installation that can be edited.
_BUILD = ("hatchling", "editables", "cython", "setuptools", "build", "twine")
_DEMO = ("numpy", "scipy", "typer", "rich", "jinja2", "filelock", "psutil")
_SERVER = ("go", "plot", "postgres", "web")
_HEADER = """\
# {what}
# Written by `python -m tools.pins`; read by `pip install --require-hashes --no-deps`.
"""


def main() -> None:
    """Write all files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions")
    upgrade = parser.parse_args().upgrade
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras: dict[str, list[str]] = project["optional-dependencies"]
    lab = tomllib.loads((ROOT / "lab" / "pyproject.toml").read_text())["project"]
    trains = [each for each in lab["dependencies"] if not each.startswith("yardstone")]
    everything = [*project["dependencies"], *_flat(extras), *trains, *_BUILD]
    known = FOLDER / "tools.txt"
    _write("tools", "All that develops, tests and builds Yardstone.", everything, upgrade=upgrade)
    for name, what, wanted in (
        (
            "demo",
            "What `make demo` runs, and what builds the project.",
            [*_DEMO, *_flat(extras, "go"), *_BUILD[:4]],
        ),
        ("core", "What Yardstone needs without any extra.", project["dependencies"]),
        (
            "command",
            "What all of the command needs: the extra `all`, and what builds the project.",
            [*project["dependencies"], *_flat(extras, "all"), *_BUILD[:4]],
        ),
        (
            "server",
            "What a server needs, and what builds the project.",
            [*project["dependencies"], *_flat(extras, *_SERVER), *_BUILD[:4]],
        ),
        ("build", "What the wheel is built and checked with.", [*_BUILD]),
        ("compiler", "A C compiler, where there is none.", ["ziglang"]),
        ("wheels", "What builds the wheels of all systems.", ["cibuildwheel>=4.0"]),
        ("bill", "What writes the bill of materials.", ["cyclonedx-bom"]),
    ):
        _write(name, what, wanted, versions=known)


def _flat(extras: dict[str, list[str]], *names: str) -> list[str]:
    """The requirements of extras, all by default; extras that they take are followed."""
    requirements = []
    for name in names or extras:
        for each in extras[name]:
            if each.startswith("yardstone["):
                inner = each.removeprefix("yardstone[").removesuffix("]").split(",")
                requirements += _flat(extras, *inner)
            else:
                requirements.append(each)
    return requirements


def _write(
    name: str,
    what: str,
    wanted: list[str],
    *,
    versions: Path | None = None,
    upgrade: bool = False,
) -> None:
    """Resolve requirements into one file, with the versions of another one if given."""
    path = FOLDER / f"{name}.txt"
    with replaced(path) as resolved:
        if path.exists() and not upgrade:
            shutil.copyfile(path, resolved)  # its versions are kept
        subprocess.run(
            [
                *("uv", "pip", "compile", "-", "--universal", "--python-version", "3.11"),
                *("--generate-hashes", "--no-annotate", "--no-header", "--quiet"),
                *("--output-file", resolved),
                *(("--constraint", versions) if versions else ()),
            ],
            input="\n".join(wanted),
            cwd=ROOT,
            text=True,
            check=True,
        )
        packages = re.split(r"\n(?=[A-Za-z0-9])", resolved.read_text("utf-8").strip())
        kept = [each for each in packages if not _NOT_PINNED.match(each)]
        resolved.write_text(_HEADER.format(what=what) + "\n".join(kept) + "\n", "utf-8")
    print(f"{path.relative_to(ROOT)}: {len(kept)} packages")


if __name__ == "__main__":
    main()
