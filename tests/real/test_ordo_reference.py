"""The real Ordo's transcripts and lists, repeated byte for byte but for the `DIFFERENCES`."""

from __future__ import annotations

import csv
import gzip
import io
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.shared import shared_folder, shared_path
from yardstone.cli.ordo import main

SWITCHES = "reference/ordo/switches.md"
COMMAND = re.compile(
    r"^\*\*`(?P<command>.*?)`\*\* → exit (?P<status>\d+)\n(?P<body>.*?)(?=^\*\*`|^## |\Z)",
    re.MULTILINE | re.DOTALL,
)
LOG = re.compile(r"(\nConvergence rating calculation|Converging\.\.\.).*?\ndone\n", re.DOTALL)
NUMBER = re.compile(r"[-+]?\d+(\.\d+)?|---+")


class Result(NamedTuple):
    status: int
    out: str
    err: str


ZEUS = "Zeus       > :"
ALPHA = "Alpha 2.0    :  2427.5"
#: Why ours differs; the command, its exit status, and texts its streams must hold.
DIFFERENCES: dict[str, list[tuple[str, int, str, str]]] = {
    "the program names itself and explains itself in words of its own": [
        ("ordo", 1, "", "yardstone ordo -h"),
        ("ordo -v", 0, "compatible with Ordo 1.2.6", ""),
        *((f"ordo -{letter}", 0, "--column-format=FILE", "") for letter in "hH"),
    ],
    "a perfect scorer does not make the run fail: he is set apart and gets a bound": [
        *((f"ordo {line}", 0, f"{ZEUS}  {rating}", "Groups detected") for line, rating in {
            "-q -- base.pgn winner.pgn": "2864.0", "-q -P list.txt": "2864.0",
            "-p winner.pgn": "2864.0", "-q -s50 -W -D -p winner.pgn": "",
            "-q -p winloss.pgn": "2883.3", "-q -M -p winner.pgn": "28",
            "-q -A Zeus -p winner.pgn": "2300.0"}.items()),
        ("ordo -q -G -s50 -W -D -p winner.pgn", 0, ZEUS, ""),
        ("ordo -q -p loser.pgn", 0, "Nul        < :  1735.6", "Groups detected"),
        ("ordo -q -W -D -s50 -p winloss.pgn", 0, "Nul        < :", "Groups detected"),
    ],
    "groups that share no scale are rated each on its own, and a warning says so": [
        ("ordo -q -G -p disc.pgn", 0, "Bravo", "2 groups"),
        ("ordo -q -G -p semi.pgn", 0, "Bravo", "2 groups"),
        ("ordo -q -G -p allwin_chain.pgn", 0, "Alpha", "6 groups"),
    ],
    "anchors in each group put them on one scale": [
        (f"ordo -q {file} -p disc.pgn", 0, "Alpha 1.0    :  2600.0", "")
        for file in ("-m manch.csv", "-y loose.csv")
    ],
    "a record that cannot be used is skipped and reported, not leaked and not fatal": [
        ("ordo -q -p noresult.pgn", 0, "B         :  2360.7", "no Result tag"),
        *((f"ordo {option}-p nowhite.pgn", 0, "B         :  2360.7", "no White tag")
          for option in ("", "-q -G ")),
        *((f"ordo -q -p {name}.pgn", 1, "", f"{name}.pgn:11: result {result!r}") for name, result
          in (("weird", "1:0"), ("weird2", "½-½"), ("weird3", "+/-"), ("emptyresult", ""))),
        ("ordo -q -p unterminated.pgn", 0, "Alpha", "malformed White tag"),
    ],
    "tags are read in any case, spacing and line, encoding and line end; none in comments": [
        *((f"ordo -q -p {name}.pgn", 0, ALPHA, "")
          for name in ("cr", "utf16", "spacetag", "lower", "oneline", "trail")),
        ("ordo -q -p weird4.pgn", 1, "", ""),
        ("ordo -q -p comment.pgn", 0, "Alpha 1.0", ""),
    ],
    "names have any length, and columns are aligned by their width; the output is UTF-8": [
        ("ordo -q -p longname.pgn", 0, "AAAAAAAA", ""),
        *((f"ordo -q -p {code}.pgn", 0, "4 Müller       :  2336.2", "")
          for code in ("latin1", "utf8")),
    ],
    "-u without -w and -k without -d are priors around the defaults": [
        ("ordo -q -u 5 -p base.pgn", 0, "White advantage = 2.68", ""),
        ("ordo -q -k 5 -p base.pgn", 0, "(equal opponents) = 3", ""),
    ],
    "fixed ratings are solved exactly": [
        ("ordo -q -m manch.csv -p base.pgn", 0, "Alpha 1.0    :  2600.0", ""),
        ("ordo -m manch_nq.csv -p base.pgn", 0, "Anchoring, Golf --> 2300.0", ""),
        ("ordo -q -m manch.csv -s50 -W -D -p base.pgn", 0, "  ----", ""),
    ],
    "numbers that make no sense are refused, and none crashes": [
        *((f"ordo -q {switch} -p base.pgn", 1, "", words) for switch, words in {
            "-z 0": "wrong scaling parameter", "-z -202": "wrong scaling parameter",
            "-s1 -W -D": "wrong simulation parameter",
            '-U "0,99"': "there is no column 99"}.items()),
        ("ordo -q -t 1000 -p base.pgn", 0, "# PLAYER", ""),
    ],
    "an advantage without bound is told, ends alike in both modes, and is not simulated": [
        ("ordo -q -W -p white_adv.pgn", 0, "= 1133.30", "no finite estimate"),
        ("ordo -q -W -D -M -p white_adv.pgn", 0, "= 1133.30", ""),
        ("ordo -q -W -D -s20 -p two.pgn", 0, "= 1133.30 +/- 0.00", ""),
    ],
    "without -s the errors of -J, -e and -C are from the analytic covariance": [
        ("ordo -q -J -p base.pgn", 0, "69      9", ""),
        ("ordo -q -e e.csv -C c.csv -p base.pgn -o o.txt; ls e.csv c.csv", 0, "e.csv", ""),
    ],
    "chains of synonyms are followed, and those in no game are warned of": [
        ("ordo -q -Y syn_bad.csv -p base.pgn", 0, "Alpha 2.0", '"Nobody2" is in no game'),
        ("ordo -q -Y syn_chain.csv -p base.pgn", 0, "2 A2           :  2377.9", ""),
    ],
    "a dash is standard input": [("cat base.pgn | ordo -q -p -", 0, ALPHA, "")],
    "a file that cannot be written is an error": [
        ("ordo -q -p base.pgn -o /nonexistent/x.txt; echo rc=$?", 0, "rc=1",
         "Errors with file: /nonexistent/x.txt"),
    ],
    "what was there then is not there any more": [
        (f"ordo -q {file}", 1, "", "Problems reading results")
        for file in ("-p SOME_FOLDER", "-W -D -p leak.pgn | head -6")
    ],
}  # fmt: skip
EXPECTED = {row[0]: (why, *row[1:]) for why, rows in DIFFERENCES.items() for row in rows}


