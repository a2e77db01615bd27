"""How pages are made: words for limits and moments, templates, the page of a refusal."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, PrefixLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

import yardstone
from yardstone.reports.document import Document
from yardstone.reports.page import document_fragment, script, style
from yardstone.reports.words import plural
from yardstone.web.kinds import KINDS
from yardstone.web.problems import RequestProblem, refusal
from yardstone.web.settings import footer_html

Plain = Mapping[str, Any]

_STAGES = {
    "waiting": "Waiting",
    "reading": "Reading the files",
    "fetching": "Fetching the games",
    "analysing": "Analysing",
    "searching": "Searching the costly moves",
    "rating": "Rating",
    "finished": "Finished",
}


def size_words(number: int) -> str:
    """Bytes for people.

    Examples:
        >>> size_words(16 << 20), size_words(1500), size_words(3 << 19)
        ('16 MB', '1 kB', '1.5 MB')
    """
    if number >= 1 << 20:
        return f"{number / (1 << 20):.1f}".removesuffix(".0") + " MB"
    return f"{number >> 10} kB" if number >= 1 << 10 else plural(number, "byte")


def days_words(days: float) -> str:
    """A stretch of time in days, or in hours if it is less than one."""
    if days >= 1.0:
        return plural(round(days), "day")
    return plural(max(round(24.0 * days), 1), "hour")


def limits_table(limits: Plain) -> list[tuple[str, str]]:
    """All limits that a visitor can run into, and what happens with the files."""
    return [
        ("Files at once", f"{limits['files']:,}"),
        ("One file", size_words(limits["file_bytes"])),
        ("All files together", size_words(limits["request_bytes"])),
        ("Files within archives", f"{limits['zip_entries']:,}"),
        ("Unpacked", size_words(limits["unpacked_bytes"])),
        *((kind.short, kind.allowance(limits)) for kind in KINDS.values()),
        ("Time to compute", plural(max(limits["seconds"] // 60, 1), "minute")),
        ("Jobs at once", plural(limits["queue_client"], "job")),
        ("Results are kept for", days_words(limits["keep_days"])),
    ]


def moment_words(moment: str | None) -> str:
    """A moment for people, in UTC.

    Examples:
        >>> moment_words("2026-12-01T09:05:00Z")
        '1 December 2026, 09:05 UTC'
    """
    if moment is None:
        return "an unknown day"
    at = datetime.fromisoformat(moment)
    return f"{at.day} {at:%B %Y, %H:%M} UTC"


def sentence(text: str, place: str = "") -> str:
    """A message as a sentence, after the place that it is about.

    Examples:
        >>> sentence("send even games"), sentence("there is no move", "a.sgf, line 2")
        ('Send even games.', 'a.sgf, line 2: there is no move.')
    """
    whole = f"{place}: {text}" if place else text[:1].upper() + text[1:]
    return whole if whole.endswith((".", "!", "?", "…")) else whole + "."


def place_words(record: Plain) -> str:
    """Where an error or a left-out record stands: the file and its line, '' if nobody knows."""
    place = record.get("file") or ""
    return f"{place}, line {record['line']}" if place and record.get("line") else place


def error_lines(error: Plain) -> list[str]:
    """An error as JSON has it: where and what, then what to do."""
    hint = error.get("hint")
    return [sentence(error["message"], place_words(error)), *([sentence(hint)] if hint else [])]


def progress(job: Plain) -> dict[str, Any]:
    """The state of a job for a bar and a sentence: ``going, share, words, stage``.

    The share is None while nobody knows how much there is to do.
    """
    status, state = job["status"], job["progress"]
    stage, done, total = str(state["stage"]), state["done"], state["total"]
    share = None
    text = _STAGES.get(stage, stage.capitalize() or "Working")
    if status == "queued":
        stage, ahead = "queued", job["ahead"] or 0
        words = f"Waiting: {plural(ahead, 'job')} before yours." if ahead else "You are next."
    elif not total:
        words = f"{text} …"
    else:
        share = round(state["fraction"], 4)
        words = f"{text}: {100 * done // total} %."
        if stage == "analysing":
            words = f"{text}: {min(done, total):,} of {plural(total, *KINDS[job['kind']].counted)}."
    going = status in ("queued", "running")
    return {"going": going, "share": share, "words": words, "stage": stage}


_CSS, _SCRIPT = "text/css; charset=utf-8", "text/javascript; charset=utf-8"
#: Files that pages refer to, with their types.
ASSETS = {
    "yardstone.css": _CSS,
    "yardstone.js": _SCRIPT,
    "desk.css": _CSS,
    "desk.js": _SCRIPT,
    "icon.svg": "image/svg+xml",
}
#: What they begin with: that of reports, which is the same on pages of the command.
_SHARED: dict[str, Callable[[], str]] = {_CSS: style, _SCRIPT: script}
#: Files that stand in them, each with one idea.
_PARTS = {
    "yardstone.js": ("pages/static/yardstone.js", "pages/static/past.js"),
    "desk.css": ("pages/static/yardstone.css", "desk/static/desk.css"),
    "desk.js": ("desk/static/desk.js",),
}


@cache
def asset_bytes(name: str) -> bytes:
    """One of `ASSETS`."""
    web = resources.files("yardstone.web")
    parts = _PARTS.get(name, (f"pages/static/{name}",))
    own = b"".join(web.joinpath(part).read_bytes() for part in parts)
    return _SHARED[ASSETS[name]]().encode() + own if ASSETS[name] in _SHARED else own


@cache
def asset_mark(name: str) -> str:
    """What changes with the file, so that browsers may keep it for ever."""
    return hashlib.sha256(asset_bytes(name)).hexdigest()[:12]


#: Methods of an address that only shows something.
READ = ["GET", "HEAD"]
_YEAR = 31_536_000


def asset(name: str, v: str = "") -> Response:
    """Answer with one of `ASSETS`."""
    if name not in ASSETS:
        raise refusal("not_found")
    lasting = f"public, max-age={_YEAR}, immutable" if v == asset_mark(name) else "no-cache"
    return Response(asset_bytes(name), media_type=ASSETS[name], headers={"Cache-Control": lasting})


@dataclass(frozen=True, slots=True)
class PageCard:
    """What other sites show of a link: `picture` is the address of one, or ''."""

    title: str
    sentence: str
    address: str
    picture: str = ""


@cache
def _environment() -> Environment:
    desk = PackageLoader("yardstone.web.desk", "templates")
    return Environment(
        loader=ChoiceLoader(
            [PackageLoader("yardstone.web.pages", "templates"), PrefixLoader({"desk": desk})]
        ),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def content(document: Document) -> Markup:
    """A report as part of a page."""
    return Markup(document_fragment(document))


def root_of(request: Request) -> str:
    """The path under which the whole site is served; '' at the root."""
    return str(request.app.state.service.settings.root_path)


def address_of(request: Request) -> str:
    """What the addresses of this site begin with, as the outside knows it, with its path."""
    root = root_of(request)
    public = str(request.app.state.service.settings.public_url).rstrip("/")
    if public:
        return public + root
    own = str(request.base_url).rstrip("/")
    return (own.removesuffix(root) if root else own) + root


def page(
    request: Request,
    template: str,
    *,
    status: int = 200,
    private: bool = True,
    refresh: int = 0,
    card: PageCard | None = None,
    retry_after: int | None = None,
    **values: Any,
) -> HTMLResponse:
    """A page, made from a template with `values`; templates of the desk begin with ``desk/``.

    A `private` one is kept out of caches and search engines; a browser without scripts asks again
    after `refresh` seconds, 0 for never; other sites show the `card` of a link to it.
    """
    root, settings = root_of(request), request.app.state.service.settings
    made = _environment().get_template(f"{template}.html.j2")
    text = made.render(
        root=root,
        asset=lambda name: f"{root}/static/{name}?v={asset_mark(name)}",
        private=private,
        refresh=refresh,
        version=yardstone.__version__,
        site={"title": settings.title, "footer": footer_html(settings.footer)},
        card=card,
        **values,
    )
    headers = {"Cache-Control": "no-store" if private else "public, max-age=300"}
    if retry_after is not None:
        headers["Retry-After"] = str(retry_after)
    return HTMLResponse(text, status, headers=headers)


def message(request: Request, heading: str, tone: str, *lines: str, **more: Any) -> HTMLResponse:
    """A page that says something, good or bad, and leads onward, or to the address `again`.

    `resent` are fields with which files can be sent again from here.
    """
    usual = {"again": "", "onward": "Measure other games", "job": None, "resent": None}
    shown = {"title": heading, "heading": heading, "tone": tone, "lines": lines, **usual, **more}
    return page(request, "message", **shown)


_HEADINGS = {
    403: "That is for the owner alone",
    404: "Not found",
    405: "Not possible here",
    410: "This result has expired",
    413: "Too much at once",
    415: "These files cannot be used",
    422: "These files cannot be used",
    429: "Too much at once",
    500: "Something went wrong here",
    503: "Not at the moment",
}


def problem_page(request: Request, problem: RequestProblem) -> Response:
    """The refusal, with its status."""
    heading = _HEADINGS.get(problem.status, "That did not work")
    return message(
        request,
        heading,
        "bad",
        *error_lines(problem.as_dict()),
        onward="Measure games",
        status=problem.status,
        retry_after=problem.retry_after,
    )
