"""A player's games as a network sees them: features for the model, curves for people."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from yardstone.errors import InputError, UsageError
from yardstone.go.evaluator import Evaluator, ask, describe_illegal, moves_before_passes, over_games
from yardstone.go.features import GameFeatures, move_features
from yardstone.go.points import PASS, WHITE
from yardstone.pool import Skipped, SkipReport
from yardstone.strength.evidence import KINDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.go.evaluator import Assessment
    from yardstone.go.nets.network import Network
    from yardstone.records.go_game import GoGame
    from yardstone.strength.model import StrengthModel

__all__ = [
    "BOARD",
    "KOMI",
    "EvaluatedGame",
    "facts",
    "model_network",
    "evaluate_games",
    "take_of_games",
    "unsuitable",
]

#: What the network is told of every game, as when the model was trained.
KOMI = 6.5
BOARD = 19
#: Winrates and leads are kept with so many digits.
_WIN_DIGITS, _LEAD_DIGITS = 4, 2
#: Games that go to another machine together.
_TOGETHER = 4

Taken = TypeVar("Taken")


@dataclass(frozen=True, slots=True, eq=False)
class EvaluatedGame:
    """A game with what the network says of it.

    Attributes
    ----------
    game : GoGame
    features : GameFeatures
        Of the moves of both colours.
    white_winrate, white_lead : float32 [m + 1]
        Of the positions before the passes at the end.
    best : int16 [n]
        For each row of the features the move that the network likes best; -1 is a pass.
    """

    game: GoGame
    features: GameFeatures
    white_winrate: NDArray[np.float32]
    white_lead: NDArray[np.float32]
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

    Parameters
    ----------
    game : GoGame
    handicap : bool
        Take games with handicap stones as well.
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
    engine: str = "auto",
    precision: str = "fp32",
    threads: int | None = None,
    cache: bool = True,
    device: str = "auto",
) -> Network:
    """The network that a model was trained on.

    Parameters
    ----------
    model : StrengthModel
    net : path, str or Network, optional
        Where it is; by default it is looked for by its name among those that are kept,
        and then where $YARDSTONE_NET says.
    engine, precision, threads, cache, device
        As for `yardstone.go.nets.load_network`.

    Raises
    ------
    InputError
        It is not there, or it is another one.
    UsageError
        It is loaded, but not with the model's number of symmetries.
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
        net = load_network(
            path, engine, precision, threads, cache, device, symmetries=wanted.symmetries
        )
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
    games: Sequence[GoGame],
    network: Network,
    *,
    skipped: SkipReport,
    progress: Callable[[int, int], object] | None = None,
) -> Iterator[EvaluatedGame]:
    """Look at games one after the other; on a cluster, some at a time.

    Parameters
    ----------
    games : sequence of GoGame
        For which `unsuitable` has nothing to say.
    network : Network
    skipped : SkipReport
        Takes the games that the network cannot be shown.
    progress : callable, optional
        Called with the number of positions that are done, and of all.
    """
    return take_of_games(_itself, games, network, skipped=skipped, progress=progress)


def _itself(evaluated: EvaluatedGame) -> EvaluatedGame:
    return evaluated


def take_of_games(
    take: Callable[[EvaluatedGame], Taken],
    games: Sequence[GoGame],
    network: Network,
    *,
    skipped: SkipReport,
    progress: Callable[[int, int], object] | None = None,
) -> Iterator[Taken]:
    """Look at games, and keep of each what is wanted: only that comes from another machine.

    Parameters
    ----------
    take : callable
        A function at the top level of a module, or a `functools.partial` of one.
    games, network, skipped, progress
        As for `evaluate_games`.
    """
    total = sum(len(game.moves) + 1 for game in games)

    def note(done: int) -> None:
        if progress is not None:
            progress(min(done, total), total)

    yield from over_games(
        partial(_taken_of_games, take),
        games,
        network,
        together=_TOGETHER,
        positions=lambda game: len(game.moves) + 1,
        skipped=skipped,
        progress=note,
    )
    note(total)


def _taken_of_games(
    take: Callable[[EvaluatedGame], Taken],
    games: Iterable[GoGame],
    network: Network,
    *,
    skipped: SkipReport,
    progress: Callable[[int], object] | None = None,
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
    evaluator = Evaluator(network, trunk=KINDS, progress=progress)
    for answer in evaluator.answer(questions):
        features = move_features(answer)
        end = moves_before_passes(features.game) + 1
        evaluated = EvaluatedGame(
            game=features.game,
            features=features,
            white_winrate=answer.assessment.white_expected[:end].copy(),
            white_lead=answer.assessment.white_lead[:end].copy(),
            best=_best(answer.assessment, features),
        )
        yield take(evaluated)


def _best(assessment: Assessment, features: GameFeatures) -> NDArray[np.int16]:
    policy = assessment.policy[features.number.astype(np.int64) - 1]
    best = np.nanargmax(policy, axis=1) if len(policy) else np.empty(0, np.int64)
    return np.where(best == policy.shape[1] - 1, PASS, best).astype(np.int16)


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
