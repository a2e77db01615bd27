"""The desk of a tournament in the browser: helpers enter, pair and take results; players read."""

from __future__ import annotations

__all__: list[str] = []
