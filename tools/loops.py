"""Compiles the loops: each `.pyx` becomes a module of machine code beside it.

    python -m tools.loops              those that have changed, for an editable installation
    python -m tools.loops --checked    with the bounds of arrays checked
    python -m tools.loops --sanitize   for a Python that runs with the sanitizer of addresses

The build of the package runs this as a hook of hatchling. Where no C compiler is found it asks
for the one in the `ziglang` wheel, which is in the environment of the build alone.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"
#: C files and object files are kept here, so that what has not changed is not compiled again.
KEPT = ROOT / "build"
#: What Cython writes for every module is compiled once, into this one.
SHARED = "yardstone._cython"
#: What the language promises and numbers do not need.
_DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": True,
    "freethreading_compatible": True,
    "show_performance_hints": False,
}


def compiler() -> str | None:
    """The C compiler that Python asks for, or another one; None where there is none."""
    if sys.platform == "win32" or "CC" in os.environ:
        return os.environ.get("CC", "cl")
    named = (sysconfig.get_config_var("CC") or "cc").split()[0]
    return next(filter(shutil.which, (named, "cc", "gcc", "clang")), None)


def build(way: Literal["plain", "checked", "sanitize"] = "plain") -> list[Path]:
    """Compile what has changed, in as many processes as there are cores; all compiled modules."""
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    cores = os.cpu_count() or 1
    zig = f"{sys.executable} -m ziglang cc"
    found = compiler() or (zig if find_spec("ziglang") else None)
    if found is None:
        sys.exit("There is no C compiler, and no ziglang, which has one: pip install ziglang")
    os.environ.setdefault("CC", found)
    os.environ.setdefault("LDSHARED", f"{found} -shared" + " -s" * (found == zig))
    os.chdir(ROOT)
    # Multiply and add are not fused, so that numbers are alike on all machines.
    flags = ["-O3", "-g0", "-fno-math-errno", "-ffp-contract=off", "-Wno-unused"]
    flags *= sys.platform != "win32"
    watch = ["-fsanitize=address,undefined", "-fno-sanitize-recover"] * (way == "sanitize")
    flags += [*watch, "-O1", "-g"] * bool(watch)
    extensions = [
        Extension(
            ".".join(path.relative_to(SOURCE).with_suffix("").parts),
            [path.relative_to(ROOT).as_posix()],
            extra_compile_args=flags,
            extra_link_args=watch,
            define_macros=[("CYTHON_WITHOUT_ASSERTIONS", None)],
        )
        for path in [*sorted(SOURCE.rglob("*.pyx")), SOURCE / (SHARED.replace(".", "/") + ".c")]
    ]
    directives = _DIRECTIVES | dict.fromkeys(("boundscheck", "initializedcheck"), way == "checked")
    kept_way = KEPT / "way"  # in which what is there was compiled
    anew = not kept_way.exists() or kept_way.read_text() != way
    made = cythonize(
        extensions, nthreads=cores, quiet=True, build_dir=str(KEPT / "c"), force=anew,
        compiler_directives=directives, shared_utility_qualified_name=SHARED,
    )  # type: ignore[no-untyped-call]  # fmt: skip
    distribution = Distribution({"ext_modules": made, "package_dir": {"": "src"}})
    command = build_ext(distribution)
    command.inplace, command.parallel, command.force = True, cores, anew
    command.build_temp = str(KEPT / "objects")
    command.ensure_finalized()
    kept_way.unlink(missing_ok=True)
    command.run()
    kept_way.write_text(way)
    return [Path(command.get_ext_fullpath(each.name)) for each in made]


class LoopsHook(BuildHookInterface[Any]):
    """Compiles the loops for a wheel or an editable installation."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """What the build needs: a C compiler too, where there is none."""
        return ["cython>=3.2", "setuptools>=75", *(["ziglang"] if compiler() is None else [])]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and put what was made into the wheel."""
        made = build()
        build_data["artifacts"] += [path.resolve().relative_to(ROOT).as_posix() for path in made]
        build_data["pure_python"], build_data["infer_tag"] = False, True


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for name, what in (
        ("checked", "check the bounds of arrays"),
        ("sanitize", "find what is read or written where nothing is"),
    ):
        parser.add_argument(
            f"--{name}", dest="way", action="store_const", const=name, default="plain", help=what
        )
    parser.add_argument("--find", action="store_true", help="fail where there is no C compiler")
    arguments = parser.parse_args()
    if arguments.find:
        sys.exit(compiler() is None)
    build(arguments.way)
