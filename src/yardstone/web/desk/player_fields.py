"""The fields of a player in forms, and changes of them that undo nobody else's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from yardstone.web.problems import RequestProblem

if TYPE_CHECKING:
    from yardstone.tournament.model import Player
    from yardstone.web.desk.pages import Form

__all__ = ["PLAYER_FIELDS", "changed_fields", "field_values", "shown_values"]

#: Name of a field, its label, and a hint.
PLAYER_FIELDS = (
    ("name", "Family name", ""),
    ("first_name", "Given name", ""),
    ("grade", "Grade", "3d, 12k or 1p; from the rating if empty"),
    ("rating", "Rating", "EGF's scale; from the grade if empty"),
    ("club", "Club", ""),
    ("country", "Country", "two letters"),
    ("correction", "McMahon correction", "points added at the start, from -1 to 2"),
)
_KINDS = {"rating": float, "correction": int}


def shown_values(player: Player) -> dict[str, str]:
    """A player's fields as a form shows them."""
    return {
        "name": player.name,
        "first_name": player.first_name,
        "grade": player.grade,
        "rating": "" if player.rating is None else f"{player.rating:g}",
        "club": player.club,
        "country": player.country,
        "correction": str(player.smms_correction),
    }


def field_values(texts: dict[str, str]) -> dict[str, Any]:
    """What fields of a form say; None where nothing stands.

    Raises
    ------
    RequestProblem
        A text is not a number.
    """
    return {name: _value(name, text) for name, text in texts.items()}


def _value(name: str, text: str) -> Any:
    kind = _KINDS.get(name)
    if kind is None:
        return text
    if not text:
        return None
    try:
        return kind(text.replace(",", "."))
    except ValueError:
        label = next(each[1] for each in PLAYER_FIELDS if each[0] == name)
        raise RequestProblem(422, "bad_number", f"{label}: {text!r} is not a number.") from None


def changed_fields(form: Form, player: Player) -> dict[str, Any]:
    """What a helper has changed, as far as nobody else has changed the same.

    The form says what it showed (``was_grade``) and what stands in it now (``grade``); what
    the helper has left alone stays as it is by now.

    Raises
    ------
    RequestProblem
        Somebody else has changed one of these fields meanwhile.
    """
    now = shown_values(player)
    changes: dict[str, str] = {}
    for name, label, _ in PLAYER_FIELDS:
        text, was = form.text(name), form.text(f"was_{name}")
        if text in (was, now[name]):
            continue
        if now[name] != was:
            raise RequestProblem(
                409,
                "changed_meanwhile",
                f"{label} of {player.full_name}: it was {was or 'empty'} when you began, is "
                f"{now[name] or 'empty'} by now, and you sent {text or 'nothing'}.",
                "Nothing was changed. Look at the player as it is now, and change it again.",
            )
        changes[name] = text
    values = field_values(changes)
    if "rating" in values and values["rating"] is None:
        raise RequestProblem(422, "bad_number", "The rating cannot be empty.", "Write a number.")
    return values
