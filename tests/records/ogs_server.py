"""A server on this machine that speaks the interface of OGS, in the form that it answers in."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

__all__ = ["OgsServer", "game_entry", "ogs_server"]


def game_entry(number: int, black: str, white: str, **other: Any) -> dict[str, Any]:
    """A game as the list of a player's games has it."""
    sides = {"black": {"id": 1, "username": black}, "white": {"id": 2, "username": white}}
    return {
        "related": {"detail": f"/api/v1/games/{number}"}, "players": sides, "id": number,
        "name": "Friendly Match", "mode": "game", "source": "play", "black": 1, "white": 2,
        "width": 19, "height": 19, "rules": "japanese", "ranked": True, "handicap": 0,
        "komi": "6.50", "outcome": "Resignation", "black_lost": False, "white_lost": True,
        "annulled": False, "started": "2024-03-01T10:00:00.000000-04:00",
        "ended": f"2024-03-02T10:00:{number % 60:02d}.000000-04:00", **other,
    }  # fmt: skip


@dataclass
class OgsServer:
    """Players with their numbers, the first one's games, their SGF, and what it was asked.

    Paths in `answers` answer otherwise: with this status, headers and body.
    """

    url: str = ""
    players: dict[str, int] = field(default_factory=dict)
    games: list[dict[str, Any]] = field(default_factory=list)
    records: dict[int, bytes] = field(default_factory=dict)
    answers: dict[str, tuple[int, dict[str, str], bytes]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def answer(self, path: str, query: dict[str, list[str]]) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body."""
        if path in self.answers:
            return self.answers[path]
        if path == "/api/v1/players":
            name = query["username"][0].lower()
            result = [
                {"id": number, "username": user, "ratings": {}, "ranking": 24.1, "icon": ""}
                for user, number in self.players.items()
                if user.lower() == name
            ]
            return _plain({"count": len(result), "next": None, "previous": None, "results": result})
        if path == f"/api/v1/players/{next(iter(self.players.values()), 0)}/games":
            size, page = int(query["page_size"][0]), int(query["page"][0])
            part = self.games[(page - 1) * size : page * size]
            more = f"{self.url}{path}?page={page + 1}" if page * size < len(self.games) else None
            return _plain({"count": len(self.games), "next": more, "results": part})
        parts = path.split("/")
        if parts[:4] == ["", "api", "v1", "games"] and parts[5:] == ["sgf"]:
            record = self.records.get(int(parts[4]))
            if record is not None:
                return 200, {"Content-Type": "application/x-go-sgf"}, record
        return 404, {"Content-Type": "application/json"}, b'{"detail": "Not found."}'


def _plain(value: object) -> tuple[int, dict[str, str], bytes]:
    return 200, {"Content-Type": "application/json"}, json.dumps(value).encode()


@contextmanager
def ogs_server() -> Iterator[OgsServer]:
    """A server that answers until the end of the block."""
    result = OgsServer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            result.asked.append(self.path)
            parts = urlsplit(self.path)
            status, headers, body = result.answer(parts.path, parse_qs(parts.query))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words: object) -> None:
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    result.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield result
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10.0)
