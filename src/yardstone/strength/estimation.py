"""How strong a player is, from the moves of the player's games.

Neubauer 2024, section 7.1, with the rank model in place of the thesis' full model:
a rating, a calibrated interval, and where they come from: phases, games, moves.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from yardstone.arrays import equal_fields
from yardstone.choices import check_choice, checked_arguments
from yardstone.display import Displayed
from yardstone.errors import NoGamesError, UsageError, WrongTypeError
from yardstone.go.nets.store import INCLUDED, network_name
from yardstone.go.points import BLACK, WHITE
from yardstone.parallel import Track
from yardstone.pool import Skipped, SkipReport
from yardstone.records.go_game import GoGame
from yardstone.strength.evidence import evidence_of_games
from yardstone.strength.listed_moves import CostlyMove, costliest_moves, player_losses
from yardstone.strength.model import StrengthModel, default_model
from yardstone.strength.players import (
    EvaluatedGame,
    Side,
    colour_of,
    evaluate_games,
    facts,
    model_network,
    no_games,
    one_name,
    plain_name,
    player_names,
    requested_side,
    sorted_out,
    take_of_games,
    unique_games,
    unsuitable,
)
from yardstone.strength.site_scales import (
    FOX,
    SITE_SCALES,
    SiteScale,
    fox_rank,
    parts_on_scale,
    scales_from,
    site_scale,
    whole_on_scale,
)
from yardstone.strength.strengths import (
    FEWEST_MOVES,
    Measured,
    Rated,
    RatedGame,
    Rater,
    best_basis,
    contradictory,
    supported_scales,
)

if TYPE_CHECKING:
    from yardstone.arrays import Floats, Longs
    from yardstone.go.losses import LossEffort, Losses
    from yardstone.go.nets.network import Network
    from yardstone.strength.calibration import Calibration


#: Level of an interval, unless told otherwise.
LEVEL = 0.9
#: Skipped records that are listed one by one.
_PLACES = 100


@dataclass(frozen=True, eq=False, repr=False)
class StrengthEstimate(Displayed):
    """How strong a player is."""

    _made_by: ClassVar[str] = "reports.strength:strength_document"

    player: str
    scale: SiteScale  #: On which `as_dict` shows it.
    level: float  #: Of all intervals, 0 to 1.
    basis: str  #: The scale of the model that tells this player's strength best.
    measured: Mapping[str, Measured]  #: What is known on each scale of the model.
    losses: tuple[Losses, ...]  #: What the player's moves cost in each of the games.
    #: The moves that cost most and more than noise explains, the worst first.
    costliest: tuple[CostlyMove, ...]
    #: Which were asked.
    network: str
    model: str
    skipped: SkipReport  #: Games that were left out.

    @property
    def here(self) -> Measured:
        """What is known on the scale of the model that `scale` is reached from."""
        return self.measured[self.scale.basis]

    @property
    def whole(self) -> Rated:
        """From all moves."""
        return self.here.whole

    @property
    def probabilities(self) -> Floats:
        """Of the groups of ranks, the weakest first: float64 [g]."""
        return self.here.probabilities

    @property
    def phases(self) -> tuple[tuple[str, Rated], ...]:
        """What all moves would say if they looked as those of each phase do."""
        return self.here.phases

    @property
    def games(self) -> tuple[RatedGame, ...]:
        """The games in the order of their dates; those without a date come last."""
        return self.here.games

    @property
    def scales(self) -> dict[str, SiteScale]:
        """All scales that it can be shown on."""
        return scales_from(self.basis, self.measured)

    @property
    def contradictory(self) -> bool:
        """Whether the scales of the model contradict each other: then no rank is given."""
        return contradictory({name: each.whole for name, each in self.measured.items()}, self.basis)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader must know, in sentences, the gravest first."""
        return tuple(_notes(self))

    def __eq__(self, other: object) -> bool:
        return equal_fields(self, other) if isinstance(other, StrengthEstimate) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return str(self)

    def on_scale(self, scale: str | SiteScale | Calibration) -> StrengthEstimate:
        """The same estimate on another scale.

        Raises `UsageError` if the model has not the scale that it is reached from.
        """
        return replace(self, scale=_shown_on(scale, self.basis, self.measured))

    def as_dict(self, scales: Sequence[SiteScale] | None = None) -> dict[str, Any]:
        """All of it as dictionaries, lists, finite numbers, strings and None.

        `scales`: on which the strength from all moves is given beside the estimate's own; by
        default `scales`.
        """
        scale = self.scale
        parts = parts_on_scale(self)
        others = self.scales.values() if scales is None else scales
        return {
            "format": 3,
            "player": self.player,
            "scale": scale.name,
            **whole_on_scale(self, scale),
            "rank": parts["rank"],
            "contradictory": self.contradictory,
            "level": self.level,
            "games": len(self.games),
            "moves": self.whole.moves,
            "basis": self.basis,
            "scales": {
                each.name: {
                    **whole_on_scale(self, each),
                    "title": each.title,
                    "deviation": each.deviation,
                    "basis": each.basis,
                    "unlikely": self.measured[each.basis].whole.unlikely,
                }
                for each in {each.name: each for each in (*others, scale)}.values()
            },
            "probabilities": parts["probabilities"],
            "unlikely": parts["unlikely"],
            "phases": [
                {"phase": name, **part, "moves": rated.moves}
                for (name, rated), part in zip(self.phases, parts["phases"], strict=True)
            ],
            "by_game": [
                {
                    **facts(game.evaluated.game, game.colour),
                    "moves": game.alone.moves,
                    **part,
                    "winrate": game.evaluated.winrate(game.colour),
                    "lead": game.evaluated.lead(game.colour),
                    "numbers": game.numbers,
                    "loss": [
                        None if isnan(points) else round(points, 2) + 0.0
                        for points in (float(lost.points[k - 1]) for k in game.numbers)
                    ],
                }
                for game, lost, part in zip(self.games, self.losses, parts["by_game"], strict=True)
            ],
            "costliest_moves": [
                move.as_dict(self.games[move.game].evaluated) for move in self.costliest
            ],
            "indicative_moves": parts["indicative_moves"],
            "notes": parts["notes"],
            "network": self.network,
            "model": self.model,
            "skipped": {
                "total": len(self.skipped),
                "reasons": dict(self.skipped.reasons.most_common()),
                "first": [
                    {"file": each.file, "line": each.line or None, "reason": each.reason}
                    for each in self.skipped.details[:_PLACES]
                ],
            },
        }


