"""Talks to KataGo itself: what it makes of positions with a network, without search."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["GtpPosition", "RawEvaluation", "ask"]

_SETTINGS = """
logFile = {log}
logAllGTPCommunication = false
logSearchInfo = false
logToStderr = false
rules = tromp-taylor
maxVisits = 1
numSearchThreads = 1
allowResignation = false
resignThreshold = -0.99
resignConsecTurns = 9
nnMaxBatchSize = 1
numEigenThreadsPerModel = 1
"""
_NUMBERS = 9


@dataclass(frozen=True)
class GtpPosition:
    """A position as GTP sets it up: `moves` are pairs of colour and point."""

    size: int
    rules: str
    komi: float
    moves: tuple[tuple[str, str], ...]

    def commands(self) -> list[str]:
        """How to reach it and evaluate it without symmetry and optimism."""
        lines = [f"boardsize {self.size}", "clear_board", f"kata-set-rules {self.rules}"]
        lines.append(f"komi {self.komi}")
        lines += [f"play {colour} {point}" for colour, point in self.moves]
        return [*lines, "kata-raw-nn 0 0"]


@dataclass(frozen=True)
class RawEvaluation:
    """An answer to ``kata-raw-nn``: its numbers by name, policy (NaN: illegal), ownership."""

    numbers: dict[str, float]
    policy: NDArray[np.float64]
    ownership: NDArray[np.float64]
    policy_pass: float


def ask(katago: str, network: Path, positions: Sequence[GtpPosition]) -> list[RawEvaluation]:
    """Evaluate positions with KataGo and a network file."""
    lines = [line for position in positions for line in position.commands()]
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "settings.cfg"
        settings.write_text(_SETTINGS.format(log=Path(folder) / "log"))
        done = subprocess.run(
            [katago, "gtp", "-model", network, "-config", settings],
            input="\n".join([*lines, "quit\n"]),
            capture_output=True,
            text=True,
            check=True,
        )
    answers = done.stdout.split("= symmetry 0")[1:]
    return [
        _parsed(answer, position.size) for answer, position in zip(answers, positions, strict=True)
    ]


def _parsed(answer: str, size: int) -> RawEvaluation:
    lines = answer.strip().splitlines()
    numbers = {name: float(value) for name, value in map(str.split, lines[:_NUMBERS])}
    begin = _NUMBERS + 1  # after the word "policy"; then come policyPass and "whiteOwnership"
    policy = [line.split() for line in lines[begin : begin + size]]
    ownership = [line.split() for line in lines[begin + size + 2 : begin + 2 * size + 2]]
    return RawEvaluation(
        numbers,
        np.array(policy, np.float64),
        np.array(ownership, np.float64),
        float(lines[begin + size].split()[1]),
    )
