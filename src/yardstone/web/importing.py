"""Games that a visitor names by a user of a server of Go, where the operator allows it."""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from yardstone.errors import NoGamesError, UsageError
from yardstone.pool import Skipped, SkipReport
from yardstone.records.ogs import OGS, FetchedGames, GameSelection, fetch_ogs_games
from yardstone.web.problems import RequestProblem
from yardstone.web.settings import Settings
from yardstone.web.unpack import Unpacked

__all__ = ["ImportGate", "import_games"]

#: Visitors that are remembered.
_REMEMBERED = 20_000
_HOUR = 3600.0


class ImportGate:
    """Who may have games fetched, and how often.

    Parameters
    ----------
    settings : Settings
    clock : callable
        Seconds.
    """

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        self._settings = settings
        self._clock = clock
        self._asked: OrderedDict[str, deque[float]] = OrderedDict()

    def check(self, client: str) -> None:
        """Count a request for games.

        Raises
        ------
        RequestProblem
            The importer is off, or the visitor had as many in this hour as are allowed.
        """
        check_importer(self._settings, "ogs")
        now, most = self._clock(), self._settings.limits.imports_hour
        asked = self._asked.setdefault(client, deque())
        self._asked.move_to_end(client)
        while asked and asked[0] <= now - _HOUR:
            asked.popleft()
        if len(asked) >= most:
            raise RequestProblem(
                429,
                "imports_hour",
                f"Games can be fetched {most} times an hour.",
                "Wait, or send the files.",
                retry_after=max(int(asked[0] + _HOUR - now), 1),
            )
        asked.append(now)
        while len(self._asked) > _REMEMBERED:
            self._asked.popitem(last=False)


@dataclass(frozen=True, slots=True)
class ImportedGames:
    """What was fetched: the user's name as the server writes it, and the files."""

    user: str
    files: list[Unpacked]


def check_importer(settings: Settings, name: str) -> None:
    """Refuse an importer that is not switched on."""
    if name not in settings.importers:
        raise RequestProblem(
            422,
            "no_importer",
            "This server fetches no games from elsewhere.",
            "Send the files of the games.",
        )


def import_games(
    settings: Settings,
    user: str,
    folder: Path,
    tell: Callable[[str, int, int], None],
    skipped: SkipReport,
) -> ImportedGames:
    """Fetch the latest games of a user of OGS.

    Raises
    ------
    RequestProblem
        The importer is not switched on, or the name cannot be.
    InputError
        The games cannot be fetched.
    """
    check_importer(settings, "ogs")
    limits = settings.limits
    selection = GameSelection(
        games=limits.import_games,
        file_bytes=limits.import_bytes,
        seconds=float(limits.import_seconds),
    )
    tell("fetching", 0, 0)
    try:
        games: FetchedGames = fetch_ogs_games(
            user,
            folder,
            selection=selection,
            url=settings.importer_url or OGS,
            progress=lambda done, total: tell("fetching", done, total),
        )
    except (NoGamesError, UsageError) as error:
        raise RequestProblem(
            422, "no_games", f"{error}.", "Check the name, or send files."
        ) from None
    for words in games.left_out:
        skipped.add(Skipped("OGS", 0, words))
    return ImportedGames(games.user, [Unpacked(path.name, path, "sgf") for path in games.files])
