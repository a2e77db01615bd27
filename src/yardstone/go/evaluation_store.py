"""What a network said of a position, as it is kept between runs, to the last bit."""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
import struct
import threading
import time
import warnings
import weakref
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from yardstone.errors import IgnoredWarning, UsageError
from yardstone.files import cache_folder
from yardstone.go.nets.engines import CPU

if TYPE_CHECKING:
    from yardstone.arrays import Floats32
    from yardstone.go.nets.network import Network, NetworkOutput


_HEAD = struct.Struct("<HHHB")


@dataclass(slots=True, eq=False)
class KeptAnswer:
    """What a network said of a position: logits of policy [size² + 1] and of value [3], and scores.

    `score` is lead and expected score; `points` has the trunk at some points, float16 [channels],
    and `mean` its mean over the board.
    """

    policy: Floats32
    value: Floats32
    score: tuple[float, float]
    points: dict[int, NDArray[np.float16]] = field(default_factory=dict)
    mean: NDArray[np.float16] | None = None

    @classmethod
    def of(cls, outputs: NetworkOutput, row: int) -> KeptAnswer:
        """The answer to one of the positions that were asked about."""
        score = float(outputs.lead[row]), float(outputs.score_mean[row])
        return cls(outputs.policy_logits[row], outputs.value_logits[row], score)

    def to_bytes(self) -> bytes:
        """The answer as it is kept."""
        vectors = list(self.points.values()) + ([] if self.mean is None else [self.mean])
        channels = len(vectors[0]) if vectors else 0
        numbers = np.concatenate([self.policy, self.value, np.array(self.score, np.float32)])
        return b"".join(
            (
                _HEAD.pack(len(self.policy), channels, len(self.points), self.mean is not None),
                numbers.astype("<f4").tobytes(),
                np.array(list(self.points), "<u2").tobytes(),
                np.array(vectors, "<f2").tobytes(),
            )
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> KeptAnswer:
        """The answer that was kept."""
        moves, channels, number, has_mean = _HEAD.unpack_from(data)
        at = _HEAD.size
        numbers = np.frombuffer(data, "<f4", moves + 5, at).astype(np.float32)
        at += 4 * (moves + 5)
        points = np.frombuffer(data, "<u2", number, at).tolist()
        at += 2 * number
        vectors = np.frombuffer(data, "<f2", offset=at).astype(np.float16)
        rows = vectors.reshape(-1, max(channels, 1))
        return cls(
            numbers[:moves],
            numbers[moves : moves + 3],
            (float(numbers[moves + 3]), float(numbers[moves + 4])),
            dict(zip(points, rows, strict=False)),
            rows[number] if has_mean else None,
        )


def inputs_keys(network: Network, spatial: NDArray[Any], numbers: Floats32) -> list[bytes]:
    """Name the inputs of each of some positions and what they are shown to: 16 bytes."""
    how = f"{network.engine} {network.precision}"
    if network.device != CPU:
        how += f" {network.device}"
    if network.symmetries > 1:
        how += f" {network.symmetries} symmetries"
    named = f"{network.sha256} {how} {spatial.shape[-1]}"
    begun = hashlib.blake2b(named.encode(), digest_size=16)
    flat = spatial.reshape(len(spatial), prod(spatial.shape[1:]))
    ones = flat == 1
    bits = np.packbits(ones, axis=1)
    binary = (ones | (flat == 0)).all(axis=1).tolist()
    numbers = np.ascontiguousarray(numbers, np.float32)
    keys = []
    for row, packed in enumerate(binary):
        hashed = begun.copy()
        if packed:
            hashed.update(bits[row].tobytes())
        else:
            hashed.update(b"real" + np.ascontiguousarray(flat[row], np.float32).tobytes())
        hashed.update(numbers[row].tobytes())
        keys.append(hashed.digest())
    return keys


def evaluate_kept(network: Network, spatial: NDArray[Any], numbers: Floats32) -> list[KeptAnswer]:
    """What a network says of positions, those it was asked about in earlier runs as then."""
    store = network.answers
    answers: dict[int, KeptAnswer] = {}
    if store is not None:
        keys = inputs_keys(network, spatial, numbers)
        known = store.get(keys)
        answers = {
            k: KeptAnswer.from_bytes(known[key]) for k, key in enumerate(keys) if key in known
        }
    fresh = [row for row in range(len(spatial)) if row not in answers]
    if fresh:
        planes = spatial[fresh].astype(np.float32, copy=False)
        outputs = network.evaluate(planes, numbers[fresh])
        answers |= {row: KeptAnswer.of(outputs, place) for place, row in enumerate(fresh)}
    if store is not None:
        for row in fresh:
            store.put(keys[row], answers[row].to_bytes())
        store.flush()
    return [answers[row] for row in range(len(spatial))]


#: ``off``, or how large the file may become, such as ``500 MB``.
ENVIRONMENT = "YARDSTONE_CACHE"
#: How large it may become where nothing is said.
LIMIT = 1 << 30

_NAME = "evaluations.sqlite"
_FORMAT = 1
_DAY = 86_400
#: Answers that are written together.
_BATCH = 256
#: So much is deleted where it has become too large, the answers longest unused first.
_DELETED = 0.2
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?", re.IGNORECASE)
_UNITS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}
_TABLE = """CREATE TABLE IF NOT EXISTS answer
    (key BLOB PRIMARY KEY, used INTEGER NOT NULL, value BLOB NOT NULL)"""


