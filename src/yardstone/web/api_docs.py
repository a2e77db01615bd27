"""What OpenAPI says of forms, streams and refusals, which code alone does not tell."""

from __future__ import annotations

from typing import Any

from yardstone.web.kinds import KINDS, Kind
from yardstone.web.kinds.fields import ChoiceField, PlayersField
from yardstone.web.kinds.fields import Field as FormField
from yardstone.web.options import LONGEST_KEY
from yardstone.web.schemas import Refusal
from yardstone.web.sniff import FILES

__all__ = [
    "batch_form_body",
    "csv_answers",
    "form_body",
    "kind_form_body",
    "refusal_answers",
    "stream_answers",
]

_FILES = {
    "type": "array",
    "items": {"type": "string", "format": "binary"},
    "minItems": 1,
    "description": f"{FILES}, also compressed or in zip archives.",
}
_MEANINGS = {
    400: "The request cannot be read.",
    403: "The owner's key is missing or wrong.",
    404: "There is nothing at this address.",
    408: "The files came too slowly.",
    409: "Its status does not allow that.",
    410: "It has expired and was deleted.",
    413: "More than the limits allow.",
    415: "A kind of file that is not known.",
    422: "Something in it cannot be used.",
    429: "Too much at once: come again after `Retry-After` seconds.",
}


def refusal_answers(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The refusals that an operation knows, beside those of all."""
    return {
        status: {"model": Refusal, "description": _MEANINGS[status]}
        for status in sorted({*statuses, 422, 429})
    }


def _schema(field: FormField) -> dict[str, Any]:
    return {**field.schema(), **({"description": field.about} if field.about else {})}


def form_body() -> dict[str, Any]:
    """Keywords for an operation that takes a form of any kind.

    Where the kinds have different defaults of a field, none is named.
    """
    kinds = ChoiceField(
        name="kind",
        values=("auto", *KINDS),
        about="What to make of the files; by default they tell.",
    )
    schemas = {kinds.name: _schema(kinds)}
    for field in (field for kind in KINDS.values() for field in kind.fields):
        schema = _schema(field)
        known = schemas.setdefault(field.name, schema)
        if known != schema:
            known.pop("default", None)
    return _form(schemas)


def kind_form_body(kind: Kind) -> dict[str, Any]:
    """The same for a form of one kind."""
    return _form({field.name: _schema(field) for field in kind.fields})


def batch_form_body(kind: Kind) -> dict[str, Any]:
    """The same for a form with several players."""
    schemas = {}
    for field in kind.fields:
        schema = _schema(field)
        if isinstance(field, PlayersField):
            words = f"The field `{field.name}`, once for each."
            schema = {
                "type": "array", "items": field.schema(), "minItems": 1, "description": words,
            }  # fmt: skip
        if not field.optional:
            schemas[field.name] = schema
    return _form(schemas, "player")


def _form(fields: dict[str, dict[str, Any]], *required: str) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {"files": _FILES, **fields},
        "required": ["files", *required],
        "additionalProperties": False,
    }
    body = {"content": {"multipart/form-data": {"schema": schema}}, "required": True}
    return {
        "openapi_extra": {"requestBody": body, "parameters": [_KEY]},
        "responses": refusal_answers(400, 408, 413, 415),
    }


def stream_answers(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Answers of an operation that gives server-sent events."""
    events = {"description": "Events.", "content": {"text/event-stream": {"schema": _EVENT}}}
    return {200: events, **refusal_answers(*statuses)}


def csv_answers(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Answers of an operation that gives CSV."""
    table = {"description": "The table.", "content": {"text/csv": {"schema": _TEXT}}}
    return {200: table, **refusal_answers(*statuses)}


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
