"""What holds for every test."""

from __future__ import annotations

import gc
import os
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent
#: Caches in the project's folder.
MADE_BY_TOOLS = {
    "demo-output",
    "fuzz-findings",
    ".pytest_cache",
    ".hypothesis",
    ".mypy_cache",
    ".ruff_cache",
    "__pycache__",
}

# A compiled kernel's first call takes seconds, so no example has a deadline.
settings.register_profile("local", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(
    "ci", parent=settings.get_profile("local"), derandomize=True, print_blob=True
)
CI = os.environ.get("CI") == "true"
#: Files in which `.ci/run` keeps which tests passed with Python alone, and from which it takes them
#: when the tests have everything that they can use: what passed is not run again.
PASSED_TO, PASSED = (os.environ.get(f"TESTS_PASSED{end}") for end in ("_TO", ""))
#: Tests that pass with Python alone, and do more where more is there.
DO_MORE = ("tests/docs/", "tests/faults/", "tests/web/test_guide.py", "tests/web/test_samples.py")
#: Files whose tests take longest begin: what is left for the end is short, and fills both cores.
FIRST = (
    "tests/test_cluster.py",
    "tests/web/test_processes.py",
    "tests/docs/test_examples.py",
    "tests/faults/test_faults.py",
)
# A test keeps no evaluations of networks in the user's cache, unless it says where.
os.environ["YARDSTONE_CACHE"] = "off"
# Processes of tests share the cores: threads that wait must not spin, as those of OpenBLAS do.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
settings.load_profile("ci" if CI else "local")


@pytest.fixture(autouse=True)
def _nothing_left_behind() -> Iterator[None]:
    """A test writes into its own temporary folder, never into the project's."""
    before = set(ROOT.iterdir())
    yield
    left = {path.name for path in set(ROOT.iterdir()) - before} - MADE_BY_TOOLS
    assert not left, f"the test left files behind: {sorted(left)}"


def _skipped(config: pytest.Config) -> Counter[str]:
    """How many tests were skipped for each reason, without what a reason has in brackets."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    reports = reporter.stats.get("skipped", []) if reporter is not None else []
    reasons = (report.longrepr[2].removeprefix("Skipped: ") for report in reports)
    return Counter(reason.partition(" (")[0] for reason in reasons)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """What was skipped and why, in short: `-rs` has each test."""
    if skipped := _skipped(config):
        terminalreporter.section("skipped, and why")
        for reason, number in skipped.most_common():
            terminalreporter.write_line(f"{number:5}  {reason}")
        if CI:
            terminalreporter.write_line("In CI nothing may be skipped.", red=True)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage among the million objects that collection makes and tests keep."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put what takes long first, and leave out what passed with Python alone."""
    items.sort(key=lambda item: not item.nodeid.startswith(FIRST))
    if PASSED is None:
        return
    passed = set(Path(PASSED).read_text("utf-8").splitlines())
    again: list[pytest.Item] = []
    done: list[pytest.Item] = []
    for item in items:
        is_done = item.nodeid in passed and not item.nodeid.startswith(DO_MORE)
        (done if is_done else again).append(item)
    config.hook.pytest_deselected(items=done)
    items[:] = again


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write down what passed; in CI everything is there, so that nothing may be skipped."""
    gc.unfreeze()
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if PASSED_TO is not None and reporter is not None:
        passed = sorted({report.nodeid for report in reporter.stats.get("passed", [])})
        Path(PASSED_TO).write_text("\n".join(passed), "utf-8")
    if CI and session.exitstatus == 0 and _skipped(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
