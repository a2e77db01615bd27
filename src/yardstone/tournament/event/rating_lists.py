"""Lists of rated players that federations publish, and who of them is meant by a name.

Known are the list of the EGF (all players, as published), that of the FFG and that of the
AGA's tournament directors.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from yardstone.errors import InputError
from yardstone.tournament.event.entries import EventEntry, split_name
from yardstone.winprob.scales import egf_players, list_lines

__all__ = ["RatingRegister", "read_register"]

_FFG_LINE = re.compile(r"^(\S.{37})\s*+(-?\d{1,6}) (.) (.{7}) (.{0,4})\s?(\w{0,2})\s*$")
_FFG_HEAD = "Echelle au"
#: Ratings of the FFG count from the lower end of 1 dan.
_LOWER_END = 2050
_LISTED = 6


@dataclass(frozen=True, eq=False, kw_only=True)
class RatingRegister:
    """The players of a list, as they would enter.

    Attributes
    ----------
    federation : {"EGF", "FFG", "AGA"}
    entries : tuple of EventEntry
    file : str
    """

    federation: str
    entries: tuple[EventEntry, ...]
    file: str = ""

    @cached_property
    def _by_name(self) -> dict[str, list[int]]:
        """Rows by both orders of the whole name, and by the family name."""
        rows: dict[str, list[int]] = {}
        for row, entry in enumerate(self.entries):
            one, two = _plain(entry.name), _plain(entry.first_name)
            for text in {one + two, two + one, one + "/"}:
                rows.setdefault(text, []).append(row)
        return rows

    def _rows(self, keys: Iterable[str]) -> set[int]:
        return {row for text in keys for row in self._by_name.get(text, ())}

    @cached_property
    def _by_id(self) -> dict[str, int]:
        return {text: row for row, entry in enumerate(self.entries) for text in entry.ids.values()}

    def candidates(self, name: str, *, country: str = "", club: str = "") -> list[EventEntry]:
        """All whom a name may mean: the whole name in any order, or the family name.

        A number is that of the register. Accents do not matter; ä may be written ae.
        """
        if name.strip().isdecimal():
            row = self._by_id.get(name.strip())
            return [] if row is None else [self.entries[row]]
        rows = self._rows(_spellings(name))
        if len(name.split()) == 1:
            rows |= self._rows(text + "/" for text in _spellings(name))
        if not rows:  # a family name of several words
            rows = self._rows(text + "/" for text in _spellings(name.partition(",")[0]))
        matching = [self.entries[row] for row in sorted(rows)]
        if country:
            matching = [
                entry for entry in matching if entry.country.casefold() == country.casefold()
            ]
        if club:
            short = club.strip().casefold()[:4]
            nearer = [entry for entry in matching if entry.club.casefold()[:4] == short]
            matching = nearer or matching
        return matching

    def find(self, name: str, *, country: str = "", club: str = "") -> EventEntry:
        """The only player whom a name means.

        Raises
        ------
        InputError
            It means nobody, or several; they are listed.
        """
        matching = self.candidates(name, country=country, club=club)
        if not matching:
            raise InputError(
                f"nobody in the list is called {name!r}",
                file=self.file or None,
                hint="family name first, or enter the player with a grade",
            )
        if len(matching) > 1:
            listed = "; ".join(_described(entry) for entry in matching[:_LISTED])
            more = f"; and {len(matching) - _LISTED} more" if len(matching) > _LISTED else ""
            raise InputError(
                f"{name!r} may be {listed}{more}",
                file=self.file or None,
                hint="name the one you mean by its number",
            )
        return matching[0]

    def completed(self, entry: EventEntry) -> EventEntry | None:
        """An entry with what the list knows of the player, None if it knows nobody.

        What the entry says itself stays.

        Raises
        ------
        InputError
            Several may be meant.
        """
        number = entry.ids.get(self.federation.casefold(), "")
        name = number or f"{entry.name} {entry.first_name}".strip()
        if not self.candidates(name, country=entry.country, club=entry.club):
            return None
        known = self.find(name, country=entry.country, club=entry.club)
        own_rating = entry.rating is not None
        return replace(
            known,
            grade=entry.grade or ("" if own_rating else known.grade),
            rating=entry.rating if own_rating else known.rating,
            rating_origin=entry.rating_origin if own_rating else known.rating_origin,
            club=entry.club or known.club,
            country=entry.country or known.country,
            ids={**known.ids, **entry.ids},
            correction=entry.correction,
            line=entry.line,
        )


def read_register(path: str | os.PathLike[str]) -> RatingRegister:
    """Read a list of rated players, compressed or not.

    Raises
    ------
    InputError
        It cannot be read, or is no such list.
    """
    lines = list_lines(path)
    for federation, read in (("EGF", _egf), ("FFG", _ffg), ("AGA", _aga)):
        entries = tuple(read(lines))
        if entries:
            return RatingRegister(federation=federation, entries=entries, file=str(path))
    raise InputError(
        "no player was found in the list",
        file=str(path),
        hint="it must be one of the EGF (all players), the FFG or the AGA (tdlista)",
    )


def _egf(lines: Iterable[str]) -> Iterator[EventEntry]:
    for player in egf_players(lines):
        family, _, given = player.name.partition(" ")
        yield EventEntry(
            name=_blanks(family),
            first_name=_blanks(given),
            grade=player.grade,
            rating=player.rating,
            club="" if set(player.club.casefold()) == {"x"} else player.club,
            country="" if player.country.casefold() == "xx" else player.country,
            ids={"egf": player.number},
            rating_origin="EGF",
            line=player.line,
        )


def _ffg(lines: Iterable[str]) -> Iterator[EventEntry]:
    head = False
    for number, line in enumerate(lines, 1):
        head = head or _FFG_HEAD in line
        match = _FFG_LINE.match(line) if head else None
        if match:
            family, _, given = match[1].strip().partition(" ")
            yield EventEntry(
                name=_blanks(family).title(),
                first_name=_blanks(given),
                rating=float(int(match[2]) + _LOWER_END),
                club="" if set(match[5].casefold()) <= {"x"} else match[5].strip(),
                country=match[6].strip(),
                ids={"ffg": match[4]} if match[4].strip("-") else {},
                rating_origin="FFG",
                line=number,
            )


def _aga(lines: Iterable[str]) -> Iterator[EventEntry]:
    for number, line in enumerate(lines, 1):
        cells = [cell.strip() for cell in line.split("\t")]
        if len(cells) < 4 or "," not in cells[0] or not cells[1].isdecimal():
            continue
        try:
            raw = float(cells[3])
        except ValueError:
            continue  # a member without a rating
        if not abs(raw) < 100:
            continue
        points = 100 * raw + (-100 if raw > 0 else 100)
        family, given = split_name(cells[0])
        yield EventEntry(
            name=family,
            first_name=given,
            rating=max(-900.0, _LOWER_END + round(points)),
            club=cells[5] if len(cells) > 5 else "",
            country="" if cells[2] == "Forgn" else "US",
            ids={"aga": cells[1]},
            rating_origin="AGA",
            line=number,
        )


def _blanks(text: str) -> str:
    return " ".join(text.replace("_", " ").split())


def _plain(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.casefold().replace("ø", "o"))
    return "".join(ch for ch in plain if ch.isalnum())


_TWO_LETTERS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "æ": "ae"})


def _spellings(name: str) -> list[str]:
    """The plain forms of a name: accents dropped, or written with two letters."""
    return [_plain(name), _plain(name.casefold().translate(_TWO_LETTERS))]


def _described(entry: EventEntry) -> str:
    number = next(iter(entry.ids.values()), "")
    where = " ".join(part for part in (entry.country, entry.club) if part)
    parts = [entry.grade or f"{entry.rating:.0f}", where, f"number {number}" if number else ""]
    return f"{entry.name} {entry.first_name} ({', '.join(part for part in parts if part)})"
