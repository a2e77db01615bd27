"""What was asked for beside the files, and what the files are taken for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from yardstone.web.kinds import KINDS, Kind
from yardstone.web.kinds.fields import PlayersField, bad_option, only_value
from yardstone.web.problems import RequestProblem

__all__ = ["LONGEST_KEY", "chosen_kind", "job_options", "kind_of"]

#: Characters of the header ``Idempotency-Key``.
LONGEST_KEY = 100
Fields = Mapping[str, Sequence[str]]


def chosen_kind(fields: Fields) -> str | None:
    """The kind of job that was asked for, if any."""
    name = only_value("kind", fields.get("kind", ()))
    if name in ("", "auto"):
        return None
    if name not in KINDS:
        raise bad_option("kind", f"choose auto, {', '.join(KINDS)}")
    return name


def kind_of(formats: Iterable[str], named: str | None = None) -> Kind:
    """The kind of job that files of these formats make.

    Raises
    ------
    RequestProblem
        They do not make one, or not the one that is asked for.
    """
    present = Counter(formats)
    if named is not None:
        kind = KINDS[named]
        if not present.keys() & set(kind.takes):
            raise RequestProblem(
                422,
                "wrong_kind",
                f"None of these files holds {kind.holds}.",
                "Send them without naming a kind.",
            )
        return kind
    kinds = [kind for kind in KINDS.values() if present.keys() & set(kind.formats)]
    if len(kinds) > 1:
        listed = ", ".join(f"{number} {each}" for each, number in sorted(present.items()))
        raise RequestProblem(
            422,
            "several_kinds",
            f"These files are of different kinds: {listed}.",
            "Send each kind by itself, or say which one is wanted.",
        )
    return kinds[0]


def job_options(kind: Kind, fields: Fields, *, most_players: int = 1) -> list[dict[str, Any]]:
    """What each of the jobs is asked for: one for each player that is named.

    Raises
    ------
    RequestProblem
        A value is none of those that are offered, or a field belongs to another kind.
    """
    own = {each.name for each in kind.fields}
    known = {each.name for other in KINDS.values() for each in other.fields}
    for name, values in fields.items():
        if name not in own | {"kind"} and any(value.strip() for value in values):
            reason = f"not for {kind.name}" if name in known else "there is no such field"
            raise bad_option(name, reason)
    options = {each.name: each.read(fields.get(each.name, ())) for each in kind.fields}
    jobs = [options]
    for each in kind.fields:
        if isinstance(each, PlayersField):
            names = options[each.name] or [None]
            if len(names) > most_players:
                raise bad_option(each.name, f"name at most {most_players}")
            jobs = [{**options, each.name: name} for name in names]
    for job in jobs:
        kind.check(job)
    return jobs
