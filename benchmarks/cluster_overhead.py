"""What Ray costs beside the processes of one machine, and what a cluster's plan rests upon.

``python -m benchmarks.cluster_overhead --net FILE`` starts a Ray on this machine with two
processes, and measures

- the time until a first trivial item is done, by processes and by Ray, and a second time;
- the overhead of an item that takes 1 ms, 10 ms, 100 ms or 1 s, two at a time: items sleep, so
  that other programs on the machine matter little;
- bytes to and from the workers;
- the processor time of this process for each task: what limits the tasks a second;
- features of a game by a network: processor time, and bytes that are sent and come back.

``--json FILE`` writes the figures for ``python -m benchmarks.cluster_plan FILE``.
"""

from __future__ import annotations

import argparse
import json
import pickle
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.measure import machine
from yardstone import parallel
from yardstone.examples import example
from yardstone.go.features import Batch, ExtractionSettings, make_part, plain
from yardstone.records.sgf import read_games

WORKERS = 2
#: Seconds of an item, and how many items are timed.
DURATIONS = {0.001: 600, 0.01: 200, 0.1: 40, 1.0: 6}
SIZE = 4 << 20
PIECES = 12
TASKS = 1500


def sleep(seconds: float) -> None:
    time.sleep(seconds)


def length(data: bytes) -> int:
    return len(data)


def zeros(size: int) -> bytes:
    return bytes(size)


def timed(function: Callable[[Any], Any], items: list[Any], engine: str) -> float:
    """Seconds that all items take."""
    start = time.perf_counter()
    parallel.map(function, items, workers=WORKERS, engine=engine)
    return time.perf_counter() - start


def overheads(figures: dict[str, float]) -> None:
    """Print what a `map` costs by processes and by Ray."""
    print("| work | processes | Ray |\n|---|---:|---:|")
    rows = {}
    for engine in ("local", "ray"):
        rows[engine] = [f"{timed(sleep, [0.0] * 2, engine):.2f} s" for _ in range(2)]
        empty = timed(sleep, [0.0] * 2, engine)
        for seconds, number in DURATIONS.items():
            taken = timed(sleep, [seconds] * number, engine) - empty
            each = 1000 * (taken * WORKERS / number - seconds)
            rows[engine].append(f"{each:.2f} ms")
            figures[f"{engine} overhead {seconds:g} s"] = each / 1000
        for function, items in ((length, [bytes(SIZE)] * PIECES), (zeros, [SIZE] * PIECES)):
            speed = SIZE * PIECES / (timed(function, items, engine) - empty)
            rows[engine].append(f"{speed / 1e6:.0f} MB/s")
            figures[f"{engine} bytes {'in' if function is length else 'out'}"] = speed
    names = ["first two trivial items", "the same again"]
    names += [f"overhead of an item of {seconds:g} s" for seconds in DURATIONS]
    names += ["bytes to the workers", "bytes from the workers"]
    for name, here, there in zip(names, rows["local"], rows["ray"], strict=True):
        print(f"| {name} | {here} | {there} |")
    start = time.process_time()
    parallel.map(sleep, [0.0] * TASKS, engine="ray")
    figures["driver seconds a task"] = (time.process_time() - start) / TASKS
    print(f"\nProcessor time here, a task of Ray: {1e3 * figures['driver seconds a task']:.2f} ms")


def features(net: str, figures: dict[str, float]) -> None:
    """Print what features of a game cost."""
    (game,) = read_games(example("professional.sgf"))
    batch = Batch(0, "", (plain(game),) * 2, ExtractionSettings(net=net, batch=2))
    make_part(batch)  # loads the network
    start = time.process_time()
    part = make_part(batch)
    figures["seconds a game"] = (time.process_time() - start) / 2
    figures["bytes a game out"] = len(pickle.dumps(part, 5)) / 2
    figures["bytes a game in"] = len(pickle.dumps(batch, 5)) / 2
    figures["moves a game"] = len(game.moves)
    print(
        f"Features of a game of {len(game.moves)} moves by {Path(net).name}: "
        f"{figures['seconds a game']:.2f} s of a core; {figures['bytes a game in'] / 1e3:.1f} kB "
        f"there, {figures['bytes a game out'] / 1e3:.0f} kB back"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--net", required=True, help="a network of KataGo")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    figures: dict[str, float] = {}
    print(f"{machine()}\n")
    with parallel.engine("ray"):
        overheads(figures)
    features(options.net, figures)
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
