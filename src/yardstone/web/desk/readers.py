"""Pages for readers are made once for each state of the tournament: a hall asks all at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from fastapi.responses import HTMLResponse, Response

from yardstone.web.desk.pages import desk_of

if TYPE_CHECKING:
    from fastapi import Request

    from yardstone.web.desk.watched_file import Snapshot

__all__ = ["for_reader"]


def for_reader(request: Request, make: Callable[[Snapshot], Response]) -> Response:
    """A page of the tournament as it is now; the same bytes for all who are no helpers."""
    desk = desk_of(request)
    snapshot = desk.snapshot()
    if not desk.sessions.guarded or desk.sessions.helper(request) is not None:
        return make(snapshot)
    address = f"{request.url.path}?{request.url.query}"
    page = desk.pages.get(snapshot.mark, address)
    if page is None:
        made = make(snapshot)
        page = bytes(made.body)
        if made.status_code == 200:
            desk.pages.keep(snapshot.mark, address, page)
    return HTMLResponse(page, headers={"Cache-Control": "no-store"})
