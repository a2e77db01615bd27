"""Rating systems on the command line: their parameters, and games that they rate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from yardstone.errors import UsageError

if TYPE_CHECKING:
    import numpy as np

    from yardstone.cli.games import GameOptions
    from yardstone.cli.go.options import NetworkOptions
    from yardstone.cli.moves import MovesOptions

__all__ = ["RatedGamesPaths", "SystemOptions", "moment", "settings"]

#: What a game takes while it is read, rated and kept, in bytes.
_BYTES_A_GAME = 250

RatedGamesPaths = Annotated[
    list[str] | None,
    typer.Argument(
        help="Files of results, or - for standard input; with --state, of new games.",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class SystemOptions:
    """Options of a command that rates games over time: by which system, and from what on."""

    PANEL: ClassVar[str] = "Rating system"

    system: Annotated[
        str | None, typer.Option(metavar="NAME", help="Rate by this system. [default: glicko2]")
    ] = None
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="Set a parameter of the system. Repeatable."
        ),
    ] = None
    state: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Continue from a file written by `yardstone history --save`."
        ),
    ] = None

    def read(
        self,
        paths: Sequence[str] | None,
        games: GameOptions,
        moves: MovesOptions,
        network: NetworkOptions,
        *,
        memory: str | None = None,
        quiet: bool = False,
    ) -> tuple[dict[str, Any], list[str]]:
        """What `yardstone.evaluation.history.rating_history` takes, and notes on moves.

        The former are games, system with its parameters, and state.
        """
        from yardstone.cli.moves import FUSION
        from yardstone.evaluation.history import takes_levels
        from yardstone.evaluation.ledger import load_state

        ledger = None if self.state is None else load_state(self.state)
        system = self.system
        moves.check_system(system if ledger is None else ledger.name)
        if moves.moves and ledger is None:
            system = FUSION
        if moves.fit and ledger is not None:
            raise UsageError("--state has its parameters: leave out --fit")
        name = system or "glicko2"
        parameters = settings(self.parameter or [], [name])[name]
        pool, shown = None, None
        notes: list[str] = []
        if moves.moves:
            pool, shown, sentence = moves.games(
                paths, games, network, memory=memory, bytes_a_game=_BYTES_A_GAME, quiet=quiet
            )
            notes.append(sentence)
            if ledger is not None and ledger.parameters.get("source", "") != shown.source:
                known = ledger.parameters.get("source") or "a table"
                raise UsageError(
                    f"the strengths in --state are those of {known}, and these of {shown.source}"
                )
        elif paths or games.query is not None:
            pool = games.read_within(
                paths,
                memory,
                bytes_a_game=_BYTES_A_GAME,
                tags=moves.columns(name if ledger is None else ledger.name),
                levels=takes_levels(self.system, ledger, parameters),
                quiet=quiet,
            )
        if name == FUSION and ledger is None and pool is not None:
            parameters, sentence = moves.parameters(pool, parameters, shown)
            notes.append(sentence)
        given = {"games": pool, "system": system, "parameters": parameters, "state": ledger}
        return given, notes


def settings(texts: Sequence[str], names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Parameters by system: SYSTEM.PARAMETER=VALUE, or PARAMETER=VALUE for all of them."""
    fixed: dict[str, dict[str, Any]] = {name: {} for name in names}
    for text in texts:
        place, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"--set {text!r}: write it as SYSTEM.PARAMETER=VALUE")
        system, dot, parameter = place.strip().rpartition(".")
        if dot and system not in fixed:
            raise UsageError(f"--set {text!r}: {system!r} is not among the systems")
        for name in [system] if dot else names:
            fixed[name][parameter] = _value(value.strip())
    return fixed


def _value(text: str) -> object:
    if text.lower() in ("none", ""):
        return None
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def moment(text: str, option: str) -> np.datetime64:
    """A date, or a date and a time, as ISO 8601 writes them."""
    import numpy as np

    wrong = UsageError(f"{option} {text!r}: write a date as 2024-05-31, or 2024-05-31T12:00")
    try:
        value = np.datetime64(text.strip().replace(" ", "T"))
    except ValueError:
        raise wrong from None
    if np.isnat(value):
        raise wrong
    return value
