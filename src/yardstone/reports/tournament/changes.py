"""Rating changes of a tournament, and what a player needs in the last round."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from yardstone.reports.aligned import aligned
from yardstone.reports.json_out import as_json
from yardstone.reports.statements import plural

if TYPE_CHECKING:
    from yardstone.tournament.model import Tournament
    from yardstone.tournament.needs import Needs, Outcome
    from yardstone.tournament.rating_changes import RatingChange

__all__ = ["csv_changes", "json_changes", "json_needs", "text_changes", "text_needs"]

_RESULTS = {1.0: "win", 0.5: "draw", 0.0: "loss"}


def _change_records(
    tournament: Tournament, changes: Sequence[RatingChange]
) -> list[dict[str, Any]]:
    return [
        {
            "number": found.player + 1,
            "player": tournament.players[found.player].full_name,
            "before": found.before,
            "after": found.after,
            "change": None if found.before is None else found.change,
            "games": found.games,
            "score": found.score,
            "expected": None if found.expected != found.expected else found.expected,
            "factor": found.factor,
        }
        for found in _by_rating(changes)
    ]


def _by_rating(changes: Sequence[RatingChange]) -> list[RatingChange]:
    return sorted(changes, key=lambda c: (c.after is None, -(c.after or 0.0), c.player))


def text_changes(tournament: Tournament, changes: Sequence[RatingChange]) -> str:
    """A table of all players who played a game that counts, the best rating first."""
    head = ["Player", "Before", "After", "Change", "Games", "Score", "Expected"]
    factors = {change.factor for change in changes}
    chess = tournament.discipline == "chess"
    rows = [[*head, "K"] if chess else head]
    for found in _by_rating(changes):
        row = [tournament.players[found.player].full_name]
        row += ["–" if value is None else f"{value:.1f}" for value in (found.before, found.after)]
        row += ["–" if found.before is None else f"{found.change:+.1f}", str(found.games)]
        expected = "–" if found.expected != found.expected else f"{found.expected:.2f}"
        row += [f"{found.score:g}", expected]
        rows.append([*row, f"{found.factor:g}"] if chess else row)
    lines = [f"{tournament.name}: ratings of {plural(len(changes), 'player')}"]
    if not chess and len(factors) == 1:
        lines[0] += f", games weighted {factors.pop():g}"
    return "\n".join([*lines, "", *aligned(rows, left={0})]) + "\n"


def csv_changes(tournament: Tournament, changes: Sequence[RatingChange]) -> str:
    """The same as CSV."""
    out = io.StringIO()
    records = _change_records(tournament, changes)
    writer = csv.DictWriter(out, list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue()


def json_changes(tournament: Tournament, changes: Sequence[RatingChange]) -> str:
    """The same as JSON."""
    return as_json(_change_records(tournament, changes))


def text_needs(tournament: Tournament, found: Needs) -> str:
    """The findings in sentences and a small table."""
    name = tournament.players[found.player].full_name
    how = (
        f"all {found.combinations:,} combinations of the open results tried"
        if found.exact
        else "bounds by the main score only: ties may go either way"
    )
    lines = [f"{name}, round {found.round} of {tournament.name} ({how})", ""]
    rows = [["Own result", "Best place", "Worst place"]]
    if found.exact:
        rows[0].append(f"Place {found.place} or better")
    for outcome in found.outcomes:
        row = [_own(outcome), str(outcome.best), str(outcome.worst)]
        rows.append([*row, _verdict(outcome, found.place)] if found.exact else row)
    lines += aligned(rows, left={0, 3} if found.exact else {0})
    if found.influences:
        lines += ["", f"Games that matter for place {found.place}, with the share of combinations"]
        shares = [["If this player wins", "share", "and if this one", "share"]]
        for influence in found.influences:
            pair = (influence.game.first, influence.game.second)
            wins = (influence.first_wins, influence.second_wins)
            cells = [
                text
                for row, share in zip(pair, wins, strict=True)
                for text in (tournament.players[row].full_name, f"{100 * share:.0f} %")
            ]
            shares.append(cells)
        lines += aligned(shares, left={0, 2})
    return "\n".join(lines) + "\n"


def _own(outcome: Outcome) -> str:
    return "any" if outcome.points is None else _RESULTS[outcome.points]


def _verdict(outcome: Outcome, place: int) -> str:
    if outcome.worst <= place:
        return "certain"
    if outcome.best > place:
        return "impossible"
    whole = sum(outcome.places.values())
    share = sum(n for at, n in outcome.places.items() if at <= place)
    return f"in {share:,} of {whole:,} combinations"


def json_needs(tournament: Tournament, found: Needs) -> str:
    """The findings as JSON."""
    names = [player.full_name for player in tournament.players]
    return as_json(
        {
            "player": names[found.player],
            "round": found.round,
            "exact": found.exact,
            "combinations": found.combinations if found.exact else None,
            "place": found.place,
            "outcomes": [
                {
                    "result": _own(outcome),
                    "best": outcome.best,
                    "worst": outcome.worst,
                    "places": {str(at): n for at, n in sorted(outcome.places.items())},
                }
                for outcome in found.outcomes
            ],
            "games": [
                {
                    "first": names[influence.game.first],
                    "second": names[influence.game.second],
                    "first_wins": influence.first_wins,
                    "second_wins": influence.second_wins,
                }
                for influence in found.influences
            ],
        }
    )
