"""What small faults are made of a file."""

from __future__ import annotations

import ast

from tools.mutants import ROOT, _uses, mutants, sample

TEXT = '''
def level(x: int | None, most: float = 0.5) -> bool:
    """Text 1 < 2."""
    if x is None or (x) < (most + 3):
        raise ValueError(f"“{x}” is less than {most * 2}")
    check(not x)
    return x == "ÄÖ" and most > 1.5
'''


def test_each_fault_changes_one_thing() -> None:
    faults = {(each.kind, each.source(TEXT)) for each in mutants("f.py", TEXT)}
    lines = {(kind, *set(text.splitlines()).difference(TEXT.splitlines())) for kind, text in faults}
    assert lines == {
        ("number", "def level(x: int | None, most: float = 0.55) -> bool:"),
        ("comparison", "    if x is not None or (x) < (most + 3):"),
        ("and-or", "    if x is None and (x) < (most + 3):"),
        ("comparison", "    if x is None or (x) <= (most + 3):"),
        ("arithmetic", "    if x is None or (x) < (most - 3):"),
        ("number", "    if x is None or (x) < (most + 4):"),
        ("left out", "        pass"),
        ("left out", "    pass"),
        ("not", "    check(x)"),
        ("comparison", '    return x != "ÄÖ" and most > 1.5'),
        ("and-or", '    return x == "ÄÖ" or most > 1.5'),
        ("comparison", '    return x == "ÄÖ" and most >= 1.5'),
        ("number", '    return x == "ÄÖ" and most > 1.6500000000000001'),
    }  # fmt: skip


LOOP = """
cdef double[2] room
cdef double level(const double[::1] x, double* y) noexcept nogil:
    '''Text 1 < 2.'''
    return <double>3 if x[0] < 0.5 and not y[0] else -x[1] + y[0]
"""


def test_faults_of_a_loop_leave_types_alone() -> None:
    row = LOOP.splitlines()[4]
    faults = {each.source(LOOP).splitlines()[4] for each in mutants("f.pyx", LOOP)}
    assert faults == {
        row.replace("3", "4"), row.replace("x[0] <", "x[0] <="), row.replace("0.5", "0.55"),
        row.replace("and", "or"), row.replace("not ", " "), row.replace("+", "-"),
    }  # fmt: skip


def test_a_sample_is_the_same_again_and_can_be_run() -> None:
    faults = sample(["memory", "grades"], 20, 7)
    assert faults == sample(["grades", "memory"], 20, 7)
    assert len({(each.file, each.line) for each in faults}) == 20
    assert set(sample(["memory"], 5, 7)) <= set(sample(["grades", "memory"], 200, 7))
    for each in faults:
        before = (ROOT / each.file).read_text("utf-8")
        assert ast.dump(ast.parse(each.source(before))) != ast.dump(ast.parse(before))


def test_lines_that_an_import_runs_meet_the_tests_of_what_they_are_for() -> None:
    text = "LEAST, MOST = 1, 2\n\ndef level(\n    x: int = 3,\n):\n    y = x + MOST\n    return y"
    assert _uses(text, 1) == {1, 6}
    assert _uses(text, 4) == {6, 7}
