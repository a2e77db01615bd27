"""Ray behind `map`: the bytes of one machine, whatever becomes of the others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests import parallel_tasks as tasks
from tests.go.games import small_network
from tests.test_parallel import wait_until
from tests.tournament.test_simulate import a_plan
from yardstone import parallel
from yardstone.cli.main import main
from yardstone.errors import InputError, MissingExtraError, UsageError, WorkerError
from yardstone.examples import example
from yardstone.go.extraction import extract_features
from yardstone.go.extraction_batch import ExtractionSettings
from yardstone.parallel._cluster import connection
from yardstone.records.sgf import SgfReader
from yardstone.tournament.forecast import simulate

ROOT = Path(__file__).resolve().parents[1]


class Nodes:
    """Three machines of Ray, as far as Ray can tell: one core each."""

    def __init__(self, cache: Path) -> None:
        from ray.cluster_utils import Cluster

        self.cache = cache
        alone: dict[str, Any] = {
            "num_cpus": 1,
            "include_dashboard": False,
            "object_store_memory": 80 << 20,
        }
        self.cluster: Any = Cluster(initialize_head=True, head_node_args=alone)
        self._alone = alone
        self.others = [self._started() for _ in range(2)]
        self.engine = f"ray:{self.cluster.address}"

    def _started(self) -> Any:
        return self.cluster.add_node(**self._alone)

    def kill(self, node: Any) -> None:
        """Kill one of the three, with all that runs on it."""
        self.others.remove(node)
        self.cluster.remove_node(node, allow_graceful=False)

    def complete(self) -> None:
        """Start what was killed."""
        while len(self.others) < 2:
            self.others.append(self._started())

    def killing(self, done: int) -> parallel.Progress:
        """A progress that kills one machine when so much is done."""
        left = [done]

        def progress(now: int, _: int) -> None:
            if left and now >= left[0]:
                left.clear()
                self.kill(self.others[-1])

        return progress


@pytest.fixture(scope="session")
def nodes_of_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    cache = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("XDG_CACHE_HOME", str(cache))
        patch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src"), str(ROOT)]))
        nodes = Nodes(cache)
        with connection():
            parallel.map(tasks.square, range(3), engine=nodes.engine)
            yield nodes
        nodes.cluster.shutdown()


@pytest.fixture
def nodes(nodes_of_session: Nodes) -> Iterator[Nodes]:
    nodes_of_session.complete()
    with parallel.engine(nodes_of_session.engine):
        yield nodes_of_session


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
    with pytest.raises(WorkerError, match=r"(?s)item [12] of 2: 0.*raise_stubborn.*Stubborn"):
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

    progress = lambda done, _: ahead.append(read[0] - done)  # noqa: E731
    parallel.map(tasks.square, items(), total=300, progress=progress)
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

    def progress(done: int, total: int) -> None:
        """Kill the machine that will not be done with its item."""
        if done == total - 1:
            assert wait_until(lambda: begun.exists() and begun.read_text().endswith("\n"), 60)
            place = begun.read_text().split()[1]
            (victim,) = [node for node in nodes.others if node.node_id == place]
            nodes.kill(victim)

    work = partial(tasks.wait_for_death, str(tmp_path), nodes.cluster.head_node.node_id)
    assert parallel.map(work, range(100), progress=progress) == list(range(100))
    assert len(nodes.others) == 1


def test_features_are_the_same_bytes_when_a_machine_is_lost(nodes: Nodes, tmp_path: Path) -> None:
    net = small_network(tmp_path)
    settings = ExtractionSettings(net=str(net), trunk=("pick", "mean"), batch=1)
    (game,) = SgfReader(example("professional.sgf"))
    games = [
        replace(game, number=k, moves=game.moves[: 20 * k], colours=game.colours[: 20 * k])
        for k in range(1, 14)
    ]
    with parallel.engine("local"):
        extract_features(lambda: games, tmp_path / "here", settings, workers=1)
    kill = nodes.killing(3)

    def progress(stage: str, done: int, total: int) -> None:
        if stage == "features":
            kill(done, total)

    extract_features(lambda: games, tmp_path / "there", settings, progress=progress)
    assert len(nodes.others) == 1
    assert contents(tmp_path / "there") == contents(tmp_path / "here")


def test_simulations_are_the_same_when_a_machine_is_lost(
    nodes: Nodes, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with parallel.engine("local"):
        here = simulate(a_plan(), 600, workers=1)
    there = simulate(a_plan(), 600, progress=nodes.killing(150))
    assert len(nodes.others) == 1
    assert there.places.tobytes() == here.places.tobytes()
    assert there.strength.tobytes() == here.strength.tobytes()
    for name, values in here.measures.items():
        assert there.measures[name].tobytes() == values.tobytes()

    # The command, and nothing beside its own words.
    command = ["rate", str(example("league.csv")), "--simulate", "40"]
    assert main([*command, "--workers", "1"]) == 0
    alone = capfd.readouterr()
    assert main([*command, "--engine", nodes.engine]) == 0
    assert capfd.readouterr() == alone


CTRL_C = """
import os, signal, sys, time
from pathlib import Path
from yardstone import parallel

def sleep(path):
    Path(path).write_text(str(os.getpid()))
    time.sleep(60)

if __name__ == "__main__":
    with parallel.engine(sys.argv[1]):
        parallel.map(sleep, [sys.argv[2]])
"""


def test_ctrl_c_ends_it(nodes: Nodes, tmp_path: Path) -> None:
    script, note = tmp_path / "sleeper.py", tmp_path / "note"
    script.write_text(CTRL_C)
    process = subprocess.Popen(
        [sys.executable, "-W", "error", script, nodes.engine, note],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    try:
        assert wait_until(lambda: note.exists() and note.read_text(), 60)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    finally:
        process.kill()
        process.communicate()
    assert output == ""
    assert errors.count("Traceback") == 1
    assert errors.rstrip().endswith("KeyboardInterrupt")
    worker = int(note.read_text())
    assert wait_until(lambda: not Path(f"/proc/{worker}").exists(), 60)


def test_a_cluster_that_is_gone_is_not_waited_for() -> None:
    """Ray itself tries for minutes to reach one."""
    program = str(Path(sys.executable).parent / "yardstone")
    games = str(example("league.csv"))
    command = [program, "rate", games, "--simulate", "2", "--workers", "2"]
    for gone in (["--engine", "ray:127.0.0.1:1"], ["--engine", "ray"]):
        run = subprocess.run(
            [*command, *gone],
            env={**os.environ, "RAY_ADDRESS": "127.0.0.1:1"},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert run.returncode == 1
        assert "no Ray answers at 127.0.0.1:1: Connection refused" in run.stderr
        assert len(run.stderr.splitlines()) == 1, run.stderr


def test_without_ray_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'yardstone\[cluster\]'"):
        parallel.map(abs, [1, 2], engine="ray")
    command = ["rate", str(example("league.csv")), "--simulate", "2"]
    assert main([*command, "--engine", "ray"]) == 1
    assert "pip install 'yardstone[cluster]'" in capsys.readouterr().err
    assert main([*command, "--engine", "slurm"]) == 2
    assert "there is no engine 'slurm'" in capsys.readouterr().err
    assert main([*command, "--engine", "onnxruntime"]) == 2
    assert "--runtime" in capsys.readouterr().err
    assert main(command) == 0  # and the next command works here again
