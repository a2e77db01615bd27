"""Pairing of teams: teams are the entrants, and their boards follow."""

from __future__ import annotations

from dataclasses import replace

from yardstone.errors import InputError
from yardstone.tournament.model import Bye, Game, Player, Result, System, Tournament
from yardstone.tournament.teams import matches, mean_rating

__all__ = ["team_tournament", "with_boards"]

_RESULTS = {(2, 0): Result.first_wins, (0, 2): Result.second_wins, (1, 1): Result.draw}


def team_tournament(tournament: Tournament) -> Tournament:
    """A tournament whose entrants are the teams, and whose games are the matches.

    A match counts by its match points, and the side of the first board is the side of the
    team. A team that sat out a round that was paired has had the bye, without points.

    Raises
    ------
    InputError
        There are fewer than two teams, or a player is in two.
    """
    if len(tournament.teams) < 2:
        raise InputError("the tournament has no teams to pair", file=tournament.file or None)
    entrants = tuple(
        Player(name=team.name, rating=mean_rating(tournament, team) or None)
        for team in tournament.teams
    )
    played = matches(tournament)
    games = []
    for table, match in enumerate(played, 1):
        result = _RESULTS.get(match.match_points, Result.both_lose)
        games.append(
            Game(
                round=match.round,
                table=table,
                first=match.teams[0],
                second=match.teams[1],
                result=result if match.done else Result.unknown,
            )
        )
    seated = {(match.round, team) for match in played for team in match.teams}
    byes = [
        Bye(number, team)
        for number in sorted({match.round for match in played})
        for team in range(len(entrants))
        if (number, team) not in seated
    ]
    robin = tournament.system is System.round_robin
    scoring = replace(tournament.scoring, criteria=(), wins_bye=0.0, score_bye=0.0, bye=0.0)
    return replace(
        tournament,
        players=entrants,
        games=tuple(games),
        byes=tuple(byes),
        teams=(),
        adjustments=(),
        system=System.round_robin if robin else System.swiss,
        scoring=replace(scoring, round_down=False),
        handicap=replace(tournament.handicap, ceiling=0),
        document=None,
    )


def with_boards(tournament: Tournament, before: Tournament, paired: Tournament) -> Tournament:
    """A tournament with the games of a round that was paired by teams.

    On odd boards the team with the first move in the match has it, on even boards the
    other. A board for which a team has nobody is left out; all games are even.

    Parameters
    ----------
    tournament : Tournament
        Of the players.
    before, paired : Tournament
        Its `team_tournament`, and the same with the round.

    Raises
    ------
    InputError
        A match has no board for which both teams have a player.
    """
    size = tournament.team_rules.size
    games: list[Game] = []
    new = paired.games[len(before.games) :]
    for match in new:
        table = max((g.table for g in tournament.round_games(match.round)), default=0)
        table += size * sum(other.table < match.table for other in new)
        lines = [
            tournament.teams[team].lineup(match.round)[:size]
            for team in (match.first, match.second)
        ]
        seats = [
            (board, a, b)
            for board, (a, b) in enumerate(zip(*lines, strict=False), 1)
            if a >= 0 and b >= 0
        ]
        if not seats:
            names = " - ".join(tournament.teams[t].name for t in (match.first, match.second))
            raise InputError(
                f"{names}: no board has a player of both teams in round {match.round}",
                file=tournament.file or None,
                hint="enter the line-ups first",
            )
        for board, a, b in seats:
            first, second = (a, b) if board % 2 else (b, a)
            games.append(Game(round=match.round, table=table + board, first=first, second=second))
    return replace(tournament.with_round(games), swiss=paired.swiss)
