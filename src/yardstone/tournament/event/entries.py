"""Players enter, at any round; their entries are changed, or taken out."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from yardstone.errors import InputError
from yardstone.grades import format_grade, parse_grade
from yardstone.pool import Skipped, SkipReport
from yardstone.tournament.event.changes import (
    EventChange,
    check_planned,
    listed,
    next_round,
    refused,
    unchanged,
)
from yardstone.tournament.formats.opengotha_fields import format_rank, parse_rank
from yardstone.tournament.formats.opengotha_reading import key
from yardstone.tournament.model import NO_GIVEN_NAME, Player, System, Tournament
from yardstone.tournament.notation import number_text
from yardstone.tournament.standings_table import Scores, initial_score

__all__ = [
    "EventEntry",
    "change_player",
    "enter_players",
    "player_of",
    "remove_player",
    "split_name",
]

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
    """What is said of a player who enters; what is not known is empty or None.

    Attributes
    ----------
    name, first_name : str
        Family name and given name. With a `name` alone, see `split_name`.
    grade : str
        Such as ``3d``, ``12k`` or ``1p``.
    rating : float or None
        On the scale of the EGF, 1 dan being 2100.
    club, country : str
        A club by its name, of which OpenGotha keeps four letters; a country has two.
    ids : mapping of str to str
        Numbers in registers, by "egf", "ffg", "aga".
    rating_origin : str
        Whose rating it is: "EGF", "FFG", "AGA"; "MAN" if the organiser gave it.
    correction : int
        Added to the initial McMahon score.
    line : int
        Where a table says it; 0 if unknown.
    """

    name: str
    first_name: str = ""
    grade: str = ""
    rating: float | None = None
    club: str = ""
    country: str = ""
    ids: Mapping[str, str] = field(default_factory=dict)
    rating_origin: str = ""
    correction: int = 0
    line: int = 0


def split_name(text: str) -> tuple[str, str]:
    """Family name and given name of a name written in one piece.

    A comma stands between both, or else the words in capitals are the family name, or
    else the first word is.

    Examples
    --------
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
    """The player of an entry: a grade and a rating, one from the other where it is missing.

    A rating is 2100 at 1 dan and 100 more for each grade, as OpenGotha has it.

    Raises
    ------
    InputError
        Without a name, or with neither grade nor rating, or with one that cannot be.
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

    Rounds before it are rounds of absence, and bring what the tournament gives for them;
    so a late entry begins with the McMahon score of the grade and, by OpenGotha's rules
    unless they were changed, half a point a round, halves dropped. Whoever is entered
    already in the same way stays as he is; an entry that cannot be used is left out
    and counted.

    Parameters
    ----------
    tournament : Tournament
    entries : sequence of EventEntry
    first_round : int, optional
        The first round in which they take part; by default the first without boards.
    source : str
        The table that the lines of the entries are of.

    Raises
    ------
    InputError
        There is no such round, or all rounds are paired.
    """
    start = next_round(tournament) if first_round is None else first_round
    if first_round is None and start > tournament.rounds:
        raise refused(
            tournament,
            f"all {tournament.rounds} rounds are paired",
            hint="name the first round of the entry, or add a round",
        )
    check_planned(tournament, start)
    absent = frozenset(range(1, start))
    players = list(tournament.players)
    place = {key(player.name, player.first_name): row for row, player in enumerate(players)}
    plain = {_unaccented(text): row for text, row in place.items()}
    skipped = SkipReport()
    new: list[int] = []
    old: list[str] = []
    notes: list[str] = []
    for entry in entries:
        try:
            player = replace(player_of(entry), absent=absent)
            who = key(player.name, player.first_name)
            if who in place:
                _check_same(players[place[who]], player)
                old.append(player.full_name)
                continue
        except InputError as error:
            name = f"{entry.name} {entry.first_name}".strip() or "a row"
            reason = f"{name}: {error.message}" + (f" ({error.hint})" if error.hint else "")
            skipped.add(Skipped(source or tournament.file, entry.line, reason), kind=error.message)
            continue
        alike = plain.get(_unaccented(who))
        if alike is not None:
            notes.append(f"{player.full_name} and {players[alike].full_name}: the same person?")
        place[who] = plain[_unaccented(who)] = len(players)
        new.append(len(players))
        players.append(player)
    lines = [f"Entered already: {listed(old)}."] if old else []
    if not new:
        return EventChange(tournament=tournament, lines=tuple(lines), made=False, skipped=skipped)
    made = replace(tournament, players=tuple(players))
    return EventChange(
        tournament=made,
        lines=(_entered(made, new, start), *lines, *notes),
        skipped=skipped,
    )