def estimate_player(
    games: Sequence[GoGame],
    player: str | None = None,
    *,
    colour: int | None = None,
    net: str | os.PathLike[str] | Network | None = None,
    model: StrengthModel | None = None,
    scale: str | SiteScale | Calibration | None = None,
    level: float = LEVEL,
    handicap: bool = False,
    effort: LossEffort | None = None,
    skipped: SkipReport | None = None,
) -> StrengthEstimate:
    """Estimate how strong a player is from the moves of some games.

    Raises `AmbiguousPlayerError` if the games do not tell whose strength is asked for;
    `NoGamesError` if no game of the player can be used, or those have fewer than `FEWEST_MOVES` of
    their moves; `InputError` if the network is not there, or it is not the one of the model;
    `UsageError` if the level or the scale cannot be.

    Args:
        games: From `yardstone.records.sgf.read_games`. A game that occurs twice counts once.
        player: Whose strength; capitals and outer blanks do not matter. By default the one player
            who occurs in all the games.
        colour: Take this colour's moves (1 Black, 2 White) of all games, whoever played it.
        net: The network that the model was trained on; by default it is looked for, and the one
            that comes with Yardstone is taken if it is not there.
        model: By default the one of those that come with Yardstone that goes with the network.
        scale ({"fox", "ogs", "ogs-2020", "egf"}, SiteScale or Calibration): Where to show the
            strength; by default Fox, and OGS where the player is weaker than anybody whom the model
            knows at Fox, or plays otherwise.
        level: What share of players the intervals hold, 0 to 1.
        handicap: Take games with handicap stones as well, which the model has never seen.
        effort: How far losses of moves are searched; by default half as many positions are looked
            at for them as each game has. The strength does not depend on it.
        skipped: Takes the games that are left out; what it holds already is reported as well.
    """
    (only,) = estimate_everyone(
        games,
        player,
        colour=colour,
        net=net,
        model=model,
        scale=scale,
        level=level,
        others=0,
        handicap=handicap,
        effort=effort,
        skipped=skipped,
    )
    return only.estimate


