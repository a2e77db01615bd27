"""`yardstone tournament generate`: a tournament by chance, to test pairing programs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from yardstone.cli.output import check_folder
from yardstone.cli.progress import progress_bar

__all__ = ["generate"]


def generate(
    *,
    players: Annotated[int, typer.Option(min=2, metavar="NUMBER", help="Players.")] = 40,
    rounds: Annotated[int, typer.Option(min=1, metavar="NUMBER", help="Rounds.")] = 9,
    seed: Annotated[int, typer.Option(min=0, metavar="NUMBER", help="Seed of all chance.")] = 0,
    rating: Annotated[float, typer.Option(metavar="NUMBER", help="Mean of the ratings.")] = 2000.0,
    spread: Annotated[
        float, typer.Option(metavar="NUMBER", help="Standard deviation of the ratings.")
    ] = 250.0,
    draws: Annotated[
        float, typer.Option(metavar="SHARE", help="Draws among games of equal players.")
    ] = 0.3,
    forfeits: Annotated[
        float, typer.Option(metavar="SHARE", help="Games to which a player does not come.")
    ] = 0.02,
    byes: Annotated[
        float, typer.Option(metavar="SHARE", help="Rounds in which a player asks for a bye.")
    ] = 0.02,
    late: Annotated[
        float, typer.Option(metavar="SHARE", help="Players who come after the first round.")
    ] = 0.03,
    withdrawals: Annotated[
        float, typer.Option(metavar="SHARE", help="Players who leave before the last round.")
    ] = 0.05,
    accelerated: Annotated[
        bool, typer.Option("--accelerated", help="Pair by Baku acceleration.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write the tournament to this file."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
) -> None:
    """Generate a random Swiss paired by FIDE's Dutch system.

    Results follow from the ratings. Equal seeds give equal tournaments. A tournament whose
    further rounds cannot be paired by the rules ends early.

    Examples
    --------
    yardstone tournament generate --players 20 --rounds 5 --seed 7 -o random.trf
    yardstone tournament generate --players 41 --forfeits 0.1 --byes 0.05 -o random.trf
    """
    from yardstone.files import replaced
    from yardstone.tournament.files import format_to_write
    from yardstone.tournament.simulation import RandomPlan, random_tournament

    check_folder(output)
    form = format_to_write(output, None if output is not None else "trf")
    plan = RandomPlan(
        players=players,
        rounds=rounds,
        seed=seed,
        rating=rating,
        spread=spread,
        draws=draws,
        forfeits=forfeits,
        byes=byes,
        late=late,
        withdrawals=withdrawals,
        accelerated=accelerated,
    )
    data = form.write(random_tournament(plan, progress=progress_bar("rounds", quiet=quiet)))
    if output is None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    with replaced(output) as temporary:
        temporary.write_bytes(data)
