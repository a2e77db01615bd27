"""What OpenAPI says of forms, streams and refusals, which code alone does not tell."""

from __future__ import annotations

from typing import Any

from yardstone.web.jobs import KINDS
from yardstone.web.options import COLOURS, LONGEST_KEY, OFFSETS, SCALES, SIDES, UNREAD
from yardstone.web.schemas import Refusal

__all__ = ["FIELDS", "csv", "form", "refusals", "stream"]

_FILES = {
    "type": "array",
    "items": {"type": "string", "format": "binary"},
    "minItems": 1,
    "description": "SGF, PGN, CSV or .mat files, also compressed or in zip archives.",
}
_NAME = {"type": "string", "minLength": 1, "maxLength": 200}
#: What the schema says of each field of a form.
FIELDS: dict[str, dict[str, Any]] = {
    "files": _FILES,
    "kind": {
        "type": "string",
        "enum": ["auto", *KINDS],
        "default": "auto",
        "description": "What to make of the files; by default they tell.",
    },
    "player": {**_NAME, "description": "Whose strength; by default who plays in all games."},
    "players": {
        "type": "array",
        "items": _NAME,
        "minItems": 1,
        "description": "The field `player`, once for each.",
    },
    "colour": {
        "type": "string",
        "enum": list(COLOURS),
        "description": "Take all moves of a colour, in place of those of a player.",
    },
    "scale": {"type": "string", "enum": list(SCALES), "default": "fox"},
    "level": {
        "type": "number",
        "minimum": 0.5,
        "maximum": 0.999,
        "description": "Level of the intervals.",
    },
    "first": {
        "type": "string",
        "enum": list(SIDES),
        "default": "auto",
        "description": "Who moves first in a table; auto: as columns and results tell.",
    },
    "unread": {
        "type": "string",
        "enum": list(UNREAD),
        "default": "refuse",
        "description": "What to do if a value of the result is not understood, or more than 5 % "
        "of the records cannot be read: refuse, or skip them.",
    },
    "average": {
        "type": "number",
        "minimum": -1e6,
        "maximum": 1e6,
        "default": 2300,
        "description": "Mean rating of each group of players.",
    },
    "offset": {
        "type": "string",
        "enum": list(OFFSETS),
        "default": "fibs",
        "description": "The site whose rating of perfect play is meant.",
    },
}
_MEANINGS = {
    400: "The request cannot be read.",
    404: "There is nothing at this address.",
    408: "The files came too slowly.",
    409: "Its status does not allow that.",
    410: "It has expired and was deleted.",
    413: "More than the limits allow.",
    415: "A kind of file that is not known.",
    422: "Something in it cannot be used.",
    429: "Too much at once: come again after `Retry-After` seconds.",
}


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The refusals that an operation knows, beside those of all."""
    return {
        status: {"model": Refusal, "description": _MEANINGS[status]}
        for status in sorted({*statuses, 422, 429})
    }


def form(*names: str) -> dict[str, Any]:
    """Keywords for an operation that takes a form with these fields."""
    properties = {"player" if name == "players" else name: FIELDS[name] for name in names}
    required = [name for name in ("files", "player") if name == "files" or "players" in names]
    schema = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    body = {"content": {"multipart/form-data": {"schema": schema}}, "required": True}
    return {
        "openapi_extra": {"requestBody": body, "parameters": [_KEY]},
        "responses": refusals(400, 408, 413, 415),
    }


def stream(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Answers of an operation that gives server-sent events."""
    events = {"description": "Events.", "content": {"text/event-stream": {"schema": _EVENT}}}
    return {200: events, **refusals(*statuses)}


def csv(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Answers of an operation that gives CSV."""
    table = {"description": "The table.", "content": {"text/csv": {"schema": _TEXT}}}
    return {200: table, **refusals(*statuses)}


_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "maxLength": LONGEST_KEY},
    "description": "A request that comes again with the same key is the same job.",
}
_TEXT = {"type": "string"}
_EVENT = {
    "type": "object",
    "properties": {
        "event": {"type": "string", "enum": ["state", "end", "gone"]},
        "data": {"type": "string", "description": "A job, as JSON."},
    },
    "required": ["event", "data"],
}
