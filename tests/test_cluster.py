"""Ray behind `map`: the bytes of one machine, whatever becomes of the others."""

from __future__ import annotations

import gzip
import os
import shutil
import signal
import socket
import subprocess
import sys
import warnings
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests import parallel_tasks as tasks
from tests.go.games import small_network
from tests.strength.estimate_cases import game, make_case, sgf
from tests.strength.trickplay_cases import GAME, PROBLEM, moves_sgf
from tests.test_parallel import stopped, wait_until
from yardstone import parallel
from yardstone.cli.main import main
from yardstone.errors import InputError, MissingExtraError, SkippedWarning, UsageError, WorkerError
from yardstone.examples import example
from yardstone.go.features import ExtractionSettings, extract_features
from yardstone.parallel import _ray
from yardstone.pool import Pool
from yardstone.records import joining
from yardstone.records.reading import read
from yardstone.records.sgf import SgfReader

ROOT = Path(__file__).resolve().parents[1]


def _free_port() -> int:
    """A port to listen on that no connection of Ray's own can be given in the meantime."""
    for port in range(20001, 23000):
        with socket.socket() as free:
            try:
                free.bind(("", port))
            except OSError:
                continue
            return port
    raise AssertionError("there is no free port")


class Nodes:
    """Three machines of Ray, as far as Ray can tell: one core each."""

    def __init__(self, cache: Path) -> None:
        from ray.cluster_utils import Cluster

        self.cache = cache
        port = _free_port()
        self._alone: dict[str, Any] = {
            "num_cpus": 1,
            "include_dashboard": False,
            "object_store_memory": 80 << 20,
        }
        head = {**self._alone, "ray_client_server_port": port}
        self.cluster: Any = Cluster(initialize_head=True, head_node_args=head)
        self.client = f"ray://{self.cluster.address.partition(':')[0]}:{port}"
        self.engine = f"ray:{self.cluster.address}"
        self.others: list[Any] = []
        self.complete()

    def complete(self) -> None:
        """Start what was killed."""
        while len(self.others) < 2:
            self.others.append(self.cluster.add_node(**self._alone))

    def kill(self, node: Any) -> None:
        """Kill one of the three, with all that runs on it."""
        self.others.remove(node)
        self.cluster.remove_node(node, allow_graceful=False)


@pytest.fixture(scope="session")
def nodes_of_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    cache = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        # What serves a client starts as slowly as the busiest machine lets it, and must not die
        # of what gRPC does after a fork.
        patch.setenv("RAY_CLIENT_SERVER_CHECK_CHANNEL_TIMEOUT_S", "100")
        patch.setenv("GRPC_ENABLE_FORK_SUPPORT", "0")
        patch.setenv("XDG_CACHE_HOME", str(cache))
        patch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src"), str(ROOT)]))
        nodes = Nodes(cache)
        with _ray.connection():
            parallel.map(tasks.square, range(3), engine=nodes.engine)
            yield nodes
        nodes.cluster.shutdown()


@pytest.fixture
def nodes(nodes_of_session: Nodes) -> Iterator[Nodes]:
    nodes_of_session.complete()
    with parallel.context(engine=nodes_of_session.engine):
        yield nodes_of_session


def told(errors: str) -> str:
    """Standard error without what is said where loops are compiled, once with a cold cache."""
    lines = errors.splitlines(keepends=True)
    return "".join(line for line in lines if "once for this machine" not in line)


def printed(capfd: pytest.CaptureFixture[str], *command: str) -> tuple[int, str, str]:
    status = main(list(command))
    output, errors = capfd.readouterr()
    return status, output, told(errors)


def contents(store: Path) -> dict[str, bytes]:
    return {str(p.relative_to(store)): p.read_bytes() for p in store.rglob("*") if p.is_file()}


