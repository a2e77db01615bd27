"""Ray behind `map`: the bytes of one machine, whatever becomes of the others."""

from __future__ import annotations

import gzip
import os
import re
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
from itertools import islice
from operator import length_hint
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests import parallel_tasks as tasks
from tests.test_parallel import stopped, wait_until
from tests.test_parallel import test_any_way_gives_the_same as any_way_gives_the_same
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


#: Python processes of a machine: Ray gives them 15 seconds to tell at which ports they listen, and
#: dies where the machine is too busy; for a port that it was told itself it does not wait.
AGENTS = ("runtime_env_agent", "metrics_agent", "metrics_export", "dashboard_agent_listen")


def free_ports() -> Iterator[int]:
    """Ports to listen on that no connection of Ray's own can be given in the meantime.

    Each process begins elsewhere: another may look for some at the same moment.
    """
    for step in range(2999):
        port = 20001 + (20 * os.getpid() + step) % 2999
        with socket.socket() as free, suppress(OSError):
            free.bind(("", port))
            yield port
    pytest.fail("there is no free port")


def listens(host: str, port: int) -> bool:
    with suppress(OSError), socket.create_connection((host, port), timeout=60):
        return True
    return False


@pytest.fixture(scope="session")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from ray._private import services
    from ray.cluster_utils import Cluster

    port, *others = islice(free_ports(), 1 + 2 * len(AGENTS))
    head: dict[str, Any]
    head, other = (
        {"num_cpus": 1, "include_dashboard": False, "object_store_memory": 80 << 20}
        | {f"{agent}_port": others.pop() for agent in AGENTS}
        for _ in range(2)
    )
    # What would grow the cluster, and bring what is printed elsewhere: nobody asks for it.
    head |= {"ray_client_server_port": port, "no_monitor": True, "include_log_monitor": False}
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        # What serves a client starts as slowly as the busiest machine lets it, and must not die
        # of what gRPC does after a fork.
        patch.setenv("RAY_CLIENT_SERVER_CHECK_CHANNEL_TIMEOUT_S", "100")
        patch.setenv("GRPC_ENABLE_FORK_SUPPORT", "0")
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src"), str(ROOT)]))
        start = services.start_ray_process
        raylets = iter((head, other))

        def begin(command: list[str], kind: str, *rest: Any, **more: Any) -> Any:
            if kind == "raylet":  # to which Ray itself does not hand it on
                listen = "dashboard_agent_listen_port"
                command = [*command, f"--{listen}={next(raylets)[listen]}"]
            return start(command, kind, *rest, **more)

        patch.setattr(services, "start_ray_process", begin)
        cluster: Any = Cluster(initialize_head=True, head_node_args=head)
        cluster.add_node(**other)
        cluster.engine = f"ray:{cluster.address}"
        host = cluster.address.partition(":")[0]
        cluster.client = f"ray://{host}:{port}"
        with _ray.connection():
            parallel.map(tasks.square, range(3), engine=cluster.engine)
            assert wait_until(lambda: listens(host, port)), "nothing serves clients"
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
    return re.sub(r".*once for this machine.*\n", "", errors)


def test_results_and_errors_are_those_of_one_machine(cluster: Any, tmp_path: Path) -> None:
    any_way_gives_the_same({"chunk": 7})
    assert os.getpid() not in parallel.map(tasks.own_process, range(3), threads=True)
    assert parallel.map(tasks.map_inside, [2, 3]) == [[0, 1], [0, 1, 4]]
    (values,) = parallel.map(tasks.changed, [np.zeros(100_000)])
    values += 1  # what comes back is one's own as well
    assert values.sum() == 200_000
    with pytest.raises(UsageError, match="a result cannot go to another process"):
        parallel.map(tasks.give_lock, [1, 2])
    with pytest.raises(UsageError, match="cannot turn to ray:elsewhere:1"):
        parallel.map(abs, [1], engine="ray:elsewhere:1")

    # Items are read as they are needed: only so many are in Ray's hands.
    ahead: list[int] = []
    items = iter(range(300))
    with parallel.context(
        progress=lambda _, done, __: ahead.append(300 - length_hint(items) - done)
    ):
        parallel.map(tasks.square, items, what="squaring", total=300)
    assert max(ahead) < 60

    file = tmp_path / "network.bin"
    file.write_bytes(b"content")
    ((place, content),) = parallel.map(partial(tasks.place_of_file, str(file)), [0], files=[file])
    assert place.startswith(os.environ["XDG_CACHE_HOME"])
    assert content == b"content"
    parallel.map(abs, [1], shared=[tmp_path])
    assert [path.name for path in tmp_path.iterdir()] == ["network.bin"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tests = ROOT / "tests"
    names = ("backgammon.mat", "backgammon.mat", "league.csv", "open.xml", "swiss.trf")
    made = [*tests.glob("fuzz/corpus/games-[gps]*/*"), *tests.glob("tournament/data/trf*")]
    for number, path in enumerate([*sorted(made), *map(example, names)]):
        shutil.copy(path, tmp_path / f"{number}{path.suffix}")
    (tmp_path / "cut.pgn.gz").write_bytes(gzip.compress(UNREAD * 50)[:-20])
    for name in "ABC":
        row = f'[{{"white": "{name}", "black": "D", "result": "1-0"}}]'
        (tmp_path / f"{name}.json").write_text(row)
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
    assert len(there)
    assert equal_fields(there, here)
    for name, column in here.columns.items():
        assert there.columns[name].dtype == column.dtype
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
    assert (alone := printed(capfd, *command))[0] == 0
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


def test_a_machine_that_is_not_of_the_cluster_asks_as_a_client(
    cluster: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    command = ["rate", str(example("league.csv")), "--simulate", "40"]
    alone = printed(capfd, *command, "--engine", "local", "--workers", "1")
    away = [sys.executable, "-W", "error", "-m", "yardstone", *command, "--engine", cluster.client]
    done = subprocess.run(away, capture_output=True, text=True)
    assert (done.returncode, done.stdout, told(done.stderr)) == (0, *alone[1:])


def test_ctrl_c_ends_it(cluster: Any, tmp_path: Path) -> None:
    said = stopped(tmp_path, signal.SIGINT, cluster.engine, 1)
    assert (said.count("Traceback"), said.split()[-1]) == (1, "KeyboardInterrupt")


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
    assert not cluster.worker_nodes


def test_a_cluster_that_is_gone_is_not_waited_for() -> None:
    """Ray itself tries for minutes to reach one."""
    command = ["rate", str(example("league.csv")), "--simulate", "2", "--workers", "2", "--engine"]
    code = f"from yardstone.cli.main import main; print([main([*{command}, each]) for each in "
    words = [sys.executable, "-c", code + "('ray:127.0.0.1:1', 'ray')])"]
    environment = {**os.environ, "RAY_ADDRESS": "127.0.0.1:1"}
    run = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120)
    assert (run.stdout, len(said := run.stderr.splitlines())) == ("[1, 1]\n", 2), run.stderr
    assert all("no Ray answers at 127.0.0.1:1: Connection refused" in line for line in said)


def test_without_ray_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    command = ["rate", str(example("league.csv")), "--simulate", "2"]
    for engine, status, hint in (
        ("ray", 1, "pip install 'yardstone[cluster]'"),
        ("slurm", 2, "there is no engine 'slurm'"),
        ("onnxruntime", 2, "--runtime"),
    ):
        ended, _, said = printed(capfd, *command, "--engine", engine)
        assert (ended, hint in said) == (status, True)
    assert main(command) == 0  # and the next command works here again
