"""Errors of any kind as refusals, and who answers them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from yardstone.errors import YardstoneError
from yardstone.web.problems import DatabaseAway, RequestProblem, described

if TYPE_CHECKING:
    from fastapi import FastAPI, Request
    from fastapi.responses import Response

__all__ = ["add_handlers", "plain_answer", "problem_of"]

_LOGGER = logging.getLogger("yardstone.web")
_WORDS = {
    400: ("unreadable", "The request cannot be read."),
    404: ("not_found", "There is nothing at this address."),
    413: ("too_large", "The body is too long."),
    405: ("not_allowed", "That cannot be done at this address."),
}
_HINTS = {404: "Check it.", 413: "Send less."}


def add_handlers(
    app: FastAPI, refused: Callable[[Request, RequestProblem], Response], *, hint: str
) -> None:
    """Have every error of an application answered.

    Parameters
    ----------
    app : FastAPI
    refused : callable
        The answer to a request with a problem.
    hint : str
        Where it says what can be asked for.
    """

    async def refuse(request: Request, error: Exception) -> Response:
        return refused(request, problem_of(error, hint=hint))

    for kind in (
        YardstoneError,
        RequestValidationError,
        HTTPException,
        SQLAlchemyError,
        OSError,
        ClientDisconnect,
        Exception,
    ):
        app.add_exception_handler(kind, refuse)


def problem_of(error: Exception, *, hint: str) -> RequestProblem:
    """Any error as a refusal."""
    if isinstance(error, RequestProblem):
        return error
    if isinstance(error, DatabaseAway):
        return RequestProblem(
            503, "storage", "The server cannot reach its data at the moment.", "Try again soon.",
            retry_after=5,
        )  # fmt: skip
    if isinstance(error, YardstoneError):
        plain = described(error)
        return RequestProblem(422, plain["code"], plain["message"], plain["hint"] or "")
    if isinstance(error, RequestValidationError):
        first: dict[str, Any] = dict(error.errors()[0])
        place = ".".join(str(each) for each in first["loc"][1:]) or "the body"
        return RequestProblem(422, "invalid", f"{place}: {first['msg']}.", hint)
    if isinstance(error, HTTPException):
        code, message = _WORDS.get(error.status_code, ("refused", "That cannot be done."))
        return RequestProblem(error.status_code, code, message, _HINTS.get(error.status_code, hint))
    if isinstance(error, ClientDisconnect):
        return RequestProblem(400, "broken_off", "The request broke off.", "Send it again.")
    _LOGGER.error("an answer failed", exc_info=error)
    if isinstance(error, (SQLAlchemyError, OSError)):
        return RequestProblem(
            503, "storage", "The server cannot store anything at the moment.", "Try again later.",
            retry_after=30,
        )  # fmt: skip
    return RequestProblem(500, "internal", "Something went wrong here.", "Try again later.")


def plain_answer(problem: RequestProblem) -> Response:
    """A refusal for programs."""
    headers = {} if problem.retry_after is None else {"Retry-After": str(problem.retry_after)}
    return JSONResponse({"error": problem.as_dict()}, problem.status, headers=headers)
