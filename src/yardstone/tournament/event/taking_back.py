"""A step taken back although the file was changed after it: only what the step did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from yardstone.tournament.event.changes import refused
from yardstone.tournament.formats.opengotha_reading import key
from yardstone.tournament.model import Bye, Game, Player, Tournament
from yardstone.tournament.rules import Team

__all__ = ["taken_back"]

_RECORDS = ("players", "games", "byes", "teams")
_NOT_COMPARED = (*_RECORDS, "document", "file", "adjustments")


@dataclass(frozen=True, slots=True)
class _Records:
    """Players, games and byes by what names them in every state of the file."""

    players: Mapping[str, Player]
    games: Mapping[tuple[int, frozenset[str]], tuple[str, str, Game]]
    byes: Mapping[tuple[int, str], Bye]
    teams: Mapping[tuple[int, str], tuple[Team, Sequence[str]]]

    @classmethod
    def of(cls, tournament: Tournament) -> _Records:
        names = [key(player.name, player.first_name) for player in tournament.players]
        games = {}
        for game in tournament.games:
            one, two = names[game.first], names[game.second]
            plain = replace(game, first=0, second=1, line=0)
            games[game.round, frozenset((one, two))] = (one, two, plain)
        return cls(
            {name: replace(p, line=0) for name, p in zip(names, tournament.players, strict=True)},
            games,
            {(b.round, names[b.player]): replace(b, player=0) for b in tournament.byes},
            {(team.number, team.name): _by_names(team, names) for team in tournament.teams},
        )


def _by_names(team: Team, names: Sequence[str]) -> tuple[Team, Sequence[str]]:
    """A team whose players are numbered by their place in a list of names."""
    everybody = team.everybody()
    listed = [names[row] for row in everybody]
    return team.renumbered({row: at for at, row in enumerate(everybody)}), listed


def taken_back(before: Tournament, after: Tournament, now: Tournament) -> Tournament:
    """The tournament as it is `now` without what led from `before` to `after`.

    Raises
    ------
    InputError
        What the step did was changed again since.
    """
    states = [_Records.of(each) for each in (before, after, now)]
    players = _merged(now, "the entry of {0}", *(each.players for each in states))
    games = _merged(now, "the game {1} of round {0}", *(each.games for each in states))
    byes = _merged(now, "the bye of {1} in round {0}", *(each.byes for each in states))
    teams = _merged(now, "the team {1}", *(each.teams for each in states))
    rows = {name: row for row, name in enumerate(players)}
    for names in [*(names for _, names in games), *({name} for _, name in byes)]:
        for name in names:
            if name not in rows:
                who = states[2].players[name].full_name
                raise refused(now, f"{who} has been paired since", hint="withdraw the player")
    made = replace(
        now,
        players=tuple(players.values()),
        games=tuple(
            replace(game, first=rows[one], second=rows[two]) for one, two, game in games.values()
        ),
        byes=tuple(replace(bye, player=rows[name]) for (_, name), bye in byes.items()),
        teams=tuple(
            team.renumbered({at: rows[name] for at, name in enumerate(names) if name in rows})
            for team, names in teams.values()
        ),
        adjustments=(),
    )
    settings = {}
    for field in fields(Tournament):
        if field.name not in _NOT_COMPARED:
            old, new, current = (getattr(each, field.name) for each in (before, after, now))
            if old != new and current != old:
                if current != new:
                    raise _changed_since(now, f"the setting {field.name}")
                settings[field.name] = old
    return replace(made, **settings)


def _merged(
    now: Tournament,
    what: str,
    before: Mapping[Any, Any],
    after: Mapping[Any, Any],
    current: Mapping[Any, Any],
) -> dict[Any, Any]:
    """The current records, those that the step touched as they were before it."""
    merged = dict(current)
    for name in [*before, *(each for each in after if each not in before)]:
        old, new, is_now = before.get(name), after.get(name), current.get(name)
        if old == new or is_now == old:
            continue
        if is_now != new:
            raise _changed_since(now, what.format(*_named(name)))
        if old is None:
            del merged[name]
        else:
            merged[name] = old
    return merged


def _named(name: Any) -> tuple[Any, ...]:
    parts = name if isinstance(name, tuple) else (name,)
    return tuple(
        " - ".join(sorted(part)) if isinstance(part, frozenset) else part for part in parts
    )


def _changed_since(now: Tournament, what: str) -> Exception:
    return refused(
        now,
        f"{what} was changed again by another program since, and cannot be taken back",
        hint="change it by hand",
    )
