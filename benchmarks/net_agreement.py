"""How nearly our evaluations of real positions are KataGo's, for any network.

``python -m benchmarks.net_agreement --net FILE --katago /path/to/katago positions.jsonl.gz``
asks KataGo (``kata-raw-nn``, no symmetry, no optimism) about positions given as JSON lines
with ``moves``, ``to_play``, ``rules`` and ``komi``, and prints the largest and the mean
difference of winrate, lead and policy for each engine.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.katago_gtp import GtpPosition, ask
from benchmarks.net_speed import VARIANTS
from yardstone.go.evaluator import assess, can_end_without_result
from yardstone.go.inputs import encode_game
from yardstone.go.nets import load_network
from yardstone.go.points import parse_colour, point_number
from yardstone.go.rules import parse_rules


def encoded(row: dict[str, Any]) -> Any:
    """The inputs of one position."""
    return encode_game(
        19,
        moves=[point_number(point, 19) for _, point in row["moves"]],
        colours=[parse_colour(colour) for colour, _ in row["moves"]],
        komi=row["komi"],
        rules=parse_rules(row["rules"]),
        positions=[len(row["moves"])],
        to_play=parse_colour(row["to_play"]),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("positions", type=Path)
    parser.add_argument("--net", type=Path, required=True)
    parser.add_argument("--katago", required=True)
    given = parser.parse_args()
    data = given.positions.read_bytes()
    text = gzip.decompress(data) if given.positions.suffix == ".gz" else data
    rows = [json.loads(line) for line in text.splitlines()]
    asked = [
        GtpPosition(19, row["rules"], row["komi"], tuple(map(tuple, row["moves"]))) for row in rows
    ]
    answers = ask(given.katago, given.net, asked)
    inputs = [encoded(row) for row in rows]
    for engine, precision in VARIANTS:
        net = load_network(given.net, engine=engine, precision=precision)
        result = net.evaluate(
            np.concatenate([each.spatial for each in inputs]),
            np.concatenate([each.globals for each in inputs]),
        )
        differences = []
        for number, (row, answer) in enumerate(zip(rows, answers, strict=True)):
            one = slice(number, number + 1)
            seen = assess(
                result.policy_logits[one],
                result.value_logits[one],
                np.stack([result.lead[one], result.score_mean[one]], axis=1),
                inputs[number].to_play,
                inputs[number].legal,
                without_result=can_end_without_result(parse_rules(row["rules"])),
            )
            policy = np.append(answer.policy.ravel(), answer.policy_pass)
            differences.append(
                (
                    abs(seen.white_win[0] - answer.numbers["whiteWin"]),
                    abs(seen.white_lead[0] - answer.numbers["whiteLead"]),
                    np.nanmax(np.abs(seen.policy[0] - policy)),
                )
            )
        table = np.array(differences)
        print(f"{net.name}, {engine} {precision}, {len(rows)} positions:")
        for place, name in enumerate(("winrate", "lead", "policy")):
            column = table[:, place]
            print(f"  {name:<8} largest {column.max():.2g}, mean {column.mean():.2g}")


if __name__ == "__main__":
    main()