def _unaccented(text: str) -> str:
    """Letters and digits without their accents."""
    return "".join(ch for ch in unicodedata.normalize("NFKD", text) if ch.isalnum())


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

    A new grade without a rating takes its own rating along if the old one came from the
    old grade.

    Raises
    ------
    InputError
        A value cannot be, or another player has the name.
    """
    there = tournament.players[player]
    by_grade = there.rating_origin == "INI"
    kept = None if grade is not None and by_grade and rating is None else there.rating
    if name is not None and first_name is None and ("," in name or " " in name.strip()):
        name, first_name = split_name(name)
    made = player_of(
        EventEntry(
            name=there.name if name is None else name,
            first_name=there.first_name if first_name is None else first_name,
            grade=there.grade if grade is None else grade,
            rating=kept if rating is None else rating,
            club=there.club if club is None else club,
            country=there.country if country is None else country,
            ids=there.ids,
            rating_origin=there.rating_origin if rating is None else "MAN",
            correction=there.smms_correction if correction is None else correction,
        )
    )
    if grade is None and rating is None:
        made = replace(made, rank=there.rank, grade=there.grade, rating=there.rating,
                       rating_origin=there.rating_origin)  # fmt: skip
    made = replace(
        there,
        **{
            at: getattr(made, at)
            for at in ("name", "first_name", "country", "club", "rank", "grade", "rating",
                       "rating_origin", "smms_correction")
        },
    )  # fmt: skip
    if made == there:
        return unchanged(tournament, f"{there.full_name} is entered so already.")
    who = key(made.name, made.first_name)
    for row, other in enumerate(tournament.players):
        if row != player and key(other.name, other.first_name) == who:
            raise refused(tournament, f"{made.full_name} is entered already")
    players = list(tournament.players)
    players[player] = made
    lines = [f"Changed: {there.full_name} is now {_introduced(made)}, rating {made.rating:.0f}."]
    after = replace(tournament, players=tuple(players))
    before = initial_score(there, tournament.scoring)
    now = initial_score(made, tournament.scoring)
    if tournament.system is System.mcmahon and tournament.games and before != now:
        lines.append(f"The initial score changes from {before} to {now}, in all rounds.")
    return EventChange(tournament=after, lines=tuple(lines))


def remove_player(tournament: Tournament, player: int) -> EventChange:
    """Take out an entry; who has a game or a bye can only withdraw.

    Raises
    ------
    InputError
        The player is paired in some round.
    """
    who = tournament.players[player].full_name
    paired = [g.round for g in tournament.games if player in (g.first, g.second)]
    paired += [bye.round for bye in tournament.byes if bye.player == player]
    if paired:
        raise refused(
            tournament,
            f"{who} is paired in round {min(paired)} and cannot be taken out",
            hint="withdraw the player from a round on",
        )

    def moved(row: int) -> int:
        return row - (row > player)

    left = {row: moved(row) for row in range(len(tournament.players)) if row != player}
    made = replace(
        tournament,
        players=tournament.players[:player] + tournament.players[player + 1 :],
        games=tuple(
            replace(g, first=moved(g.first), second=moved(g.second)) for g in tournament.games
        ),
        byes=tuple(replace(bye, player=moved(bye.player)) for bye in tournament.byes),
        adjustments=tuple(
            replace(each, player=moved(each.player))
            for each in tournament.adjustments
            if each.player != player
        ),
        teams=tuple(team.renumbered(left) for team in tournament.teams),
    )
    return EventChange(
        tournament=made, lines=(f"{who} is taken out. {len(made.players)} are entered now.",)
    )
