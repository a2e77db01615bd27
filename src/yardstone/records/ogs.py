"""Games of a user of OGS (online-go.com), by the public interface of that server.

Three addresses of version 1 of the interface are asked, none of which needs an account:
``/api/v1/players?username=NAME``, ``/api/v1/players/ID/games`` and
``/api/v1/games/ID/sgf``.
"""

from __future__ import annotations

import http.client
import json
import re
import socket
import ssl
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.files import replaced
from yardstone.parallel import Track

#: Where OGS answers.
OGS = "https://online-go.com"
_LONGEST_NAME = 100
#: Games of one answer of the list, lists that are asked for, and bytes of one.
_A_PAGE, _PAGES, _LIST_BYTES = 50, 10, 4 << 20
#: Letters of a user's name that stay in a file's.
_UNSAFE = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class GameSelection:
    """Which games are fetched, and how much may come."""

    games: int = 20  #: the latest so many
    size: int | None = 19  #: of the board; None takes all
    even: bool = True  #: leave out handicap games
    file_bytes: int = 1 << 20  #: of one game
    seconds: float = 120.0  #: for all of it
    pause: float = 0.5  #: seconds between two requests

    def __post_init__(self) -> None:
        if not 1 <= self.games <= _A_PAGE * _PAGES:
            raise UsageError(f"games: give 1 to {_A_PAGE * _PAGES}")
        if self.seconds <= 0.0 or self.pause < 0.0 or self.file_bytes < 1:
            raise UsageError("seconds, pause and file_bytes must be positive")

    def takes(self, game: dict[str, Any]) -> bool:
        """Whether a game of the list is over, public, and of this kind."""
        if not game.get("ended") or game.get("annulled") or game.get("private"):
            return False
        sides = [game.get("width"), game.get("height")]
        if self.size is not None and sides != [self.size] * 2:
            return False
        return not (self.even and game.get("handicap"))


@dataclass(frozen=True, slots=True)
class FetchedGames:
    """What was fetched."""

    user: str  #: the name as OGS writes it
    files: tuple[Path, ...]  #: a game each, the latest first
    left_out: tuple[str, ...]  #: games that could not be fetched, each with the reason


@dataclass(slots=True)
class _Server:
    """OGS within the limits of time and pace."""

    client: CarefulClient
    selection: GameSelection
    end: float = field(init=False)
    asked: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        self.end = time.monotonic() + self.selection.seconds

    def get(self, path: str, most: int) -> bytes:
        wait = self.asked + self.selection.pause - time.monotonic()
        if wait > 0.0:
            time.sleep(wait)
        self.asked = time.monotonic()
        left = self.end - self.asked
        if left <= 0.0:
            raise InputError(
                f"OGS took longer than {self.selection.seconds:g} seconds",
                hint="ask for fewer games, or try again later",
            )
        return self.client.get(path, most=most, seconds=left)

    def plain(self, path: str) -> dict[str, Any]:
        answer = self.get(path, _LIST_BYTES)
        try:
            page = json.loads(answer)
        except (ValueError, RecursionError):
            page = None
        if not isinstance(page, dict) or not isinstance(page.get("results"), list):
            raise InputError("OGS answers in a form that is not known", hint="try again later")
        return page

    def user(self, name: str) -> tuple[int, str]:
        """Number and name of a user; capitals do not matter unless several differ in them."""
        players = self.plain(f"/api/v1/players?{urlencode({'username': name})}")["results"]
        known = {
            str(each["username"]): each["id"]
            for each in players
            if isinstance(each, dict)
            and isinstance(each.get("id"), int)
            and str(each.get("username", "")).casefold() == name.casefold()
        }
        if not known:
            raise InputError(f"OGS knows no user called {name!r}", hint="check the spelling")
        if name not in known and len(known) > 1:
            raise InputError(
                f"OGS knows several users of that name: {', '.join(sorted(known))}",
                hint="write capitals as the user does",
            )
        written = name if name in known else next(iter(known))
        return known[written], written

    def games(self, user: int) -> Iterator[dict[str, Any]]:
        """The user's games, the latest first."""
        for page in range(1, _PAGES + 1):
            query = urlencode({"ordering": "-ended", "page_size": _A_PAGE, "page": page})
            listing = self.plain(f"/api/v1/players/{user}/games?{query}")
            yield from (each for each in listing["results"] if isinstance(each, dict))
            if not listing.get("next"):  # only whether there is more: the address is not followed
                return


