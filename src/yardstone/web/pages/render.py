"""Templates filled, and the files they refer to."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import metadata, resources
from typing import TYPE_CHECKING, Any

from markupsafe import Markup
from starlette.responses import HTMLResponse

from yardstone.reports.faces.page import document_fragment, script, style
from yardstone.web.site import site_of

if TYPE_CHECKING:
    from jinja2 import Environment
    from starlette.requests import Request

    from yardstone.reports.document import Document

__all__ = ["ASSETS", "PageCard", "asset_bytes", "asset_mark", "content", "page", "root_of"]

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


@dataclass(frozen=True, slots=True)
class PageCard:
    """What other sites show of a link: `picture` is the address of one, or ''."""

    title: str
    sentence: str
    address: str
    picture: str = ""


@cache
def _version() -> str:
    return metadata.version("yardstone")


@cache
def _environment() -> Environment:
    from jinja2 import ChoiceLoader, Environment, PackageLoader, PrefixLoader, StrictUndefined

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
    title: str,
    status: int = 200,
    private: bool = True,
    refresh: int = 0,
    card: PageCard | None = None,
    **values: Any,
) -> HTMLResponse:
    """A page.

    Parameters
    ----------
    request : Request
    template : str
        Name of the template, without its ending; those of the desk begin with ``desk/``.
    title : str
        Of the window.
    status : int
    private : bool
        Keep it out of caches and search engines.
    refresh : int
        Seconds after which a browser without scripts asks again; 0 for never.
    card : PageCard, optional
        What other sites show of a link to the page.
    **values
        What the template shows.
    """
    root = root_of(request)

    def asset(name: str) -> str:
        return f"{root}/static/{name}?v={asset_mark(name)}"

    text = (
        _environment()
        .get_template(f"{template}.html.j2")
        .render(
            title=title,
            root=root,
            asset=asset,
            private=private,
            refresh=refresh,
            version=_version(),
            site=site_of(request),
            card=card,
            **values,
        )
    )
    caching = "no-store" if private else "public, max-age=300"
    return HTMLResponse(text, status, headers={"Cache-Control": caching})
