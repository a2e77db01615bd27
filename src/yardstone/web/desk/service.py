"""A desk: the settings, who is a helper, the file, and the pages that watch it."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from yardstone.tournament.event.wishes import EventWishes, change_wishes, read_wishes
from yardstone.tournament.model import Result
from yardstone.tournament.pairing import round_to_pair
from yardstone.web.desk.chances import Chances
from yardstone.web.desk.page_store import PageStore
from yardstone.web.desk.register import Register
from yardstone.web.desk.sessions import Sessions
from yardstone.web.desk.watched_file import Snapshot, WatchedFile
from yardstone.web.visitors import visitor_mark

if TYPE_CHECKING:
    from starlette.requests import Request

    from yardstone.tournament.event.changes import EventChange
    from yardstone.tournament.model import Tournament
    from yardstone.web.desk.sessions import Helper
    from yardstone.web.desk.settings import DeskSettings

__all__ = ["Desk", "RoundCount"]


@dataclass(frozen=True, slots=True)
class RoundCount:
    """Where a tournament stands.

    Attributes
    ----------
    planned : int
        Rounds of the tournament.
    paired : int
        The last round with boards; 0 before the first.
    open : int
        Results of that round that are missing.
    next : int
        The round to pair; 0 when all are paired.
    """

    planned: int
    paired: int
    open: int
    next: int

    @classmethod
    def of(cls, tournament: Tournament) -> RoundCount:
        """Those of a tournament."""
        paired = max((game.round for game in tournament.games), default=0)
        games = tournament.round_games(paired)
        following = round_to_pair(tournament)
        return cls(
            tournament.rounds,
            paired,
            sum(game.result is Result.unknown for game in games),
            following if following <= tournament.rounds else 0,
        )


class Desk:
    """What the pages of a desk ask.

    Parameters
    ----------
    settings : DeskSettings

    Attributes
    ----------
    closing : bool
        Whether the pages that watch are to be sent away.
    """

    def __init__(self, settings: DeskSettings) -> None:
        self.file = WatchedFile(settings.file)
        self.settings = settings.with_title(self.file.last.tournament.name)
        self.sessions = Sessions(settings.password, str(settings.file.resolve()))
        self.streams: Counter[str] = Counter()
        self.register = None if settings.register is None else Register(settings.register)
        self.chances = Chances()
        self.pages = PageStore()
        self.closing = False
        self._secret = secrets.token_bytes(32)

    def client(self, request: Request) -> str:
        """A mark of who asks."""
        return visitor_mark(request, self._secret)

    @property
    def last_mark(self) -> str:
        """The mark of the tournament as it was at the last look."""
        return self.file.last.mark

    def look(self) -> None:
        """Look whether another program has changed the file."""
        self.file.snapshot()

    def snapshot(self) -> Snapshot:
        """The tournament as it is now."""
        return self.file.snapshot()

    def rounds(self, snapshot: Snapshot) -> RoundCount:
        """Where it stands."""
        return RoundCount.of(snapshot.tournament)

    def wishes(self) -> EventWishes:
        """The wishes for all rounds."""
        return read_wishes(self.settings.file)

    def change_wishes(self, change: Callable[[EventWishes], EventWishes]) -> None:
        """Change them."""
        change_wishes(self.settings.file, change)

    def change(self, step: Callable[[Tournament], EventChange], helper: Helper) -> EventChange:
        """Take a step, and write it to the file.

        Raises
        ------
        YardstoneError
            The step cannot be taken, or the file not be written; nothing has changed.
        """
        return self.file.change(step, by=helper.name)
