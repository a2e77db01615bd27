"""An estimate of strength as text and as CSV.

What is shown is what `yardstone.strength.Estimate.as_dict` gives, so that an estimate
kept as JSON can be shown again.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from math import floor
from textwrap import wrap
from typing import Any

from yardstone.reports.aligned import aligned
from yardstone.reports.interval_words import interval_words, rank_words
from yardstone.reports.statements import plural

__all__ = [
    "COLUMNS",
    "costly_words",
    "costly_table",
    "estimate_csv",
    "estimate_text",
    "game_table",
    "headline",
    "indicative_table",
    "phase_table",
    "probability_table",
]

#: Columns of the CSV, with their types in SQL: a row for all games together, one for
#: each phase of the game, and one for each game.
COLUMNS = {
    "player": "VARCHAR",
    "scale": "VARCHAR",
    "level": "DOUBLE",
    "part": "VARCHAR",
    "phase": "VARCHAR",
    "file": "VARCHAR",
    "line": "INTEGER",
    "date": "VARCHAR",
    "opponent": "VARCHAR",
    "colour": "VARCHAR",
    "result": "VARCHAR",
    "won": "VARCHAR",
    "games": "INTEGER",
    "moves": "INTEGER",
    "rank": "VARCHAR",
    "rating": "DOUBLE",
    "low": "DOUBLE",
    "high": "DOUBLE",
    "running_rank": "VARCHAR",
    "running_rating": "DOUBLE",
    "running_low": "DOUBLE",
    "running_high": "DOUBLE",
    "points_lost": "DOUBLE",
}
_TITLES = {"fox": "Fox", "ogs": "OGS", "egf": "EGF"}
#: Games in a text; the others are counted.
_GAMES = 40
#: A mean loss of fewer moves than this is not shown.
_FEWEST = 10
#: Letters in a line of a note.
_WIDTH = 92

Found = Mapping[str, Any]


def headline(found: Found) -> list[str]:
    """Who, how strong, how sure, from what: two sentences."""
    scale = _TITLES.get(found["scale"], found["scale"])
    rank = found["rank"]
    strength = (
        f"{rank} ({_rating(found, found['rating'])})" if rank else _rating(found, found["rating"])
    )
    ranks = (found["low_rank"], found["high_rank"])
    span = "" if ranks == (None, None) else f": {rank_words(*ranks)}"
    rests = f"from {plural(found['moves'], 'move')} in {plural(found['games'], 'game')}"
    if found["low"] is None and found["high"] is None:
        return [
            f"{found['player']}: {strength} on the scale of {scale}",
            f"No interval of {_percent(found['level'])} can be given; {rests}",
        ]
    kind = "interval" if None not in (found["low"], found["high"]) else "bound"
    return [
        f"{found['player']}: {strength} on the scale of {scale}",
        f"{_percent(found['level'])} {kind} {_interval(found, found)}{span}; {rests}",
    ]


def _percent(level: float) -> str:
    return f"{100.0 * level:g} %"


def _rating(found: Found, value: float) -> str:
    # 8.97 is 8 dan: on this scale nothing is rounded up to the next rank.
    return f"{floor(10.0 * value) / 10.0:.1f}" if found["scale"] == "fox" else f"{value:.0f}"


def _interval(found: Found, part: Found) -> str:
    return interval_words(part["low"], part["high"], lambda value: _rating(found, value))


def probability_table(found: Found) -> list[list[str]]:
    """Two rows: the model's groups on the scale shown, and their probabilities in per cent."""
    groups = found["probabilities"]
    scale = _TITLES.get(found["scale"], found["scale"])
    return [
        [f"{scale} rank" if found["rank"] else str(scale), *(group["rank"] for group in groups)],
        ["likely %", *(f"{100.0 * group['probability']:.0f}" for group in groups)],
    ]


def phase_table(found: Found) -> list[list[str]]:
    """Headings and a row a phase."""
    rows = [["Phase", "Moves", "Rank", "Rating", "Interval"]]
    for part in found["phases"]:
        shown = [part["rank"] or "–", _rating(found, part["rating"]), _interval(found, part)]
        rows.append([part["phase"], f"{part['moves']:,}", *(shown if part["moves"] else ["–"] * 3)])
    return rows


