"""What a player needs in the last round."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from yardstone.reports.document import Column, Document, Lines, Section, Table
from yardstone.reports.words import chance_text, known_values, per_cent

if TYPE_CHECKING:
    from yardstone.tournament.last_round import LastRoundNeeds, OwnResult, PlaceChances
    from yardstone.tournament.model import Tournament
    from yardstone.winprob.players import Chance

__all__ = ["last_round_document"]

_RESULTS = {1.0: "win", 0.5: "draw", 0.0: "loss", None: "any"}


def last_round_document(
    tournament: Tournament,
    needs: LastRoundNeeds,
    chances: PlaceChances | None = None,
    *,
    no_chances: str = "",
) -> Document:
    """Places by the player's own result, their chances, and the games of others that matter.

    `no_chances` says why there are none.
    """
    name = tournament.players[needs.player].full_name
    how = (
        f"all {needs.combinations:,} combinations of the open results tried"
        if needs.exact
        else "bounds by the main score only: ties may go either way"
    )
    columns: list[Column] = [
        Column("result", lambda own: _RESULTS[own.points], "Own result"),
        Column("best", lambda own: own.best, "Best place", "integer", gives_way=2),
        Column("worst", lambda own: own.worst, "Worst place", "integer", gives_way=1),
    ]
    if needs.exact:
        columns += [
            Column("", lambda own: _verdict(own, needs.place), f"Place {needs.place} or better"),
            Column("combinations", lambda own: own.combinations, kind="integer"),
            Column(f"place_{needs.place}", lambda own: own.reaching(needs.place), kind="integer"),
        ]
    if chances is not None:
        columns += _chance_columns(needs, chances)
    table = Table(columns, needs.results, noun="result")
    games = Table(
        [
            Column("", lambda i: tournament.players[i.game.first].full_name, "If this player wins"),
            Column(
                "", lambda i: i.first_wins, "share", "number", show=lambda i: _share(i.first_wins)
            ),
            Column("", lambda i: tournament.players[i.game.second].full_name, "and if this one"),
            Column(
                "", lambda i: i.second_wins, "share", "number", show=lambda i: _share(i.second_wins)
            ),
        ],
        needs.influences,
        noun="game",
    )
    sections = [Section("", [table])]
    if chance_lines := list(_chance_lines(name, needs, chances, no_chances)):
        sections.append(Section("", [Lines(chance_lines)]))
    if needs.influences:
        title = f"Games that matter for place {needs.place}, with the share of combinations"
        sections.append(Section(title, [games]))
    return Document(
        f"What {name} needs",
        [f"{name}, round {needs.round} of {tournament.name} ({how})"],
        sections,
        records=table,
        plain=lambda: _plain(tournament, needs, chances),
    )


def _chance_columns(needs: LastRoundNeeds, chances: PlaceChances) -> list[Column]:
    """Chance of each own result, and of the place after it."""

    def of(own: OwnResult, which: int) -> Chance:
        return chances.results[needs.results.index(own)][which]

    def column(which: int, heading: str) -> Column:
        return Column("", lambda own: chance_text(of(own, which)), heading, left=False)

    def part(which: int, name: str) -> Callable[[OwnResult], float | None]:
        return lambda own: getattr(of(own, which), name)

    files = [
        Column(f"{name}{ending}", part(which, field), kind="number")
        for which, name in enumerate(("chance", f"chance_place_{needs.place}"))
        for ending, field in (("", "probability"), ("_low", "low"), ("_high", "high"))
    ]
    shown = [column(1, f"Chance of place {needs.place}")]
    if needs.own_game is not None:
        shown.insert(0, column(0, "Chance of result"))
    return [*shown, *files, Column("win", lambda _: chances.model)]


def _chance_lines(
    name: str, needs: LastRoundNeeds, chances: PlaceChances | None, reason: str
) -> Iterator[str]:
    if chances is None:
        if reason:
            yield f"No chances: {reason}."
        return
    better = f"place {needs.place}" + ("" if needs.place == 1 else " or better")
    yield (
        f"{name} has a chance of {chance_text(chances.overall)} of {better}, by the model "
        f"{chances.model} ({chances.about}), the entry list and the rounds so far."
    )
    if needs.draws and any(
        own.points == 0.5 and result.probability == 0.0
        for own, (result, _) in zip(needs.results, chances.results, strict=True)
    ):
        yield "The model knows no draws: they are taken not to happen."
    if chances.no_interval:
        yield f"No interval: {chances.no_interval}."
    else:
        yield f"In brackets {per_cent(chances.level)} intervals for the error of the model."


def _share(value: float) -> str:
    return f"{100 * value:.0f} %"


def _verdict(own: OwnResult, place: int) -> str:
    if own.worst <= place:
        return "certain"
    if own.best > place:
        return "impossible"
    return f"in {own.reaching(place):,} of {own.combinations:,} combinations"


def _plain(
    tournament: Tournament, needs: LastRoundNeeds, chances: PlaceChances | None
) -> dict[str, Any]:
    names = [player.full_name for player in tournament.players]
    return {
        "player": names[needs.player],
        "round": needs.round,
        "exact": needs.exact,
        "combinations": needs.combinations if needs.exact else None,
        "place": needs.place,
        "chances": None
        if chances is None
        else {
            "win": chances.model,
            "level": chances.level,
            "place": known_values(chances.overall),
            "outcomes": [
                {"result": known_values(result), "place": known_values(place)}
                for result, place in chances.results
            ],
        },
        "outcomes": [
            {
                "result": _RESULTS[own.points],
                "best": own.best,
                "worst": own.worst,
                "places": {str(at): n for at, n in sorted(own.places.items())},
            }
            for own in needs.results
        ],
        "games": [
            {
                "first": names[influence.game.first],
                "second": names[influence.game.second],
                "first_wins": influence.first_wins,
                "second_wins": influence.second_wins,
            }
            for influence in needs.influences
        ],
    }
