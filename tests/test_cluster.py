"""Ray behind `map`: the bytes of one machine, whatever becomes of the others."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests import parallel_tasks as tasks
from tests.strength.estimate_cases import game, make_case, sgf
from tests.test_parallel import stopped, wait_until
from yardstone import parallel
from yardstone.arrays import equal_fields
from yardstone.cli.main import main
from yardstone.errors import InputError, SkippedWarning, UsageError
from yardstone.examples import example
from yardstone.parallel import _ray
from yardstone.pool import Pool
from yardstone.records import joining
from yardstone.records.reading import read

ROOT = Path(__file__).resolve().parents[1]
UNREAD = b'[White "A"]\n[Black "B"]\n[Result "1-O"]\n\n'


def free_port() -> int:
    """A port to listen on that no connection of Ray's own can be given in the meantime."""
    for port in range(20001, 23000):
        with socket.socket() as free, suppress(OSError):
            free.bind(("", port))
            return port
    pytest.fail("there is no free port")


@pytest.fixture(scope="session")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from ray.cluster_utils import Cluster

    port = free_port()
    alone = {"num_cpus": 1, "include_dashboard": False, "object_store_memory": 80 << 20}
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        # What serves a client starts as slowly as the busiest machine lets it, and must not die
        # of what gRPC does after a fork.
        patch.setenv("RAY_CLIENT_SERVER_CHECK_CHANNEL_TIMEOUT_S", "100")
        patch.setenv("GRPC_ENABLE_FORK_SUPPORT", "0")
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src"), str(ROOT)]))
        head = {**alone, "ray_client_server_port": port}
        cluster: Any = Cluster(initialize_head=True, head_node_args=head)
        for _ in range(2):
            cluster.add_node(**alone)
        cluster.engine = f"ray:{cluster.address}"
        cluster.client = f"ray://{cluster.address.partition(':')[0]}:{port}"
        with _ray.connection():
            parallel.map(tasks.square, range(3), engine=cluster.engine)
            yield cluster
        cluster.shutdown()


@pytest.fixture
def cluster(machines: Any) -> Iterator[Any]:
    with parallel.context(engine=machines.engine):
        yield machines


def printed(capfd: pytest.CaptureFixture[str], *command: str) -> tuple[int, str, str]:
    status = main(list(command))
    output, errors = capfd.readouterr()
    return status, output, told(errors)


def told(errors: str) -> str:
    """Standard error without what is said where loops are compiled, once with a cold cache."""
    lines = errors.splitlines(keepends=True)
    return "".join(line for line in lines if "once for this machine" not in line)


def test_results_and_errors_are_those_of_one_machine(cluster: Any, tmp_path: Path) -> None:
    assert parallel.map(tasks.square, range(100), chunk=7) == [k * k for k in range(100)]
    assert os.getpid() not in parallel.map(tasks.own_process, range(3), threads=True)
    drawn = parallel.map(tasks.draw, parallel.spawn_generators(7, 9))
    assert drawn == [generator.random() for generator in parallel.spawn_generators(7, 9)]
    assert parallel.map(tasks.map_inside, [2, 3]) == [[0, 1], [0, 1, 4]]
    (values,) = parallel.map(tasks.changed, [np.zeros(100_000)])
    values += 1  # what comes back is one's own as well
    assert values.sum() == 200_000
    with pytest.raises(InputError, match=r"numbers\.txt:3: three is refused"):
        parallel.map(tasks.refuse_three, range(8))
    with pytest.raises(UsageError, match="a result cannot go to another process"):
        parallel.map(tasks.give_lock, [1, 2])
    with pytest.raises(UsageError, match="cannot turn to ray:elsewhere:1"):
        parallel.map(abs, [1], engine="ray:elsewhere:1")

    # Items are read as they are needed: only so many are in Ray's hands.
    ahead: list[int] = []
    taken: list[int] = []

    def items() -> Iterator[int]:
        for number in range(300):
            taken.append(number)
            yield number

    with parallel.context(progress=lambda _, done, __: ahead.append(len(taken) - done)):
        parallel.map(tasks.square, items(), what="squaring", total=300)
    assert max(ahead) < 60

    file = tmp_path / "network.bin"
    file.write_bytes(b"content")
    ((place, content),) = parallel.map(partial(tasks.place_of_file, str(file)), [0], files=[file])
    assert place.startswith(os.environ["XDG_CACHE_HOME"])
    assert content == b"content"
    parallel.map(abs, [1], shared=[tmp_path])
    assert [path.name for path in tmp_path.iterdir()] == ["network.bin"]


