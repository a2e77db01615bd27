"""The audit says what is weak, and never that all is well where nothing was looked up."""

from __future__ import annotations

from tools.audit import Audit

SOUND = {"name": "numpy", "version": "2.4.6", "vulns": []}
UNSEEN = {"name": "rich", "skip_reason": "Dependency not found on PyPI"}
FLAW = {"id": "PYSEC-2019-217", "fix_versions": ["2.10.1"], "aliases": [], "description": ""}
WEAK = {"name": "jinja2", "version": "2.4.1", "vulns": [FLAW]}


def test_what_is_weak_and_what_was_not_looked_up() -> None:
    audit = Audit({"dependencies": [SOUND, WEAK]})
    assert audit.lines()[0] == "jinja2 2.4.1: PYSEC-2019-217, mended in 2.10.1"
    assert audit.lines()[-1] == "2 packages looked up, 1 has a known weakness."
    assert audit.status(strict=False) == audit.status(strict=True) == 1
    audit = Audit({"dependencies": [SOUND, UNSEEN]})
    assert audit.lines() == [
        "NOT AUDITED: 1 package could not be looked up (is there a network?): rich",
        "1 package looked up, none has a known weakness.",
    ]
    assert (audit.status(strict=False), audit.status(strict=True)) == (0, 1)
