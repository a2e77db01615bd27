"""What the Dutch system has to know of each player before a round.

Articles are those of FIDE Handbook C.04.3 as applied from 2026.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import cached_property

from yardstone.tournament.fide import FideScores, Unplayed
from yardstone.tournament.formats.text_files import TextDocument
from yardstone.tournament.model import ByeKind, Result, Tournament
from yardstone.tournament.rules import Acceleration


class PieceColour(IntEnum):
    """White moves first; the negative is the other one."""

    white = 1
    none = 0
    black = -1


class Preference(IntEnum):
    """How strongly a player is due a colour (1.6.2)."""

    none = 0
    mild = 1
    strong = 2
    absolute = 3


class Drift(IntEnum):
    """Floats (1.4)."""

    up = 1
    none = 0
    down = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class DutchPlayer:
    """One player before a round."""

    player: int  #: Number in the tournament, from 0
    number: int  #: Pairing number, from 1
    score: float  #: Points, the virtual ones of an acceleration included
    points: float  #: Points without those
    colours: tuple[PieceColour, ...]  #: Of the games that were played, in their order
    opponents: frozenset[int]  #: Those whom the player has played
    bye_barred: bool  #: Whether the player may not have the bye (C2)
    unplayed: int  #: Rounds so far without a game
    floats: tuple[Drift, Drift]  #: In the last round and in the one before
    top: bool  #: Topscorer: more than half of the possible points before the last round (1.8)

    @property
    def balance(self) -> int:
        """Games with White less games with Black (1.6.1)."""
        return sum(self.colours)

    @property
    def repeated(self) -> PieceColour:
        """The colour of the last two games, if they had the same."""
        last = self.colours[-2:]
        return last[0] if len(last) == 2 and last[0] == last[1] else PieceColour.none

    @property
    def due(self) -> PieceColour:
        """The colour that the player prefers."""
        wide = self.balance if abs(self.balance) > 1 else 0
        leaning = wide or self.repeated or self.balance or (self.colours or (0,))[-1]
        return PieceColour((leaning < 0) - (leaning > 0))

    @property
    def preference(self) -> Preference:
        """How strong that preference is."""
        if abs(self.balance) > 1 or self.repeated:
            return Preference.absolute
        if self.balance:
            return Preference.strong
        return Preference.mild if self.colours else Preference.none


@dataclass(frozen=True, kw_only=True)
class DutchField:
    """The players of a round in the order of article 1.2: by score, then pairing number."""

    tournament: Tournament  #: The state before the round
    round: int
    players: tuple[DutchPlayer, ...]

    @cached_property
    def row_of(self) -> dict[int, int]:
        """Place of each player in `players`, by the number in the tournament."""
        return {each.player: row for row, each in enumerate(self.players)}

    def number(self, row: int) -> int:
        """Number in the tournament by place in `players`; -1 for the bye behind the last."""
        return self.players[row].player if row < len(self.players) else -1

    def name(self, row: int) -> str:
        """Full name by place in `players`."""
        number = self.number(row)
        return "the bye" if number < 0 else self.tournament.name_of(number)


def seeding(tournament: Tournament) -> list[int]:
    """All players in the initial order (C.04.2, B).

    By starting numbers in a report file; elsewhere by ratings, then ranks, then the list.
    """
    document = tournament.document
    everybody = range(len(tournament.players))
    if isinstance(document, TextDocument) and document.format == "trf":
        behind = len(document.number) + 10_000
        return sorted(everybody, key=lambda row: (document.number.get(row, behind), row))

    def place(row: int) -> tuple[float, float, int]:
        player = tournament.players[row]
        rating = float("-inf") if player.rating is None else player.rating
        rank = float("-inf") if player.rank is None else player.rank
        return -rating, -rank, row

    return sorted(everybody, key=place)


def dutch_field(before: Tournament, round_number: int, players: Collection[int]) -> DutchField:
    """Collect what the pairing of some players, by number, in a round needs.

    `before` is the tournament without games of that round and later ones (`Tournament.before`).
    """
    done = round_number - 1
    scores = FideScores(before, done, Unplayed.none)
    n = len(before.players)
    virtual = [
        [before.swiss.virtual_points(player, r) for r in range(1, round_number + 1)]
        for player in range(n)
    ]
    totals = [_totals(before, scores, player, done) for player in range(n)]
    entered = {p for game in before.games for p in game.players} | set(players)
    entered |= {bye.player for bye in before.byes if bye.kind is ByeKind.paired}
    numbers = {
        player: number
        for number, player in enumerate((p for p in seeding(before) if p in entered), 1)
    }
    if before.discipline == "go":
        raise before.error(
            "the Dutch system is for chess, where White moves first",
            hint="pair Go by weights: McMahon or Swiss",
        )
    final = round_number >= before.rounds
    most = done * max(before.scoring.win, before.scoring.draw)

    def drift(player: int, back: int) -> Drift:
        if done < back:
            return Drift.none
        r = scores.rounds[player][done - back]
        if not r.played:
            return Drift.down if r.points > before.scoring.loss else Drift.none
        own, other = (
            totals[p][done - back] + virtual[p][done - back] for p in (player, r.opponent)
        )
        return Drift.down if own > other else Drift.up if own < other else Drift.none

    entries = []
    for player in players:
        rounds_played = scores.rounds[player]
        met = frozenset(r.opponent for r in rounds_played if r.played)
        pending = frozenset(
            game.opponent(player)
            for game in before.games
            if game.result is Result.unknown and player in game.players
        )
        colours = tuple(
            PieceColour.white if r.first else PieceColour.black
            for r in rounds_played
            if r.played and r.first is not None
        )
        byes = (before.bye_of.get((r.number, player)) for r in rounds_played)
        points = totals[player][done]
        entries.append(
            DutchPlayer(
                player=player,
                number=numbers[player],
                score=points + virtual[player][done],
                points=points,
                colours=colours,
                opponents=met | pending,
                bye_barred=any(not r.played and r.full for r in rounds_played)
                or any(bye is not None and bye.kind is ByeKind.paired for bye in byes),
                unplayed=sum(not r.played for r in rounds_played),
                floats=(drift(player, 1), drift(player, 2)),
                top=final and done > 0 and points + virtual[player][done] > most / 2,
            )
        )
    entries.sort(key=lambda each: (-each.score, each.number))
    return DutchField(tournament=before, round=round_number, players=tuple(entries))


def _totals(before: Tournament, scores: FideScores, player: int, done: int) -> list[float]:
    """Points before each round, and after the last one that is done."""
    totals = [0.0]
    for number, r in enumerate(scores.rounds[player][:done], 1):
        game = before.game_of.get((number, player))
        undecided = game is not None and game.result is Result.unknown
        decided = sum(
            change.points
            for change in before.adjustments
            if change.player == player and change.round == number
        )
        totals.append(totals[-1] + (0.0 if undecided else r.points) + decided)
    return totals


class ColourReason(StrEnum):
    """Which rule decided, by its article."""

    both = "5.2.1"
    stronger = "5.2.2"
    history = "5.2.3"
    higher = "5.2.4"
    initial = "5.2.5"


def allocate(
    higher: DutchPlayer, lower: DutchPlayer, initial: PieceColour
) -> tuple[PieceColour, ColourReason]:
    """The colour of the higher-ranked player of a pair (article 1.2), and why."""
    if not higher.due and not lower.due:
        colour = initial if higher.number % 2 else PieceColour(-initial)
        return colour, ColourReason.initial
    if higher.due != lower.due:
        return higher.due or PieceColour(-lower.due), ColourReason.both
    mine, theirs = (
        (p.preference, abs(p.balance) if p.preference is Preference.absolute else 0)
        for p in (higher, lower)
    )
    if mine != theirs:
        return PieceColour(higher.due if mine > theirs else -higher.due), ColourReason.stronger
    for own, other in zip(reversed(higher.colours), reversed(lower.colours), strict=False):
        if own != other:
            return other, ColourReason.history
    return higher.due, ColourReason.higher


def baku(seeding: Sequence[int], rounds: int) -> tuple[Acceleration, ...]:
    """Virtual points for the first half of the `seeding` in the first half of the rounds.

    Examples:
        >>> [(each.first, each.last, each.points) for each in baku(range(161), 9)]
        [(1, 3, 1.0), (4, 5, 0.5)]
    """
    group = frozenset(seeding[: 2 * -(-len(seeding) // 4)])
    accelerated = -(-rounds // 2)
    whole = -(-accelerated // 2)
    stages = [Acceleration(group, 1, whole, 1.0)] if whole else []
    if accelerated > whole:
        stages.append(Acceleration(group, whole + 1, accelerated, 0.5))
    return tuple(stages)