def fetch_ogs_games(
    name: str,
    folder: Path,
    *,
    selection: GameSelection | None = None,
    url: str = OGS,
) -> FetchedGames:
    """Fetch the latest public games of a user of OGS as SGF files.

    Args:
        name: The user's name; capitals do not matter.
        folder: Where to put the files; made if it does not exist.
        selection: Which games, and the limits.
        url: Where the server is; another one must speak the same interface. Redirects are refused,
            and so are names that lead to private addresses.

    Raises:
        InputError: There is no such user, or the server does not answer as it should.
        NoGamesError: None of the user's games is of this kind.
        UsageError: The name or a limit cannot be.
    """
    name = name.strip()
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise UsageError(f"a user's name has 1 to {_LONGEST_NAME} letters")
    chosen = selection or GameSelection()
    server = _Server(CarefulClient(url), chosen)
    number, written = server.user(name)
    wanted: list[int] = []
    for game in server.games(number):
        if isinstance(game.get("id"), int) and chosen.takes(game) and game["id"] not in wanted:
            wanted.append(game["id"])
        if len(wanted) == chosen.games:
            break
    if not wanted:
        kind = "" if chosen.size is None else f" on {chosen.size}x{chosen.size}"
        raise NoGamesError(
            f"{written} has no public finished{' even' if chosen.even else ''} game{kind} on OGS"
        )
    folder.mkdir(parents=True, exist_ok=True)
    files: list[Path] = []
    left_out: list[str] = []
    for game_id in Track("fetching", len(wanted)).over(wanted):
        try:
            record = server.get(f"/api/v1/games/{game_id}/sgf", chosen.file_bytes)
        except InputError as error:
            if not files and game_id == wanted[-1]:
                raise
            left_out.append(f"game {game_id}: {error.message}")
            continue
        if not record.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"(;"):
            left_out.append(f"game {game_id}: this is not SGF")
            continue
        path = folder / f"{_UNSAFE.sub('_', written)}-{game_id}.sgf"
        with replaced(path) as temporary:
            temporary.write_bytes(record)
        files.append(path)
    if not files:
        raise InputError(f"none of the games could be fetched: {left_out[0]}")
    return FetchedGames(written, tuple(files), tuple(left_out))


_PIECE = 1 << 16
_PATIENCE = 20.0
_AGENT = "Yardstone"
#: What a path and its query may be made of.
_PATH = re.compile(r"/[A-Za-z0-9/._~%&=?+-]*")


class CarefulClient:
    """Asks one server, at ``https://host`` with an optional port and path; ``http`` as well.

    Raises UsageError if it is no such address.
    """

    def __init__(self, url: str) -> None:
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:  # of a port, or of brackets
            parts, port = urlsplit(""), 0
        if (
            parts.scheme not in ("http", "https")
            or not parts.hostname
            or port == 0
            or parts.username is not None
            or parts.query
            or parts.fragment
            or (parts.path and not _PATH.fullmatch(parts.path))
        ):
            raise UsageError(f"{url!r} is not an address such as https://example.org")
        self.host = parts.hostname
        self.secure = parts.scheme == "https"
        self.port = port or (443 if self.secure else 80)
        self._base = parts.path.rstrip("/")

    def get(self, path: str, *, most: int, seconds: float) -> bytes:
        """What stands at a path with its query, of at most `most` bytes.

        Raises InputError if the server cannot be reached, redirects, refuses, or sends too much.
        """
        if not _PATH.fullmatch(path):
            raise UsageError(f"{path!r} is not a path")
        end = time.monotonic() + seconds
        connection = _PinnedConnection(self, min(seconds, _PATIENCE))
        try:
            headers = {
                "User-Agent": _AGENT,
                "Accept": "application/json, application/x-go-sgf, */*",
            }
            connection.request("GET", self._base + path, headers=headers)
            answer = connection.getresponse()
            self._check(answer.status)
            body = b""
            while piece := answer.read1(_PIECE):
                body += piece
                if len(body) > most:
                    raise InputError(f"{self.host} sends more than {most:,} bytes")
                if time.monotonic() > end:
                    raise InputError(f"{self.host} is too slow", hint="try again later")
            return body
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise InputError(f"{self.host} does not answer: {reason}") from None
        finally:
            connection.close()

    def _check(self, status: int) -> None:
        if status == 429:
            raise InputError(f"{self.host} asks for fewer requests", hint="try again later")
        answer = f"answers with status {status}"
        if 300 <= status < 400:
            answer = "leads to another address, which is not followed"
        elif status in (403, 404):
            answer = f"has nothing public there (status {status})"
        if status != 200:
            raise InputError(f"{self.host} {answer}")

    def addresses(self) -> list[str]:
        """The addresses of the server; InputError if one of them is private."""
        try:
            return [str(ip_address(self.host))]
        except ValueError:
            pass
        addresses = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        numbers = list(dict.fromkeys(str(each[4][0]).partition("%")[0] for each in addresses))
        for number in numbers:
            address = ip_address(number)
            within = address.ipv4_mapped if isinstance(address, IPv6Address) else None
            if not (within or address).is_global:
                raise InputError(
                    f"{self.host} leads to the private address {number}, which is not asked",
                    hint="write the address itself as a number if that is meant",
                )
        return numbers


class _PinnedConnection(http.client.HTTPConnection):
    """A connection to the addresses that were looked at, under the server's name."""

    def __init__(self, client: CarefulClient, timeout: float) -> None:
        super().__init__(client.host, client.port, timeout=timeout)
        self._client = client

    def connect(self) -> None:
        """Connect to the first address that answers."""
        trouble = OSError("it has no address")
        for number in self._client.addresses():
            try:
                self.sock = socket.create_connection((number, self.port), self.timeout)
                break
            except OSError as error:
                trouble = error
        else:
            raise trouble
        if self._client.secure:
            context = ssl.create_default_context()
            self.sock = context.wrap_socket(self.sock, server_hostname=self.host)


_NO_INTERFACE = {"fox", "foxwq", "tygem", "kgs"}


def check_importers(names: Iterable[str]) -> None:
    """Refuse (UsageError) servers that are unknown, or have no public interface."""
    for name in names:
        if name in _NO_INTERFACE:
            raise UsageError(
                f"{name}: Yardstone knows no stable public interface of this server; "
                "save the games as SGF there, and give the files"
            )
        if name != "ogs":
            raise UsageError(f"no server is called {name!r}: there is ogs")
