"""What a helper demands of one round, as the form has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from yardstone.tournament.pairing import Constraints

if TYPE_CHECKING:
    from yardstone.tournament.model import Tournament
    from yardstone.web.desk.pages import Form

__all__ = ["KINDS", "Demands"]

#: Kinds of a demand, and how a form calls them.
KINDS = (("fix", "must meet"), ("forbid", "must not meet"), ("bye", "has the bye"))
_MOST = 200


@dataclass(frozen=True, slots=True)
class Demands:
    """Demands on a round.

    Attributes
    ----------
    lines : tuple of (str, str, str)
        Kind, and the names of one or two players.
    rematch, open_results : bool
        Whether players may meet again, and earlier results may be missing.
    """

    lines: tuple[tuple[str, str, str], ...] = ()
    rematch: bool = False
    open_results: bool = False

    @classmethod
    def of(cls, form: Form) -> Demands:
        """Those of a form; a button may add one (``add``) or take one out (``without``)."""
        kinds, first, second = (form.every(name) for name in ("kind", "a", "b"))
        lines = [
            (kind, a.strip(), b.strip())
            for kind, a, b in zip(kinds, first, second, strict=False)
            if a.strip() or b.strip()
        ]
        added = form.text("add").split("\t")
        if len(added) == 3:
            lines.append((added[0], added[1], added[2]))
        if form.text("without").isdecimal():
            place = int(form.text("without"))
            lines = lines[:place] + lines[place + 1 :]
        return cls(tuple(lines[:_MOST]), bool(form.text("rematch")), bool(form.text("open")))

    def constraints(self, tournament: Tournament) -> Constraints:
        """The same by the numbers of the players.

        Raises
        ------
        InputError
            A name means nobody, or several.
        """
        fixed: list[tuple[int, int]] = []
        forbidden: list[tuple[int, int]] = []
        bye = None
        for kind, a, b in self.lines:
            if kind == "bye":
                bye = tournament.find(a or b)
                continue
            pair = tournament.find(a), tournament.find(b)
            (fixed if kind == "fix" else forbidden).append(pair)
        return Constraints(
            fixed=tuple(fixed),
            forbidden=tuple(forbidden),
            bye=bye,
            rematch=self.rematch,
            open_results=self.open_results,
        )
