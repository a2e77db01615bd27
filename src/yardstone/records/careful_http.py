"""Requests to one known server, and to nothing else.

No redirect is followed, nothing is taken that is longer or slower than allowed, and a name
that leads to a private address is refused; the connection goes to the very address that
was looked at. An address that the operator wrote as a number is meant as it stands.
"""

from __future__ import annotations

import http.client
import re
import socket
import ssl
import time
from ipaddress import IPv6Address, ip_address
from urllib.parse import urlsplit

from yardstone.errors import InputError, UsageError

__all__ = ["CarefulClient"]

_PIECE = 1 << 16
_PATIENCE = 20.0
_AGENT = "Yardstone"
#: What a path and its query may be made of.
_PATH = re.compile(r"/[A-Za-z0-9/._~%&=?+-]*")


class CarefulClient:
    """Asks one server.

    Parameters
    ----------
    url : str
        ``https://host`` with an optional port and path; ``http`` as well.

    Raises
    ------
    UsageError
        It is no such address.
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
        """What stands at a path.

        Parameters
        ----------
        path : str
            With its query.
        most : int
            Bytes that may come.
        seconds : float
            That it may take.

        Raises
        ------
        InputError
            The server cannot be reached, redirects, refuses, or sends too much.
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
            self._check(answer)
            return self._body(answer, most, end)
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise InputError(f"{self.host} does not answer: {reason}") from None
        finally:
            connection.close()

    def _check(self, answer: http.client.HTTPResponse) -> None:
        if 300 <= answer.status < 400:
            raise InputError(f"{self.host} leads to another address, which is not followed")
        if answer.status == 429:
            raise InputError(f"{self.host} asks for fewer requests", hint="try again later")
        if answer.status in (403, 404):
            raise InputError(f"{self.host} has nothing public there (status {answer.status})")
        if answer.status != 200:
            raise InputError(f"{self.host} answers with status {answer.status}")

    def _body(self, answer: http.client.HTTPResponse, most: int, end: float) -> bytes:
        body = b""
        while piece := answer.read1(_PIECE):
            body += piece
            if len(body) > most:
                raise InputError(f"{self.host} sends more than {most:,} bytes")
            if time.monotonic() > end:
                raise InputError(f"{self.host} is too slow", hint="try again later")
        return body

    def addresses(self) -> list[str]:
        """The addresses of the server.

        Raises
        ------
        InputError
            One of them is private.
        """
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
        trouble: OSError | None = None
        for number in self._client.addresses():
            try:
                self.sock = socket.create_connection((number, self.port), self.timeout)
                break
            except OSError as error:
                trouble = error
        else:
            raise trouble or OSError("it has no address")
        if self._client.secure:
            context = ssl.create_default_context()
            self.sock = context.wrap_socket(self.sock, server_hostname=self.host)
