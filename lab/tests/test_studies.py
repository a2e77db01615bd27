"""The studies: in an order that works, and each table says which command made it."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from lab.studies.__main__ import listing, run
from lab.studies.move_losses import PARTS, TABLES, Counted, counted_table, entered
from lab.studies.order import ROOT, STUDIES, Made, Shared, Study, studies_named
from tests.docs import tables

STUDIES_AT = ROOT / "lab" / "studies"
NAMES = [study.name for study in STUDIES]
FIGURES = tables.all_tables()
COMMANDS = sorted({command for table in FIGURES for command in tables.commands(table.near)})
#: Those that look for what they need before anything else.
ASKING = [
    study
    for study in STUDIES
    if f'require("{study.name}"'
    in (ROOT / "lab" / "studies" / f"{study.name}.py").read_text("utf-8")
]


@pytest.mark.parametrize("table", FIGURES, ids=str)
def test_a_table_says_which_command_made_it(table: tables.Table) -> None:
    assert tables.commands(table.near), table.text


def test_a_column_of_commands_has_one_in_each_row() -> None:
    columns = [t for t in FIGURES if t.text.splitlines()[0].endswith("| command |")]
    assert columns
    for table in columns:
        for row in table.text.splitlines()[2:]:
            last = row.rstrip("| ").rpartition("|")[2].strip()
            assert last == "the same" or tables.commands(last), f"{table}: {row}"


@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_exists(command: str) -> None:
    assert not tables.wrong_with(command)


def test_every_study_has_its_place_in_the_order() -> None:
    files = {path.stem for path in STUDIES_AT.glob("*.py")}
    assert len(NAMES) == len(set(NAMES))
    assert files - {"__main__", "order"} == set(NAMES)


def test_the_order_satisfies_what_each_needs() -> None:
    made: dict[str, tuple[str, ...]] = {}
    for study in STUDIES:
        for need in study.needs:
            if isinstance(need, Made):
                assert need.path in made[need.study], f"{study.name} before {need.study}"
        made[study.name] = study.makes


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_what_is_committed_of_a_study_is_there(study: Study) -> None:
    for path in study.makes:
        assert path.startswith("build/") or (ROOT / path).exists(), path


@pytest.mark.parametrize("name", NAMES)
def test_a_study_answers_to_help(name: str) -> None:
    assert tables.help_of_module(f"lab.studies.{name}").startswith("usage: ")


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_the_list_names_what_a_study_needs(study: Study, tmp_path: Path) -> None:
    first, *missing = listing([study], tmp_path).splitlines()
    assert first.startswith(study.name)
    assert all(str(need) in first for need in study.needs)
    assert len(missing) == len(study.missing(tmp_path))
    for need in study.needs:
        if isinstance(need, Shared):
            assert any(f"no {tmp_path / need.path}" in line for line in missing)


@pytest.mark.parametrize(
    "study",
    [study for study in STUDIES if any(isinstance(need, Shared) for need in study.needs)],
    ids=lambda study: study.name,
)
def test_a_study_without_its_data_is_skipped(study: Study, tmp_path: Path) -> None:
    became = run(study, tmp_path)
    assert became.startswith(f"skipped: no {tmp_path}")
    assert "YARDSTONE_SHARED" in became


@pytest.mark.parametrize("study", ASKING, ids=lambda study: study.name)
def test_a_study_by_itself_says_what_is_missing(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not study.missing(tmp_path):
        assert study.name == "fusion"  # the one that needs no shared data: made here before
        return
    monkeypatch.setenv("YARDSTONE_SHARED", str(tmp_path))
    monkeypatch.setattr(sys, "argv", [study.name])
    with pytest.raises(SystemExit, match=rf"studies\.{study.name}: no ") as left:
        importlib.import_module(f"lab.studies.{study.name}").main()
    assert len(str(left.value).splitlines()) == len(study.missing(tmp_path))


def test_studies_that_are_named_run_in_order() -> None:
    assert [each.name for each in studies_named(["fusion", "coverage"])] == ["coverage", "fusion"]


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
