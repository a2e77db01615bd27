"""Strength from games of Go: the job, and its result as value, page and table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from yardstone.errors import InputError
from yardstone.parallel import Track
from yardstone.reports.document import (
    Alternative,
    Choices,
    Column,
    Document,
    Section,
    Slides,
    Table,
)
from yardstone.reports.words import picked, plural
from yardstone.strength.site_scales import KNOWN_RANKS, SiteScale
from yardstone.web.kinds.kind import (
    Card,
    ChoiceField,
    Kind,
    NeedsPlayer,
    Plain,
    PlayersField,
    Query,
    Task,
    UserField,
    View,
    adding,
    bad_option,
    level_field,
)
from yardstone.web.problems import refusal

if TYPE_CHECKING:
    from yardstone.records.go_game import GoGame
    from yardstone.strength.estimation import SideEstimate
    from yardstone.web.settings import Settings


#: Games whose curves stand on one page.
_GAMES_A_PAGE = 20
#: Ranks of Fox below the picture of an estimate.
_TICKS = ((-4.0, "5k"), (1.0, "1d"), (3.0, "3d"), (5.0, "5d"), (7.0, "7d"), (9.0, "9d"))
_COLOURS = {"black": 1, "white": 2}
_COLOUR_WORDS = {number: word for word, number in _COLOURS.items()}
#: Columns of CSV: what stands of each game, and so far.
_OF_GAMES = (
    *("file", "line", "date", "opponent", "colour", "result", "moves"),
    *("rank", "rating", "low", "high"),
    *(f"running_{name}=running.{name}" for name in ("rank", "rating", "low", "high")),
)


def own_scale(settings: Settings) -> SiteScale | None:
    """The scale of the operator's calibration."""
    if not settings.calibration:
        return None
    from yardstone.strength.calibration import Calibration

    return Calibration.load(settings.calibration).site_scale()


def go_result(estimates: Sequence[SideEstimate], own: SiteScale | None) -> dict[str, Any]:
    """What is kept: the first estimate, its parts on the other scales, and the other sides."""
    from yardstone.strength.site_scales import parts_on_scale

    sides = []
    for each in estimates:
        estimate, colour = each.estimate, each.side.colour
        scales = [*estimate.scales.values(), *([] if own is None else [own])]
        plain = estimate.as_dict(scales)
        plain["colour"] = None if colour is None else _COLOUR_WORDS[colour]
        plain["on_scales"] = {
            scale.name: parts_on_scale(estimate.on_scale(scale))
            for scale in scales
            if scale.name != estimate.scale.name
        }
        sides.append(plain)
    return {**sides[0], "others": sides[1:]}


