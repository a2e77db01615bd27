"""What an operator puts on every page: the title of the site, and a footer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from yardstone.errors import UsageError

if TYPE_CHECKING:
    from starlette.requests import Request

__all__ = ["Site", "footer_html", "site_of"]

#: ``[words](address)`` and ``**words**``.
_MARKUP = re.compile(r"\[([^\]\n]+)\]\(([^()\s]+)\)|\*\*([^*\n]+)\*\*")
#: Where links of a footer may lead: other sites, letters, and pages of this one.
_TARGET = re.compile(r"https?://[^\s\"'<>]+|mailto:[^\s\"'<>]+|/(?!/)[^\s\"'<>]*")


@dataclass(frozen=True, slots=True)
class Site:
    """What every page shows of who runs it."""

    title: str
    footer: Markup


def site_of(request: Request) -> Site:
    """The site that a request is for."""
    settings = request.app.state.service.settings
    return Site(settings.title, footer_html(settings.footer))


@cache
def footer_html(text: str) -> Markup:
    """A footer as HTML: paragraphs, links and bold words; all else stays text.

    Parameters
    ----------
    text : str
        Blank lines part paragraphs; ``[words](address)`` is a link to ``https:``, ``http:``,
        ``mailto:`` or a path of this site, ``**words**`` is bold.

    Raises
    ------
    UsageError
        A link leads elsewhere.

    Examples
    --------
    >>> print(footer_html("Run by **Ann**. [Imprint](https://example.org/imprint)"))
    <p>Run by <strong>Ann</strong>. <a href="https://example.org/imprint">Imprint</a></p>
    """
    paragraphs = [part.strip() for part in re.split(r"\n\s*\n", text) if part.strip()]
    return Markup("\n").join(Markup("<p>{}</p>").format(_inline(part)) for part in paragraphs)


def _inline(text: str) -> Markup:
    made, end = Markup(""), 0
    for match in _MARKUP.finditer(text):
        made += escape(text[end : match.start()])
        words, target, bold = match.groups()
        if bold:
            made += Markup("<strong>{}</strong>").format(bold)
        elif _TARGET.fullmatch(target):
            made += Markup('<a href="{}">{}</a>').format(target, words)
        else:
            raise UsageError(
                f"footer: a link to {target!r}: write https://…, mailto:… or a path such as /terms"
            )
        end = match.end()
    return made + escape(text[end:])
