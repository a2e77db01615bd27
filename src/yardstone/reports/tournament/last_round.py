"""What a player needs in the last round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from yardstone.reports.document import Column, Document, Section, Table

if TYPE_CHECKING:
    from yardstone.tournament.last_round import LastRoundNeeds, OwnResult
    from yardstone.tournament.model import Tournament

__all__ = ["last_round_document"]

_RESULTS = {1.0: "win", 0.5: "draw", 0.0: "loss", None: "any"}


def last_round_document(tournament: Tournament, needs: LastRoundNeeds) -> Document:
    """Places by the player's own result, and the games of others that matter."""
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
    if needs.influences:
        title = f"Games that matter for place {needs.place}, with the share of combinations"
        sections.append(Section(title, [games]))
    return Document(
        f"What {name} needs",
        [f"{name}, round {needs.round} of {tournament.name} ({how})"],
        sections,
        records=table,
        plain=lambda: _plain(tournament, needs),
    )


def _share(value: float) -> str:
    return f"{100 * value:.0f} %"


def _verdict(own: OwnResult, place: int) -> str:
    if own.worst <= place:
        return "certain"
    if own.best > place:
        return "impossible"
    return f"in {own.reaching(place):,} of {own.combinations:,} combinations"


def _plain(tournament: Tournament, needs: LastRoundNeeds) -> dict[str, Any]:
    names = [player.full_name for player in tournament.players]
    return {
        "player": names[needs.player],
        "round": needs.round,
        "exact": needs.exact,
        "combinations": needs.combinations if needs.exact else None,
        "place": needs.place,
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
