"""Running an event: from entry to prize list, each step from one tournament to the next.

The steps are functions of a `Tournament` that give an `EventChange`; `change_file` takes one in a
file. Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.facade import lazy_names

if TYPE_CHECKING:
    from yardstone.tournament.event.entries import EventEntry as EventEntry
    from yardstone.tournament.event.entries import change_player as change_player
    from yardstone.tournament.event.entries import enter_players as enter_players
    from yardstone.tournament.event.entries import remove_player as remove_player
    from yardstone.tournament.event.file import change_file as change_file
    from yardstone.tournament.event.file import create_file as create_file
    from yardstone.tournament.event.file import undo_step as undo_step
    from yardstone.tournament.event.rounds import GameResult as GameResult
    from yardstone.tournament.event.rounds import give_bye as give_bye
    from yardstone.tournament.event.rounds import parse_score as parse_score
    from yardstone.tournament.event.rounds import rejoin as rejoin
    from yardstone.tournament.event.rounds import set_result as set_result
    from yardstone.tournament.event.rounds import set_results as set_results
    from yardstone.tournament.event.rounds import take_bye_back as take_bye_back
    from yardstone.tournament.event.rounds import withdraw as withdraw
    from yardstone.tournament.event.settings import EventChange as EventChange
    from yardstone.tournament.event.settings import change_settings as change_settings
    from yardstone.tournament.event.settings import new_tournament as new_tournament
    from yardstone.tournament.event.settings import remove_team as remove_team
    from yardstone.tournament.event.settings import set_team as set_team


__dir__, __getattr__ = lazy_names(__name__)
