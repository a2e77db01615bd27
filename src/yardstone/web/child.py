"""What a process is told by its supervisor, whose end it does not outlive."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

__all__ = ["orders"]


def orders(end: Callable[[], object], patience: float) -> dict[str, Any]:
    """The plain values that stand on the first line of standard input.

    The input stays open while the supervisor lives. Once it closes, `end` is called, and
    after so many seconds of `patience` the process ends whatever it does.
    """
    words: dict[str, Any] = json.loads(sys.stdin.readline())

    def wait() -> None:
        while sys.stdin.buffer.read(1):
            continue
        end()
        time.sleep(patience)
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
    return words