def game_table(found: Found, most: int | None = None) -> list[list[str]]:
    """Headings and a row a game: alone, and with those before it."""
    heading = ["Game", "Date", "Opponent", "", "Result", "Moves", "Lost a move"]
    rows = [[*heading, "Alone", "Interval", "So far", "Interval"]]
    for number, game in enumerate(found["by_game"][:most], 1):
        running, lost = game["running"], _mean(game["loss"])
        rows.append(
            [
                str(number),
                game["date"] or "–",
                game["opponent"] or "–",
                game["colour"][0].upper(),
                game["result"] or "–",
                f"{game['moves']:,}",
                "–" if lost is None else f"{lost:.2f}",
                _rating(found, game["rating"]),
                _interval(found, game),
                _rating(found, running["rating"]),
                _interval(found, running),
            ]
        )
    return rows


def costly_table(found: Found) -> list[list[str]]:
    """Headings and a row a move, the worst first."""
    rows = [["Game", "Move", "", "", "Lost points", "Error", "Policy %", "Better"]]
    for move in found["costliest_moves"]:
        lost = [f"{move['points_lost']:.1f}", f"± {move['error']:.1f}"]
        rows.append([*_move(move), *lost, _policy(move), move["best"]])
    return rows


def costly_words(found: Found) -> str:
    """What the table of costly moves shows, or that there is none."""
    if not found["costliest_moves"]:
        return "No move stands out from the noise as a costly one."
    return "The moves that cost most (with one standard deviation of the loss):"


def indicative_table(found: Found) -> list[list[str]]:
    """Headings and a row a move, the loudest first."""
    rows = [["Game", "Move", "", "", "Ranks", "Lost points", "Error", "Policy %", "First choice"]]
    for move in found["indicative_moves"]:
        known = move["points_lost"] is not None
        lost = [f"{move['points_lost']:.1f}", f"± {move['error']:.1f}"] if known else ["–", "–"]
        rows.append([*_move(move), f"{move['effect']:+.2f}", *lost, _policy(move), move["best"]])
    return rows


def _move(move: Found) -> list[str]:
    return [str(move["game"] + 1), str(move["move"]), move["colour"][0].upper(), move["point"]]


def _policy(move: Found) -> str:
    return "–" if move["policy"] is None else f"{100.0 * move['policy']:.1f}"


def estimate_text(found: Found) -> str:
    """The estimate as text without colours; ends with a newline."""
    blocks: list[Sequence[str]] = [headline(found)]
    blocks.append(aligned(probability_table(found), left={0}))
    blocks.append(aligned(phase_table(found), left={0}))
    blocks.append(aligned(game_table(found, _GAMES), left={2, 3, 4}) + list(_more_games(found)))
    costly = aligned(costly_table(found), left={2, 3, 7}) if found["costliest_moves"] else []
    blocks.append([costly_words(found), *costly])
    if found["indicative_moves"]:
        title = "Moves typical of a stronger (+) or a weaker player (-), by ranks of the estimate:"
        blocks.append([title, *aligned(indicative_table(found), left={2, 3, 8})])
    notes = [
        wrap(note, _WIDTH, initial_indent="  • ", subsequent_indent="    ")
        for note in found["notes"]
    ]
    blocks.append(["Mind:", *(line for note in notes for line in note)])
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _more_games(found: Found) -> Iterator[str]:
    if (rest := len(found["by_game"]) - _GAMES) > 0:
        yield f"… and {plural(rest, 'other')}"


def estimate_csv(found: Found) -> str:
    """A row for all games, then one a phase, then one a game; unknown cells are empty."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(COLUMNS), restval="", lineterminator="\n")
    writer.writeheader()
    same = {name: found[name] for name in ("player", "scale", "level")}
    losses = [value for game in found["by_game"] for value in game["loss"]]
    writer.writerow(
        {**same, "part": "all", "games": found["games"], "moves": found["moves"]}
        | _shown(found)
        | {"points_lost": _mean(losses)}
    )
    for part in found["phases"]:
        row = {**same, "part": "phase", "phase": part["phase"], "moves": part["moves"]}
        writer.writerow(row | _shown(part))
    facts = ("file", "line", "date", "opponent", "colour", "result", "won", "moves")
    for game in found["by_game"]:
        running = {f"running_{name}": value for name, value in _shown(game["running"]).items()}
        row = {**same, "part": "game", "games": 1, **{name: game[name] for name in facts}}
        writer.writerow(row | _shown(game) | running | {"points_lost": _mean(game["loss"])})
    return out.getvalue()


def _shown(part: Found) -> dict[str, Any]:
    return {name: part[name] for name in ("rank", "rating", "low", "high")}


def _mean(losses: Sequence[float | None]) -> float | None:
    """Mean loss while the game was not decided; None if that were too few moves."""
    known = [loss for loss in losses if loss is not None]
    return round(sum(known) / len(known), 3) if len(known) >= _FEWEST else None
