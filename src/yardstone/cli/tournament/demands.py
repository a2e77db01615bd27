"""What `yardstone tournament pair` is told: players by name, boards and rules."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from yardstone.errors import InputError, UsageError

if TYPE_CHECKING:
    from yardstone.tournament.demands import Demands
    from yardstone.tournament.model import Tournament
    from yardstone.tournament.pairing_rules import PairingRules

__all__ = ["demands_given", "rules_given", "two_players", "undone", "without_players"]

#: Between the two names of a board.
_BETWEEN = (",", " - ", " – ", ";")
_LARGEST_RULES_FILE = 1 << 20


def rules_given(
    tournament: Tournament,
    system: str | None,
    file: Path | None,
    settings: list[str],
    seed: int,
) -> PairingRules:
    """The tournament's rules, changed by those of a system, a file and the options."""
    from yardstone.tournament.pairing_rules import PairingRules

    found = PairingRules.of(tournament)
    if system is not None:
        found = found.with_system(system)
    if file is not None:
        found = found.changed(_rules_file(file))
    given: dict[str, Any] = {"seed": seed} if seed else {}
    for text in settings:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"--set {text!r}: write it as NAME=VALUE")
        given[name.strip()] = value
    return found.changed(given)


def _rules_file(path: Path) -> dict[str, Any]:
    import json

    try:
        with path.open("rb") as stream:
            data = stream.read(_LARGEST_RULES_FILE + 1)
    except OSError as error:
        raise InputError(error.strerror or str(error), file=str(path)) from error
    if len(data) > _LARGEST_RULES_FILE:
        raise InputError("too large for a file of rules", file=str(path))
    try:
        found = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise InputError(f"no JSON: {error}", file=str(path), line=line) from error
    if not isinstance(found, dict):
        raise InputError("rules are an object of names and values", file=str(path))
    return found


def two_players(tournament: Tournament, text: str, option: str) -> tuple[int, int]:
    """Two players whose names stand in one text."""
    for between in _BETWEEN:
        one, found, two = text.partition(between)
        if found and one.strip() and two.strip():
            return tournament.find(one.strip()), tournament.find(two.strip())
    raise UsageError(f'{option} {text!r}: write two names with a comma between: "A,B"')


def demands_given(
    tournament: Tournament,
    fix: list[str] | None,
    forbid: list[str] | None,
    absent: list[str] | None,
    bye: str | None,
    **switches: bool,
) -> Demands:
    """What is demanded by names, and the switches of `Demands`."""
    from yardstone.tournament.demands import Demands

    return Demands(
        fixed=tuple(two_players(tournament, text, "--fix") for text in fix or []),
        forbidden=tuple(two_players(tournament, text, "--forbid") for text in forbid or []),
        absent=frozenset(tournament.find(text) for text in absent or []),
        bye=None if bye is None else tournament.find(bye),
        **switches,
    )


def without_players(
    tournament: Tournament, players: frozenset[int], round_number: int
) -> Tournament:
    """The tournament in which some players are absent from a round."""
    from dataclasses import replace

    entries = [
        replace(player, absent=player.absent | {round_number}) if row in players else player
        for row, player in enumerate(tournament.players)
    ]
    return replace(tournament, players=tuple(entries))


def undone(
    tournament: Tournament, round_number: int | None, writing: bool
) -> tuple[Tournament, int]:
    """The tournament before a round that has boards, and the number of that round."""
    from dataclasses import replace

    from yardstone.tournament.model import ByeKind, Result

    number = tournament.last_round if round_number is None else round_number
    dropped = [game for game in tournament.games if game.round >= number]
    played = [game for game in dropped if game.result is not Result.unknown]
    if played and writing:
        raise InputError(
            f"round {played[0].round} has results, which would be lost",
            file=tournament.file,
            line=played[0].line or None,
            mend="without -o the new boards are shown only",
        )
    asked_for = tuple(
        bye for bye in tournament.byes if bye.round < number or bye.kind is not ByeKind.paired
    )
    return replace(tournament.before(number), byes=asked_for), number