def test_the_work_of_a_lost_machine_is_done_again(cluster: Any, tmp_path: Path) -> None:
    begun = tmp_path / "begun"

    def progress(what: str, done: int, total: int) -> None:
        if done == total - 1:
            assert wait_until(lambda: begun.exists() and begun.read_text().endswith("\n"))
            lost = begun.read_text().split()[1]
            (victim,) = [node for node in cluster.worker_nodes if node.node_id == lost]
            cluster.remove_node(victim, allow_graceful=False)

    work = partial(tasks.wait_for_death, str(tmp_path), cluster.head_node.node_id)
    with parallel.context(progress=progress):
        assert parallel.map(work, range(100), what="waiting") == list(range(100))
    assert len(cluster.worker_nodes) == 1


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tests = ROOT / "tests"
    names = ("backgammon.mat", "backgammon.mat", "league.csv", "open.xml", "swiss.trf")
    made = [*tests.glob("fuzz/corpus/games-[gps]*/*"), *tests.glob("tournament/data/trf*")]
    for number, path in enumerate([*sorted(made), *map(example, names)]):
        shutil.copy(path, tmp_path / f"{number}{path.suffix}")
    (tmp_path / "cut.pgn.gz").write_bytes(gzip.compress(UNREAD * 50)[:-20])
    for name in "ABC":
        game = {"white": name, "black": "D", "result": "1-0"}
        (tmp_path / f"{name}.json").write_text(json.dumps([game]))
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        for path in [*tmp_path.glob("*.sgf"), *tmp_path.glob("*.pgn")]:
            archive.write(path)
    return tmp_path


def read_at(engine: str, *paths: object, **options: Any) -> Pool:
    with parallel.context(engine=engine), warnings.catch_warnings():
        warnings.simplefilter("ignore", SkippedWarning)
        return read(*map(str, paths), **options)


def same_at(engine: str, *paths: object, **options: Any) -> Pool:
    there, here = (read_at(each, *paths, **options) for each in (engine, "local"))
    assert equal_fields(there, here)
    kinds = [[(name, each.dtype) for name, each in p.columns.items()] for p in (there, here)]
    assert kinds[0] == kinds[1]
    assert len(there)
    return there


