"""Machine code that is kept between versions."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

MODULE = """
from typing import NamedTuple
import numpy as np
from yardstone.kernels import bare_kernel
class {name}(NamedTuple):
    values: np.ndarray
@bare_kernel
def first(bundle):
    return bundle.values[0]
print(first({name}(np.array([3, 4]))))
"""


def test_an_old_cache_with_bundles_that_are_gone_counts_as_none(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "0"}
    environment.pop("NUMBA_CACHE_DIR", None)
    for name in ("Old", "New"):
        (tmp_path / "kept.py").write_text(MODULE.format(name=name))
        command = [sys.executable, "-c", "import kept"]
        ran = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert ran.stdout == "3\n", ran.stderr
    assert list((tmp_path / "__pycache__").glob("kept*.nbi"))
