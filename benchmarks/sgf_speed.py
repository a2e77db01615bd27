"""Reading SGF main lines with headers, beside sgfmill, on one core in one run.

    python -m benchmarks.sgf_speed [ARCHIVE.zip] [--files 2000]

Both read the same bytes from memory. Ours gives `GoGame` with everything put right;
sgfmill parses, and gives every move of the main line and the properties of the root.
Then the whole archive is read in place. CPU seconds, so that a busy machine does not
matter much.
"""

from __future__ import annotations

import argparse
import io
import time
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from sgfmill import sgf

from yardstone.records._sgf import Rows
from yardstone.records.sgf import SgfReader
from yardstone.records.sgf_records import GameBuilder, SgfLimits, read_records
from yardstone.records.sources import ByteStream, StreamLimits

DEFAULT = Path(__file__).resolve().parents[2] / "shared/data/go/fox_sgf.zip"


def ours(files: list[bytes]) -> int:
    rows, builder = Rows(main_only=True), GameBuilder(Counter())
    moves = 0
    for data in files:
        stream = ByteStream(io.BytesIO(data), "memory", len(data), StreamLimits())
        unheard: Callable[..., None] = lambda *_: None  # noqa: E731
        for record in read_records(stream, rows, SgfLimits(), unheard, unheard):
            moves += len(builder.game(record).moves)
    return moves


def peer(files: list[bytes]) -> int:
    moves = 0
    for data in files:
        try:
            game = sgf.Sgf_game.from_bytes(data)
        except ValueError:
            continue
        root = game.get_root()
        _ = {name: root.get_raw_list(name) for name in root.properties()}
        for node in game.get_main_sequence():
            moves += node.get_move()[0] is not None
    return moves


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("archive", type=Path, nargs="?", default=DEFAULT)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--whole", action="store_true", help="also read the whole archive")
    asked = parser.parse_args()
    with zipfile.ZipFile(asked.archive) as archive:
        names = archive.namelist()
        files = [archive.read(name) for name in names[:: max(1, len(names) // asked.files)]]
    ours(files[:2])  # loads the compiled code
    times: dict[str, list[float]] = {"ours": [], "sgfmill": []}
    for _ in range(3):
        for name, read in (("ours", ours), ("sgfmill", peer)):
            begin = time.process_time()
            read(files)
            times[name].append(time.process_time() - begin)
    best = {name: min(seconds) for name, seconds in times.items()}
    for name, seconds in best.items():
        print(f"{name:8} {1e6 * seconds / len(files):8.0f} µs a file, {len(files)} files")
    print(f"ratio    {best['sgfmill'] / best['ours']:8.1f}")
    if asked.whole:
        begin = time.process_time()
        reader = SgfReader(asked.archive)
        games = sum(1 for _ in reader)
        spent = time.process_time() - begin
        print(f"archive  {games} games in {spent:.1f} CPU s, {len(reader.skipped)} skipped")


if __name__ == "__main__":
    main()