def _shown_on(
    scale: str | SiteScale | Calibration, basis: str, measured: Mapping[str, Measured]
) -> SiteScale:
    """The scale of this name, or the one that a calibration makes, if the model has its basis."""
    known = scales_from(basis, measured)
    chosen = known[scale] if isinstance(scale, str) and scale in known else site_scale(scale)
    if chosen.basis not in measured:
        raise UsageError(
            f"the scale {chosen.title} is reached from {chosen.basis}: the model has not that, or "
            "too few players of it for intervals of this level"
        )
    return chosen


#: Players who are measured beside the one that was asked for.
OTHERS = 100


@dataclass(frozen=True, slots=True, eq=False)
class SideEstimate:
    """The strength of a player in all games, or in those of one colour."""

    side: Side
    estimate: StrengthEstimate


def estimate_everyone(
    games: Sequence[GoGame],
    player: str | None = None,
    *,
    colour: int | None = None,
    net: str | os.PathLike[str] | Network | None = None,
    model: StrengthModel | None = None,
    scale: str | SiteScale | Calibration | None = None,
    level: float = LEVEL,
    others: int = OTHERS,
    handicap: bool = False,
    effort: LossEffort | None = None,
    skipped: SkipReport | None = None,
) -> list[SideEstimate]:
    """Estimate a player as `estimate_player` does, and the others in the same games.

    The network looks at each game once. First comes the player asked for. Whoever has had both
    colours has three entries: all games, those as Black, and those as White. Where a colour was
    asked for, the other colour follows. Raises `AmbiguousPlayerError`, `NoGamesError`,
    `InputError`, `UsageError`: as of `estimate_player`.

    Args:
        games, player, colour, net, model, scale, level, handicap, effort, skipped: As of
            `estimate_player`; the report takes the games that are left out for the player asked
            for.
        others: How many other players are measured at most, those with the most games first; with
            0 there is one estimate, that of `estimate_player`.
    """
    if scale is not None:
        site_scale(scale)  # one that cannot be is refused at once
    report = SkipReport() if skipped is None else skipped
    different, chosen = requested_side(games, player, colour, report=report)
    before = deepcopy(report)
    if not chosen.usable(different, report, handicap=handicap):
        raise no_games(chosen.player, report)
    ranks = default_model(net=net) if model is None else model
    supported = supported_scales(ranks, level)
    network = model_network(ranks, net)
    suitable = [game for game in different if unsuitable(game, handicap=handicap) is None]
    sides = [chosen, *_further_sides(suitable, chosen, others)]
    played = [game for game in suitable if any(side.colour_in(game) for side in sides)]
    unplayable = SkipReport() if len(sides) > 1 else report
    evaluated = list(evaluate_games(played, network, skipped=unplayable))
    halves = [
        [(k, mine) for k, look in enumerate(evaluated) if (mine := side.colour_in(look.game))]
        for side in sides
    ]
    losses: dict[tuple[int, int], Losses] = {}  # of the moves of one colour of a game
    Track("searching")(0)  # costly moves, which takes as long
    # First those of the player asked for, as if alone.
    for group in (halves[0], sorted({half for each in halves for half in each} - set(halves[0]))):
        lost = player_losses([(evaluated[k], mine) for k, mine in group], network, effort)
        losses.update(zip(group, lost, strict=True))
    shown = {(look.game.file, look.game.number) for look in evaluated}
    reasons = {(each.file, each.line): each.reason for each in unplayable.details}
    estimates = []
    for side, own in zip(sides, halves, strict=True):
        left_out = report if side is chosen else deepcopy(before)
        if side is not chosen:
            side.usable(different, left_out, handicap=handicap)
        if unplayable is not report:
            for game in played:
                if side.colour_in(game) and (game.file, game.number) not in shown:
                    reason = reasons.get((game.file, game.line), "it cannot be replayed")
                    left_out.add(Skipped(game.file, game.line, reason))
            left_out.repaired.update(unplayable.repaired)
        if not own and side is chosen:
            raise no_games(side.player, left_out)
        dates = np.array([evaluated[k].game.date for k, _ in own], "datetime64[s]")
        own = [own[row] for row in np.argsort(dates, kind="stable")]
        evidence = evidence_of_games(
            [evaluated[k].features for k, _ in own], [mine for _, mine in own]
        )
        if len(evidence) < FEWEST_MOVES:
            if side is not chosen:
                continue  # the others have no rank either from so few moves
            raise NoGamesError(
                f"too few moves of {side.player} for a rank: {len(evidence)}",
                hint=f"send {FEWEST_MOVES} of them or more, better those of five games",
            )
        looks = [(evaluated[k], mine) for k, mine in own]
        lost = [losses[half] for half in own]
        measured = {name: rater.measure(evidence, looks, lost) for name, rater in supported.items()}
        basis = best_basis(ranks, {name: each.whole for name, each in measured.items()})
        estimate = StrengthEstimate(
            player=side.player,
            scale=_shown_on(basis if scale is None else scale, basis, measured),
            level=level,
            basis=basis,
            measured=measured,
            losses=tuple(lost),
            costliest=costliest_moves(evidence, lost),
            network=network.name,
            model=str(ranks.card["name"]),
            skipped=left_out,
        )
        estimates.append(SideEstimate(side, estimate))
    return estimates