def evaluations_folder() -> Path:
    """Where evaluations are kept: ``yardstone/evaluations`` in the user's cache.

    That is ``$XDG_CACHE_HOME``, or ``~/.cache`` where it is not set. To clear them delete it.
    """
    return cache_folder() / "evaluations"


def size_limit() -> int:
    """How many bytes may be kept, by the environment variable YARDSTONE_CACHE; 0 for none.

    Raises UsageError where the variable is neither ``off`` nor a size.
    """
    text = os.environ.get(ENVIRONMENT, "").strip()
    if not text:
        return LIMIT
    if text.lower() in ("off", "no", "none"):
        return 0
    match = _SIZE.fullmatch(text)
    if match is None:
        raise UsageError(f"{ENVIRONMENT} is {text!r}: it must be off, or a size such as 500MB")
    return int(float(match[1]) * (1 << _UNITS[match[2].lower()]))


def open_store(file: Path | None = None, limit: int | None = None) -> EvaluationStore | None:
    """The store of the user, or in another file; None where nothing can or is to be kept."""
    most = size_limit() if limit is None else limit
    if most <= 0:
        return None
    place = evaluations_folder() / _NAME if file is None else file
    store = EvaluationStore(place, most)
    return store if store.works else None


class EvaluationStore:
    """Values by keys in a file of at most `limit` bytes; what was not used for longest goes first.

    A damaged file is thrown away, with a warning. `works` is False once it could not be read or
    written; nothing is kept then.
    """

    def __init__(self, file: Path, limit: int) -> None:
        self.file = file
        self.limit = limit
        self.works = True
        self._lock = threading.RLock()
        #: By process: that of the one forked from is left alone.
        self._bases: dict[int, sqlite3.Connection] = {}
        self._new: dict[bytes, bytes] = {}
        self._used: set[bytes] = set()
        with self._lock:
            self._connection()

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The values of those of the keys that have one."""
        with self._lock:
            values = {key: self._new[key] for key in keys if key in self._new}
            base = self._connection()
            if base is None:
                return values
            today = _today()
            try:
                for key in keys:
                    if key in values:
                        continue
                    found = base.execute("SELECT used, value FROM answer WHERE key = ?", (key,))
                    used, packed = found.fetchone() or (0, b"")
                    value = packed[4:]
                    if packed and _with_sum(key, value) == packed:
                        values[key] = value
                        if used != today:
                            self._used.add(key)
            except sqlite3.Error as error:
                self._give_up(error)
            return values

    def put(self, key: bytes, value: bytes) -> None:
        """Keep a value, in place of an earlier one."""
        with self._lock:
            self._new[key] = value
            if len(self._new) >= _BATCH:
                self.flush()

    def flush(self) -> None:
        """Write what is not written yet; where another process writes for long, nothing."""
        with self._lock:
            new, self._new = self._new, {}
            used, self._used = self._used, set()
            base = self._connection() if new or used else None
            if base is None:
                return
            today = _today()
            try:
                with base:
                    base.executemany(
                        "UPDATE answer SET used = ? WHERE key = ?", [(today, key) for key in used]
                    )
                    base.executemany(
                        "INSERT OR REPLACE INTO answer VALUES (?, ?, ?)",
                        [(key, today, _with_sum(key, value)) for key, value in new.items()],
                    )
                if new:
                    self._shrink(base)
            except sqlite3.Error as error:
                self._give_up(error)

    def close(self) -> None:
        """Write what is left, and close the file."""
        with self._lock:
            self.flush()
            self._close()

    def _close(self) -> None:
        if (base := self._bases.pop(os.getpid(), None)) is not None:
            base.close()

    def _connection(self) -> sqlite3.Connection | None:
        """The connection of this process, opened where there is none."""
        process = os.getpid()
        if self.works and process not in self._bases:
            try:
                base = self._bases[process] = self._open()
                weakref.finalize(self, _close_here, base, process)
            except (OSError, sqlite3.Error) as error:
                self._give_up(error)
        return self._bases.get(process)

    def _open(self) -> sqlite3.Connection:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        try:
            return self._prepared()
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                raise
            self._discard()
            return self._prepared()

    def _prepared(self) -> sqlite3.Connection:
        base = sqlite3.connect(self.file, timeout=2.0, check_same_thread=False)
        try:
            (version,) = base.execute("PRAGMA user_version").fetchone()
            if version not in (0, _FORMAT):
                raise sqlite3.DatabaseError("of another version")
            base.execute("PRAGMA journal_mode = WAL")
            base.execute("PRAGMA synchronous = OFF")
            if not version:
                base.execute(_TABLE)
                base.execute(f"PRAGMA user_version = {_FORMAT}")
                base.commit()
        except sqlite3.Error:
            base.close()
            raise
        return base

    def _discard(self) -> None:
        """Throw the file away."""
        warnings.warn(
            f"{self.file}: the kept evaluations are damaged and were thrown away",
            IgnoredWarning,
            stacklevel=2,
        )
        for ending in ("", "-wal", "-shm"):
            self.file.with_name(self.file.name + ending).unlink(missing_ok=True)

    def _give_up(self, error: Exception) -> None:
        """Work on without the store; one that is damaged goes."""
        if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
            return  # another process writes: what was to be written is lost, and no harm done
        self.works = False
        self._close()
        if _is_damage(error):
            self._discard()

    def _shrink(self, base: sqlite3.Connection) -> None:
        """Delete what was not used for longest if the file has become too large."""
        facts = ("page_size", "page_count", "freelist_count")
        size, pages, free = (base.execute(f"PRAGMA {fact}").fetchone()[0] for fact in facts)
        if (pages - free) * size <= self.limit:
            return
        (number,) = base.execute("SELECT count(*) FROM answer").fetchone()
        with base:
            # By a clock that was set back since: what is used today must not go before it.
            base.execute("UPDATE answer SET used = ?1 WHERE used > ?1", (_today(),))
            base.execute(
                """DELETE FROM answer WHERE rowid IN
                (SELECT rowid FROM answer ORDER BY used, rowid LIMIT ?)""",
                (int(number * _DELETED) + 1,),
            )


def _is_damage(error: Exception) -> bool:
    """Whether a file is damaged, and not locked, read-only or without space."""
    return isinstance(error, sqlite3.DatabaseError) and not isinstance(
        error, sqlite3.OperationalError
    )


def _close_here(base: sqlite3.Connection, process: int) -> None:
    """Close a connection in the process that opened it."""
    if process == os.getpid():
        base.close()


def _today() -> int:
    return int(time.time()) // _DAY


def _with_sum(key: bytes, value: bytes) -> bytes:
    """The value with a sum of it and of its key before it."""
    return zlib.crc32(value, zlib.crc32(key)).to_bytes(4, "little") + value