def test_many_files_are_the_same_pool(
    cluster: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(joining, "_FILES", 3)
    kinds: list[tuple[str, dict[str, Any]]] = [
        ("*.pgn* packed.zip", {"times": True, "levels": True, "columns": {"place": "Event"}}),
        ("*.pgn", {"columns": "all", "where": "WhiteElo = 2100"}),
        ("*.sgf packed.zip", {"columns": "all"}),
        ("*.mat", {"times": True}),
        ("*.csv *.json *.xml *.trf", {"levels": True}),
    ]
    for patterns, options in kinds:
        done: list[tuple[str, int, int]] = []
        with parallel.context(progress=lambda *now, d=done: d.append(now)):
            paths = [folder / each for each in patterns.split()]
            same_at(cluster.engine, *paths, skip_unread=True, **options)
        assert done[-1][1] == done[-1][2]
    command = ["rate", str(folder / "*.sgf"), "--skip-unread"]
    alone = printed(capfd, *command)
    assert alone[0] == 0
    assert printed(capfd, *command, "--engine", cluster.engine) == alone

    # Of several files at fault the first is named, and what is skipped is counted alike where
    # there is too much of it to be listed.
    for number in range(3):
        (folder / f"many{number}.pgn").write_bytes(UNREAD * 400)
    assert same_at(cluster.engine, folder / "*.pgn", skip_unread=True).skipped.total > 1000
    for options in ({}, {"strict": True}, {"columns": ["Opening"]}):
        said = set()
        for engine in ("local", cluster.engine):
            with pytest.raises(InputError) as error:
                read_at(engine, folder / "*.pgn", **options)
            said.add(str(error.value))
        assert len(said) == 1, options
    monkeypatch.setattr(joining, "LARGEST", 1000)  # what is too large to be sent is read here
    same_at(cluster.engine, example("league.csv"), folder / "*.json")


def test_what_a_network_says_of_games_is_the_same(
    cluster: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    case = make_case(tmp_path)
    files, made = tmp_path / "games", tmp_path / "made"
    files.mkdir()
    for k in range(2):
        (files / f"{k}.sgf").write_text(sgf(game(k, "Ann", f"Bob {k}", day=k, moves=40 + k)))
    shutil.copy(files / "0.sgf", files / "copy.sgf")
    net = f"--net {case.file} --no-cache"
    for command in (
        f"strength estimate {files} --player Ann {net} --model {case.model_file} --format json",
        f"go analyse {files} {net} --format csv --visits 4",
        f"go evaluate {example('positions.jsonl')} {net}",
        f"go features {files} --net {case.file} --batch 1 -o {made}/store",
        f"trickplay index {files} -o {made}/index",
    ):
        outcomes = []
        for engine in ("local", cluster.engine):
            made.mkdir()
            said = printed(capfd, *command.split(), "--engine", engine)
            assert said[0] == 0, said
            kept = {path: path.read_bytes() for path in made.rglob("*") if path.is_file()}
            outcomes.append((said, kept))
            shutil.rmtree(made)
        assert outcomes[0] == outcomes[1], command


def test_a_machine_that_is_not_of_the_cluster_asks_as_a_client(
    cluster: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    command = ["rate", str(example("league.csv")), "--simulate", "40"]
    alone = printed(capfd, *command, "--engine", "local", "--workers", "1")
    away = [sys.executable, "-W", "error", "-m", "yardstone", *command, "--engine", cluster.client]
    done = subprocess.run(away, capture_output=True, text=True)
    assert alone[0] == 0
    assert (done.returncode, done.stdout, told(done.stderr)) == alone


def test_ctrl_c_ends_it(cluster: Any, tmp_path: Path) -> None:
    said = stopped(tmp_path, signal.SIGINT, cluster.engine, 1)
    assert said.count("Traceback") == 1
    assert said.rstrip().endswith("KeyboardInterrupt")


@pytest.mark.parametrize("gone", ["ray:127.0.0.1:1", "ray"])
def test_a_cluster_that_is_gone_is_not_waited_for(gone: str) -> None:
    """Ray itself tries for minutes to reach one."""
    words = [sys.executable, "-m", "yardstone", "rate", str(example("league.csv"))]
    words += ["--simulate", "2", "--workers", "2", "--engine", gone]
    environment = {**os.environ, "RAY_ADDRESS": "127.0.0.1:1"}
    run = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60)
    assert run.returncode == 1
    assert "no Ray answers at 127.0.0.1:1: Connection refused" in run.stderr
    assert len(run.stderr.splitlines()) == 1, run.stderr


def test_without_ray_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
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
    crashed, gone = ConnectionAbortedError("Initialization failure"), ConnectionError("gone")
    answers = iter((crashed, None, gone))

    def init(_: object, address: str) -> None:
        if (answer := next(answers)) is not None:
            raise answer

    monkeypatch.setattr(_ray, "_init", init)
    _ray._connect(None, "ray://away:10001")
    with pytest.raises(InputError, match="no Ray answers at ray://away:10001: gone"):
        _ray._connect(None, "ray://away:10001")
