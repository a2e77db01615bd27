"""A real browser for tests of pages: Debian's chromium."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.needed import program

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@contextmanager
def chromium() -> Iterator[Browser]:
    path = program("chromium", "chromium-browser", package="chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-gpu"]
        result = playwright.chromium.launch(executable_path=path, args=options)
        yield result
        result.close()
