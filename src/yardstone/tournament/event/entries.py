"""Players enter, from lists and tables too, at any round; entries are changed, or taken out."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

from yardstone.errors import InputError
from yardstone.grades import format_grade, parse_grade
from yardstone.pool import Skipped, SkipReport
from yardstone.records.decoding import finite_number
from yardstone.records.sources import delimited_rows
from yardstone.tournament.event.settings import EventChange, check_planned, done, unchanged
from yardstone.tournament.formats.opengotha import format_rank, key, parse_rank
from yardstone.tournament.model import NO_GIVEN_NAME, Player, System, Tournament
from yardstone.tournament.notation import listed, number_text
from yardstone.tournament.standings_table import Scores, initial_score
from yardstone.winprob.scales import egf_players, list_lines

_MOST_NAME = 60
_STRONGEST, _WEAKEST = 8, -30
_RATINGS = (-900, 2949)
_SHODAN, _HALF = 2100, 50
_CORRECTIONS = (-1, 2)
#: Letters of a club that OpenGotha keeps when it opens a file.
_CLUB = 4
_PROFESSIONAL = re.compile(r"\s*([1-9])\s*p(ro)?\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class EventEntry:
    """What is said of a player who enters; what is not known is empty or None."""

    #: `name`, `first_name`: family name and given name. With a `name` alone, see `split_name`.
    name: str
    first_name: str = ""
    grade: str = ""  #: Such as ``3d``, ``12k`` or ``1p``
    rating: float | None = None  #: On the scale of the EGF, 1 dan being 2100
    #: `club`, `country`: a club by its name, of which OpenGotha keeps four letters; a country has
    #: two.
    club: str = ""
    country: str = ""
    #: Numbers in registers, by "egf", "ffg", "aga"
    ids: Mapping[str, str] = field(default_factory=dict)
    #: Whose rating it is: "EGF", "FFG", "AGA"; "MAN" if the organiser gave it
    rating_origin: str = ""
    correction: int = 0  #: Added to the initial McMahon score
    line: int = 0  #: Where a table says it; 0 if unknown


def split_name(text: str) -> tuple[str, str]:
    """Family name and given name: parted by a comma, else the words in capitals, else the first.

    Examples:
        >>> split_name("van Dijk, Els"), split_name("Els VAN DIJK"), split_name("Adler Ruth")
        (('van Dijk', 'Els'), ('Van Dijk', 'Els'), ('Adler', 'Ruth'))
    """
    family, comma, given = text.partition(",")
    if comma:
        return " ".join(family.split()), " ".join(given.split())
    words = text.split()
    capitals = [word for word in words if len(word) > 1 and word.isupper()]
    if capitals and len(capitals) < len(words):
        rest = [word for word in words if word not in capitals]
        return " ".join(word.title() for word in capitals), " ".join(rest)
    return " ".join(words[:1]), " ".join(words[1:])


def player_of(entry: EventEntry) -> Player:
    """The player of an entry, grade or rating from the other one; InputError if one cannot be.

    A rating is 2100 at 1 dan and 100 more for each grade, as OpenGotha has it.
    """
    name, first_name = entry.name, entry.first_name
    if not first_name:
        name, first_name = split_name(name)
    name, first_name = (" ".join(part.split()) for part in (name, first_name))
    if not any(ch.isalnum() for ch in name):
        raise InputError("a player without a name")
    if max(len(name), len(first_name), len(entry.club)) > _MOST_NAME:
        raise InputError(f"a name of more than {_MOST_NAME} letters")
    rank, grade = _rank(entry)
    rating, origin = entry.rating, entry.rating_origin or "MAN"
    if rating is None:
        rating, origin = float(_SHODAN + 100 * rank), "INI"
    if not _RATINGS[0] <= rating <= _RATINGS[1]:
        raise InputError(f"rating {rating:g}: OpenGotha has those from -900 to 2949")
    country = entry.country.strip().upper()
    if country and not re.fullmatch(r"[A-Z]{2}", country):
        raise InputError(f"country {entry.country!r}: two letters, such as DE")
    if not _CORRECTIONS[0] <= entry.correction <= _CORRECTIONS[1]:
        raise InputError(f"correction {entry.correction} of the McMahon score: from -1 to 2")
    return Player(
        name=name,
        first_name=first_name or NO_GIVEN_NAME,
        country=country,
        club=entry.club.strip(),
        rank=rank,
        grade=grade,
        rating=float(round(rating)),
        rating_origin=origin,
        ids={kind: text for kind, text in entry.ids.items() if text},
        smms_correction=entry.correction,
    )


def _rank(entry: EventEntry) -> tuple[int, str]:
    """Rank, and grade as a file has it."""
    text = entry.grade.strip()
    if not text:
        if entry.rating is None:
            raise InputError("neither grade nor rating", hint="a grade is written like 3d or 12k")
        rank = int((entry.rating - _SHODAN + _HALF) // 100)
        rank = max(_WEAKEST, min(_STRONGEST, rank))
        return rank, format_rank(rank)
    professional = _PROFESSIONAL.fullmatch(text)
    if professional:
        grade = f"{professional[1]}P"
        return parse_rank(grade), grade
    value = parse_grade(text)
    if value != int(value) or not _WEAKEST <= value <= _STRONGEST:
        raise InputError(f"grade {text!r}: whole grades from 30k to 9d")
    return int(value), format_rank(int(value))


def enter_players(
    tournament: Tournament,
    entries: Sequence[EventEntry],
    *,
    first_round: int | None = None,
    source: str = "",
) -> EventChange:
    """Enter players, from a round on.

    Rounds before it are rounds of absence, and bring what the tournament gives for them; so a late
    entry begins with the McMahon score of the grade and, by OpenGotha's rules unless they were
    changed, half a point a round, halves dropped. Whoever is entered already in the same way stays;
    an entry that cannot be used is left out and counted.

    Args:
        first_round: By default the first without boards.
        source: The table that the lines of the entries are of.

    Raises:
        InputError: There is no such round, or all rounds are paired.
    """
    start = tournament.next_round if first_round is None else first_round
    if first_round is None and start > tournament.rounds:
        raise tournament.error(
            f"all {tournament.rounds} rounds are paired",
            hint="name the first round of the entry, or add a round",
        )
    check_planned(tournament, start)
    absent = frozenset(range(1, start))
    players = list(tournament.players)
    place = {key(player): row for row, player in enumerate(players)}
    plain = {plain_letters(text): row for text, row in place.items()}
    skipped = SkipReport()
    new: list[int] = []
    old: list[str] = []
    notes: list[str] = []
    for entry in entries:
        try:
            player = replace(player_of(entry), absent=absent)
            who = key(player)
            if who in place:
                _check_same(players[place[who]], player)
                old.append(player.full_name)
                continue
        except InputError as error:
            name = f"{entry.name} {entry.first_name}".strip() or "a row"
            record = Skipped(source or tournament.file, entry.line, f"{name}: {error.advice}")
            skipped.add(record, kind=error.message)
            continue
        alike = plain.get(plain_letters(who))
        if alike is not None:
            notes.append(f"{player.full_name} and {players[alike].full_name}: the same person?")
        place[who] = plain[plain_letters(who)] = len(players)
        new.append(len(players))
        players.append(player)
    lines = [f"Entered already: {listed(old)}."] if old else []
    if not new:
        return replace(unchanged(tournament, *lines), skipped=skipped)
    made = replace(tournament, players=tuple(players))
    return replace(done(made, _entered(made, new, start), *lines, *notes), skipped=skipped)


def plain_letters(text: str) -> str:
    """Small letters and digits of a text, without their accents.

    Examples:
        >>> plain_letters("Søren Ångström")
        'sorenangstrom'
    """
    text = unicodedata.normalize("NFKD", text.casefold().replace("ø", "o"))
    return "".join(ch for ch in text if ch.isalnum())


def _check_same(there: Player, entry: Player) -> None:
    """Refuse a second entry of the same name that says something else."""
    same = (there.rank, there.country) == (entry.rank, entry.country)
    same_club = there.club in (entry.club, entry.club[:_CLUB].strip())
    if not (same and same_club) or (entry.rating_origin != "INI" and entry.rating != there.rating):
        raise InputError(
            "entered already, with another grade, rating, club or country",
            hint="change the player; for a namesake write more of the given name",
        )


def _entered(tournament: Tournament, rows: Sequence[int], start: int) -> str:
    """Who was entered, and with what score."""
    count = f"Entered {len(rows)} {'player' if len(rows) == 1 else 'players'}"
    names = [_introduced(tournament.players[row]) for row in rows]
    whole = len(tournament.players)
    sentence = f"{count}: {listed(names)}. {whole} {'is' if whole == 1 else 'are'} entered now."
    if start == 1:
        return sentence
    if tournament.system is System.mcmahon and len(rows) == 1:
        scores = Scores.of(tournament)
        points = number_text(float(scores.mms2[rows[0], start - 1]) / 2)
        first = initial_score(tournament.players[rows[0]], tournament.scoring)
        return f"{sentence} From round {start} on, with {points} points, {first} of them by grade."
    return f"{sentence} From round {start} on."


def _introduced(player: Player) -> str:
    grade = "" if player.rank is None else f" {format_grade(player.rank)}"
    return f"{player.full_name}{grade}"


def change_player(
    tournament: Tournament,
    player: int,
    *,
    name: str | None = None,
    first_name: str | None = None,
    grade: str | None = None,
    rating: float | None = None,
    club: str | None = None,
    country: str | None = None,
    correction: int | None = None,
) -> EventChange:
    """Change what is said of a player (by number from 0); what is None stays.

    A new grade without a rating takes its own along if the old one came from the old grade.

    Raises:
        InputError: A value cannot be, or another player has the name.
    """
    there = tournament.players[player]
    if name is not None and first_name is None and ("," in name or " " in name.strip()):
        name, first_name = split_name(name)
    personal = {"name": name, "first_name": first_name, "country": country, "club": club}
    strength = {"grade": grade, "rating": rating}
    given = {at: new for at, new in (personal | strength).items() if new is not None}
    said = {at: getattr(there, at) for at in (*personal, *strength, "ids", "rating_origin")}
    if rating is not None:
        said["rating_origin"] = "MAN"
    elif grade is not None and there.rating_origin == "INI":
        said["rating"] = None
    correction = there.smms_correction if correction is None else correction
    entered = player_of(EventEntry(**said | given, correction=correction))
    changing = [*personal, "smms_correction"]
    if grade is not None or rating is not None:
        changing += ["rank", *strength, "rating_origin"]
    made = replace(there, **{at: getattr(entered, at) for at in changing})
    if made == there:
        return unchanged(tournament, f"{there.full_name} is entered so already.")
    who = key(made)
    for row, other in enumerate(tournament.players):
        if row != player and key(other) == who:
            raise tournament.error(f"{made.full_name} is entered already")
    rating_now = "" if made.rating is None else f", rating {made.rating:.0f}"
    lines = [f"Changed: {there.full_name} is now {_introduced(made)}{rating_now}."]
    before, now = (initial_score(each, tournament.scoring) for each in (there, made))
    if tournament.system is System.mcmahon and tournament.games and before != now:
        lines.append(f"The initial score changes from {before} to {now}, in all rounds.")
    return done(tournament.with_player(player, made), *lines)


def remove_player(tournament: Tournament, player: int) -> EventChange:
    """Take out an entry; who has a game or a bye can only withdraw.

    Raises:
        InputError: The player is paired in some round.
    """
    who = tournament.name_of(player)
    paired = [g.round for g in tournament.games if player in g.players]
    paired += [bye.round for bye in tournament.byes if bye.player == player]
    if paired:
        raise tournament.error(
            f"{who} is paired in round {min(paired)} and cannot be taken out",
            hint="withdraw the player from a round on",
        )

    left = [row for row in range(len(tournament.players)) if row != player]
    moved = {row: place for place, row in enumerate(left)}
    made = replace(
        tournament,
        players=tuple(tournament.players[row] for row in left),
        games=tuple(
            replace(g, first=moved[g.first], second=moved[g.second]) for g in tournament.games
        ),
        byes=tuple(replace(bye, player=moved[bye.player]) for bye in tournament.byes),
        adjustments=tuple(
            replace(each, player=moved[each.player])
            for each in tournament.adjustments
            if each.player != player
        ),
        teams=tuple(team.renumbered(moved) for team in tournament.teams),
        swiss=tournament.swiss.renumbered(moved),
    )
    return done(made, f"{who} is taken out. {len(made.players)} are entered now.")


_MAX_BYTES = 16 << 20
#: What a column is called, capitals, blanks and accents aside.
_NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "name": ("name", "player", "playername", "fullname"),
        "family": ("familyname", "surname", "lastname", "family", "nachname", "nom"),
        "first_name": ("firstname", "givenname", "forename", "given", "first", "vorname", "prenom"),
        "grade": ("grade", "rank", "level", "kyudan", "strength", "graderating", "gradeorrating"),
        "rating": ("rating", "gor", "egfrating", "egf", "elo", "points"),
        "club": ("club", "city", "town", "clubname"),
        "country": ("country", "nation", "nationality", "countrycode", "co", "flag", "federation"),
        "egf": ("pin", "egfpin", "egfid", "egdpin"),
        "ffg": ("ffglicence", "licence", "license", "ffgid"),
        "aga": ("agaid", "aganumber", "agano"),
        "correction": ("correction", "mmcorrection", "smmscorrection"),
    }
)
_OF_EGF = ("gor", "egfrating", "egf")


@dataclass(frozen=True, eq=False, kw_only=True)
class PlayerTable:
    """The entries of a table."""

    entries: tuple[EventEntry, ...]
    unused: tuple[str, ...] = ()  #: Columns that say nothing known
    skipped: SkipReport  #: Rows that cannot be used


def read_player_table(path: str | os.PathLike[str]) -> PlayerTable:
    """Read who enters: columns ``name``, ``grade`` or ``rating``, and ``club``.

    Also ``first name`` and ``surname``, ``country``, ``pin`` and other numbers of federations, and
    the usual other words for all of them. A name in one piece is taken apart by `split_name`.
    """
    report = SkipReport()
    head, rows = delimited_rows(path, report, most=_MAX_BYTES)
    columns, unused = columns_of(head, _NAMES)
    if "name" in columns and "family" not in columns and "first_name" in columns:
        columns["family"] = columns.pop("name")
    if not {"name", "family", "egf"} & set(columns):
        raise InputError(
            f"no column has names, among {', '.join(head)}",
            file=str(path),
            line=1,
            hint="call it name; the others are grade, rating, club, country",
        )
    entries = []
    for line, cells in rows:
        values = {at: cells[place] for at, place in columns.items()}
        try:
            entries.append(_entry(values, line, head[columns.get("rating", 0)]))
        except InputError as error:
            report.add(Skipped(str(path), line, error.message), kind=error.message)
    return PlayerTable(entries=tuple(entries), unused=tuple(filter(None, unused)), skipped=report)


def columns_of(
    head: Sequence[str], names: Mapping[str, Sequence[str]]
) -> tuple[dict[str, int], list[str]]:
    """The place of each kind of column, the first of several, and the headings left over."""
    columns: dict[str, int] = {}
    unused = []
    for place, name in enumerate(head):
        plain = plain_letters(name)
        kind = next((kind for kind, words in names.items() if plain in words), None)
        if kind is None or kind in columns:
            unused.append(name)
        else:
            columns[kind] = place
    return columns, unused


def _entry(values: Mapping[str, str], line: int, rating_column: str) -> EventEntry:
    grade, rating = values.get("grade", ""), values.get("rating", "")
    if re.fullmatch(r"\d{3,4}([.,]\d+)?", grade) and not rating:
        grade, rating = "", grade  # a rating in the column for either
    correction = values.get("correction", "") or "0"
    if not re.fullmatch(r"[+-]?\d", correction):
        raise InputError(f"correction {correction!r} is not a whole number")
    name = values.get("family") or values.get("name", "")
    if not name and not values.get("egf"):
        raise InputError("a row without a name")
    value = finite_number(rating.replace(",", "."), below=1e5)
    if rating and value is None:
        raise InputError(f"rating {rating!r} is not a number")
    return EventEntry(
        name=name,
        first_name=values.get("first_name", ""),
        grade=grade,
        rating=value,
        club=values.get("club", ""),
        country=values.get("country", ""),
        ids={kind: values[kind] for kind in ("egf", "ffg", "aga") if values.get(kind)},
        rating_origin="EGF" if rating and plain_letters(rating_column) in _OF_EGF else "",
        correction=int(correction),
        line=line,
    )


_FFG_LINE = re.compile(r"^(\S.{37})\s*+(-?\d{1,6}) (.) (.{7}) (.{0,4})\s?(\w{0,2})\s*$")
_FFG_HEAD = "Echelle au"
#: Ratings of the FFG count from the lower end of 1 dan.
_LOWER_END = 2050
_LISTED = 6


@dataclass(frozen=True, eq=False, kw_only=True)
class RatingRegister:
    """The players of a list, as they would enter."""

    federation: str  #: {"EGF", "FFG", "AGA"}
    entries: tuple[EventEntry, ...]
    file: str = ""

    @cached_property
    def _names(self) -> list[tuple[str, str]]:
        """The plain family name and given name of each player."""
        return [
            (plain_letters(entry.name), plain_letters(entry.first_name)) for entry in self.entries
        ]

    @cached_property
    def _by_name(self) -> dict[str, list[int]]:
        """Rows by both orders of the whole name, and by the family name."""
        rows: dict[str, list[int]] = {}
        for row, (one, two) in enumerate(self._names):
            for text in {one + two, two + one, one + "/"}:
                rows.setdefault(text, []).append(row)
        return rows

    def _rows(self, keys: Iterable[str]) -> set[int]:
        return {row for text in keys for row in self._by_name.get(text, ())}

    @cached_property
    def _by_id(self) -> dict[str, int]:
        return {text: row for row, entry in enumerate(self.entries) for text in entry.ids.values()}

    def beginning(self, text: str, most: int) -> list[EventEntry]:
        """Players whose name, in either order, begins with the text, or who have the number."""
        if text.strip().isdecimal():
            return self.candidates(text)
        wanted = plain_letters(text)
        matching = [
            entry
            for entry, (one, two) in zip(self.entries, self._names, strict=True)
            if wanted and wanted in ((one + two)[: len(wanted)], (two + one)[: len(wanted)])
        ]
        return sorted(matching, key=lambda entry: -(entry.rating or 0.0))[:most]

    def candidates(self, name: str, *, country: str = "", club: str = "") -> list[EventEntry]:
        """All whom a number, a family name, or a whole name in any order may mean.

        Accents do not matter; ä may be written ae.
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
            code = country.casefold()
            matching = [entry for entry in matching if entry.country.casefold() == code]
        if club:
            short = club.strip().casefold()[:4]
            matching = [e for e in matching if e.club.casefold()[:4] == short] or matching
        return matching

    def find(self, name: str, *, country: str = "", club: str = "") -> EventEntry:
        """The only player whom a name means; InputError lists several."""
        matching = self.candidates(name, country=country, club=club)
        if len(matching) == 1:
            return matching[0]
        message = f"nobody in the list is called {name!r}"
        hint = "family name first, or enter the player with a grade"
        if matching:
            meant = "; ".join(_described(entry) for entry in matching[:_LISTED])
            more = f"; and {len(matching) - _LISTED} more" if len(matching) > _LISTED else ""
            message = f"{name!r} may be {meant}{more}"
            hint = "name the one you mean by its number"
        raise InputError(message, file=self.file or None, hint=hint)

    def completed(self, entry: EventEntry) -> EventEntry | None:
        """An entry with what the list knows beside it, None if it knows nobody."""
        number = entry.ids.get(self.federation.casefold(), "")
        name = number or f"{entry.name} {entry.first_name}".strip()
        if not self.candidates(name, country=entry.country, club=entry.club):
            return None
        known = self.find(name, country=entry.country, club=entry.club)
        own = known if entry.rating is None else entry
        return replace(
            known,
            grade=entry.grade or (known.grade if own is known else ""),
            rating=own.rating,
            rating_origin=own.rating_origin,
            club=entry.club or known.club,
            country=entry.country or known.country,
            ids={**known.ids, **entry.ids},
            correction=entry.correction,
            line=entry.line,
        )


def read_register(path: str | os.PathLike[str]) -> RatingRegister:
    """Read a list of rated players of the EGF, FFG or AGA, compressed or not."""
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
        raw = finite_number(cells[3], below=100)
        if raw is None:
            continue  # a member without a rating
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


_TWO_LETTERS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "æ": "ae"})


def _spellings(name: str) -> list[str]:
    """The plain forms of a name: accents dropped, or written with two letters."""
    return [plain_letters(name), plain_letters(name.casefold().translate(_TWO_LETTERS))]


def _described(entry: EventEntry) -> str:
    number = next(iter(entry.ids.values()), "")
    where = " ".join(part for part in (entry.country, entry.club) if part)
    parts = [entry.grade or f"{entry.rating:.0f}", where, f"number {number}" if number else ""]
    return f"{entry.name} {entry.first_name} ({', '.join(part for part in parts if part)})"
