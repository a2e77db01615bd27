"""Makes the sample results of the server's start page from the examples of the package.

    python -m tools.samples [KIND ...]

The sample of Go needs the network that the model of strength was trained on ($YARDSTONE_NET),
that of backgammon needs GNU Backgammon.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from yardstone.examples import example
from yardstone.pool import SkipReport
from yardstone.web.kinds import KINDS, Task
from yardstone.web.pages.job_pages import FOLDER, SAMPLES
from yardstone.web.sent_files import Unpacked
from yardstone.web.settings import Settings


def sample_result(kind: str, folder: Path, settings: Settings | None = None) -> dict[str, Any]:
    """What the server makes of the example of a kind."""
    from yardstone.strength.model import StrengthModel
    from yardstone.strength.players import model_network

    sample = SAMPLES[kind]
    files = [Unpacked(name, example(name), format=format_) for name, format_ in sample.files]
    fields = {name: [value] for name, value in sample.fields.items()}
    options = {each.name: each.read(fields.get(each.name, ())) for each in KINDS[kind].fields}
    if isinstance(options.get("player"), list):
        options["player"] = next(iter(options["player"]), None)
    task = Task(
        options,
        files,
        settings or Settings(data=folder),
        lambda: model_network(StrengthModel.load()),
        SkipReport(),
    )
    result: dict[str, Any] = json.loads(json.dumps(KINDS[kind].result(task)))
    return result


def main() -> None:
    """Write the samples that are named, or all of them."""
    for kind in sys.argv[1:] or SAMPLES:
        with tempfile.TemporaryDirectory() as folder:
            result = sample_result(kind, Path(folder))
        text = json.dumps(result, ensure_ascii=False, separators=(",", ":"))
        (FOLDER / f"{kind}.json").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
