"""What stands beside the file of an event: entries, results, rules, wishes, the journal."""

from __future__ import annotations

from pathlib import Path

from tests.fuzz.targets import EXAMPLES, Target, copied, saved
from yardstone.tournament.event.entries import read_player_table, read_register
from yardstone.tournament.event.file import add_step, read_journal
from yardstone.tournament.event.rounds import read_result_sheet
from yardstone.tournament.event.settings import read_wishes
from yardstone.tournament.files import read_tournament
from yardstone.tournament.model import PairingRules
from yardstone.tournament.rules import read_rules

_EVENT = read_tournament(EXAMPLES / "open.xml")


def read_steps(path: Path) -> None:
    for step in read_journal(copied(path, "open.xml.undo").with_name("open.xml")):
        _ = step.before, step.after, step.line()


def read_event_wishes(path: Path) -> None:
    for wish in read_wishes(copied(path, "open.xml.wishes").with_name("open.xml")).wishes:
        wish.sentence()


def read_results_of_round(path: Path) -> None:
    read_result_sheet(path, _EVENT, round_number=1)


def journals() -> dict[str, bytes]:
    def save(path: Path) -> None:
        for number in (1, 2):
            event = path.with_suffix("")
            add_step(event, what=f"Step {number}.", before=b"before", after=b"after" * number)

    return {"journal": saved(save, "open.xml.undo")}


TARGETS = (
    Target("event-entries", read_player_table, ".csv"),
    Target("event-journal", read_steps, ".undo", made=journals),
    Target("event-player-list", read_register, ".txt"),
    Target("event-results", read_results_of_round, ".csv"),
    Target(
        "event-rules", lambda path: PairingRules().changed(read_rules(path)).numbers(1), ".json"
    ),
    Target("event-wishes", read_event_wishes, ".json"),
)