def test_results_and_errors_are_those_of_one_machine(nodes: Nodes, tmp_path: Path) -> None:
    assert parallel.map(tasks.square, range(100), chunk=7) == [k * k for k in range(100)]
    assert os.getpid() not in parallel.map(tasks.own_process, range(3), threads=True)
    drawn = parallel.map(tasks.draw, parallel.spawn_generators(7, 9))
    assert drawn == [generator.random() for generator in parallel.spawn_generators(7, 9)]
    assert parallel.map(tasks.map_inside, [2, 3]) == [[0, 1], [0, 1, 4]]
    (values,) = parallel.map(tasks.changed, [np.zeros(100_000)])
    values += 1  # what comes back is one's own as well
    assert values.sum() == 200_000
    with pytest.raises(InputError, match=r"numbers\.txt:3: three is refused") as caught:
        parallel.map(tasks.refuse_three, range(8))
    assert caught.value.line == 3
    assert "while working on item 4 of 8: 3" in caught.value.__notes__[0]
    with pytest.raises(WorkerError, match=tasks.STUBBORN):
        parallel.map(tasks.raise_stubborn, [0, 0])
    with pytest.raises(UsageError, match="a result cannot go to another process"):
        parallel.map(tasks.give_lock, [1, 2])
    with pytest.raises(UsageError, match="item 2 of 2: <unlocked"):
        parallel.map(str, [1, tasks.give_lock(0)])
    with pytest.raises(UsageError, match="cannot turn to ray:elsewhere:1"):
        parallel.map(abs, [1], engine="ray:elsewhere:1")

    # Items are read as they are needed: only so many are in Ray's hands.
    ahead: list[int] = []
    read = [0]

    def items() -> Iterator[int]:
        for number in range(300):
            read[0] += 1
            yield number

    with parallel.context(progress=lambda _, done, __: ahead.append(read[0] - done)):
        parallel.map(tasks.square, items(), what="squaring", total=300)
    assert max(ahead) < 60

    file = tmp_path / "network.bin"
    file.write_bytes(b"content")
    ((place, content),) = parallel.map(partial(tasks.place_of_file, str(file)), [0], files=[file])
    assert place.startswith(str(nodes.cache))
    assert content == b"content"
    parallel.map(abs, [1], shared=[tmp_path])
    assert [path.name for path in tmp_path.iterdir()] == ["network.bin"]


def test_the_work_of_a_lost_machine_is_done_again(nodes: Nodes, tmp_path: Path) -> None:
    begun = tmp_path / "begun"

    def progress(what: str, done: int, total: int) -> None:
        """Kill the machine that will not be done with its item."""
        if done == total - 1:
            assert wait_until(lambda: begun.exists() and begun.read_text().endswith("\n"))
            place = begun.read_text().split()[1]
            (victim,) = [node for node in nodes.others if node.node_id == place]
            nodes.kill(victim)

    work = partial(tasks.wait_for_death, str(tmp_path), nodes.cluster.head_node.node_id)
    with parallel.context(progress=progress):
        assert parallel.map(work, range(100), what="waiting") == list(range(100))
    assert len(nodes.others) == 1


def test_features_are_the_same_bytes_when_a_machine_is_lost(nodes: Nodes, tmp_path: Path) -> None:
    net = small_network(tmp_path)
    settings = ExtractionSettings(net=str(net), trunk=("pick", "mean"), batch=1)
    (game,) = SgfReader(example("professional.sgf"))
    games = [
        replace(game, number=k, moves=game.moves[: 9 * k], colours=game.colours[: 9 * k])
        for k in range(1, 10)
    ]
    with parallel.context(engine="local", workers=1):
        extract_features(lambda: games, tmp_path / "here", settings)

    def progress(stage: str, done: int, total: int) -> None:
        if stage == "features" and done >= 3 and len(nodes.others) == 2:
            nodes.kill(nodes.others[-1])

    with parallel.context(progress=progress):
        extract_features(lambda: games, tmp_path / "there", settings)
    assert len(nodes.others) == 1
    assert contents(tmp_path / "there") == contents(tmp_path / "here")


_UNREAD = b'[White "A"]\n[Black "B"]\n[Result "1-O"]\n\n'


def pgn(number: int) -> bytes:
    """A file of six games: one unfinished, one whose result is odd, one whose date is in part."""
    results = ("1-0", "0-1", "1/2-1/2", "*", "1-O", "0-1")
    return "".join(
        f'[White "P{(number + k) % 7}"]\n[Black "Ö{k}"]\n[Result "{result}"]\n[Round "{k}"]\n'
        f'[Date "2024.{"??" if k == 5 else "03"}.{number + 1:02d}"]\n[Site "A{number}"]\n'
        f"\n1. e4 {result}\n\n"
        for k, result in enumerate(results)
    ).encode()


