"""What the reader of an estimate must know, in plain sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from yardstone.go.nets.store import INCLUDED, network_name
from yardstone.strength.estimate.site_scales import FOX, SITE_SCALES, fox_rank

if TYPE_CHECKING:
    from yardstone.strength.estimate.estimate import StrengthEstimate

__all__ = ["notes_of"]

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


def notes_of(estimate: StrengthEstimate) -> tuple[str, ...]:
    """The limits of an estimate, the gravest first."""
    return tuple(_notes(estimate))


def _notes(estimate: StrengthEstimate) -> Iterator[str]:
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