def _further_sides(games: Sequence[GoGame], chosen: Side, others: int) -> Iterator[Side]:
    """The colours of the player who was asked for, then the others with theirs."""
    if not others:
        return
    if chosen.anybody:
        other = BLACK + WHITE - (chosen.colour or BLACK)
        yield Side(one_name(games, other), other, True)
        return
    yield from _colours_of(games, chosen.player)
    names = [name for name in player_names(games) if plain_name(name) != plain_name(chosen.player)]
    for name in names[:others]:
        if any(colour_of(game, name) for game in games):
            yield Side(name)
            yield from _colours_of(games, name)


def _colours_of(games: Sequence[GoGame], player: str) -> list[Side]:
    """A player's games by colour; none if there was one colour only."""
    had = {colour_of(game, player) for game in games} - {0}
    return [Side(player, colour) for colour in sorted(had)] if len(had) > 1 else []


@dataclass(frozen=True, slots=True)
class PlayerEstimate:
    """The strength of one of many players, on one of the model's scales."""

    player: str
    #: What it rests upon.
    games: int
    moves: int
    #: Mean and standard deviation.
    rating: float
    deviation: float
    #: The calibrated interval; None where it has no end (`Rated`).
    low: float | None
    high: float | None
    unlikely: bool = False  #: Whether the moves look like those of nobody whom the model knows.


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """Estimates of many players, and the games between them."""

    players: tuple[PlayerEstimate, ...]  #: In the order in which they first appear.
    #: [n]: places of the players of each game with a result between two of them.
    black: Longs
    white: Longs
    score: Floats  #: [n]: Black's.


