"""The strength of a player from games of Go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from yardstone.errors import InputError
from yardstone.strength.rank.ranks import KNOWN_RANKS
from yardstone.web.kinds.fields import ChoiceField, PlayersField, UserField, bad_option, level_field
from yardstone.web.kinds.go_result import (
    go_card,
    go_glance,
    go_records,
    go_result,
    go_view,
    own_scale,
)
from yardstone.web.kinds.kind import Kind, NeedsPlayer, Plain, Task
from yardstone.web.problems import RequestProblem

if TYPE_CHECKING:
    from yardstone.records.go_game import GoGame

__all__ = ["KIND"]

#: Names that are offered where the player is not clear.
_NAMES = 100
#: Names that stand in a message.
_SHOWN = 8
#: The scale that tells the player's strength best.
_BEST = "best"
_COLOURS = {"black": 1, "white": 2}


def _perform(task: Task) -> dict[str, Any]:
    """Estimate the player's strength, and that of the others if it is asked for."""
    from yardstone.strength.default_model import default_model
    from yardstone.strength.estimate.everyone import estimate_everyone

    games = _games(task)
    player, colour = task.options.get("player"), task.options.get("colour")
    if player is None and colour is None:
        player = _only_player(games)
    elif player is not None:
        _check_player(games, player)
    task.tell("analysing", 0, sum(len(game.moves) + 1 for game in games))
    estimates = estimate_everyone(
        games,
        player,
        colour=None if colour is None else _COLOURS[colour],
        net=task.network(),
        model=default_model(task.settings.model or None, task.settings.net or None),
        scale=None if task.options["scale"] == _BEST else task.options["scale"],
        level=task.options["level"],
        others=task.limit("go_players") if task.options.get("others") == "yes" else 0,
        skipped=task.skipped,
        progress=lambda done, total: _tell(task, done, total),
    )
    return go_result(estimates, own_scale(task.settings))


def _tell(task: Task, done: int, total: int) -> None:
    """Tell how many positions are seen; then costly moves are searched, which takes as long."""
    if done < total:
        task.tell("analysing", done, total)
    else:
        task.tell("searching", 0, 0)


def _games(task: Task) -> list[GoGame]:
    """All games, within the limits."""
    from yardstone.records.sgf import SgfReader

    most_games, most_moves = task.limit("go_games"), task.limit("go_moves")
    reader = SgfReader(
        *(file.source for file in task.files),
        progress=lambda done, total: task.tell("reading", done, total),
    )
    games: list[GoGame] = []
    moves = 0
    for game in reader:
        games.append(game)
        moves += len(game.moves)
        if len(games) > most_games:
            raise _too_much(f"There are more than {most_games:,} games.")
        if moves > most_moves:
            raise _too_much(f"The games have more than {most_moves:,} moves together.")
    task.skipped.merge(reader.skipped)
    if not games:
        first = reader.skipped.details[0] if reader.skipped.details else None
        raise InputError(
            "no game could be read" if first is None else first.reason,
            file=task.files[0].label if first is None else first.file,
            line=None if first is None else first.line or None,
            hint="send SGF files of games of Go",
        )
    return games


def _too_much(message: str) -> RequestProblem:
    return RequestProblem(
        413, "too_many_games", message, "Send fewer games: the newest are the most informative."
    )


def _check_player(games: list[GoGame], player: str) -> None:
    """Refuse a name that stands in no game, before the network is asked."""
    from yardstone.strength.estimate.players import plain_name, player_names

    names = player_names(games)
    if plain_name(player) not in map(plain_name, names):
        known = ", ".join(list(names)[:_SHOWN]) + (" and others" if len(names) > _SHOWN else "")
        raise RequestProblem(
            422,
            "unknown_player",
            f"No game is by {player}.",
            f"Choose one of these: {known}." if names else "The games name nobody.",
        )


def _only_player(games: list[GoGame]) -> str:
    """The player who is in all games, or a question."""
    from yardstone.strength.estimate.players import (
        AmbiguousPlayerError,
        find_player,
        player_names,
        unique_games,
    )

    different, _ = unique_games(games)
    if not player_names(different):
        raise NeedsPlayer(
            [
                {"name": colour.capitalize(), "games": len(different), "colour": colour}
                for colour in _COLOURS
            ]
        )
    try:
        return find_player(different)
    except AmbiguousPlayerError as error:
        named = list(error.names.items())[:_NAMES]
        raise NeedsPlayer([{"name": name, "games": number} for name, number in named]) from None


def _check(options: Plain) -> None:
    if options["colour"] is not None and options["player"] is not None:
        raise bad_option("colour", "name a player or a colour, not both")


KIND = Kind(
    name="go",
    short="Go",
    title="Go: strength from the moves",
    plural="estimates",
    holds="games of Go (SGF)",
    files="Go: SGF.",
    offer=(
        "Go",
        "Your rank from the moves of a few games, won or lost, on the scale of Fox, OGS or the "
        "EGF. Strong and weak phases, the winrate of each game, and your costliest moves on the "
        "board.",
        f"Even games on 19x19, for players from {KNOWN_RANKS}.",
    ),
    glance=go_glance,
    path="/api/estimates",
    summary="Send games of Go",
    about="Estimate how strong a player is from the moves of some games.",
    heading="Measuring the moves",
    counted=("position", "positions"),
    formats=("sgf",),
    fields=(
        PlayersField(
            name="player",
            about="Whose strength; by default that of the player in all games.",
            label="Player",
            hint="Leave it empty for the one who plays in all the games. If that is not clear, you "
            "are asked.",
        ),
        UserField(
            name="ogs",
            optional=True,
            about="A user of OGS whose latest games take the place of files, where the server has "
            "that switched on (`importers` of `/api/limits`).",
        ),
        ChoiceField(
            name="colour",
            values=tuple(_COLOURS),
            optional=True,
            about="Take all moves of a colour, in place of those of a player.",
        ),
        ChoiceField(
            name="scale",
            values=(_BEST, "fox", "ogs", "ogs-2020", "egf"),
            words=(
                "Fox, and OGS for weaker players",
                "Fox: the server of most of the games that the model has seen",
                "OGS: online-go.com",
                "OGS as it was until January 2021",
                "EGF: European Go Federation",
            ),
            label="Scale of the rating",
            hint="You can switch on the result. Players weaker than 5 kyu of Fox are known from "
            "OGS alone; the EGF's ratings are mapped, so their intervals are wider.",
        ),
        level_field(0.9),
        ChoiceField(
            name="others",
            values=("no", "yes"),
            about="Measure the other players of the same games as well.",
        ),
    ),
    from_page={"others": "yes"},
    limits={"go_games": 100, "go_moves": 30_000, "go_players": 20},
    allowance=lambda limits: (
        f"{limits['go_games']:,} games, {limits['go_moves']:,} moves, on 19x19"
    ),
    warm=("yardstone.strength.estimate.estimate",),
    check=_check,
    perform=_perform,
    view=go_view,
    card=go_card,
    records=go_records,
)
