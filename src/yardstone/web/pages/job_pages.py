"""The page of a job, whatever state it is in, and that of a batch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from yardstone.reports.document import Column, Document, Section, Table
from yardstone.reports.words import plural
from yardstone.web.kinds import KINDS, Query, View
from yardstone.web.owners import sent_key
from yardstone.web.pages.card_picture import can_draw
from yardstone.web.pages.render import PageCard, address_of, content, page, root_of
from yardstone.web.pages.samples import SAMPLES, sample_result
from yardstone.web.pages.wording import days_words, error_lines, moment_words, progress

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

__all__ = ["batch_page", "example_page", "job_page"]

Plain = Mapping[str, Any]

#: Left-out records that are listed.
_LISTED = 50
#: Seconds between two looks of a browser without scripts.
_REFRESH = 3
_STATUS_WORDS = {
    "queued": "waiting",
    "running": "at work",
    "needs_player": "asks for the player",
    "done": "done",
    "failed": "failed",
    "cancelled": "stopped",
}


def job_page(request: Request, job: Plain, query: Query) -> Response:
    """The page for the state that a job is in.

    Parameters
    ----------
    request : Request
    job : mapping
        As ``GET /api/jobs/ID`` tells it.
    query : Query
        What of the result is asked for.
    """
    view = _job_view(request, job)
    if job["status"] == "done":
        return _result_page(request, job, view, query)
    if job["status"] == "needs_player":
        return _choice_page(request, job, view)
    if job["status"] in ("failed", "cancelled"):
        return _end_page(request, job, view)
    state = progress(job)
    heading = KINDS[job["kind"]].heading
    return page(
        request,
        "working",
        title=heading,
        refresh=_REFRESH,
        job=view,
        heading=heading,
        share=state["share"],
        words=state["words"],
    )


def _job_view(request: Request, job: Plain) -> dict[str, Any]:
    """What all pages of a job say of it."""
    root = root_of(request)
    own, api = f"{root}/r/{job['id']}", f"{root}/api/jobs/{job['id']}"
    site = address_of(request)
    service, key = request.app.state.service, sent_key(request)
    done = job["status"] == "done"
    exports = [("JSON", f"{api}/result.json"), ("CSV", f"{api}/result.csv")] if done else []
    skipped, total = job["skipped"], job["skipped_total"]
    return {
        "page": own,
        "address": f"{site}/r/{job['id']}",
        "owner_link": f"{site}/r/{job['id']}/own/{key}" if service.owns(job["id"], key) else "",
        "steered": service.may_steer(job["id"], key),
        "expires": job["expires"],
        "expires_words": moment_words(job["expires"]),
        "exports": exports,
        "skipped": [_record_words(each) for each in skipped[:_LISTED]],
        "skipped_words": (
            f"{plural(total, 'record')} could not be used"
            + (f" (the first {_LISTED})" if total > _LISTED else "")
        ),
    }


def _record_words(record: Plain) -> str:
    place = record.get("file") or ""
    if place and record.get("line"):
        place += f", line {record['line']}"
    return f"{place}: {record['reason']}" if place else str(record["reason"])


def _result_page(request: Request, job: Plain, view: dict[str, Any], query: Query) -> Response:
    result = KINDS[job["kind"]].view(job["result"], query)
    kept = None
    if result.kept is not None:
        kept = {**result.kept, "measured": job["finished"], "expires": job["expires"]}
        kept["address"] = query.address
    return _shown(request, result, job=view, kept=kept, card=_card(request, job))


def example_page(request: Request, kind: str, query: Query) -> Response:
    """The result of an example of the package, as its page would be."""
    result = KINDS[kind].view(sample_result(kind), query)
    return _shown(request, result, private=False, example=SAMPLES[kind].about)


def _shown(
    request: Request,
    result: View,
    *,
    job: dict[str, Any] | None = None,
    kept: Plain | None = None,
    card: PageCard | None = None,
    private: bool = True,
    example: str = "",
) -> Response:
    return page(
        request,
        "result",
        title=result.title or result.document.title,
        private=private,
        job=job,
        card=card,
        heading=result.document.title,
        content=content(result.document),
        links=result.links,
        says_skipped=result.says_skipped,
        kept="" if kept is None else json.dumps(kept, ensure_ascii=False),
        example=example,
    )


def _card(request: Request, job: Plain) -> PageCard:
    """What other sites show of a link to a result."""
    card = KINDS[job["kind"]].card(job["result"])
    address = f"{address_of(request)}/r/{job['id']}"
    picture = f"{address}/card.png" if can_draw() else ""
    return PageCard(card.title, card.sentence, address, picture)


def _choice_page(request: Request, job: Plain, view: dict[str, Any]) -> Response:
    players = [
        {"name": each["name"], "words": plural(each["games"], "game")}
        for each in job["players"] or ()
    ]
    if any("colour" in each for each in job["players"] or ()):
        question = "The games name no players. Whose moves shall be measured?"
    elif len(players) == 2:
        question = "There are two players in these games. Which one are you after?"
    else:
        question = "No single player is in all of these games. Which one are you after?"
    hours = request.app.state.service.settings.keep_choice_hours
    return page(
        request,
        "choose",
        title="Which player?",
        job=view,
        question=question,
        players=players,
        until=f"Your files are kept until you choose, for {days_words(hours / 24.0)} at most.",
    )


def _end_page(request: Request, job: Plain, view: dict[str, Any]) -> Response:
    root = root_of(request)
    if job["status"] == "cancelled":
        heading, tone, lines = (
            "Stopped",
            "warn",
            ["The measurement was stopped, and its files are deleted."],
        )
    else:
        heading, tone = "No result", "bad"
        lines = error_lines(job["error"] or {"message": "The job failed"})
    return page(
        request,
        "message",
        title=heading,
        heading=heading,
        tone=tone,
        lines=lines,
        again=f"{root}/r/{job['id']}/retry" if job["can_retry"] and view["steered"] else "",
        onward="Measure other games",
        job=view,
    )


def batch_page(request: Request, batch: Plain, *, owned: bool) -> Response:
    """The jobs of a batch, each with its state."""
    root, done, total = root_of(request), batch["done"], batch["total"]
    columns = [
        Column("", _batch_name, "Player"),
        Column("", lambda job: _STATUS_WORDS[job["status"]], "State"),
        Column("", lambda job: (job["result"] or {}).get("rank"), "Rank"),
        Column("", lambda job: "Open", "Result", link=lambda job: f"{root}/r/{job['id']}"),
    ]
    table = Table(columns, batch["jobs"], caption="The results and how far they are")
    going = batch["status"] != "done"
    return page(
        request,
        "batch",
        title="Batch",
        refresh=_REFRESH if going else 0,
        heading=f"{plural(total, 'result')} of one upload",
        watched=f"{root}/b/{batch['id']}/state" if going else "",
        share=done / total,
        words=f"{done} of {total} done.",
        content=content(Document("", sections=[Section("", [table])])),
        page=f"{root}/b/{batch['id']}",
        owned=owned,
    )


def _batch_name(job: Plain) -> str:
    return str((job["result"] or {}).get("player") or job["options"].get("player") or job["kind"])