def folder_of_files(folder: Path) -> Path:
    """Files of all kinds that hold games, some of them damaged, packed or of no use."""
    made = {f"{number}.pgn": pgn(number) for number in range(7)}
    made |= {"none.pgn": b"nothing\n", "bad.pgn": _UNREAD * 5}
    made |= {"more.pgn.gz": gzip.compress(pgn(8)), "cut.pgn.gz": gzip.compress(pgn(9))[:-20]}
    made["one.json"] = b'[{"white": "Ann", "black": "Bob", "result": "1-0"}]'
    made["two.json"] = b'[{"white": "Bob", "black": "Cid", "result": "0-1"}]'
    for number in range(7):
        made[f"{number}.sgf"] = (
            f"(;GM[1]SZ[19]PB[Ann {number % 3}]PW[Bob]RE[{'B+R' if number % 2 else 'W+0.5'}]"
            f"DT[2023{'-05' if number % 4 else ''}]KM[{number}];B[pd])\n(;GM[1]SZ[19]RE[?])"
        ).encode()
    for name in ("backgammon.mat", "league.csv", "open.xml", "swiss.trf"):
        made |= {f"{copy}{name}": example(name).read_bytes() for copy in range(2)}
    for name, data in made.items():
        (folder / name).write_bytes(data)
    with zipfile.ZipFile(folder / "packed.zip", "w") as archive:
        for number in (20, 21):
            archive.writestr(f"{number}.pgn", pgn(number))
    return folder


def same_pool(one: Pool, other: Pool) -> None:
    def facts(pool: Pool) -> list[object]:
        columns: dict[str, Any] = {"first": pool.first, "second": pool.second, "score": pool.score}
        columns |= {"time": np.asarray(pool.time), **pool.columns}
        arrays = [(name, str(each.dtype), repr(each.tolist())) for name, each in columns.items()]
        return [pool.players, pool.skipped, list(pool.skipped.reasons), pool.ordered, arrays]

    assert facts(one) == facts(other)


def read_at(engine: str, *paths: object, **options: Any) -> Pool:
    with parallel.context(engine=engine), warnings.catch_warnings():
        warnings.simplefilter("ignore", SkippedWarning)
        return read(*map(str, paths), **options)


