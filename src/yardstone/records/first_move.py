"""Which of two players moves first, and whose points a result tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from yardstone.errors import InputError, UsageError
from yardstone.records.columns import CHESS, PAIRS, side_of, words
from yardstone.records.results import meanings, normalized

if TYPE_CHECKING:
    from yardstone.records.columns import Roles
    from yardstone.records.results import Side

__all__ = ["Order", "results_of_go", "settle_order", "whose_result"]


@dataclass(frozen=True)
class Order:
    """The columns of the players in order, and what follows for results."""

    roles: Roles  #: with the side that moves first as `first`
    ordered: bool = True  #: whether it is known who moved first
    colour: Side | None = None  #: of `first`
    subject: int | None = 0  #: the side whose result ``1`` tells; None if that must be asked
    pair_subject: int | None = 0  #: the side that stands first in ``1-0``; None as well


def results_of_go(counts: Mapping[str, int]) -> bool:
    """Whether results are written as only Go has them: ``B+R``, ``W+3.5``, ``Jigo``."""
    rows = sum(
        number
        for text, number in counts.items()
        if ("+" in text and "colour" in meanings(text)) or normalized(text) == "jigo"
    )
    return rows > 0.1 * sum(counts.values())


def settle_order(
    roles: Roles, names: Sequence[str], first: Side | None, *, go: bool, file: str
) -> Order:
    """Who moves first, from what the caller says (`first`), names of columns, and results.

    `go` says whether results, columns or files show that the games are of Go. Raises InputError
    if nothing tells which colour moves first, UsageError if the caller contradicts himself.
    """
    columns = {word for name in names for word in words(name)}
    if set(roles.labels) == {"white", "black"}:
        order = _of_colours(roles, names, first, go=go, columns=columns, file=file)
    elif set(roles.labels) == {"winner", "loser"}:
        order = Order(roles, ordered=False)
    else:
        colour = first or ("black" if go and roles.named else None)
        unordered = roles.labels == ("player", "opponent") and not roles.named
        order = Order(roles, ordered=not unordered, colour=colour)
        order = replace(order, pair_subject=_first_of_pair(roles, names))
    return order


def _of_colours(
    roles: Roles,
    names: Sequence[str],
    first: Side | None,
    *,
    go: bool,
    columns: set[str],
    file: str,
) -> Order:
    chess = not go and not columns.isdisjoint(CHESS)
    if roles.named:
        colour = cast("Side", roles.labels[0])
        if first is not None and first != colour:
            raise UsageError(
                f"{file}: first is {first}, but the column named first is {roles.first!r}"
            )
        if first is None and go and colour == "white":
            raise InputError(
                f"in Go Black moves first, but the column named first is {roles.first!r}",
                file=file,
                hint=f"columns first={roles.second},second={roles.first}, or --first white "
                "if White does",
            )
        whose = 0 if first is not None or colour == "white" else None
        return Order(roles, True, colour, 0, whose)
    white_left = names.index(roles.first) < names.index(roles.second)
    mover = first or ("black" if go else "white" if chess or white_left else None)
    if mover is None:
        raise InputError(
            f"who moves first? {roles.second!r} stands before {roles.first!r}",
            file=file,
            hint="--first white or --first black (in Python first) says it; it is also the "
            "side whose points a result such as 1-0 tells",
        )
    whose = 0 if first is not None or mover == "white" else None
    if mover == "black":
        roles = replace(
            roles,
            first=roles.second,
            second=roles.first,
            labels=("black", "white"),
            points=None if roles.points is None else (roles.points[1], roles.points[0]),
        )
    return Order(roles, True, mover, whose, whose)


def _first_of_pair(roles: Roles, names: Sequence[str]) -> int | None:
    """Whose points stand first in ``2-1``: asked where the second player's column is first."""
    if roles.first not in names or roles.second not in names:
        return 0
    straight = names.index(roles.first) < names.index(roles.second)
    labelled, turned = roles.labels in PAIRS, roles.labels[::-1] in PAIRS
    return None if turned or (labelled and not straight) else 0


def whose_result(order: Order, column: str) -> tuple[int | None, int | None, bool]:
    """Whose result a column tells (`Order.subject`, `pair_subject`), and if that is sure."""
    roles = order.roles
    side = roles.subject if roles.subject is not None else side_of(column, roles.labels)
    if side is None:
        return order.subject, order.pair_subject, False
    return side, side, True
