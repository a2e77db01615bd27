"""What Ordo's users know beforehand: fixed ratings, loose anchors and relations."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from math import sqrt

from yardstone.cli.ordo.files import csv_lines, scan_single
from yardstone.cli.ordo.input import Players
from yardstone.cli.ordo.options import OrdoOptions, Refused
from yardstone.ratings.joint import Prior, Relation
from yardstone.reports.ordo.text import as_in_tag

__all__ = ["Known", "known_beforehand"]

#: A deviation below this fixes the value.
SMALLEST_DEVIATION = 1e-7


@dataclass
class Known:
    """Fixed ratings, priors of ratings and of differences, by names of players."""

    anchors: dict[str, float] = field(default_factory=dict)
    loose: dict[str, Prior] = field(default_factory=dict)
    relations: list[Relation] = field(default_factory=list)

    @property
    def players(self) -> set[str]:
        """Everybody about whom something is known."""
        ends = {name for relation in self.relations for name in (relation.player, relation.other)}
        return ends | self.anchors.keys() | self.loose.keys()


def known_beforehand(options: OrdoOptions, players: Players) -> Known:
    """Read the files of switches -y, -m and -r, in this order.

    Raises Refused as Ordo would fail, after its messages.
    """
    known = Known()
    reader = _Reader(known, players, quiet=options.quiet)
    if options.loose_anchors is not None:
        _read(options.loose_anchors, reader.loose_anchor)
    if options.multi_anchors is not None:
        _read(options.multi_anchors, reader.anchor, stop_at_stranger=True)
    if options.relations is not None:
        _read(options.relations, reader.relation, complaint="Problems with input in -r file\n")
    if not options.quiet:
        _show(known, players)
    return known


def _read(
    path: str,
    take: Callable[[list[str]], bool | None],
    *,
    stop_at_stranger: bool = False,
    complaint: str = "",
) -> None:
    """Hand each line to `take`, which returns whether its names are known, None for a bad line.

    As in Ordo, an unknown name is fatal on the last line, or at once where
    `stop_at_stranger`.
    """
    matches: bool | None = True
    for row in csv_lines(path):
        matches = take(row)
        if matches is None:
            if complaint:
                sys.stdout.write(complaint)
                raise Refused("")
            raise Refused(f'Errors in file "{path}"')
        if stop_at_stranger and not matches:
            break
    if not matches:
        raise Refused(f'Errors in file "{path}" (not matching names)')


class _Reader:
    """Takes one line after the other."""

    def __init__(self, known: Known, players: Players, *, quiet: bool) -> None:
        self.known = known
        self.names = players.names
        self.players = players
        self.quiet = quiet

    def _name(self, text: str) -> str | None:
        number = self.players.find(text)
        return None if number is None else self.names[number]

    def _say(self, text: str) -> None:
        if not self.quiet:
            sys.stdout.write(text)

    def anchor(self, row: list[str], *, kind: str = "Anchoring") -> bool | None:
        """A line of -m: player, rating."""
        value = scan_single(row[1]) if len(row) >= 2 else None
        if value is None:
            return None
        name = self._name(row[0])
        if name is None:
            sys.stderr.write(f"{kind}, {row[0]} --> FAILED, name not found in input file\n")
            return False
        self.known.anchors[name] = value
        self._say(f"Anchoring, {row[0]} --> {value:.1f}\n")
        return True

    def loose_anchor(self, row: list[str]) -> bool | None:
        """A line of -y: player, rating and one deviation or more, added as squares."""
        numbers = [scan_single(text) for text in row[1:]]
        values = [number for number in numbers if number is not None]
        if len(values) < 2 or len(values) < len(numbers):
            return None
        deviation = values[1]
        if len(values) > 2:
            deviation = sqrt(sum(value * value for value in values[1:]))
        if deviation < 0.0:
            sys.stderr.write(f"Prior, {row[0]} --> FAILED, error/uncertainty cannot be negative")
            return False
        if deviation < SMALLEST_DEVIATION:
            return self.anchor(row, kind="Prior")
        name = self._name(row[0])
        if name is None:
            sys.stderr.write(f"Prior, {row[0]} --> FAILED, name not found in input file\n")
            return False
        self.known.loose[name] = Prior(values[0], deviation)
        return True

    def relation(self, row: list[str]) -> bool | None:
        """A line of -r: two players, their difference and its deviation."""
        difference, deviation = (
            (scan_single(row[2]), scan_single(row[3])) if len(row) == 4 else (None, None)
        )
        if difference is None or deviation is None:
            return None
        if deviation < 0.0:
            sys.stderr.write(
                f"Relative Prior, {row[0]} {row[1]} --> FAILED, "
                "error/uncertainty cannot be negative"
            )
            return False
        if deviation < SMALLEST_DEVIATION:
            raise Refused("sigma too small")
        player, other = self._name(row[0]), self._name(row[1])
        if player is None or other is None:
            sys.stderr.write(
                f"Relative Prior, {row[0]}, {row[1]} --> FAILED, name/s not found in input file\n"
            )
            return False
        self.known.relations.append(Relation(player, other, difference, deviation))
        self._say(f"Relative Prior, {row[0]}, {row[1]} --> {difference:.1f}, {deviation:.1f}\n")
        return True


def _show(known: Known, players: Players) -> None:
    """Print what is known, the loose anchors in order of the players."""
    lines = []
    if known.loose:
        lines.append("Loose Anchors {")
        for name in players.names:
            if name in known.loose:
                prior = known.loose[name]
                lines.append(f"  [{as_in_tag(name)}] = {prior.mean:.6f} +/- {prior.deviation:.6f}")
        lines.append("}")
    else:
        lines.append("Loose Anchors = none")
    if known.relations:
        lines.append("Relative Anchors = {")
        lines.extend(
            f"[{as_in_tag(r.player)}] [{as_in_tag(r.other)}] = "
            f"{r.difference:.6f} +/- {r.deviation:.6f}"
            for r in known.relations
        )
        lines.append("}")
    else:
        lines.append("Relative Anchors = none")
    sys.stdout.write("\n".join(lines) + "\n\n")