def test_many_files_are_the_same_pool(
    nodes: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(joining, "_FILES", 3)
    folder = folder_of_files(tmp_path)
    kinds: list[tuple[str, dict[str, Any]]] = [
        ("*.pgn* packed.zip", {"times": True, "levels": True, "columns": {"place": "Site"}}),
        ("*.pgn", {"columns": "all", "where": "Round = 1"}),
        ("*.sgf", {"columns": "all"}),
        ("*.mat", {"times": True}),
        ("*.csv *.json *.xml *.trf", {"levels": True}),
    ]
    for patterns, options in kinds:
        paths = [folder / each for each in patterns.split()]
        done: list[tuple[str, int, int]] = []
        with parallel.context(progress=lambda *now, d=done: d.append(now)):
            there = read_at(nodes.engine, *paths, skip_unread=True, **options)
        same_pool(there, read_at("local", *paths, skip_unread=True, **options))
        assert len(there)
        assert done[-1][1] == done[-1][2]

    # Of several files at fault the first is named, and what is skipped is counted alike where
    # there is too much of it to be listed.
    for number in range(3):
        (folder / f"many{number}.pgn").write_bytes(_UNREAD * 400)
    paths = [folder / "*.pgn"]
    here = read_at("local", *paths, skip_unread=True)
    same_pool(read_at(nodes.engine, *paths, skip_unread=True), here)
    assert here.skipped.total > 1000
    for options in ({}, {"strict": True}, {"columns": ["Opening"]}):
        said = set()
        for engine in ("local", nodes.engine):
            with pytest.raises(InputError) as error:
                read_at(engine, *paths, **options)
            said.add(str(error.value))
        assert len(said) == 1, options

    # What is too large to be sent is read here.
    monkeypatch.setattr(joining, "LARGEST", 1000)
    paths = [example("league.csv"), folder / "*.json"]
    same_pool(read_at(nodes.engine, *paths), read_at("local", *paths))

    command = ["rate", str(folder / "*.sgf"), "--skip-unread"]
    alone = printed(capfd, *command)
    assert alone[0] == 0
    assert printed(capfd, *command, "--engine", nodes.engine) == alone


def test_what_a_network_says_of_games_is_the_same(
    nodes: Nodes, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    case = make_case(tmp_path)
    files = tmp_path / "games"
    files.mkdir()
    for k in range(4):
        (files / f"{k}.sgf").write_text(sgf(game(k, "Ann", f"Bob {k}", day=k, moves=20 + k)))
    shutil.copy(files / "0.sgf", files / "copy.sgf")
    trickplay, stands = tmp_path / "problem.sgf", tmp_path / "stands.sgf"
    trickplay.write_text(PROBLEM)
    stands.write_text(moves_sgf(GAME))
    net = f"--net {case.file} --no-cache"
    model = f"{net} --model {case.model_file}"
    for command in (
        f"strength estimate {files} --player Ann {model} --format json",
        f"go analyse {files} {net} --format csv --visits 4",
        f"go judge {files} {net} --format csv",
        f"go evaluate {example('positions.jsonl')} {net}",
        f"trickplay rate {trickplay} --games {stands} {model}",
        f"trickplay index {files} -o {tmp_path}/index",
    ):
        outcomes = []
        for engine in ("local", nodes.engine):
            said = printed(capfd, *command.split(), "--engine", engine)
            assert said[0] == 0, said
            outcomes.append((said, [path.read_bytes() for path in tmp_path.glob("index")]))
        assert outcomes[0] == outcomes[1], command


def test_a_machine_that_is_not_of_the_cluster_asks_as_a_client(
    nodes: Nodes, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "one.csv").write_text("white,black,result\nAnn,Bob,1-0\nBob,Ann,1-0\n")
    (tmp_path / "two.csv").write_text("white,black,result\nBob,Cid,0-1\nCid,Ann,1/2-1/2\n")
    command = ["rate", f"{tmp_path}/*.csv", "--simulate", "40"]
    alone = printed(capfd, *command, "--engine", "local", "--workers", "1")
    away = [sys.executable, "-W", "error", "-m", "yardstone", *command, "--engine", nodes.client]
    done = subprocess.run(away, capture_output=True, text=True)
    assert alone[0] == 0
    assert (done.returncode, done.stdout, told(done.stderr)) == alone


def test_ctrl_c_ends_it(nodes: Nodes, tmp_path: Path) -> None:
    said = stopped(tmp_path, signal.SIGINT, nodes.engine, 1)
    assert said.count("Traceback") == 1
    assert said.rstrip().endswith("KeyboardInterrupt")


def test_a_cluster_that_is_gone_is_not_waited_for() -> None:
    """Ray itself tries for minutes to reach one."""
    command = [sys.executable, "-m", "yardstone", "rate", str(example("league.csv"))]
    command += ["--simulate", "2", "--workers", "2"]
    environment = {**os.environ, "RAY_ADDRESS": "127.0.0.1:1"}
    for gone in ("ray:127.0.0.1:1", "ray"):
        words = [*command, "--engine", gone]
        run = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60)
        assert run.returncode == 1
        assert "no Ray answers at 127.0.0.1:1: Connection refused" in run.stderr
        assert len(run.stderr.splitlines()) == 1, run.stderr


def test_without_ray_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'yardstone\[cluster\]'"):
        parallel.map(abs, [1, 2], engine="ray")
    command = ["rate", str(example("league.csv")), "--simulate", "2"]
    for engine, status, said in (
        ("ray", 1, "pip install 'yardstone[cluster]'"),
        ("slurm", 2, "there is no engine 'slurm'"),
        ("onnxruntime", 2, "--runtime"),
    ):
        done = printed(capfd, *command, "--engine", engine)
        assert done[0] == status
        assert said in done[2]
    assert main(command) == 0  # and the next command works here again


def test_a_server_that_dies_as_it_starts_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """What Ray starts for a client now and then dies at once; what is wrong for good stays so."""
    answers: list[Exception | None] = []

    def init(_: object, address: str) -> None:
        assert address == "ray://away:10001"
        if (answer := answers.pop(0)) is not None:
            raise answer

    monkeypatch.setattr(_ray, "_init", init)
    answers += [ConnectionAbortedError("Initialization failure from server:\nno channel"), None]
    _ray._connect(None, "ray://away:10001")
    answers += [ConnectionError("Connection refused"), None]
    with pytest.raises(InputError, match="no Ray answers at ray://away:10001: Connection refused"):
        _ray._connect(None, "ray://away:10001")
    assert answers == [None]
