"""The fields of the start page, as the kinds of job have them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from yardstone.web.kinds import KINDS, Kind
from yardstone.web.kinds.fields import Field

__all__ = ["FormField", "form_fields"]


@dataclass(frozen=True, slots=True)
class FormField:
    """A field on the page; without `choices` it takes any text."""

    name: str
    label: str
    hint: str
    choices: list[tuple[str, str]]


def form_fields() -> list[FormField]:
    """Each field that has a label, once, however many kinds ask for it."""
    owners: dict[str, list[tuple[Kind, Field]]] = {}
    for kind in KINDS.values():
        for field in kind.fields:
            if field.label:
                owners.setdefault(field.name, []).append((kind, field))
    return [_form_field(each) for each in owners.values()]


def _form_field(owners: Sequence[tuple[Kind, Field]]) -> FormField:
    field = owners[0][1]
    label, usual, choices = field.label, field.usual(), field.offers()
    if len(owners) < len(KINDS):
        label += ", for " + " and ".join(kind.short for kind, _ in owners)
    if len(owners) > 1:
        others = [(kind.plural, own.usual()) for kind, own in owners if own.usual() != usual]
        usual = f"As usual: {usual}" + "".join(f", for {kind} {own}" for kind, own in others)
    return FormField(field.name, label, field.hint, choices and [("", usual), *choices])
