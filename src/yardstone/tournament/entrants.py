"""Who is to be paired in a round, and all that pairing must know of each."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import UsageError
from yardstone.tournament._board_values import place_groups
from yardstone.tournament.criteria import default_criteria
from yardstone.tournament.entry_columns import Entry
from yardstone.tournament.model import ByeKind
from yardstone.tournament.scores import Scores, category, initial_score
from yardstone.tournament.standings_table import standings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.tournament.model import Tournament
    from yardstone.tournament.pairing_rules import PairingRules

__all__ = ["Entrants", "enter"]

_LOTS = 2**31


@dataclass(frozen=True, eq=False)
class Entrants:
    """The players of one round's pairing, as arrays.

    Attributes
    ----------
    tournament : Tournament
        The state before the round.
    round : int
    rules : PairingRules
    players : int64 array (n,)
        Numbers of the players in the tournament; all other arrays count by place in
        this one.
    entries : int64 array (n, len(Entry))
        Their scores, groups and history.
    met : int8 array (n, n)
        Games that two of them have played with each other.
    packed : float64 array
        `PairingRules.packed` of the round.
    """

    tournament: Tournament
    round: int
    rules: PairingRules
    players: NDArray[np.int64]
    entries: NDArray[np.int64]
    met: NDArray[np.int8]
    packed: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.players)

    def name(self, row: int) -> str:
        """Full name of a player by row."""
        return self.tournament.players[int(self.players[row])].full_name


def enter(
    before: Tournament, round_number: int, rules: PairingRules, players: Collection[int]
) -> Entrants:
    """Collect what pairing needs to know of some players before a round.

    Parameters
    ----------
    before : Tournament
        Without games of that round and later ones (`Tournament.before`).
    round_number : int
        From 1.
    rules : PairingRules
    players : collection of int
        Numbers of those who are to be paired.
    """
    chosen = np.array(sorted(players), np.int64)
    n = len(before.players)
    scores = Scores.of(before)
    now = round_number - 1
    mms2, wins2 = (_upto(s, now) for s in (scores.mms2, scores.wins2))
    main2 = mms2 if rules.by_mcmahon else wins2
    entries = np.zeros((n, len(Entry)), np.int64)
    entries[:, Entry.SCORE] = main2[:, now]
    entries[:, Entry.MMS] = mms2[:, now]
    entries[:, Entry.WINS] = wins2[:, now]
    entries[:, Entry.LOT] = _lots(before)
    entries[:, Entry.ORDER] = _order(before, round_number, rules)
    for row, player in enumerate(before.players):
        entries[row, Entry.CATEGORY] = category(player, before.scoring)
        entries[row, Entry.RANK] = rules.zero if player.rank is None else player.rank
        entries[row, Entry.INITIAL] = initial_score(player, before.scoring)
    _fill_geography(before, entries)
    met = _fill_history(before, entries, main2 // (1 if rules.half_points else 2))
    mine = np.ascontiguousarray(entries[chosen])
    packed = rules.packed(round_number)
    place_groups(mine, packed)
    whole = np.ascontiguousarray(met[np.ix_(chosen, chosen)])
    return Entrants(before, round_number, rules, chosen, mine, whole, packed)


def _upto(scores: NDArray[np.int64], now: int) -> NDArray[np.int64]:
    """Scores with a column for the state before every round, the last one repeated."""
    lacking = now + 1 - scores.shape[1]
    if lacking <= 0:
        return scores
    return np.hstack([scores, np.repeat(scores[:, -1:], lacking, axis=1)])


def _order(before: Tournament, round_number: int, rules: PairingRules) -> NDArray[np.int64]:
    """Place of every player in the standings, with the further criterion of seeding."""
    early = round_number <= rules.seed_last_round_1
    extra = (rules.seed_criterion_1 if early else rules.seed_criterion_2).upper()
    names = [*default_criteria(before), *([] if extra in ("", "NULL") else [extra])]
    main = "MMS" if rules.by_mcmahon else "NBW"
    if main not in names:
        names.insert(0, main)
    now = min(round_number - 1, max(before.rounds, before.last_round))
    while True:
        try:
            table = standings(before, round_number=now, criteria=names, everybody=True)
            break
        except UsageError:  # criteria of a round that has not been reached yet
            reached = [name for name in names if "@" not in name]
            if len(reached) == len(names):
                raise
            names = reached
    place = np.empty(len(before.players), np.int64)
    place[table.order] = np.arange(len(place))
    return place


def _lots(before: Tournament) -> NDArray[np.int64]:
    """A number for every player that depends on the name alone, all different."""
    rows: dict[int, int] = {}
    lots = np.empty(len(before.players), np.int64)
    for row, player in enumerate(before.players):
        digest = hashlib.blake2b(player.full_name.encode("utf-8", "replace"), digest_size=8)
        lot = int.from_bytes(digest.digest(), "big") % _LOTS
        while lot in rows:
            lot = (lot + 1) % _LOTS
        rows[lot] = row
        lots[row] = lot
    return lots


def _fill_geography(before: Tournament, entries: NDArray[np.int64]) -> None:
    """Numbers for clubs, groups of clubs and countries; -1 where nothing is known."""
    group_of = {
        club.strip().casefold(): f"\0{number}"
        for number, group in enumerate(before.club_groups)
        for club in group
    }
    codes: tuple[dict[str, int], ...] = ({}, {}, {})
    for row, player in enumerate(before.players):
        club, country = player.club.strip().casefold(), player.country.strip().casefold()
        texts = (club, group_of.get(club, club), country)
        columns = (Entry.CLUB, Entry.CLUB_GROUP, Entry.COUNTRY)
        for column, text, known in zip(columns, texts, codes, strict=True):
            entries[row, column] = known.setdefault(text, len(known)) if text else -1


def _fill_history(
    before: Tournament, entries: NDArray[np.int64], steps: NDArray[np.int64]
) -> NDArray[np.int8]:
    """Colours, floats and byes so far; returns who has met whom how often."""
    n = len(entries)
    met = np.zeros((n, n), np.int8)
    for game in sorted(before.games, key=lambda game: game.round):
        first, second = game.first, game.second
        one, two = steps[first, game.round - 1], steps[second, game.round - 1]
        if one != two:
            lower, upper = (first, second) if one < two else (second, first)
            entries[lower, Entry.UP] += 1
            entries[upper, Entry.DOWN] += 1
        if game.forfeit:
            for player in (first, second):
                entries[player, Entry.BYES] += game.points(player) > 0
            continue
        if met[first, second] < np.iinfo(np.int8).max:
            met[first, second] += 1
            met[second, first] += 1
        if game.handicap or not game.known_colour:
            continue
        for player, turn in ((first, -1), (second, 1)):
            entries[player, Entry.BALANCE] += turn
            streak = entries[player, Entry.STREAK]
            entries[player, Entry.STREAK] = streak + turn if streak * turn > 0 else turn
    for bye in before.byes:
        entries[bye.player, Entry.BYES] += bye.kind in (ByeKind.paired, ByeKind.full)
    return met
