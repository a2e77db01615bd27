"""Results of matches of backgammon, from Jellyfish's ``.mat`` files and those of sites.

A file holds tags such as ``; [EventDate "2024.08.01"]``, the length of the match
(``5 point match``), and its games: the score, two columns of numbered moves and cube
actions, and who wins how many points. Player 1 has the left column. Sites differ in
where the columns begin, so who won is checked against the score at which the next game begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import NoGamesError
from yardstone.pool import Pool, Skipped, SkipReport
from yardstone.records.columns import LENGTH
from yardstone.records.dates import date_span
from yardstone.records.decoding import clean, decode
from yardstone.records.joining import read_shares
from yardstone.records.options import MATCHES, Options, further_columns, require_columns
from yardstone.records.sources import in_turn

if TYPE_CHECKING:
    from yardstone.records.sources import Source

#: Longer files, lines and games are no matches.
_MOST_BYTES = 256 << 20
_LONGEST_LINE = 1000
#: Of a match of which only the games are there.
_UNKNOWN_LENGTH = -1

_TAG = re.compile(r'\s*+;?\s*+\[\s*+([^"\]]{1,60}?)\s*"(.*)"\s*\]\s*$')
_HEADER = re.compile(r"\s*(\d{1,5})\s*point\s+match\b", re.IGNORECASE)
_MONEY = re.compile(r"\s*(?:unlimited|money)\s+(?:match|session|game)\b", re.IGNORECASE)
_GAME = re.compile(r"\s*game\s+(\d{1,6})\s*$", re.IGNORECASE)
_SCORES = re.compile(r"\s?(.*?)\s*+:\s*+(\d{1,6})(\s++)(.*?)\s*+:\s*+(\d{1,6})\s*+$")
_NUMBER = re.compile(r"\s*\d{1,5}\)")
#: Where a match begins nothing but tags, remarks and its header does.
_SAYS = re.compile(r"\s*+[^\s;]")
_ENTRY = re.compile(
    r"[1-6]{2}:(?:(?!\s{2,}\S*[A-Z])(?!\s[1-6]{2}:).)*"
    r"|(?P<word>Doubles|Redoubles|Beavers|Raccoons|Takes|Accepts|Drops|Passes|Rejects|Wins|Losses"
    r"|Resigns)(?:\s*=>\s*\d+)?(?:\s+(?P<points>\d{1,5})\s+points?)?",
    re.IGNORECASE,
)
_OVER = ("wins", "losses")


@dataclass(slots=True)
class MatGame:
    """A game of a match."""

    line: int  #: where it begins
    score: tuple[int, int]  #: before it
    begun: bool = False  #: whether there is more of it than its score
    winner: int | None = None  #: 0 or 1; None if the file does not say
    points: int = 0  #: won
    contrary: bool = False  #: whether it ends in two ways


@dataclass(slots=True)
class MatMatch:
    """A match; see `problem` for whether it can be used."""

    line: int  #: where its length stands
    length: int  #: points to win; 0 for a money session, -1 where the line that tells is missing
    players: tuple[str, str] = ("", "")
    tags: Mapping[str, str] = field(default_factory=dict)  #: by names in lower case
    games: list[MatGame] = field(default_factory=list)
    damage: str = ""  #: what shows that it is not whole; empty if nothing does

    @property
    def score(self) -> tuple[int, int]:
        """At the end, as far as the file goes."""
        if not self.games:
            return 0, 0
        last = self.games[-1]
        one, other = last.score
        return one + last.points * (last.winner == 0), other + last.points * (last.winner == 1)

    @property
    def winner(self) -> int | None:
        """0 or 1, whoever reached the length; None if nobody did."""
        score = self.score
        if self.length <= 0 or max(score) < self.length:
            return None
        return int(score[1] > score[0])

    @property
    def time(self) -> np.datetime64:
        """When it was played, from its tags, at the earliest; NaT if they do not say."""
        date = self.tags.get("eventdate", self.tags.get("date", ""))
        clock = self.tags.get("eventtime", self.tags.get("time", "")).replace(".", ":")
        moment = date_span(f"{date} {clock}")[0]
        return moment if moment.astype(np.int64) > 0 else np.datetime64("NaT", "s")

    def problem(self) -> str:
        """Why there is no result to use; empty if there is one."""
        if self.length == _UNKNOWN_LENGTH:
            return "the line with the length of the match is missing"
        if not self.length:
            return "a money session is not a match"
        if not self.games:
            return "the match has no games"
        if not all(self.players):
            return "a player has no name"
        if self.damage:
            return self.damage
        if any(game.contrary for game in self.games):
            return "a game ends in two ways"
        if max(self.games[0].score) >= self.length:
            return f"the match begins at {max(self.games[0].score)} points"
        for number, (game, after) in enumerate(zip(self.games, self.games[1:], strict=False), 1):
            won = [after.score[side] - game.score[side] for side in (0, 1)]
            if game.winner is None:
                return f"game {number} has no winner"
            if won[1 - game.winner] != 0 or won[game.winner] != game.points:
                return f"the score after game {number} does not fit its result"
            if max(after.score) >= self.length:
                return f"the match goes on after {self.length} points"
        if self.games[-1].winner is None:
            return "the last game has no winner"
        if self.winner is None:
            one, other = self.score
            return f"unfinished ({one} to {other} in a match to {self.length} points)"
        return ""


def parse_mat(lines: Iterator[str] | Sequence[str]) -> Iterator[MatMatch]:
    """The matches of a file, whole or not.

    Examples:
        >>> text = ''' 1 point match
        ...
        ...  Game 1
        ...  Ann : 0              Bob : 0
        ...   1)                   31: 8/5 6/5
        ...   2)  Resigns
        ...                        Wins 1 point and the match'''
        >>> match, = parse_mat(text.split(chr(10)))
        >>> match.players, match.score
        (('Ann', 'Bob'), (0, 1))
    """
    tags: dict[str, str] = {}  # those since the last game
    match: MatMatch | None = None
    column = 0
    for number, line, broken in _parts(lines):
        cut = broken and line.startswith(";")  # nothing is left but the beginning of its tags
        tag = None if cut else _TAG.match(line)
        if cut or tag:
            if match is not None and match.games:  # they are those of the next match
                yield match
                match = None
            name = clean(tag[1]).lower() if tag else ""
            if cut or name in tags:  # of this there is nothing but the tags
                yield MatMatch(number, _UNKNOWN_LENGTH, tags=tags)
                tags = {}
            if tag:
                tags[name] = clean(tag[2])
            continue
        header, money = _HEADER.match(line), _MONEY.match(line)
        begins = _GAME.match(line)
        scores = None if begins or _NUMBER.match(line) else _SCORES.match(line)
        starts = not (header or money) and bool(
            begins or (match is not None and _goes_on(match, line, scored=scores is not None))
        )
        if header or money or (starts and (match is None or _is_next(match, begins, scores))):
            if match is not None:
                yield match
            length = int(header[1]) if header else 0 if money else _UNKNOWN_LENGTH
            match, tags = MatMatch(number, length, tags=tags), {}
        elif starts and match is not None and match.games and not match.games[-1].begun:
            if number == match.games[-1].line + 1:  # the line stands twice
                match.games.pop()
            else:
                match.damage = "a game breaks off"
        elif match is None and (scores or _NUMBER.match(line) or (tags and _SAYS.match(line))):
            match, tags = MatMatch(number, _UNKNOWN_LENGTH, tags=tags), {}
        if match is None or header or money:
            continue
        if starts:
            match.tags, tags = {**match.tags, **tags}, {}
            match.games.append(MatGame(number, match.score))
        if not match.games:
            continue
        if scores:
            column = scores.start(4)
            players = (clean(scores[1]), clean(scores[4]))
            if match.players not in (("", ""), players):
                match.damage = "the names of its players change"
            match.players = players
            match.games[-1].score = (int(scores[2]), int(scores[5]))
        else:
            _read_line(line, column, match.games[-1])
    if match is not None:
        yield match


def _parts(lines: Iterator[str] | Sequence[str]) -> Iterator[tuple[int, str, bool]]:
    """Number and text of each line, in two parts where another record begins within it."""
    for number, line in enumerate(lines, 1):
        joined = _TAG.match(line, at) if (at := line.rfind(";")) > 0 else None
        if joined and line[:at].strip():
            yield number, line[: min(at, _LONGEST_LINE)].expandtabs(), True
            line = line[at:]
        line = line[:_LONGEST_LINE].expandtabs()
        yield number, line, False


def _goes_on(match: MatMatch, line: str, *, scored: bool) -> bool:
    """Whether a line is of another game than the last, whose number is damaged."""
    if scored:
        return not match.games or match.games[-1].begun
    over = bool(match.games) and match.games[-1].winner is not None
    words = (each["word"] or "" for each in _ENTRY.finditer(line)) if over else ()
    return any(word.lower() not in _OVER for word in words)


def _is_next(match: MatMatch, begins: re.Match[str] | None, scores: re.Match[str] | None) -> bool:
    """Whether a game that begins is the first of the next match, whose header is damaged."""
    if not match.games or not match.games[-1].begun:
        return False
    if begins:
        return int(begins[1]) == 1
    if scores:
        return scores[2] == scores[5] == "0"
    return match.winner is not None


def _read_line(line: str, column: int, game: MatGame) -> None:
    """Take the entries of a line into a game."""
    start = number.end() if (number := _NUMBER.match(line)) else 0
    entries, end = list(_ENTRY.finditer(line, start)), start
    for entry in entries:
        right = entry.start() > max(column - 4, start + 8)
        unclear = len(entries) == 1 and start + 8 < entry.start() <= column - 4
        unclear |= bool(line[end : entry.start()].strip())  # what does not belong there moved it
        end = entry.end()
        word = (entry["word"] or "").lower()
        if word not in _OVER:
            game.begun = True
        elif entry["points"] is not None and not unclear:
            before = game.winner, game.points
            game.begun, game.points = True, int(entry["points"])
            game.winner = int(right if word == "wins" else not right)
            game.contrary |= before not in ((None, 0), (game.winner, game.points))


def read_mat(sources: Sequence[Source], options: Options) -> Pool:
    """The results of the matches of some files: a row a match, with its length.

    `first` is player 1; nobody moves first by right, the dice decide. The column
    `LENGTH` is always there; further ones are tags. The time is that of EventDate and
    EventTime. Raises NoGamesError if the only file holds no match, and StrictError, with
    ``strict``, at the first match that cannot be used.
    """
    further = further_columns(options, MATCHES)
    further.pop(LENGTH, None)
    asked = options.asked(LENGTH)
    read = partial(_results, further | asked, alone=len(sources) == 1)
    pool = read_shares(read, sources, options)
    require_columns(pool, further | asked, sources, MATCHES, others=(LENGTH,))
    if options.where is not None:
        return options.where.select(pool, **{LENGTH: pool.columns[LENGTH]})
    return pool


def _results(
    tags: Mapping[str, str], sources: Sequence[Source], options: Options, *, alone: bool
) -> Pool:
    """The results in some files, or in the one file that is `alone`."""
    skipped = SkipReport()
    matches: list[MatMatch] = []
    for source, _ in in_turn(sources):
        any_match = False
        with source.open() as stream:
            text = decode(stream.rest(_MOST_BYTES).removeprefix(b"\xef\xbb\xbf"))
        if stream.damage is not None:
            _skip(skipped, Skipped(source.name, 0, stream.damage), options.strict)
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for match in parse_mat(lines):
            any_match = True
            reason = match.problem()
            if reason:
                _skip(skipped, Skipped(source.name, match.line, reason), options.strict)
            else:
                matches.append(match)
        if not any_match:
            if alone:
                raise NoGamesError(
                    "it contains no matches",
                    file=source.name,
                    hint="a .mat file has a line such as 5 point match",
                )
            _skip(skipped, Skipped(source.name, 0, "no matches in this file"), options.strict)
    first, second = ([match.players[side] for match in matches] for side in (0, 1))
    extra: dict[str, Any] = {LENGTH: np.array([match.length for match in matches], np.int64)}
    for name, tag in tags.items():
        texts = [match.tags.get(tag.lower(), "") for match in matches]
        extra[name] = np.array(texts, np.dtypes.StringDType())
    time = None
    if options.times:
        time = np.array([match.time for match in matches], "datetime64[s]")
    score = np.array([float(match.winner == 0) for match in matches])
    return replace(Pool.from_names(first, second, score, time=time, columns=extra), skipped=skipped)


def _skip(report: SkipReport, record: Skipped, strict: bool) -> None:
    known = record.reason.startswith(("unfinished", "a money session", "the match has no games"))
    kind = re.sub(r" \(.*\)|game \d+", "", record.reason)
    report.add(record, kind=kind, known=known, strict=strict)
