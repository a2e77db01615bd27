"""Positions drawn at random, for tests of IDs."""

from __future__ import annotations

import numpy as np

from yardstone.backgammon.positions import CHEQUERS, Position

#: The longest match that GNU Backgammon takes.
LONGEST = 64


def random_side(generator: np.random.Generator, free: np.ndarray) -> tuple[int, ...]:
    """Chequers of one side on points that are free, some borne off."""
    number = CHEQUERS if generator.random() < 0.6 else int(generator.integers(1, CHEQUERS + 1))
    most = int(generator.integers(2, 12))
    places = generator.choice(free, size=min(most, len(free)), replace=False)
    side = np.bincount(generator.choice(places, size=number), minlength=25)
    return tuple(side.tolist())


def random_position(generator: np.random.Generator) -> Position:
    """Any position that can be played on, in a match or for money."""
    own = random_side(generator, np.arange(25))
    taken = {23 - place for place, count in enumerate(own[:24]) if count}
    other = random_side(generator, np.array([k for k in range(25) if k not in taken]))
    length = int(generator.choice([0, 1, 3, 7, 25, LONGEST]))
    score = (0, 0)
    if length:
        one, two = generator.integers(0, length, 2).tolist()
        score = (one, two)
    crawford = bool(length > 1 and length - 1 in score and generator.random() < 0.5)
    on_roll = int(generator.integers(2))
    owner = [None, 0, 1][int(generator.integers(3))]
    cube = 1 if owner is None or crawford else 1 << int(generator.integers(1, 7))
    owner = None if crawford else owner
    doubled = bool(not crawford and owner != 1 - on_roll and generator.random() < 0.15)
    rolled = not doubled and generator.random() < 0.6
    one, two = generator.integers(1, 7, 2).tolist()
    return Position(
        own=own,
        other=other,
        on_roll=on_roll,
        cube=cube,
        owner=owner,
        dice=(one, two) if rolled else (),
        doubled=doubled,
        length=length,
        score=score,
        crawford=crawford,
        jacoby=bool(not length and generator.random() < 0.5),
    )
