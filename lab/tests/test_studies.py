"""The studies: in an order that works, and each table says which command made it."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from lab.studies.__main__ import listing, run
from lab.studies.move_losses import PARTS, TABLES, Counted, counted_table, entered
from lab.studies.order import ROOT, STUDIES, Made, Shared, studies_named
from tests.docs import tables

STUDIES_AT = ROOT / "lab" / "studies"


def test_every_table_says_which_command_made_it_and_the_command_exists() -> None:
    figures = tables.all_tables()
    assert not [str(table) for table in figures if not tables.commands(table.near)]
    columns = [t for t in figures if t.text.splitlines()[0].endswith("| command |")]
    assert columns
    for table in columns:
        for row in table.text.splitlines()[2:]:
            last = row.rstrip("| ").rpartition("|")[2].strip()
            assert last == "the same" or tables.commands(last), f"{table}: {row}"
    commands = {command for table in figures for command in tables.commands(table.near)}
    wrong = {command: tables.wrong_with(command) for command in sorted(commands)}
    assert not {command: why for command, why in wrong.items() if why}


def test_every_study_has_its_place_in_an_order_that_works() -> None:
    made: dict[str, tuple[str, ...]] = {}
    for study in STUDIES:
        for need in study.needs:
            if isinstance(need, Made):
                assert need.path in made[need.study], f"{study.name} before {need.study}"
        for path in study.makes:
            assert path.startswith("build/") or (ROOT / path).exists(), path
        made[study.name] = study.makes
    assert len(made) == len(STUDIES)
    assert {path.stem for path in STUDIES_AT.glob("*.py")} - {"__main__", "order"} == set(made)
    assert [each.name for each in studies_named(["fusion", "coverage"])] == ["coverage", "fusion"]


def test_a_study_says_what_it_needs_and_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("YARDSTONE_SHARED", str(tmp_path))
    for study in STUDIES:
        module = f"lab.studies.{study.name}"
        assert tables.help_of_module(module).startswith("usage: ")
        first, *missing = listing([study], tmp_path).splitlines()
        assert first.startswith(study.name)
        assert all(str(need) in first for need in study.needs)
        assert len(missing) == len(study.missing(tmp_path))
        shared = [need for need in study.needs if isinstance(need, Shared)]
        assert all(f"no {tmp_path / need.path}" in "\n".join(missing) for need in shared)
        if shared:
            became = run(study, tmp_path)
            assert became.startswith(f"skipped: no {tmp_path}")
            assert "YARDSTONE_SHARED" in became
        # Some look for what they need before anything else.
        source = (STUDIES_AT / f"{study.name}.py").read_text("utf-8")
        if missing and f'require("{study.name}"' in source:
            monkeypatch.setattr(sys, "argv", [study.name])
            with pytest.raises(SystemExit, match=rf"studies\.{study.name}: no ") as left:
                importlib.import_module(module).main()
            assert len(str(left.value).splitlines()) == len(missing)


def test_a_part_of_the_study_of_losses_leaves_the_rows_of_the_others() -> None:
    page = TABLES.read_text("utf-8")
    for part in PARTS:
        written = entered(page, part, "new rows")
        assert f"<!-- {part} -->\nnew rows\n\n<!-- " in written
        assert entered(written, part, "new rows") == written
        for other in set(PARTS) - {part}:
            section = page.partition(f"<!-- {other} -->")[2].partition("<!-- ")[0]
            assert section in written
        assert written.endswith(page.rpartition("-->")[2])
    with pytest.raises(ValueError, match="has no <!-- fusion -->"):
        entered(page, "fusion", "new rows")


def test_mistakes_of_professionals_are_counted_by_game() -> None:
    games = [
        (Counted(10, 2, 20.4, 6.0, 60), Counted(20, 4, 31.2, 9.1, 59)),
        (Counted(12, 0, 8.0, 0.0, 70), Counted(14, 6, 9.0, 12.6, 70)),
    ]
    table = counted_table(games).splitlines()
    assert "(2 games, 259 moves)" in table[0]
    assert table[-2] == "| difference | 14.0 ± 1.0 | 13 | 18 | 31 |"
    assert table[-1] == "| as shown | 3.0 ± 0.0 | 3 | 5 | 13 |"
