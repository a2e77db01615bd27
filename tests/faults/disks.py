"""Whether this machine lets a process mount disks that nobody else sees."""

from __future__ import annotations

import functools
import shutil
import subprocess
import tempfile

__all__ = ["own_disks"]


@functools.cache
def own_disks() -> tuple[str, ...]:
    """What a process is started by that may mount disks which nobody else sees; () if nothing."""
    program = shutil.which("unshare")
    if program is None:
        return ()
    with tempfile.TemporaryDirectory() as folder:
        for options in (["--mount"], ["--map-root-user", "--mount"]):
            mount = f"mount -t tmpfs none '{folder}' && mount -o remount,bind,ro '{folder}'"
            words = [program, *options, "sh", "-c", mount]
            if subprocess.run(words, capture_output=True, check=False).returncode == 0:
                return (program, *options)
    return ()
