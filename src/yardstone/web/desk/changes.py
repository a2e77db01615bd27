"""What was changed by whom, taking it back, and the file itself."""

from __future__ import annotations

import re

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from yardstone.web.desk.pages import back, desk_of, desk_page, helpers_only, read_form

__all__ = ["router"]

router = APIRouter(include_in_schema=False)

#: Steps that the page lists.
_LISTED = 60


@router.get("/more")
def more(request: Request) -> Response:
    """The last steps, and what else there is for helpers."""
    helpers_only(request)
    desk = desk_of(request)
    return desk_page(
        request,
        "more",
        desk.snapshot(),
        title="More",
        place="more",
        steps=desk.file.steps()[:_LISTED],
        file=desk.settings.file.name,
    )


@router.post("/undo")
async def undo(request: Request) -> Response:
    """Take the last step back, if it still is the last one."""
    form = await read_form(request)
    change = await run_in_threadpool(desk_of(request).file.undo, form.number("step"))
    return back(request, "/more", said=" ".join(change.lines))


@router.get("/file")
def file(request: Request) -> Response:
    """The file of the tournament, as it is now."""
    helpers_only(request)
    path = desk_of(request).settings.file
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", path.name)
    return Response(
        path.read_bytes(),
        media_type="application/octet-stream",
        headers={"Content-Disposition": f'attachment; filename="{plain}"'},
    )
