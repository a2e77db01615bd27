"""Every command that writes, on small real input: what it is given, and what it may keep."""

from __future__ import annotations

import gzip
import io
import shlex
import shutil
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.go.games import small_network
from tests.strength.estimate_cases import make_case
from yardstone.cli.main import main
from yardstone.cli.table import COMMANDS, OWN_SWITCHES, Command, Family, with_plugins

EXAMPLES = Path(__file__).resolve().parents[2] / "src" / "yardstone" / "examples"


@dataclass(frozen=True)
class Case:
    """A command with its arguments, as in a shell; example files that they name are there."""

    command: str
    arguments: str
    prepare: Callable[[Path], object] | None = None  #: Puts further files into the folder.
    keeps: str = ""  #: Pattern of what a command that goes on where it was keeps meanwhile.
    once: bool = False  #: Whether the same command is refused once all is done.
    gnubg: bool = False
    heavy: bool = False  #: Takes long: the tests try it less.
    long: bool = False  #: The tests leave it to `make faults`.
    cache: str = "off"  #: The size of the cache of what networks say.

    @property
    def resumed(self) -> bool:
        return bool(self.keeps) and self.keeps != STEP

    @property
    def words(self) -> list[str]:
        return shlex.split(str(self))

    def __str__(self) -> str:
        return f"{self.command} {self.arguments}".strip()

    def fill(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        for name in {path.name for path in EXAMPLES.iterdir()} & set(self.words):
            shutil.copy(EXAMPLES / name, folder)
        if self.prepare is not None:
            self.prepare(folder)


def commands(table: Mapping[str, Command | Family] = COMMANDS, *words: str) -> set[str]:
    result = {*OWN_SWITCHES}
    for name, entry in with_plugins(table, *words).items():
        inner = entry.commands if isinstance(entry, Family) else None
        result |= commands(inner, *words, name) if inner else {" ".join((*words, name))}
    return result


def _net(folder: Path) -> None:
    small_network(folder).rename(folder / "net.bin.gz")


def _model(folder: Path) -> None:
    made = make_case(folder)
    made.file.rename(folder / "net.bin.gz")
    made.model_file.rename(folder / "model.npz")


def _with_net_in_cache(folder: Path) -> None:
    _net(folder)
    nets = folder / "cache" / "yardstone" / "nets"
    nets.mkdir(parents=True)
    shutil.copy(folder / "net.bin.gz", nets / "old.bin.gz")


def _go_games(folder: Path) -> None:
    _net(folder)
    (folder / "games").mkdir()
    for name in ("a.sgf", "b.sgf"):
        shutil.copy(EXAMPLES / "professional.sgf", folder / "games" / name)


def _experiment(folder: Path) -> None:
    from lab.tests.strength.made_training import write_experiment, write_games

    write_games(folder)
    write_experiment(folder, small_network(folder), models=False)


def _training(folder: Path) -> None:
    from lab.tests.strength.made_training import write_run

    write_run(folder)


def _few_grades(folder: Path) -> None:
    path = folder / GRADED
    path.write_text(_some(path.read_text(), 20))


def _matches(folder: Path) -> None:
    from yardstone_lab.vandendoel.tables import own_table, table_text

    text = _some(table_text(own_table()), 100)
    (folder / "matches.csv.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


def _some(table: str, every: int) -> str:
    lines = table.splitlines(keepends=True)
    return "".join([lines[0], *lines[1::every]])


def _event(folder: Path) -> None:
    file = str(folder / "cup.xml")
    with redirect_stdout(io.StringIO()):
        main(["tournament", "new", file, "--rounds", "5"])
        main(["tournament", "enter", file, str(EXAMPLES / "players.csv")])


def _dated(folder: Path) -> None:
    head, *lines = (EXAMPLES / "league.csv").read_text().splitlines()
    rows = [f"{line},2024-{1 + i // 28 % 12:02}-{1 + i % 28:02}" for i, line in enumerate(lines)]
    (folder / "dated.csv").write_text("\n".join([f"{head},date", *rows, ""]))


REPORT = "-o list.csv -o list.html -q"
DRAWN = f"{REPORT} -o chart.svg"
TEXT = "-o list.txt -o list.html -q -o chart.svg"
NET = "--net net.bin.gz"
ONE = "--workers 1"
#: The journal is written before the file, and is right with both.
STEP = "*.undo"
ONCE: dict[str, Any] = {"keeps": STEP, "once": True}
GNUBG: dict[str, Any] = {"gnubg": True, "heavy": True}
GRADED = "graded_games_simulated.csv"
WINNING = "winning_statistics_simulated.txt --save mine.json"
STUDY = f"--players 8 --rounds 3 {ONE} {DRAWN}"
TRICKS = f"trickplay.txt --games professional.sgf --sgf found.sgf {ONE}"
MODEL = f"--model model.npz {NET}"
SEARCH = (
    "experiment.toml --model basic --runs 2 --iterations 1 --start small --threads 1 --set steps=3 "
    "--set epochs=1 --set batch=8 --set width=8 --set query_width=4 --set depth=1"
)
#: More than fits into the memory that is given: it goes to the temporary folder.
MANY_GAMES = (
    "SELECT concat($$p$$, i % 40) AS first, concat($$q$$, i % 41) AS second, i % 3 / 2.0 AS score "
    "FROM range(1000000) t(i)"
)
SMALL_NET = "--set steps=3 --set channels=8 --set blocks=2 --set sides=2 --set moves=2"
PLAYED = f"--processes 2 {REPORT}"
POSITION = "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:7:10"
FIT = "--model decision --draws 5 --plot figures"
ORDO = "-o list.txt -c list.csv -j pairs.txt -s 10 -e errors.csv -C cfs.csv"

CASES: tuple[Case, ...] = (
    Case("rate", f"league.csv --matrix matrix.csv {DRAWN}"),
    Case("rate", "league.csv -o list.parquet -q"),
    Case("rate", "league.csv -o list.json -o chart.pdf -q"),
    Case("rate", f"--query '{MANY_GAMES}' --memory 200MB -o list.csv -q", heavy=True, long=True),
    Case("match", f"match.pgn {REPORT}"),
    Case("history", f"league.csv --save league.ratings {DRAWN}"),
    Case("history", "dated.csv --memory 100MB --save dated.ratings -o list.csv -q", _dated),
    Case("predict", f"'Jonny 8.1' 'Fizbo 2' league.csv {REPORT}"),
    Case("evaluate", f"league.csv {DRAWN}"),
    Case("evaluate", "dated.csv --memory 100MB -o list.csv -q", _dated),
    Case("winprob between", f"2d 4d {DRAWN}"),
    Case("winprob stats", f"{GRADED} {DRAWN}"),
    Case("winprob fit", f"{WINNING} {DRAWN}"),
    Case("winprob published", f"{WINNING} {DRAWN}"),
    Case("winprob trace", f"{GRADED} {DRAWN}"),
    Case("winprob compare", f"{GRADED} --folds 2 {REPORT}", _few_grades, heavy=True),
    Case("go evaluate", f"positions.jsonl {NET} -o out.jsonl.gz -q", _net),
    Case("go analyse", f"professional.sgf {NET} {DRAWN}", _net),
    Case("go analyse", f"professional.sgf {NET} -o list.csv -q", _net, "cache/*/ev*", cache="1MB"),
    Case("go judge", f"professional.sgf {NET} {REPORT}", _net),
    Case("go features", f"games {NET} -o store --batch 1 {ONE} -q", _go_games, keeps="store/*"),
    Case("go nets list", REPORT, _with_net_in_cache),
    Case("go nets show", f"old {REPORT}", _with_net_in_cache),
    Case("go nets add", "net.bin.gz --name mine", _net),
    Case("go nets remove", "old", _with_net_in_cache, once=True),
    Case("go nets train", f"games --save made.bin.gz --threads 1 {SMALL_NET} {REPORT}", _go_games,
         "made.training/*", heavy=True),
    Case("strength estimate", f"professional.sgf --colour black {MODEL} {DRAWN}", _model),
    Case("strength calibrate", f"estimates_simulated.csv --site Club --save club.json {REPORT}"),
    Case("strength run", f"experiment.toml {ONE} {REPORT}", _experiment, "work/*", heavy=True),
    Case("strength describe", "results.tsv -o figures", _experiment),
    # In the tests `strength search` trains.
    Case("strength train", f"experiment.toml --model basic --threads 1 {TEXT}", _training,
         "work/*", heavy=True, long=True),
    Case("strength search", f"{SEARCH} {ONE} {TEXT}", _training, "work/*", heavy=True),
    Case("strength style", f"style_simulated.tab {ONE} {REPORT}"),
    Case("trickplay index", f"professional.sgf -o games.idx {ONE}", keeps="games.idx.parts*"),
    Case("trickplay find", f"{TRICKS} {REPORT}"),
    Case("trickplay rate", f"{TRICKS} {MODEL} {DRAWN}", _model),
    Case("tournament new", "cup.xml --rounds 5", once=True),
    Case("tournament set", "open.xml --bar 3d", keeps=STEP),
    Case("tournament enter", "open.xml --name 'Ho, Al' --grade 3k --round 5", **ONCE),
    Case("tournament change", "open.xml Moreau --grade 7k", keeps=STEP),
    Case("tournament withdraw", "cup.xml 'Almeida Rita'", _event, **ONCE),
    Case("tournament bye", "cup.xml 'Almeida Rita' --round 1", _event, **ONCE),
    Case("tournament team", "teams.xml --name Otters --players 'Berg Olav,Costa Ines,Kral Filip'",
         **ONCE),
    Case("tournament wish", "open.xml --never 'Adler Ruth,Fischer Jan'", once=True),
    Case("tournament pair", "swiss.trf -o paired.trf --boards boards.csv --boards boards.html -q"),
    Case("tournament pair", "swiss.trf -o swiss.trf -q", **ONCE),
    Case("tournament result", "open.xml --players 'Garcia Ana,Dahl Ingrid' --score 0-1", **ONCE),
    Case("tournament undo", "cup.xml", _event, **ONCE),
    *(Case(f"tournament {each}", f"open.xml {REPORT}")
      for each in ("standings", "ratings", "prizes")),
    Case("tournament publish", "open.xml -o pages"),
    Case("tournament publish", "open.xml"),
    Case("tournament show", "open.xml -o show.txt -o show.html -q"),
    Case("tournament convert", "open.xml -o open.h9"),
    Case("tournament needs", f"open.xml 'Claes Wim' --place 3 --limit 64 {REPORT}"),
    Case("tournament check", f"swiss.trf {REPORT}"),
    Case("tournament generate", "--players 20 --rounds 3 --seed 7 -o random.trf"),
    Case("tournament simulate", f"{STUDY} --tournaments 4"),
    Case("tournament study ties", f"{STUDY} --tournaments 4"),
    Case("tournament study pairing", f"{STUDY} --replicates 2", heavy=True),
    Case("tournament study weights", f"{STUDY} --replicates 2 --trials 1 --confirm 2", heavy=True),
    Case("backgammon rating", f"--epm 0.0085 --epc 0.021 --length 7 {REPORT}"),
    Case("backgammon analyse", f"backgammon.mat --ledger kept.jsonl --table matches.csv {DRAWN}",
         keeps="kept.jsonl", **GNUBG),
    Case("backgammon position", f"{POSITION} {DRAWN}", **GNUBG),
    Case("backgammon play", f"results.jsonl --length 1 --second 0.4 --matches 2 {PLAYED}",
         keeps="results.jsonl", **GNUBG),
    Case("backgammon study part1", f"results.jsonl --lengths 1 --matches 1 {PLAYED} --plot figures",
         keeps="results.jsonl", **GNUBG),
    Case("backgammon study table", "matches.csv.gz -o all.csv.gz", _matches),
    Case("backgammon study fit", f"matches.csv.gz {FIT} {REPORT}", _matches),
    Case("backgammon study compare", f"matches.csv.gz {REPORT}", _matches),
    Case("handicap", f"2d 4k {REPORT}"),
    Case("demo", "--copy files"),
    Case("convert game-files", "league.csv -o games.pgn.gz"),
    Case("convert game-files", "professional.sgf -o repaired.sgf"),
    Case("convert game-files", "league.csv -o games.parquet"),
    Case("convert rating", f"2d --to egf {REPORT}"),
    Case("ordo", f"-q -G -p match.pgn {ORDO}"),
    Case("prep", "-p match.pgn -o kept.pgn --remaining rest.pgn -g groups.txt"),
)  # fmt: skip

#: Commands without a case of their own, and why.
NO_CASE: Mapping[str, str] = {
    "go fetch": "needs a site: tests/records/test_ogs.py",
    "go nets download": "needs a site: tests/go/nets/test_network.py kills and resumes it",
    "backgammon study part2": "writes as part1 does, in hours",
    "backgammon study depth": "writes as part1 does, in hours",
    "backgammon study strong": "writes as part1 does, in hours",
    "backgammon study appendix": "writes as part1 does, in hours",
    "serve": "a server and its workers: tests/web/test_processes.py kills them",
    "tournament serve": "writes by the steps that the other commands take",
}
