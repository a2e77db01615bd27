"""What must be the same on two machines for their results to be."""

from __future__ import annotations

import hashlib
import platform
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from yardstone.errors import WorkerError

__all__ = ["check_versions", "versions"]

#: Packages whose versions can change a result.
_PACKAGES = ("numpy", "scipy", "numba", "onnxruntime", "openvino")


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """Versions of what computes, by name; of Yardstone a digest of its code."""
    by_name = {"Yardstone": f"of code {_code()}", "Python": platform.python_version()}
    for package in _PACKAGES:
        try:
            by_name[package] = version(package)
        except PackageNotFoundError:
            by_name[package] = "not installed"
    return by_name


def _code() -> str:
    root = Path(__file__).parents[1]
    digest = hashlib.blake2b(digest_size=6)
    for file in sorted(root.rglob("*.py")):
        digest.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def check_versions(others: dict[str, str]) -> None:
    """Refuse to work for a machine with other versions.

    Raises
    ------
    WorkerError
        One differs; it says which, and where.
    """
    own = versions()
    for name, theirs in others.items():
        if own[name] != theirs:
            raise WorkerError(
                f"{name} is {own[name]} on {platform.node()}, and {theirs} where the work comes "
                "from: install the same on all machines of the cluster"
            )
