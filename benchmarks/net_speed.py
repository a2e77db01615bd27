"""Positions a second through a network: our engines beside KataGo's own Eigen backend.

``python -m benchmarks.net_speed --net FILE --katago /path/to/katago`` on as many threads as
there are cores, or on ``--threads``. KataGo is measured with its own ``benchmark`` command
(``nnEvals/s`` at the better of two numbers of search threads), which spends a little of its
time on the search; all are measured in turn, round by round. ``--beside FILE`` measures another
network as well, by ONNX Runtime. Where other programs want the same cores, look at the ratio by
processor time, which they disturb less. Start-up is that
of a fresh process, from reading the file to the evaluation of a first position.
"""

from __future__ import annotations

import argparse
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np

from benchmarks.measure import machine
from yardstone.go.nets import Network, engines, load_network
from yardstone.parallel import available_cores

VARIANTS = (("onnxruntime", "fp32"), ("openvino", "fp32"), ("openvino", "bf16"))
POSITIONS = 256
SECONDS = 3.0
#: What the other network is called in the table.
OTHER = "the other network"

SETTINGS = """
logFile = {log}
rules = tromp-taylor
maxVisits = 400
numSearchThreads = 8
nnCacheSizePowerOfTwo = 16
"""

START = """
import sys, time
begun = time.perf_counter()
import numpy as np
from yardstone.go.nets import load_network
net = load_network(sys.argv[1], engine=sys.argv[2], precision=sys.argv[3], threads=int(sys.argv[4]))
spatial = np.zeros((1, 22, 19, 19), np.float32)
spatial[:, 0] = 1.0
net.evaluate(spatial, np.zeros((1, 19), np.float32))
print(time.perf_counter() - begun)
"""


def inputs(number: int) -> tuple[np.ndarray, np.ndarray]:
    """Planes about as full as those of real positions."""
    generator = np.random.default_rng(1)
    spatial = (generator.random((number, 22, 19, 19)) < 0.1).astype(np.float32)
    spatial[:, 0] = 1.0
    return spatial, generator.normal(0.0, 0.3, (number, 19)).astype(np.float32)


class Speed(NamedTuple):
    """Positions a second of the clock, and of the processor."""

    clock: float
    processor: float


def speed(net: Network, *, trunk: bool) -> Speed:
    """Of batches of `POSITIONS`."""
    spatial, numbers = inputs(POSITIONS)
    net.evaluate(spatial, numbers, trunk=trunk)
    done, begun, used = 0, time.perf_counter(), time.process_time()
    while (passed := time.perf_counter() - begun) < SECONDS:
        net.evaluate(spatial, numbers, trunk=trunk)
        done += POSITIONS
    return Speed(done / passed, done / (time.process_time() - used))


def _by_convolutions(net: Path | None, threads: int) -> Network:
    """ONNX Runtime with its own convolutions in place of products of matrices."""
    wide, engines.WIDE = engines.WIDE, 1 << 30
    made = load_network(net, engine="onnxruntime", threads=threads)
    made.evaluate(*inputs(1), trunk=True)
    made.evaluate(*inputs(1))
    engines.WIDE = wide
    return made


def katago_speed(katago: str, net: Path, threads: int) -> Speed:
    """Of KataGo's own benchmark."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "settings.cfg"
        settings.write_text(SETTINGS.format(log=Path(folder) / "log"))
        search = f"{4 * threads},{8 * threads}"
        done = subprocess.run(
            [katago, "benchmark", "-model", net, "-config", settings, "-t", search, "-v", "200"],
            capture_output=True,
            text=True,
            check=True,
            env={"OMP_NUM_THREADS": str(threads)},
        )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    text = done.stdout + done.stderr
    rows = sum(map(int, re.findall(r"processed (\d+) rows", text)))
    return Speed(max(map(float, re.findall(r"nnEvals/s = ([\d.]+)", text))), rows / used)


def start_up(net: Path, engine: str, precision: str, threads: int) -> float:
    """Seconds from nothing to the first evaluation, in a fresh process."""
    words = [sys.executable, "-c", START, str(net), engine, precision, str(threads)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return float(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--net", type=Path, help="a network file")
    parser.add_argument("--katago", help="the program, built with the Eigen backend")
    parser.add_argument("--beside", type=Path, help="another network")
    parser.add_argument("--threads", type=int, default=available_cores())
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    nets = {
        f"{engine} {precision}": load_network(
            given.net, engine=engine, precision=precision, threads=given.threads
        )
        for engine, precision in VARIANTS
    }
    nets["onnxruntime conv"] = _by_convolutions(given.net, given.threads)
    if given.beside:
        nets[OTHER] = load_network(given.beside, engine="onnxruntime", threads=given.threads)
    file = Path(next(iter(nets.values())).file)
    speeds: dict[str, list[Speed]] = {}
    for _ in range(given.rounds):
        if given.katago:
            speeds.setdefault("KataGo Eigen", []).append(
                katago_speed(given.katago, file, given.threads)
            )
        for name, net in nets.items():
            speeds.setdefault(name, []).append(speed(net, trunk=False))
    print(f"{machine()}; {file.name}, {given.threads} threads, 19x19")
    middle = {
        name: Speed(*map(median, zip(*result, strict=True))) for name, result in speeds.items()
    }
    base = middle.get("KataGo Eigen")
    for name, result in middle.items():
        line = f"{name:<18}{result.clock:8.0f} positions/s"
        if base is not None:
            line += f" {result.clock / base.clock:6.2f} times KataGo"
            line += f", {result.processor / base.processor:.2f} by processor time"
        print(line)
    if given.beside:
        ratio = middle["onnxruntime fp32"].clock / middle[OTHER].clock
        print(f"{file.name} is {ratio:.2f} times as fast as {given.beside.name}")
    for name, net in nets.items():
        clock = speed(net, trunk=True).clock
        print(f"{name:<18}{clock:8.0f} positions/s with the trunk's features")
    for engine, precision in VARIANTS:
        took = min(start_up(file, engine, precision, given.threads) for _ in range(3))
        print(f"{engine + ' ' + precision:<18}{took:8.2f} s to the first evaluation")


if __name__ == "__main__":
    main()
