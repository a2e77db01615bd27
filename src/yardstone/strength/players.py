"""Whose games are these: the player found in the names of many records.

Neubauer 2024, section 7.1, infers the player as the unique one who occurs in all the
games. Names are compared without regard to capitals, outer blanks and the width of
letters, for servers and people write them differently.
"""

from __future__ import annotations

import os
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.go.evaluator import Evaluator, ask, describe_illegal, moves_before_passes, over_games
from yardstone.go.features import GameFeatures, move_features
from yardstone.go.points import BLACK, PASS, WHITE, colour_name
from yardstone.parallel import Track
from yardstone.pool import Skipped, SkipReport
from yardstone.strength.evidence import KINDS

if TYPE_CHECKING:
    from yardstone.arrays import Floats32
    from yardstone.go.nets.network import Network
    from yardstone.records.go_game import GoGame
    from yardstone.strength.model import StrengthModel

#: Names that stand in a message; the others are counted.
_NAMED = 8
#: Games of so few moves can be equal by chance.
_EQUAL_BY_CHANCE = 10


class AmbiguousPlayerError(UsageError):
    """The games do not tell whose strength is asked for.

    Attributes:
        names: In how many of the games each player occurs, the most frequent first. Those with as
            many games stand in the order in which they appear.
    """

    def __init__(self, names: Mapping[str, int], games: int) -> None:
        self.names = dict(names)
        listed = [f"{name} ({number})" for name, number in list(self.names.items())[:_NAMED]]
        rest = len(self.names) - len(listed)
        others = f" and {rest:,} more" if rest else ""
        if games == 1:
            what = f"whose strength? This game is between {' and '.join(self.names)}"
        elif sum(number == games for number in self.names.values()) > 1:
            what = f"whose strength? Both {' and '.join(list(self.names)[:2])} play in every game"
        else:
            what = (
                f"whose strength? No player occurs in all {games:,} games; there are "
                f"{', '.join(listed)}{others}"
            )
        super().__init__(f"{what}: name the player with --player NAME")