def estimate_players(
    games: Sequence[GoGame],
    network: Network,
    model: StrengthModel,
    *,
    players: Collection[str] | None = None,
    scale: str | None = None,
    level: float = 0.9,
    handicap: bool = False,
    skipped: SkipReport | None = None,
) -> Estimates:
    """Estimate many players from the games that they played, perhaps with each other.

    Args:
        network: The one of the model (`yardstone.strength.players.model_network`).
        players: Only these; games without any of them are left out.
        scale: One of the model's scales; by default its first.
        level, handicap, skipped: As for `estimate_player`.
    """
    report = SkipReport() if skipped is None else skipped
    chosen = None if players is None else {plain_name(name) for name in players}
    rater = Rater(model, level, scale)

    def useless(game: GoGame) -> str | None:
        black, white = plain_name(game.black), plain_name(game.white)
        if black == white:
            return "both players have the same name" if black else "the players have no names"
        if chosen is not None and not {black, white} - {""} & chosen:
            return "no player of it is asked for"
        return unsuitable(game, handicap=handicap)

    usable = sorted_out(unique_games(games, report)[0], useless, report)
    names: dict[str, str] = {}
    number: Counter[str] = Counter()
    sums: dict[str, Floats] = {}
    results: list[tuple[str, str, float]] = []
    take = partial(_sums_of_game, model, chosen)
    for both, winner, each in take_of_games(take, usable, network, skipped=report):
        for name, statistics in zip(both, each, strict=True):
            if statistics is not None:
                plain = plain_name(name)
                names.setdefault(plain, " ".join(name.split()))
                number[plain] += 1
                sums[plain] = sums.get(plain, 0.0) + statistics
        if winner:
            black, white = map(plain_name, both)
            results.append((black, white, {BLACK: 1.0, WHITE: 0.0}.get(winner, 0.5)))
    places = {plain: place for place, plain in enumerate(sums)}
    kept = [each for each in results if each[0] in places and each[1] in places]
    estimates = []
    for plain, total in sums.items():
        rated = rater.rate(total)
        deviation = float(rater.scale.moments(rater.scale.density(total))[1])
        ends = rated.low, rated.high, rated.unlikely
        about = names[plain], number[plain], rated.moves, rated.rating
        estimates.append(PlayerEstimate(*about, deviation, *ends))
    return Estimates(
        tuple(estimates),
        np.array([places[black] for black, _, _ in kept], np.int64),
        np.array([places[white] for _, white, _ in kept], np.int64),
        np.array([score for _, _, score in kept], np.float64),
    )


def _sums_of_game(
    model: StrengthModel, chosen: set[str] | None, evaluated: EvaluatedGame
) -> tuple[tuple[str, str], int, list[Floats | None]]:
    """Players and winner, and statistics of the players who are asked for."""
    game = evaluated.game
    statistics: list[Floats | None] = []
    for colour, name in ((BLACK, game.black), (WHITE, game.white)):
        plain, own = plain_name(name), None
        if plain and (chosen is None or plain in chosen):
            evidence = evidence_of_games([evaluated.features], [colour])
            own = model.game_statistics(evidence).sum(axis=0)
        statistics.append(own)
    return (game.black, game.white), game.winner, statistics


StrPath = str | os.PathLike[str]


@checked_arguments()
def estimate(
    games: StrPath | GoGame | Iterable[StrPath | GoGame],
    player: str | None = None,
    *,
    colour: Literal["black", "white"] | None = None,
    net: StrPath | Network | None = None,
    model: StrengthModel | None = None,
    scale: str | SiteScale | Calibration | None = None,
    level: float = LEVEL,
    handicap: bool = False,
    visits: int | None = None,
    strict: bool = False,
) -> StrengthEstimate:
    """Estimate how strong a Go player is from the moves of games: `yardstone strength estimate`.

    Raises `MissingFileError` if a file is not there; `InputError`, `NoGamesError`, `UsageError`: as
    `estimate_player`.

    Args:
        games: SGF files, folders, archives and patterns such as ``"games/*.sgf"``; or games of
            `yardstone.records.sgf.read_games`.
        player: Whose strength; by default the one player who occurs in all the games.
        colour ({"black", "white"}): Take this colour's moves of all games, whoever played it.
        net: A file, or the name of a network that is kept; by default the one of the model is
            looked for, and else the one that comes with Yardstone taken.
        model, scale, level, handicap: As in `estimate_player`.
        visits: How far losses of moves are searched.
        strict: Raise at the first record that cannot be used.
    """
    from yardstone.go.losses import LossEffort
    from yardstone.records.sgf import SgfReader

    if colour is not None:
        check_choice("colour", colour, ("black", "white"))
    single = isinstance(games, str | os.PathLike | GoGame)
    known: list[GoGame] = []
    paths: list[Path] = []
    for each in [games] if single else games:  # type: ignore[union-attr]
        if isinstance(each, GoGame):
            known.append(each)
        elif isinstance(each, str | os.PathLike):
            paths.append(Path(each))
        else:
            raise WrongTypeError(f"a {type(each).__name__} is not a game: give paths of SGF files")
    skipped = SkipReport()
    if paths:
        reader = SgfReader(*paths, strict=strict)
        known += list(reader)
        skipped = reader.skipped
    return estimate_player(
        known,
        player,
        colour=None if colour is None else BLACK if colour == "black" else WHITE,
        net=net,
        model=model,
        scale=scale,
        level=level,
        handicap=handicap,
        effort=None if visits is None else LossEffort(visits),
        skipped=skipped,
    )


