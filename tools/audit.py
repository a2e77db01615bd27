"""Looks the pinned versions up among the known weaknesses: `make audit`.

    python -m tools.audit [--strict]

Exit status 1 if one has a weakness, with its name and the version that mends it; with
``--strict`` also if one could not be looked up, as without a network.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["Audit", "main"]

ROOT = Path(__file__).resolve().parent.parent
PINNED = ROOT / "requirements" / "tools.txt"


class Audit:
    """What pip-audit says of each package.

    Args:
        report: Its JSON: ``{"dependencies": [{"name": …, "version": …, "vulns": […]}]}``; a package
            that it could not look up has a ``skip_reason``.
    """

    def __init__(self, report: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
        packages = report["dependencies"]
        self.unknown = [each["name"] for each in packages if "skip_reason" in each]
        self.audited = len(packages) - len(self.unknown)
        self.weak = [each for each in packages if each.get("vulns")]

    def lines(self) -> list[str]:
        """What is to be said."""
        lines = [
            f"{package['name']} {package['version']}: {each['id']}"
            + (f", mended in {', '.join(each['fix_versions'])}" if each["fix_versions"] else "")
            for package in self.weak
            for each in package["vulns"]
        ]
        if self.unknown:
            names = ", ".join(self.unknown[:5]) + (" …" if len(self.unknown) > 5 else "")
            number = _packages(len(self.unknown))
            lines.append(
                f"NOT AUDITED: {number} could not be looked up (is there a network?): {names}"
            )
        weak = f"{len(self.weak) or 'none'} {'have' if len(self.weak) > 1 else 'has'}"
        return [*lines, f"{_packages(self.audited)} looked up, {weak} a known weakness."]

    def status(self, *, strict: bool) -> int:
        """The exit status."""
        return int(bool(self.weak) or (strict and bool(self.unknown)))


def _packages(number: int) -> str:
    return "1 package" if number == 1 else f"{number} packages"


def main(arguments: Sequence[str] | None = None) -> int:
    """Audit what is pinned."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--strict", action="store_true", help="all must be looked up")
    strict = parser.parse_args(arguments).strict
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pip_audit", "--requirement", str(PINNED)),
            *("--require-hashes", "--disable-pip", "--progress-spinner", "off"),
            *("--format", "json"),
        ],
        capture_output=True,
        text=True,
    )
    if not done.stdout.strip():  # it came to no answer, as where nothing answers at all
        print(f"NOT AUDITED: {(done.stderr.strip().splitlines() or ['no answer'])[-1]}")
        return int(strict)
    audit = Audit(json.loads(done.stdout))
    print("\n".join(audit.lines()))
    return audit.status(strict=strict)


if __name__ == "__main__":
    sys.exit(main())
