"""Errors by class of play."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from yardstone.backgammon.matches import FEWEST_FOR_CLASSES
from yardstone.reports.document import UNKNOWN, Column, Lines, Section, Table
from yardstone.reports.words import known

if TYPE_CHECKING:
    from yardstone.backgammon.matches import PlayerSummary

__all__ = ["class_section", "classes_plain"]

Plain = Mapping[str, Any]
#: Players whose classes people are shown.
_SHOWN = 4
_CUBE = {
    "no double": "no double (missed doubles)",
    "double": "double (wrong doubles)",
    "take": "take (wrong takes)",
    "pass": "pass (wrong passes)",
}
#: What the classes mean, for pages.
_MEANING = (
    "Opening: the first three turns of each player. Race: no contact, not all home. Bear-off: "
    "no contact, all home.",
    "Contact bear-in: contact, and all the player’s chequers in the own half of the board; contact "
    "bear-off: all home, and still contact.",
    "Back game: a side has two anchors on its points 20 to 24 and is behind in pips. Priming game: "
    "a side has five points in a row with a chequer behind them. Holding game: a side is behind, "
    "holds its 18, 20 or 21 point, and the other has brought its rear chequers past.",
    "Crashed is GNU Backgammon’s own class: a side has hardly a chequer left to play with. Middle "
    "game: any other contact. The first class that fits counts.",
)


def classes_plain(player: PlayerSummary) -> list[dict[str, Any]]:
    """The classes of a player as plain values."""
    return [
        {
            "class": each.name,
            "decisions": each.errors.decisions,
            "loss": each.errors.loss,
            "doubtful": each.errors.doubtful,
            "errors": each.errors.errors,
            "blunders": each.errors.blunders,
            **{name: known(getattr(each.rate, end)) for name, end in _RATES.items()},
        }
        for each in player.classes
    ]


_RATES = {"per_decision": "value", "per_decision_low": "low", "per_decision_high": "high"}


def class_section(players: Sequence[Plain], level: str) -> Section | None:
    """The classes of the first players; None for a result that was kept without them."""
    shown = [player for player in players if player.get("classes")][:_SHOWN]
    if not shown:
        return None
    rows: list[Plain] = []
    breaks = {}
    for player in shown:
        if len(shown) > 1:
            breaks[len(rows)] = player["player"]
        whole = sum(each["loss"] for each in player["classes"]) or 1.0
        rows += [{**each, "share": 100.0 * each["loss"] / whole} for each in player["classes"]]
    more = "" if len(shown) == len(players) else f" of the first {len(shown)} players"
    notes = [
        "Doubtful from 0.03 of equity, an error from 0.06, a blunder from 0.12. An interval stands "
        f"only where a test shows that it holds: from {FEWEST_FOR_CLASSES} matches on, in some "
        "classes."
    ]
    return Section(
        f"Errors by class of play{more}, in thousandths of equity",
        [
            Table(
                _columns(level),
                rows,
                breaks,
                noun="class",
                caption="Unforced moves and close cube decisions",
            ),
            Lines(notes),
            Lines(_MEANING, bullets=True, aside=True),
        ],
        name="classes",
    )


def _columns(level: str) -> list[Column]:
    def interval(row: Plain) -> str:
        low, high = row["per_decision_low"], row["per_decision_high"]
        if low is None:
            return UNKNOWN
        return f"{1000 * low:.1f} to " + ("∞" if high is None else f"{1000 * high:.1f}")

    def number(name: str, heading: str, **more: Any) -> Column:
        return Column("", lambda row: row[name], heading, "integer", **more)

    return [
        Column("", lambda row: _CUBE.get(row["class"], row["class"]), "Class", strong=True),
        number("decisions", "Number"),
        Column("", lambda row: 1000 * row["per_decision"], "Lost each", "number", ascending=True),
        Column("", interval, level, left=False, gives_way=1),
        Column("", lambda row: row["share"], "Share %", "number", ".0f", gives_way=2),
        number("doubtful", "Doubtful", gives_way=3),
        number("errors", "Errors"),
        number("blunders", "Blunders"),
    ]