@cache
def transcripts() -> dict[str, Result]:
    """What the real program did, by the command."""
    file = shared_folder() / SWITCHES
    if not file.exists():  # one that is skipped with its reason
        return {"(every transcript)": Result(0, "", "")}
    result = {}
    for match in COMMAND.finditer(file.read_text(encoding="utf-8")):
        streams = [
            re.search(rf"^{name}:\n```\n(.*?)\n```$", match["body"], re.MULTILINE | re.DOTALL)
            for name in ("stdout", "stderr")
        ]
        texts = [stream[1] if stream else "" for stream in streams]
        result[match["command"]] = Result(int(match["status"]), *texts)
    return result


def run_ordo(arguments: str) -> Result:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main(shlex.split(arguments))
    return Result(status, out.getvalue(), err.getvalue())


def run_shell(command: str, monkeypatch: pytest.MonkeyPatch) -> Result:
    """Run a line of commands in this process, what is not `ordo` by the shell."""
    result = Result(0, "", "")
    for joined in re.split(r"\s*;\s*|\s*(&&)\s*", command):
        if joined == "&&" and result.status:
            break
        if joined not in (None, "&&"):
            step = _step(joined, result.status, monkeypatch)
            result = Result(step.status, result.out + step.out, result.err + step.err)
    return result