def _go_view(result: Plain, query: Query) -> View:
    """One of the estimates on one of the scales, with the curves of some games."""
    from yardstone.reports.strength import estimate_document
    from yardstone.strength.site_scales import plain_on_scale

    sides = [result, *result.get("others", ())]
    player = sides[0]["player"] if query.player is None else query.player
    own = [k for k, each in enumerate(sides) if each["player"] == player] or [0]
    place = next((k for k in own if sides[k].get("colour") == query.colour), own[0])
    shown = sides[place]
    on_scales = shown.get("on_scales", {})
    if query.scale in on_scales:
        shown = plain_on_scale(shown, on_scales[query.scale])
    games = len(shown["by_game"])
    parts = [
        range(games)[first : first + _GAMES_A_PAGE] for first in range(0, games, _GAMES_A_PAGE)
    ]
    page = min(max(query.page, 1), max(len(parts), 1))

    def link(place: int, *, page: int = 1, scale: str | None = None) -> str:
        """The address of a side, with its player only where it is not the first one."""
        side = sides[place]
        first = side["player"] == sides[0]["player"]
        return query.link(
            player=None if first else side["player"],
            colour=side.get("colour") if place else None,
            scale=scale or query.scale,
            page=page if page > 1 else None,
        )

    def curves(number: int) -> str:
        part = link(place, page=number // _GAMES_A_PAGE + 1) if len(parts) > 1 else ""
        return f"{part}#game-{number + 1}"

    document = estimate_document(
        shown,
        games=parts[page - 1],
        link=curves,
        views=_choices(sides, place, link),
        scale_link=lambda name: link(place, scale=name) if on_scales else "",
    )
    pages = [
        (
            f"Games {part[0] + 1}–{part[-1] + 1}",
            "" if number == page else link(place, page=number) + "#games",
        )
        for number, part in enumerate(parts, 1)
    ]
    basis = f"Strength in Go, from {plural(shown['moves'], 'move')} in {plural(games, 'game')}"
    document = replace(document, title=shown["player"], lead=[basis])
    strength = shown["rank"] or round(shown["rating"])
    title = f"{shown['player']}: {'no rank' if shown.get('contradictory') else strength}"
    return View(
        document,
        pages if len(pages) > 1 else [],
        title,
        says_skipped=True,
        kept=_kept(shown) if shown.get("scales") else None,
    )


def _go_glance(result: Plain) -> Document:
    """The strength in large letters and on the scale, and the board of the costliest move."""
    from yardstone.reports.strength import estimate_document

    document = estimate_document(result)
    answer = [block for block in document.sections[1].blocks if not isinstance(block, Choices)]
    steps = [
        block.steps[0]
        for section in document.sections
        for block in section.blocks
        if isinstance(block, Slides)
    ]
    board = [Section(f"Costliest: {steps[0].title}", steps[0].pictures[:1])] if steps else []
    return Document(result["player"], sections=[Section("", answer), *board])


def _choices(sides: Sequence[Plain], place: int, link: Callable[[int], str]) -> list[Choices]:
    """The players, and the colours of the one who is shown."""

    def listed(label: str, offered: Iterable[tuple[str, int]], chosen: int) -> Choices:
        return Choices(
            label,
            [
                Alternative(words, [plural(sides[k]["games"], "game")], link(k), k == chosen)
                for words, k in offered
            ],
        )

    firsts: dict[str, int] = {}
    for number, each in enumerate(sides):
        firsts.setdefault(each["player"], number)
    shown = sides[place]["player"]
    own = [
        (f"As {colour.capitalize()}" if (colour := each.get("colour")) else "All", k)
        for k, each in enumerate(sides)
        if each["player"] == shown
    ]
    made = [listed("Player", firsts.items(), firsts[shown]), listed("Games", own, place)]
    return [each for each in made if len(each.choices) > 1]


def _kept(shown: Plain) -> dict[str, Any]:
    """What a browser may keep to compare it with later estimates: no moves, no names of others."""
    dates = [game["date"] for game in shown["by_game"] if game["date"]]
    return {
        "player": shown["player"],
        "colour": shown.get("colour"),
        **picked(shown, "games", "moves"),
        "last": max(dates, default=None),
        **picked(shown, "level", "scale"),
        "scales": {
            name: picked(part, "title", "rank", "rating", "low", "high")
            for name, part in shown["scales"].items()
        },
    }


def _go_card(result: Plain) -> Card:
    from yardstone.reports.strength import headline

    strength, sure = headline({**result, "player": "Go"})[:2]
    ends = result["low"], result["rating"], result["high"]
    if result["scale"] != "fox" or None in ends or result.get("contradictory"):
        return Card(strength, f"{sure}.")
    return Card(strength, f"{sure}.", (ends,), _TICKS)


#: Names that are offered where the player is not clear.
_NAMES = 100
#: Names that stand in a message.
_SHOWN = 8
#: The scale that tells the player's strength best.
_BEST = "best"


def _perform(task: Task) -> dict[str, Any]:
    from yardstone.strength.estimation import estimate_everyone
    from yardstone.strength.model import default_model
    from yardstone.strength.players import plain_name, player_names

    games = _games(task)
    player, colour = task.options.get("player"), task.options.get("colour")
    if player is None and colour is None:
        player = _only_player(games)
    elif player is not None:  # before the network is asked
        names = player_names(games)
        if plain_name(player) not in map(plain_name, names):
            known = ", ".join(list(names)[:_SHOWN]) + (" and others" if len(names) > _SHOWN else "")
            hint = f"Choose one of these: {known}." if names else "The games name nobody."
            raise refusal("unknown_player/games", player=player, hint=hint)
    Track("looking at positions", sum(len(game.moves) + 1 for game in games))(0)
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
    )
    return go_result(estimates, own_scale(task.settings))


def _games(task: Task) -> list[GoGame]:
    from yardstone.records.sgf import SgfReader

    reader = SgfReader(*task.files)
    hint = "Send fewer games: the newest are the most informative."
    games: list[GoGame] = []
    moves = 0
    for game in reader:
        games.append(game)
        moves += len(game.moves)
        for number, name, words in (
            (len(games), "go_games", "There are more than {:,} games."),
            (moves, "go_moves", "The games have more than {:,} moves together."),
        ):
            if number > (most := task.limit(name)):
                raise refusal("too_many_games", message=words.format(most), hint=hint)
    task.skipped.merge(reader.skipped)
    if not games:
        hint = "send SGF files of games of Go"
        if reader.skipped.details:
            first = reader.skipped.details[0]
            raise InputError(first.reason, file=first.file, line=first.line or None, hint=hint)
        raise InputError("no game could be read", file=task.files[0].name, hint=hint)
    return games


def _only_player(games: list[GoGame]) -> str:
    """The player who is in all games, or a question."""
    from yardstone.strength.players import (
        AmbiguousPlayerError,
        find_player,
        player_names,
        unique_games,
    )

    different, _ = unique_games(games)
    if not player_names(different):
        number = len(different)
        raise NeedsPlayer(
            [{"name": each.capitalize(), "games": number, "colour": each} for each in _COLOURS]
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
    glance=_go_glance,
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
    warm=("yardstone.strength.estimation",),
    check=_check,
    perform=_perform,
    view=_go_view,
    card=_go_card,
    records=lambda result: Table(Column.files(*_OF_GAMES, kind="text"), result["by_game"]),
    upgrades=(adding(costliest_moves=[], indicative_moves=[]), adding(basis="fox")),
)
