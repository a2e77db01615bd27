"""The logistic function inside loops, where a library's exponential would take most of the time.

``exp(x) = 2^e 2^(i/64) exp(r)``: e and i from a table, exp(r) for r within 0.0055 from
five terms of its series, whose error is below 5e-17. Outside of -40 to 40 the
library's function is used.
"""

from __future__ import annotations

from math import exp, log

import numpy as np

from yardstone.kernels import in_python, kernel

__all__ = ["fast_exp", "fast_win_and_loss", "logistic", "plain_logistic", "win_and_loss"]

_STEPS = 64
_LIMIT = 40.0
_FRACTION = 2.0 ** (np.arange(_STEPS) / _STEPS)
#: exp(40) < 2^58.
_POWERS = 60
_POWER = 2.0 ** np.arange(-_POWERS, _POWERS + 1)
_PER_UNIT = _STEPS / log(2.0)
#: ln(2)/64 in two parts; the products of the first with whole numbers are exact.
_STEP_HIGH = float(np.float32(log(2.0) / _STEPS))
_STEP_LOW = -2.9760223436840126e-11
#: Added and taken away, it rounds to an integer.
_SHIFT = 6755399441055744.0


@kernel
def fast_exp(x: float) -> float:
    """exp(x) within two units of the last place."""
    if not -_LIMIT < x < _LIMIT:
        return exp(x)
    n = (x * _PER_UNIT + _SHIFT) - _SHIFT
    r = (x - n * _STEP_HIGH) - n * _STEP_LOW
    whole = int(n)
    series = 1.0 + r * (1.0 + r * (0.5 + r * (1.0 / 6.0 + r * (1.0 / 24.0 + r * (1.0 / 120.0)))))
    return float(_FRACTION[whole & 63] * series * _POWER[(whole >> 6) + _POWERS])


@in_python(fast_exp)
def _exp(x: float) -> float:
    return exp(x) if x < _LIMIT else float(np.exp(x))


@kernel
def logistic(x: float) -> float:
    """1/(1 + exp(-x))."""
    return 1.0 / (1.0 + fast_exp(-x))


@kernel
def win_and_loss(x: float) -> tuple[float, float]:
    """1/(1 + exp(-x)) and the rest to 1, the smaller one without cancellation."""
    t = np.exp(-abs(x))
    big = 1.0 / (1.0 + t)
    small = t * big
    return (big, small) if x >= 0.0 else (small, big)


@kernel
def fast_win_and_loss(x: float) -> tuple[float, float]:
    """The same by `fast_exp`."""
    t = fast_exp(-abs(x))
    big = 1.0 / (1.0 + t)
    small = t * big
    return (big, small) if x >= 0.0 else (small, big)


@kernel
def plain_logistic(x: float) -> float:
    """1/(1 + exp(-x)) by the library's exponential, digit for digit."""
    return float(1.0 / (1.0 + np.exp(-x)))