#: Fewer moves than this say little.
_FEW_MOVES = 100
#: Time between the first and the last game in which strength may well have changed.
_LONG = np.timedelta64(2 * 365, "D")
#: A group that is so likely is named as the end of what the model knows.
_LIKELY = 0.2
_SMALL = 1e-9
#: Why nobody is told apart in the strongest group of a scale.
_TOP = {
    FOX: "9 dan is the highest rank of the Fox server, where strong amateurs, professionals and "
    "programs all are: the model does not tell them apart.",
    "ogs": "Of OGS the model knows few players of 3 dan and stronger, and does not tell them "
    "apart: the Fox scale does.",
}


def _notes(estimate: StrengthEstimate) -> Iterator[str]:
    """The limits of an estimate, the gravest first."""
    whole, games = estimate.whole, [each.evaluated.game for each in estimate.games]
    scale = estimate.scale
    weakest, strongest = fox_rank(scale.known[0] - _SMALL), fox_rank(scale.known[1])
    server = SITE_SCALES[scale.basis].title
    if estimate.contradictory:
        yield (
            "The scale of OGS sees a far weaker player in these moves than that of Fox, or one "
            "like nobody: players of Fox do not look so. At least one of the two is wrong, and "
            "the moves do not tell which: no rank is given."
        )
    if whole.moves < _FEW_MOVES:
        yield (
            f"This rests on {whole.moves} moves only; from five games the interval is far narrower."
        )
    parts = [rated for _, rated in estimate.phases] + [game.alone for game in estimate.games]
    if any(part.moves > 0 and not part.ranked for part in parts):
        yield (
            f"A game or a phase with fewer than {FEWEST_MOVES} of the player's moves has no rank: "
            "so few say too little."
        )
    if whole.unlikely:
        yield (
            f"These moves look like those of nobody at {server} whom the model knows, of "
            "whatever strength: of players like those it was trained on one in a hundred looks "
            "so. They may be a beginner's, a program's, or of games of another kind. The rating "
            "may be far off, and no interval can be given."
        )
    if (whole.low is None and not whole.unlikely) or estimate.probabilities[0] >= _LIKELY:
        yield (
            f"Players of {weakest} and weaker at {server} all look alike to the model: how weak "
            "the player may be it cannot tell."
        )
    if estimate.probabilities[-1] >= _LIKELY:
        yield _TOP.get(scale.basis, f"The model tells nobody apart from {strongest} on.")
    if scale.name != scale.basis or scale.deviation:
        yield (
            f"The scale {scale.title}: {scale.source}. "
            + ("Its error is part of the interval." if scale.deviation else "")
        ).rstrip()
    handicap = sum(game.handicap > 1 for game in games)
    if handicap:
        yield (
            f"Of the games {handicap} are with handicap stones, of which the model has seen few: "
            "the estimate may be off."
        )
    dates = np.array([game.date for game in games], "datetime64[s]")
    known = dates[~np.isnat(dates)]
    span = known.max() - known.min() if len(known) else np.timedelta64(0, "s")
    if span >= _LONG:
        yield (
            f"The games are from {str(known.min())[:4]} to {str(known.max())[:4]}: the estimate is "
            "of all of them together, not of today."
        )
    if not estimate.here.checked:
        yield "The intervals of this model are its own opinion: they were not checked on players."
    yield (
        f"Winrates and leads are what {estimate.network} sees without searching, at komi 6.5; "
        "losses are compared with the best move that a short search finds. Stronger programs "
        "will sometimes disagree."
    )
    if estimate.network == network_name(INCLUDED):
        yield (
            f"{estimate.network} is the small network that comes with Yardstone. The usual model "
            "looks through a larger one of KataGo, which `yardstone go nets download b6c96` gets."
        )
