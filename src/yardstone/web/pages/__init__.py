"""The pages that people see: the form, the progress, the results, the refusals."""

from __future__ import annotations

from yardstone.web.pages.render import problem_page
from yardstone.web.pages.routes import router

__all__ = ["problem_page", "router"]