def plain_name(name: str) -> str:
    """A name as it is compared: folded, without outer and repeated blanks."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def names_of(game: GoGame) -> tuple[str, str]:
    """What the players of a game are called: with the colour where both have the same name."""
    if game.black and plain_name(game.black) == plain_name(game.white):
        return f"{game.black} (Black)", f"{game.white} (White)"
    return game.black, game.white


def player_names(games: Iterable[GoGame]) -> dict[str, int]:
    """In how many of the games each named player occurs, the most frequent first.

    A player is called as in the first game; who stand under one name on both sides of a game
    are told apart by colour (`names_of`).
    """
    count: Counter[str] = Counter()
    called: dict[str, str] = {}
    for game in games:
        present = {}
        for name in names_of(game):
            if plain := plain_name(name):
                present[plain] = " ".join(name.split())
        for plain, name in present.items():
            called.setdefault(plain, name)
        count.update(present.keys())
    return {called[plain]: number for plain, number in count.most_common()}


def find_player(games: Sequence[GoGame]) -> str:
    """The one player who occurs in all the games; records of no move and no name count for none.

    The name is as the first game has it. Raises `AmbiguousPlayerError` if no player occurs in
    all games, or two do, as always with a single game; `InputError` if the games name nobody.
    """
    if not games:
        raise NoGamesError("there are no games")
    games = [game for game in games if names_of(game) == (game.black, game.white)] or games
    names = player_names(games)
    if not names:
        raise InputError(
            "the games name no player",
            file=games[0].file or None,
            hint="say which colour is meant: --colour black, or white",
        )
    number = sum(bool(game.moves.size or game.black or game.white) for game in games)
    everywhere = [name for name, occurrences in names.items() if occurrences == number]
    if number == 1 or len(everywhere) != 1:
        raise AmbiguousPlayerError(names, number)
    return everywhere[0]


def colour_of(game: GoGame, player: str) -> int:
    """The colour of a player in a game, called as in `names_of`: 1 Black, 2 White; 0 if neither."""
    plain = plain_name(player)
    black, white = map(plain_name, names_of(game))
    return BLACK if black == plain else WHITE if white == plain else 0


def unique_games(
    games: Iterable[GoGame], report: SkipReport | None = None, reason: str = "the same game again"
) -> tuple[list[GoGame], list[GoGame]]:
    """The games without those that occur again, and these, of which the report is told.

    Two records are of one game if players, board, stones set up and moves are equal,
    whatever else they say; of very short games also the dates must be.
    """
    keys: set[tuple[object, ...]] = set()
    first: list[GoGame] = []
    again: list[GoGame] = []
    for game in games:
        key: tuple[object, ...] = (
            game.size,
            plain_name(game.black),
            plain_name(game.white),
            np.sort(game.setup_black).tobytes(),
            np.sort(game.setup_white).tobytes(),
            game.moves.tobytes(),
            game.colours.tobytes(),
            game.date.item() if len(game.moves) < _EQUAL_BY_CHANCE else None,
        )
        (again if key in keys else first).append(game)
        keys.add(key)
    if report is not None:
        for game in again:
            report.add(Skipped(game.file, game.line, reason))
    return first, again


#: What the network is told of every game, as when the model was trained.
KOMI = 6.5
BOARD = 19
#: Winrates and leads are kept with so many digits.
_WIN_DIGITS, _LEAD_DIGITS = 4, 2
#: Games that go to another machine together.
_TOGETHER = 4

Item = TypeVar("Item")
Taken = TypeVar("Taken")


@dataclass(frozen=True, slots=True, eq=False)
class EvaluatedGame:
    """A game with what the network says of it."""

    game: GoGame
    features: GameFeatures  #: Of the moves of both colours.
    #: [m + 1]: of the positions before the passes at the end.
    white_winrate: Floats32
    white_lead: Floats32
    #: [n]: for each row of the features the move that the network likes best; -1 is a pass.
    best: NDArray[np.int16]

    def winrate(self, colour: int) -> list[float]:
        """One player's expected score, 0 to 1, before each move and after the last."""
        white = self.white_winrate
        mine = white if colour == WHITE else 1.0 - white
        return [round(float(value), _WIN_DIGITS) for value in mine]

    def lead(self, colour: int) -> list[float]:
        """One player's lead in points, likewise."""
        mine = self.white_lead if colour == WHITE else -self.white_lead
        return [round(float(value), _LEAD_DIGITS) + 0.0 for value in mine]


def unsuitable(game: GoGame, *, handicap: bool = False) -> str | None:
    """Why a game says nothing to the model; None if it does.

    `handicap`: take games with handicap stones as well.
    """
    if game.size != BOARD:
        return f"a board of {game.size}x{game.size}: the model knows {BOARD}x{BOARD} only"
    if len(game.setup_white) or (len(game.setup_black) and game.handicap < 2):
        return "it begins from a position that was set up"
    if game.handicap > 1 and not handicap:
        return "a handicap game: the model knows even games only"
    if not (game.moves != PASS).any():
        return "there is no move"
    return None


def model_network(
    model: StrengthModel,
    net: str | os.PathLike[str] | Network | None = None,
    *,
    cache: bool = True,
    **how: Any,
) -> Network:
    """The network that a model was trained on.

    `net`: where it is; by default it is looked for by its name among those that are kept, and then
    where $YARDSTONE_NET says. `cache`, `how`: as for `yardstone.go.nets.load_network`, all but
    symmetries. Raises `InputError` if it is not there, or it is another one; `UsageError` if it is
    loaded, but not with the model's number of symmetries.
    """
    from yardstone.go.nets.network import Network, NetworkView, load_network
    from yardstone.go.nets.store import ENVIRONMENT, find_network

    wanted = NetworkView.of(model.card)
    name, sha256 = wanted.name, wanted.sha256
    if not isinstance(net, Network):
        source = net
        if net is None and not os.environ.get(ENVIRONMENT):
            source = name
        try:
            path = find_network(source)
        except InputError as error:
            if net is not None:
                raise
            raise InputError(
                f"the model needs the network {name} (SHA-256 {sha256}), which is not here",
                file=error.file if os.environ.get(ENVIRONMENT) else None,
                hint=f"{_where(name)}, or --net FILE",
            ) from None
        net = load_network(path, cache=cache, symmetries=wanted.symmetries, **how)
    if net.sha256 != sha256:
        raise InputError(
            f"the model was trained on what {name} (SHA-256 {sha256}) sees, and this is "
            f"{net.name} (SHA-256 {net.sha256}): what the one means the other does not",
            file=net.file,
            hint=_where(name),
        )
    if net.symmetries != wanted.symmetries:
        raise UsageError(
            f"this network was loaded with symmetries={net.symmetries}: the model needs "
            f"symmetries={wanted.symmetries}"
        )
    return net


