"""Running an event: from entry to prize list, each step from one tournament to the next.

The steps are functions of a `Tournament` that give an `EventChange`; `change_file` takes one in a
file. Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.facade import lazy_names

if TYPE_CHECKING:
    from yardstone.tournament.event.entries import (
        EventEntry,
        change_player,
        enter_players,
        remove_player,
    )
    from yardstone.tournament.event.file import change_file, create_file, undo_step
    from yardstone.tournament.event.rounds import (
        GameResult,
        give_bye,
        parse_score,
        rejoin,
        set_result,
        set_results,
        take_bye_back,
        withdraw,
    )
    from yardstone.tournament.event.settings import (
        EventChange,
        change_settings,
        new_tournament,
        remove_team,
        set_team,
    )

__all__ = [
    "EventChange",
    "EventEntry",
    "GameResult",
    "change_file",
    "change_player",
    "change_settings",
    "create_file",
    "enter_players",
    "give_bye",
    "new_tournament",
    "parse_score",
    "rejoin",
    "remove_player",
    "remove_team",
    "set_result",
    "set_results",
    "set_team",
    "take_bye_back",
    "undo_step",
    "withdraw",
]

__getattr__ = lazy_names(
    __name__,
    {
        "rounds": (
            "give_bye",
            "rejoin",
            "take_bye_back",
            "withdraw",
            "GameResult",
            "parse_score",
            "set_result",
            "set_results",
        ),
        "settings": ("EventChange", "change_settings", "new_tournament", "remove_team", "set_team"),
        "entries": ("EventEntry", "change_player", "enter_players", "remove_player"),
        "file": ("change_file", "create_file", "undo_step"),
    },
)
