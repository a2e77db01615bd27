"""Scores counted the slow and plain way, one player and one round at a time.

Written from the descriptions of the criteria, without a look at how the package does it:
no arrays, no doubled points, no code shared.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from yardstone.tournament.model import ByeKind, Game, Tournament

Score = Fraction
HALF = Fraction(1, 2)


class Count:
    """All scores of a tournament after a round."""

    def __init__(self, tournament: Tournament, after: int) -> None:
        self.tournament = tournament
        self.after = after
        self.games: dict[int, dict[int, Game]] = {p: {} for p in range(len(tournament.players))}
        for game in tournament.games:
            for player in game.players if game.round <= after else ():
                self.games[player][game.round] = game
        self.byes = {(b.player, b.round): b.kind for b in tournament.byes}

    def start(self, player: int) -> Score:
        rules, entry = self.tournament.scoring, self.tournament.players[player]
        assert entry.rank is not None
        framed = max(rules.floor, min(rules.bar, entry.rank))
        return Fraction(framed - rules.zero + entry.smms_correction)

    def won(self, player: int, game: Game) -> Score:
        return Fraction(game.points(player))

    def free(self, player: int, bye: float, absent: float, until: int) -> Score:
        worth = {ByeKind.paired: bye, ByeKind.full: 1.0, ByeKind.half: 0.5, ByeKind.zero: 0.0}
        total = Fraction(0)
        for number in {*range(1, until + 1)} - {*self.games[player]}:
            if (player, number) in self.byes:
                total += Fraction(worth[self.byes[player, number]])
            elif number in self.tournament.players[player].absent:
                total += Fraction(absent)
        if self.tournament.scoring.round_down:
            total = Fraction(total.numerator // total.denominator)
        return total

    def played(self, player: int, until: int) -> Score:
        games = (g for r, g in self.games[player].items() if r <= until)
        return sum((self.won(player, g) for g in games), Fraction(0))

    def wins(self, player: int, until: int | None = None) -> Score:
        until = self.after if until is None else until
        rules = self.tournament.scoring
        free = self.free(player, rules.wins_bye, rules.wins_absent, until)
        return self.played(player, until) + free

    def mms(self, player: int, until: int | None = None) -> Score:
        until = self.after if until is None else until
        rules = self.tournament.scoring
        free = self.free(player, rules.score_bye, rules.score_absent, until)
        return self.start(player) + self.played(player, until) + free

    def counted(self, player: int, *, mcmahon: bool) -> Score:
        """What a player's score brings to opponents."""
        if not self.tournament.scoring.unplayed_as_half:
            return self.mms(player) if mcmahon else self.wins(player)
        total = self.start(player) if mcmahon else Fraction(0)
        for number in range(1, self.after + 1):
            game = self.games[player].get(number)
            total += self.won(player, game) if game is not None and game.played else HALF
        return total

    def opponents(self, player: int, *, mcmahon: bool) -> list[Score]:
        result = []
        for number in range(1, self.after + 1):
            game = self.games[player].get(number)
            if game is None:
                result.append(self.start(player) if mcmahon else Fraction(0))
                continue
            score = self.counted(game.opponent(player), mcmahon=mcmahon)
            if mcmahon:
                score += game.handicap if player == game.second else -game.handicap
            result.append(score)
        return result

    def sos(self, player: int, *, mcmahon: bool, cut: int = 0) -> Score:
        return sum(sorted(self.opponents(player, mcmahon=mcmahon))[cut:], Fraction(0))

    def sodos(self, player: int, *, mcmahon: bool) -> Score:
        scores = self.opponents(player, mcmahon=mcmahon)
        won = {number: self.won(player, game) for number, game in self.games[player].items()}
        return sum((scores[number - 1] * share for number, share in won.items()), Fraction(0))

    def sosos(self, player: int, *, mcmahon: bool) -> Score:
        total = Fraction(0)
        for number in range(1, self.after + 1):
            game = self.games[player].get(number)
            if game is not None:
                total += self.sos(game.opponent(player), mcmahon=mcmahon)
            elif mcmahon:
                total += self.start(player) * self.after
        return total

    def cuss(self, player: int, score: Callable[[int, int], Score]) -> Score:
        return sum((score(player, r) for r in range(1, self.after + 1)), Fraction(0))

    def exploits(self, player: int, *, won_only: bool) -> Score:
        total = Fraction(0)
        for game in self.games[player].values():
            other = game.opponent(player)
            own, theirs = (self.tournament.players[p].rank or 0 for p in (player, other))
            given = game.handicap if player == game.second else -game.handicap
            factor = max(0, min(3, given - (own - theirs) + 1))
            if not won_only or game.points(player) == 1:
                total += factor * self.wins(other)
        return total

    def value(self, name: str, player: int) -> Score:
        """A criterion by its name."""
        if name in ("NBW", "MMS"):
            return self.wins(player) if name == "NBW" else self.mms(player)
        if name in ("EXT", "EXR"):
            return self.exploits(player, won_only=name == "EXR")
        stem, _, cut = name.partition("-")
        mcmahon = stem[-1] == "M"
        if stem[:-1] == "SOS":
            return self.sos(player, mcmahon=mcmahon, cut=int(cut or 0))
        if stem[:-1] == "CUSS":
            return self.cuss(player, self.mms if mcmahon else self.wins)
        count = {"SODOS": self.sodos, "SOSOS": self.sosos}[stem[:-1]]
        return count(player, mcmahon=mcmahon)


NAMES = (
    *("NBW", "MMS", "EXT", "EXR"),
    *(f"{stem}{kind}" for stem in ("SOS", "SODOS", "SOSOS", "CUSS") for kind in "WM"),
    *(f"SOS{kind}-{cut}" for kind in "WM" for cut in (1, 2)),
)
