"""What the workers do in the tests of `yardstone.parallel`: a module they import quickly."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from yardstone import parallel
from yardstone.errors import InputError

#: What is told of an exception that cannot be sent.
STUBBORN = "(?s)item [12] of 2: 0.*raise_stubborn.*Stubborn"


def square(number: int) -> int:
    return number * number


def slow_first(number: int) -> int:
    if number == 0:
        time.sleep(0.1)
    return number


def own_process(_: int) -> int:
    return os.getpid()


def refuse_three(number: int) -> int:
    if number == 3:
        raise InputError("three is refused", file="numbers.txt", line=3)
    return number


def die_at_three(number: int) -> None:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)


class Stubborn(Exception):
    def __init__(self, one: int, two: int) -> None:
        super().__init__("cannot be made again from this, so it cannot be sent")


def raise_stubborn(_: int) -> None:
    raise Stubborn(1, 2)


def give_lock(_: int) -> Any:
    return threading.Lock()


def draw(generator: np.random.Generator) -> float:
    return float(generator.random())


def map_inside(number: int) -> list[int]:
    return parallel.map(square, range(number), workers=4)


def wait_for_death(folder: str, head: str, number: int) -> int:
    """One item, on another machine of Ray than the first, is not done before that is killed."""
    import ray

    node = ray.get_runtime_context().get_node_id()
    if node != head:
        with suppress(FileExistsError), (Path(folder) / "begun").open("x") as file:
            file.write(f"{number} {node}\n")
            file.close()
            time.sleep(120)
    time.sleep(0.05)  # so that each machine gets some
    return number


def place_of_file(path: str, _: int) -> tuple[str, bytes]:
    result = parallel.local_path(path)
    return str(result), result.read_bytes()


def changed(values: Any) -> Any:
    values += 1
    return values
