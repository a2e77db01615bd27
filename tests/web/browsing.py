"""Pages in a real browser, Debian's chromium, that neither complain nor ask strangers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

#: Milliseconds that a page may take on a busy machine.
PATIENCE = 60_000
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True,
}  # fmt: skip
_CONTRAST = (Path(__file__).parent / "contrast.js").read_text("utf-8")


@contextmanager
def opened(
    browser: Browser, url: str, path: str = "/", *, calm: bool = True, **more: Any
) -> Iterator[Page]:
    """A page that may complain only of a server that refuses or is gone, if it is not `calm`."""
    context = browser.new_context(**({"viewport": {"width": 1280, "height": 900}} | more))
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    complaints: list[str] = []
    errors: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(url + path)
    yield page
    assert errors + (complaints if calm else []) == []
    assert [each for each in asked if not each.startswith(url + "/")] == []
    context.close()


def readable(page: Page, what: str) -> None:
    """Assert that all text has enough contrast, on light and dark screens."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = page.evaluate(_CONTRAST)
        assert len(found) > 4, what
        weak = [each for each in found if each["ratio"] < (3.0 if each["large"] else 4.5)]
        assert weak == [], (what, scheme)


def fits(page: Page, what: str) -> None:
    """Assert that the page is no wider than screens of two widths."""
    for width in (1280, 320):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width, (what, width)