def _step(command: str, status: int, monkeypatch: pytest.MonkeyPatch) -> Result:
    first, _, then = command.partition(" | ")
    if first.startswith("ordo"):
        result = run_ordo(first.removeprefix("ordo"))
        if then.startswith("head -"):
            lines = result.out.splitlines(keepends=True)
            return result._replace(out="".join(lines[: int(then.removeprefix("head -"))]))
        return result
    if then.startswith("ordo"):
        with Path(first.removeprefix("cat ")).open(encoding="utf-8") as stream:
            monkeypatch.setattr(sys, "stdin", stream)
            return run_ordo(then.removeprefix("ordo").replace("/dev/stdin", "-"))
    if first.startswith("cd "):
        monkeypatch.chdir(first.removeprefix("cd "))
        return Result(0, "", "")
    line = first.replace("$?", str(status))
    done = subprocess.run(line, shell=True, capture_output=True, text=True, check=False)
    return Result(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ordo") / "inputs"
    shutil.copytree(shared_path("reference/ordo/inputs"), folder)
    folder.chmod(0o755)
    games = gzip.decompress(shared_path("reference/ordo/g10k.pgn.gz").read_bytes())
    (folder / "g10k.pgn").write_bytes(games)
    return folder


def plain(text: str) -> str:
    return LOG.sub("<log>\n", text).strip("\n").rstrip()


def without_numbers(text: str) -> str:
    """Random numbers taken out, with the widths that follow from them, as in names of matrices."""
    return re.sub(r" +", " ", NUMBER.sub("#", re.sub(r'(?m)^(\d+)," +', r'\1,"', text)))


def shown(text: str, like: str) -> str:
    """As much of `text` as the transcript shows."""
    if "... (" not in like:
        return text
    return "\n".join(text.split("\n")[: like.split("\n").index(like.split("\n")[-1])])


@pytest.mark.parametrize("command", transcripts())
def test_a_transcript_is_repeated(
    command: str, inputs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(inputs)
    wanted, ours = transcripts()[command], run_shell(command, monkeypatch)
    if command in EXPECTED:
        why, status, out, err = EXPECTED[command]
        assert (ours.status, out in ours.out, err in ours.err) == (status, True, True), why
        return
    assert ours.status == wanted.status
    out, theirs = plain(ours.out), plain(wanted.out)
    if re.search(r" -[qQ]?s *\d", command):  # all but the random numbers is the same
        if not command.startswith("ordo -s"):  # that one logs every simulation
            out, theirs = without_numbers(out), without_numbers(theirs)
            assert shown(out, theirs) == shown(theirs, theirs)
    elif "... (" in theirs:
        assert shown(out, theirs) == shown(theirs, theirs)
    else:
        assert (out, ours.err.strip()) == (theirs, wanted.err.strip())


def test_every_difference_is_a_command_of_the_transcripts() -> None:
    shared_path(SWITCHES)
    assert set(EXPECTED) <= set(transcripts())


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))


@pytest.mark.parametrize(
    ("name", "switches", "error"),  # how far Ordo's searches end from the solutions
    [("plain", "", 2e-5), ("WD", "-W -D", 2e-5), ("MWD", "-M -W -D", 2e-4)],
)
def test_ratings_of_ten_thousand_games(
    name: str, switches: str, error: float, inputs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(inputs)
    assert run_ordo(f"-q {switches} -N 6,4 -c ours.csv -o ours.txt g10k.pgn").status == 0
    theirs = rows_of(shared_path(f"reference/ordo/g10k.{name}.N6.csv"))
    ours = rows_of(Path("ours.csv"))
    assert [row["PLAYER"] for row in ours] == [row["PLAYER"] for row in theirs]
    for our, their in zip(ours, theirs, strict=True):
        assert float(our["RATING"]) == pytest.approx(float(their["RATING"]), abs=error)
        assert {**our, "RATING": ""} == {**their, "RATING": ""}
    golden = shared_path(f"reference/ordo/g10k.{name}.N6.txt").read_text(encoding="utf-8")
    text = Path("ours.txt").read_text()
    assert without_numbers(text) == without_numbers(golden)
    assert text.split("\n")[-4:] == golden.split("\n")[-4:]


def test_simulated_errors_and_elostat_files_of_ten_thousand_games(
    inputs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(inputs)
    switches = "-q -W -D -s 60 -J -n 2 -c s.csv -e e.csv -C c.csv -j j.txt -o s.txt"
    assert run_ordo(f"{switches} g10k.pgn").status == 0
    theirs = rows_of(shared_path("reference/ordo/g10k.s1000.csv"))
    ours = rows_of(Path("s.csv"))
    assert [row["PLAYER"] for row in ours] == [row["PLAYER"] for row in theirs]
    errors = zip((float(row["ERROR"]) for row in ours), theirs, strict=True)
    ratios = [mine / float(row["ERROR"]) for mine, row in errors]
    assert sum(ratios) / len(ratios) == pytest.approx(1.0, abs=0.1)
    for mine, golden in (("e.csv", "err.csv"), ("c.csv", "cfs.csv"), ("j.txt", "h2h.txt")):
        wanted = shared_path(f"reference/ordo/g10k.s1000.{golden}").read_text(encoding="utf-8")
        assert without_numbers(Path(mine).read_text()) == without_numbers(wanted)
    assert run_ordo("-q -W -D -E -g groups.txt -o o.txt g10k.pgn").status == 0
    for name in ("general.dat", "groups.txt", "programs.dat"):
        known = shared_path(f"reference/ordo/elostat_g10k/{name}")
        assert Path(name).read_bytes() == known.read_bytes()
    known = shared_path("reference/ordo/elostat_g10k/rating.dat")
    texts = (path.read_text(encoding="utf-8") for path in (Path("rating.dat"), known))
    mine, golden = (re.sub(r"(: [ \d.]{6}) +[\d.]+ +[\d.]+ ", r"\1 ", text) for text in texts)
    assert mine == golden
