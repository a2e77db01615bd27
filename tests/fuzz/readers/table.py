"""Small tables: names, Ordo's files, ratings, grades, style, predictions."""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from tests.fuzz.targets import Target, Wrong, finite
from yardstone.cli.ordo import main as ordo
from yardstone.evaluation.prediction import compare_table, read_predictions
from yardstone.pool import Pool
from yardstone.records import names
from yardstone.strength.calibration import read_ratings
from yardstone.strength.style import read_style
from yardstone.winprob.scales import convert_column
from yardstone.winprob.statistics import read_graded_games
from yardstone_lab.kaniuk import read_egf_list

_GAMES = "".join(
    f'[White "{white}"]\n[Black "{black}"]\n[Result "{result}"]\n\n{result}\n\n'
    for white, black, result in (
        ("A", "B", "1-0"), ("B", "C", "1-0"), ("C", "A", "1/2-1/2"), ("B", "A", "1-0"),
    )
)  # fmt: skip


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


TARGETS = (
    Target("table-egf-list", read_egf_list, ".txt"),
    Target("table-grades", read_grades, ".csv"),
    Target("table-graded-games", read_graded_games, ".csv"),
    Target("table-names", read_names, ".csv"),
    Target("table-ordo", read_known, ".csv"),
    Target("table-predictions", read_table_of_predictions, ".csv"),
    Target(
        "table-ratings", lambda path: finite([each.rating for each in read_ratings(path)]), ".csv"
    ),
    Target("table-style", lambda path: finite(read_style(path).features, "feature"), ".tab"),
)