def _where(name: str) -> str:
    """How to get a network."""
    from yardstone.go.nets.store import KNOWN

    known = next((each for each in KNOWN if name in (each.name, each.short)), None)
    if known is None:
        return "get it from where the model came from"
    return f"`yardstone go nets download {known.short}` gets it from {known.url}"


def evaluate_games(
    games: Sequence[GoGame], network: Network, *, skipped: SkipReport
) -> Iterator[EvaluatedGame]:
    """Look at games one after the other; on a cluster, some at a time.

    `games`: for which `unsuitable` has nothing to say. `skipped`: takes the games that the network
    cannot be shown.
    """
    return take_of_games(_itself, games, network, skipped=skipped)


def _itself(evaluated: EvaluatedGame) -> EvaluatedGame:
    return evaluated


def take_of_games(
    take: Callable[[EvaluatedGame], Taken],
    games: Sequence[GoGame],
    network: Network,
    *,
    skipped: SkipReport,
) -> Iterator[Taken]:
    """Look at games, and keep of each what is wanted: only that comes from another machine.

    `take`: a function at the top level of a module, or a `functools.partial` of one. `games`,
    `network`, `skipped`: as for `evaluate_games`.
    """
    return over_games(
        partial(_taken_of_games, take),
        games,
        network,
        together=_TOGETHER,
        positions=lambda game: len(game.moves) + 1,
        skipped=skipped,
        what="looking at positions",
    )


def _taken_of_games(
    take: Callable[[EvaluatedGame], Taken],
    games: Iterable[GoGame],
    network: Network,
    *,
    skipped: SkipReport,
    track: Track | None,
) -> Iterator[Taken]:
    from yardstone.go.rules import TROMP_TAYLOR

    questions = ask(
        _playable(games, skipped),
        skipped,
        network,
        rules=TROMP_TAYLOR,
        komi=KOMI,
        trunk=True,
        whole=True,
    )
    evaluator = Evaluator(network, trunk=KINDS, track=track)
    for answer in evaluator.answer(questions):
        features = move_features(answer)
        end = moves_before_passes(features.game) + 1
        policy = answer.assessment.policy[features.number.astype(np.int64) - 1]
        best = np.nanargmax(policy, axis=1) if len(policy) else np.empty(0, np.int64)
        evaluated = EvaluatedGame(
            game=features.game,
            features=features,
            white_winrate=answer.assessment.white_expected[:end].copy(),
            white_lead=answer.assessment.white_lead[:end].copy(),
            best=np.where(best == policy.shape[1] - 1, PASS, best).astype(np.int16),
        )
        yield take(evaluated)


def _playable(games: Iterable[GoGame], skipped: SkipReport) -> Iterator[GoGame]:
    """The games, each up to its first illegal move, of which the report is told."""
    from yardstone.go.inputs import game_positions

    for game in games:
        try:
            illegal = game_positions(game).illegal_at
        except InputError as error:
            skipped.add(Skipped(game.file, game.line, error.message))
            continue
        if illegal < 0:
            yield game
            continue
        skipped.repaired[f"{describe_illegal(game, illegal)}: taken up to there"] += 1
        if illegal:
            yield replace(game, moves=game.moves[:illegal], colours=game.colours[:illegal])
        else:
            skipped.add(Skipped(game.file, game.line, "it cannot be replayed"))


