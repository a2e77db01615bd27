"""Tables: names, Ordo, grades, style, predictions, winning, backgammon; states of systems."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path
from shutil import copy

import numpy as np

from lab.studies.backgammon import cube_errors
from tests.evaluation.games import played
from tests.fuzz.cases import EXAMPLES, FUZZ, Target, Wrong, contents, finite
from yardstone.backgammon.file_analysis import AnalysisFile
from yardstone.backgammon.positions import read_position
from yardstone.cli.ordo import main as ordo
from yardstone.evaluation.history import rating_history
from yardstone.evaluation.ledger import Ledger, load_ledger, make_system, save_ledger
from yardstone.evaluation.prediction import compare_table, read_predictions
from yardstone.pool import Pool
from yardstone.ratings.sequential import State
from yardstone.records import names
from yardstone.records.decoding import decode
from yardstone.strength.calibration import Calibration, read_ratings
from yardstone.strength.style import read_style
from yardstone.strength.trickplay.problems import read_problems
from yardstone.winprob.model import read_model
from yardstone.winprob.scales import convert_column
from yardstone.winprob.statistics import read_graded_games, read_statistics, statistics_of_files
from yardstone_lab.kaniuk import read_egf_list
from yardstone_lab.vandendoel import tables
from yardstone_lab.vandendoel.play import read_results

_GAMES = "".join(
    f'[White "{white}"]\n[Black "{black}"]\n[Result "{result}"]\n\n{result}\n\n'
    for white, black, result in (
        ("A", "B", "1-0"), ("B", "C", "1-0"), ("C", "A", "1/2-1/2"), ("B", "A", "1-0"),
    )
)  # fmt: skip
PROBLEMS = EXAMPLES / "trickplay.txt"
_SYSTEMS = ("elo", "glicko", "glicko2", "egf")
_LATER = played(5, 4, 7, days=800.0)
_NUMBERS = (50.0, 900.0, 2.0, 9.0, 80.0, 70.0, 0.8, -5.0, 8.0)
_LINE = Calibration("A site", "points", "", "fox", 9, *_NUMBERS)


def read_names(path: Path) -> None:
    pool = Pool.from_names(["A", "B"], ["B", "C"], [1, 0])
    names.apply_names(pool, *names.read_names(path, None, None))
    names.apply_names(pool, *names.read_names(None, path, path))


def read_known(path: Path) -> None:
    """What `yardstone ordo` takes beside games: anchors, relations, synonyms, groups."""
    games = path.with_name("games.pgn")
    games.write_text(_GAMES)
    for switch in ("-m", "-y", "-r", "-g", "-x", "-i", "--synonyms"):
        with redirect_stdout(StringIO()) as output:
            status = ordo(["-q", "-p", str(games), switch, str(path)])
        listed = output.getvalue().lower().split()
        if status == 0 and switch != "-g" and {"nan", "inf"} & set(listed):
            raise Wrong(f"a rating is not finite ({switch})")


def read_table_of_predictions(path: Path) -> None:
    table = read_predictions(path, score="score", predicted={"one": "p"}, group_by="kind")
    compare_table(table, replicates=2)


def read_grades(path: Path) -> None:
    """A column to be converted to all scales."""
    rows = [row.values.values() for row in convert_column(path, "rank").converted if row]
    finite([value for row in rows for value in row if value is not None])


def read_ledger(path: Path) -> None:
    history = rating_history(_LATER, state=load_ledger(path), intervals=False, settled=0)
    finite(history.rated.ratings.rating)


def read_state(path: Path) -> None:
    state = State.load(path)
    for name in _SYSTEMS:
        system = make_system(name, {})
        if repr(system) == state.system:
            finite(system.advance(state, _LATER)[1].expected)


def ledgers() -> dict[str, Callable[[Path], object]]:
    return {name: partial(save_ledger, each) for name, each in _ledgers().items()}


def states() -> dict[str, Callable[[Path], object]]:
    return {name: each.state.save for name, each in _ledgers().items()}


def _ledgers() -> dict[str, Ledger]:
    return {name: Ledger.begin(name, played(20, 4, 1)) for name in _SYSTEMS}


def read_calibration(path: Path) -> None:
    finite(Calibration.load(path).rating(np.array([0.0, 5.0])))


def read_winning_model(path: Path) -> None:
    finite(read_model(path).law.probability(0.0, 2.0))


def read_winning_statistics(path: Path) -> None:
    statistics = read_statistics(path)
    finite(statistics.games.sum())
    statistics + statistics


def winning_files() -> dict[str, bytes]:
    folders = (FUZZ / "corpus" / name for name in ("winning-statistics", "table-graded-games"))
    every = {name: data for each in folders for name, data in contents(each).items()}
    return {name: data for name, data in every.items() if "csv" in name}


def read_id(path: Path) -> None:
    position = read_position(decode(path.read_bytes()))
    if read_position(position.xgid) != position:
        raise Wrong("a position does not come back from its XGID")


def studies() -> dict[str, bytes]:
    columns = dict.fromkeys((*cube_errors.COLUMNS, *tables.COLUMNS))
    return {"table": f"{','.join(columns)}\n{','.join('1' for _ in columns)}\n".encode()}


TARGETS = (
    Target("table-egf-list", read_egf_list, ".txt"),
    Target("table-grades", read_grades, ".csv"),
    Target("table-graded-games", read_graded_games, ".csv"),
    Target("table-names", read_names, ".csv"),
    Target("table-ordo", read_known, ".csv"),
    Target("table-predictions", read_table_of_predictions, ".csv"),
    Target("table-ratings", lambda path: finite([e.rating for e in read_ratings(path)]), ".csv"),
    Target("table-style", lambda path: finite(read_style(path).features), ".tab"),
    Target("arrays-ledger", read_ledger, made=ledgers),
    Target("arrays-state", read_state, made=states),
    Target("strength-calibration", read_calibration, ".json", save=_LINE.save),
    Target("strength-problems-sgf", read_problems, ".sgf"),
    Target("strength-problems-text", read_problems, ".txt", save=partial(copy, PROBLEMS)),
    Target("winning-files", lambda path: statistics_of_files([path]), ".csv", made=winning_files),
    Target("winning-model", read_winning_model, ".json"),
    Target("winning-statistics", read_winning_statistics, ".txt"),
    Target("backgammon-analyses", lambda path: AnalysisFile(path).get("k"), ".jsonl"),
    Target("backgammon-position", read_id, ".txt"),
    Target("backgammon-cube-errors", cube_errors.read_cube_errors, ".csv", made=studies),
    Target("backgammon-matches", tables.read_match_table, ".csv"),
    Target("backgammon-study", tables.read_table, ".csv", made=studies),
    Target("backgammon-study-results", lambda path: list(read_results(path)), ".jsonl"),
)
