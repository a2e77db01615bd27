"""The pages of a job, from its progress to its result, and of the examples."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from starlette.requests import Request
from starlette.responses import Response

from yardstone.files import scratch_folder
from yardstone.reports.document import Column, Document, Section, Table
from yardstone.reports.drawing import Discs, Element, Shape, Sheet, Words, broken, cut
from yardstone.reports.words import plural
from yardstone.web.kinds import KINDS, Query, View
from yardstone.web.kinds.kind import Card, readable
from yardstone.web.pages import render
from yardstone.web.problems import RequestProblem
from yardstone.web.service import result_of
from yardstone.web.store import sent_key

FOLDER = Path(__file__).parent / "samples"


@dataclass(frozen=True)
class _Sample:
    """An example whose result is shown: files of ``examples/`` with their formats, and fields."""

    files: Sequence[tuple[str, str]]
    about: str
    fields: Mapping[str, str] = field(default_factory=dict)


#: By kind of job. ``python -m tools.samples`` makes the results.
SAMPLES: Mapping[str, _Sample] = {
    "go": _Sample(
        [("professional.sgf", "sgf")],
        "one game between two professionals, 2017",
        {"player": "Park Junghwan", "others": "yes"},
    ),
    "results": _Sample([("league.csv", "csv")], "a league of eight chess engines"),
    "backgammon": _Sample([("backgammon.mat", "mat")], "a match to 3 points"),
}


@cache
def start_samples() -> list[dict[str, Any]]:
    """A part of each result, made by the documents that make the whole ones, and what it is."""
    shown = []
    for name, sample in SAMPLES.items():
        glance = KINDS[name].glance(sample_result(name))
        about = {"kind": KINDS[name], "title": glance.title, "about": sample.about}
        shown.append({**about, "content": render.content(glance)})
    return shown


@cache
def sample_result(kind: str) -> dict[str, Any]:
    """The result of a sample, as a worker makes it."""
    result: dict[str, Any] = json.loads((FOLDER / f"{kind}.json").read_text("utf-8"))
    return result


#: Of the layout, in pixels; the file has twice as many either way: 1200 by 630.
_WIDTH, _HEIGHT = 600.0, 315.0
_MARGIN = 36.0
_TITLE, _SENTENCE, _SITE = 34.0, 19.0, 16.0
_LOCK = threading.Lock()


@cache
def can_draw() -> bool:
    """Whether pictures can be made here."""
    return find_spec("matplotlib") is not None


@lru_cache(maxsize=64)
def card_png(card: Card, site: str) -> bytes:
    """The picture of a card, with the title of the site: a PNG of 1200 by 630 pixels."""
    from yardstone.reports.drawing import save

    with _LOCK, scratch_folder() as folder:
        path = folder / "card.png"
        save(_sheet(card, site), path, card.title)
        return path.read_bytes()


def _sheet(card: Card, site: str) -> Sheet:
    room = _WIDTH - 2.0 * _MARGIN
    elements: list[Element] = [
        Shape([_box(0.0, 0.0, _WIDTH, _HEIGHT)], fill="paper"),
        Shape([_box(0.0, 0.0, 10.0, _HEIGHT)], fill="c1"),
        Words(cut(site, room, _SITE), _MARGIN, 38.0, size=_SITE, colour="soft"),
    ]
    y = 52.0
    texts = (card.title, _TITLE, True, 2), (card.sentence, _SENTENCE, False, 3)
    for text, size, bold, most in texts:
        for line in broken(text, room, size, bold=bold)[:most]:
            y += 1.2 * size
            elements.append(Words(line, _MARGIN, y, size=size, bold=bold))
        y += 6.0
    return Sheet(_WIDTH, _HEIGHT, [*elements, *_ranges(card, y + 14.0, _HEIGHT - 28.0)])


def _ranges(card: Card, top: float, bottom: float) -> list[Element]:
    if not card.ranges or bottom - top < 8.0:
        return []
    places = [end for ends in card.ranges for end in ends] + [at for at, _ in card.ticks]
    low, width = min(places), max(max(places) - min(places), 1e-9)

    def across(value: float) -> float:
        return _MARGIN + 10.0 + (_WIDTH - 2.0 * _MARGIN - 20.0) * (value - low) / width

    step = min((bottom - top) / len(card.ranges), 26.0)
    elements: list[Element] = []
    for at, text in card.ticks:
        x, end = across(at), top + step * len(card.ranges)
        elements.append(Shape([np.array([[x, top], [x, end]])], stroke="line"))
        elements.append(Words(text, x, end + 18.0, size=14.0, anchor="middle", colour="soft"))
    for place, ends in enumerate(card.ranges):
        left, middle, right = map(across, ends)
        y = top + (place + 0.5) * step
        line = np.array([[left, y], [right, y]])
        elements += [
            Shape([line], stroke="c1", width=min(0.3 * step, 4.0)),
            Discs(np.array([[middle, y]]), min(0.36 * step, 8.0), fill="c1"),
        ]
    return elements


def _box(left: float, top: float, right: float, bottom: float) -> np.ndarray:
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]])


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
    """The page for the state that a job, as ``GET /api/jobs/ID`` tells it, is in."""
    view = _job_view(request, job)
    if job["status"] == "done":
        try:
            return _result_page(request, job, view, query)
        except RequestProblem as problem:  # with a form to do the same again
            values = {"kind": job["kind"], **job["options"]}
            fields = {name: value for name, value in values.items() if value is not None}
            lines = render.error_lines(problem.as_dict())
            heading = "This result cannot be shown any more"
            return render.message(request, heading, "warn", *lines, job=view, resent=fields)
    if job["status"] == "needs_player":
        return _choice_page(request, job, view)
    if job["status"] == "cancelled":
        words = "The measurement was stopped, and its files are deleted."
        return render.message(request, "Stopped", "warn", words, job=view)
    if job["status"] == "failed":
        lines = render.error_lines(job["error"] or {"message": "The job failed"})
        again = f"{view['page']}/retry" if job["can_retry"] and view["steered"] else ""
        return render.message(request, "No result", "bad", *lines, again=again, job=view)
    state = render.progress(job)
    heading = KINDS[job["kind"]].heading
    return render.page(
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
    root = render.root_of(request)
    own, api = f"{root}/r/{job['id']}", f"{root}/api/jobs/{job['id']}"
    site = render.address_of(request)
    service, key = request.app.state.service, sent_key(request)
    done = job["status"] == "done"
    exports = [("JSON", f"{api}/result.json"), ("CSV", f"{api}/result.csv")] if done else []
    skipped, total = job["skipped"], job["skipped_total"]
    first = f" (the first {_LISTED})" if total > _LISTED else ""
    lines = [(render.place_words(each), each["reason"]) for each in skipped[:_LISTED]]
    return {
        "page": own,
        "address": f"{site}/r/{job['id']}",
        "owner_link": f"{site}/r/{job['id']}/own/{key}" if service.owns(job["id"], key) else "",
        "steered": service.may_steer(job["id"], key),
        "expires": job["expires"],
        "expires_words": render.moment_words(job["expires"]),
        "exports": exports,
        "skipped": [f"{place}: {reason}" if place else reason for place, reason in lines],
        "skipped_words": f"{plural(total, 'record')} could not be used{first}",
    }


def _result_page(request: Request, job: Plain, view: dict[str, Any], query: Query) -> Response:
    stored = result_of(job)
    with readable():
        result = KINDS[job["kind"]].view(stored, query)
        kept = ""
        if result.kept is not None:
            finished, expires = job["finished"], job["expires"]
            times = {"measured": finished, "expires": expires, "address": query.address}
            kept = json.dumps({**result.kept, **times}, ensure_ascii=False)
        drawn = KINDS[job["kind"]].card(stored)
        address = f"{render.address_of(request)}/r/{job['id']}"
        picture = f"{address}/card.png" if can_draw() else ""
        card = render.PageCard(drawn.title, drawn.sentence, address, picture)
        return _shown(request, result, job=view, kept=kept, card=card)


def example_page(request: Request, kind: str, query: Query) -> Response:
    """The result of an example of the package, as its page would be."""
    result = KINDS[kind].view(sample_result(kind), query)
    return _shown(request, result, private=False, example=SAMPLES[kind].about)


def _shown(request: Request, result: View, **more: Any) -> Response:
    return render.page(
        request,
        "result",
        title=result.title or result.document.title,
        heading=result.document.title,
        content=render.content(result.document),
        links=result.links,
        says_skipped=result.says_skipped,
        **{"job": None, "kept": "", "example": "", **more},
    )


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
    time = render.days_words(request.app.state.service.settings.keep_choice_hours / 24.0)
    return render.page(
        request,
        "choose",
        title="Which player?",
        job=view,
        question=question,
        players=players,
        until=f"Your files are kept until you choose, for {time} at most.",
    )


def batch_page(request: Request, batch: Plain, *, owned: bool) -> Response:
    """The jobs of a batch, each with its state."""
    root, state = render.root_of(request), batch_progress(batch)

    def name(job: Plain) -> str:
        known = (job["result"] or {}).get("player") or job["options"].get("player")
        return str(known or job["kind"])

    columns = [
        Column("", name, "Player"),
        Column("", lambda job: _STATUS_WORDS[job["status"]], "State"),
        Column("", lambda job: (job["result"] or {}).get("rank"), "Rank"),
        Column("", lambda job: "Open", "Result", link=lambda job: f"{root}/r/{job['id']}"),
    ]
    table = Table(columns, batch["jobs"], caption="The results and how far they are")
    return render.page(
        request,
        "batch",
        title="Batch",
        refresh=_REFRESH if state["going"] else 0,
        heading=f"{plural(batch['total'], 'result')} of one upload",
        watched=f"{root}/b/{batch['id']}/state" if state["going"] else "",
        share=state["share"],
        words=state["words"],
        content=render.content(Document("", sections=[Section("", [table])])),
        page=f"{root}/b/{batch['id']}",
        owned=owned,
    )


def batch_progress(batch: Plain) -> dict[str, Any]:
    """How far a batch is, for a bar and a sentence, as `render.progress` tells of a job."""
    done, total = batch["done"], batch["total"]
    words, going = f"{done} of {total} done.", batch["status"] != "done"
    return {"going": going, "share": done / total, "words": words, "stage": "running"}
