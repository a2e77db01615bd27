"""Standard errors that a formula must have."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def known_error(error: NDArray[np.float64] | None) -> float:
    """The error of one rating; a formula without errors fails the test."""
    assert error is not None
    return float(error)
