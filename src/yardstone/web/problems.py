"""What a visitor did that cannot be done, and what to do about it."""

from __future__ import annotations

from typing import Any

from yardstone.errors import InputError, UsageError, YardstoneError

__all__ = ["DatabaseAway", "RequestProblem", "described", "missing"]


class RequestProblem(YardstoneError):
    """A request that is refused.

    Args:
        status: Status of HTTP.
        code: A word for programs, such as ``too_large``.
        message, hint: What is wrong, and what the visitor can do.
        file, line: Where it stands: the file as the visitor called it, and its line from 1.
        retry_after: Seconds until another try makes sense.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        hint: str = "",
        *,
        file: str | None = None,
        line: int | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.hint = hint
        self.file = file
        self.line = line
        self.retry_after = retry_after

    def as_dict(self) -> dict[str, Any]:
        """The problem as JSON has it."""
        return {
            "code": self.code,
            "message": self.message,
            "hint": self.hint or None,
            "file": self.file,
            "line": self.line,
        }


class DatabaseAway(YardstoneError):
    """The database does not answer at the moment."""

    def __init__(self) -> None:
        super().__init__("the database does not answer at the moment")


def described(error: YardstoneError) -> dict[str, Any]:
    """An error of the library as JSON has it, with a file as the visitor called it."""
    if isinstance(error, RequestProblem):
        return error.as_dict()
    place = isinstance(error, InputError)
    return {
        "code": "usage" if isinstance(error, UsageError) else "input" if place else "model",
        "message": error.message if isinstance(error, InputError) else str(error),
        "hint": error.hint if isinstance(error, InputError) else None,
        "file": error.file if isinstance(error, InputError) else None,
        "line": error.line if isinstance(error, InputError) else None,
    }


def missing() -> RequestProblem:
    """No job has this address."""
    return RequestProblem(
        404, "not_found", "There is nothing at this address.", "Check it, or send the files again."
    )