def facts(game: GoGame, colour: int) -> dict[str, Any]:
    """What a record says of a game, from one player's view."""
    white = colour == WHITE
    won = {0: None, -1: "draw"}.get(game.winner, "win" if game.winner == colour else "loss")
    return {
        "file": game.file,
        "line": game.line or None,
        "date": None if np.isnat(game.date) else str(game.date)[:10],
        "opponent": game.black if white else game.white,
        "colour": "white" if white else "black",
        "result": game.result or None,
        "won": won,
    }


def requested_side(
    games: Sequence[GoGame], player: str | None, colour: int | None, *, report: SkipReport
) -> tuple[list[GoGame], Side]:
    """The games, each once, and whose moves of them are asked for.

    The report takes the games that occur again. Raises `UsageError` if the request cannot be;
    `NoGamesError` if there are no games; `AmbiguousPlayerError`, `InputError` if the games do not
    tell who is meant, or nobody is.
    """
    if colour is not None and player is not None:
        raise UsageError("name a player or a colour, not both")
    if colour not in (None, BLACK, WHITE):
        raise UsageError(f"{colour} is not a colour: 1 is Black, 2 is White")
    different, _ = unique_games(games, report)
    if not different:
        raise no_games(player, report)
    return different, Side(_name(different, player, colour), colour, anybody=colour is not None)


def _name(games: Sequence[GoGame], player: str | None, colour: int | None) -> str:
    """Whose strength it is: the player given, the one of a colour, or the one in all games."""
    if colour is not None:
        return one_name(games, colour)
    if player is None:
        return find_player(games)
    for game in games:
        if colour := colour_of(game, player):
            return " ".join(names_of(game)[colour - 1].split())
    names = player_names(games)
    known = ", ".join(list(names)[:_NAMED]) + (" and others" if len(names) > _NAMED else "")
    raise InputError(
        f"no game is by {player!r}", hint=f"there are {known}" if names else "nobody is named"
    )


def one_name(games: Iterable[GoGame], colour: int) -> str:
    """The one player who has a colour in all the games, or else the colour."""
    named = {game.black if colour == BLACK else game.white for game in games}
    return (named.pop() if len(named) == 1 else "") or colour_name(colour)


@dataclass(frozen=True, slots=True)
class Side:
    """Whose moves are measured."""

    player: str  #: What the estimate calls the player.
    #: 1 Black, 2 White: only games in which the player had it; None for all.
    colour: int | None = None
    anybody: bool = False  #: Take that colour whoever had it.

    def colour_in(self, game: GoGame) -> int:
        """The colour that is measured in a game; 0 if the game is not asked for."""
        if self.anybody:
            return self.colour or 0
        own = colour_of(game, self.player)
        return own if self.colour in (None, own) else 0

    def usable(
        self, games: Sequence[GoGame], report: SkipReport, *, handicap: bool = False
    ) -> list[GoGame]:
        """The games that the model can say something about; the others are reported."""

        def useless(game: GoGame) -> str | None:
            if self.colour_in(game):
                return unsuitable(game, handicap=handicap)
            if colour_of(game, self.player):
                return f"{self.player} has the other colour"
            return f"not a game of {self.player}"

        return sorted_out(games, useless, report)


def sorted_out(
    games: Iterable[GoGame], useless: Callable[[GoGame], str | None], report: SkipReport
) -> list[GoGame]:
    """The games without those that are useless for a reason, which are reported."""
    reasons = [(game, useless(game)) for game in games]
    for game, reason in reasons:
        if reason is not None:
            report.add(Skipped(game.file, game.line, reason))
    return [game for game, reason in reasons if reason is None]


def no_games(player: str | None, report: SkipReport) -> NoGamesError:
    """No game is left: say why the first of them is not."""
    if not report.details:
        return NoGamesError("there are no games")
    first = report.details[0]
    reasons = ", ".join(f"{number} × {reason}" for reason, number in report.reasons.most_common(3))
    hint = "--handicap takes handicap games" if "handicap" in reasons else None
    whose = "" if player is None else f" of {player}"
    return NoGamesError(
        f"no game{whose} can be used: {reasons}",
        file=first.file or None,
        line=first.line or None,
        hint=hint,
    )
