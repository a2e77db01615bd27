"""Teams: who plays on which board, their matches, and the standings of teams."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from yardstone.arrays import Floats, Longs
from yardstone.errors import UsageError
from yardstone.tournament.model import Bye, Game, Player, Result, System, Tournament
from yardstone.tournament.rules import Team
from yardstone.tournament.standings_table import round_shown, shared_places

#: Other names of criteria.
_NAMES = {"TP": "TEAMP", "MP": "TEAMP", "BP": "BDW", "GP": "BDW", "BH": "SOST"}
_UPPER = re.compile(r"B(?:DW)?(\d)U")
#: Without criteria of the file, as OpenGotha has them, and for chess.
_USUAL = ("TEAMP", "BDW", "BDW3U", "BDW2U", "BDW1U", "MNR")
_USUAL_CHESS = ("TEAMP", "BDW", "SOST", "SB")


@dataclass(frozen=True, slots=True)
class TeamBoard:
    """A game between members of two teams."""

    board: int  #: From 1, by the place of the first team's player among those who play
    players: tuple[int, int]  #: Numbers of the first team's player and the other's
    points: tuple[float, float]
    done: bool  #: Whether the game has a result


@dataclass(frozen=True, slots=True)
class TeamMatch:
    """Two teams in a round."""

    round: int
    #: Places in `Tournament.teams`; the first has the first move on the first board
    teams: tuple[int, int]
    boards: tuple[TeamBoard, ...]
    board_points: tuple[float, float]
    #: 2 for a match that is won, 1 for a drawn one; while games are open, by the boards that are
    #: done
    match_points: tuple[int, int]

    @property
    def done(self) -> bool:
        """Whether all games have a result."""
        return all(board.done for board in self.boards)


def matches(tournament: Tournament, round_number: int | None = None) -> tuple[TeamMatch, ...]:
    """All matches up to a round, by rounds and tables.

    Two teams have a match where members of both meet. A match is won by more than half of the
    boards of a match and more than the other team has, as OpenGotha counts; in chess by more board
    points.
    """
    last = tournament.last_round if round_number is None else round_number
    listed: list[TeamMatch] = []
    for number in range(1, last + 1):
        place: dict[int, tuple[int, int]] = {}
        for team, entry in enumerate(tournament.teams):
            for board, player in enumerate(entry.lineup(number)):
                if player < 0:
                    continue
                if player in place and place[player][0] != team:
                    who = tournament.name_of(player)
                    raise tournament.error(f"{who} is in two teams in round {number}")
                place.setdefault(player, (team, board))
        games_of: dict[frozenset[int], list[tuple[int, int]]] = {}
        for game in tournament.round_games(number):
            if game.first in place and game.second in place:
                pair = frozenset((place[game.first][0], place[game.second][0]))
                if len(pair) == 2:
                    games_of.setdefault(pair, []).append(game.players)
        listed += [_match(tournament, number, games, place) for games in games_of.values()]
    return tuple(listed)


def _match(
    tournament: Tournament,
    number: int,
    games: list[tuple[int, int]],
    place: dict[int, tuple[int, int]],
) -> TeamMatch:
    top = min(games, key=lambda pair: min(place[pair[0]][1], place[pair[1]][1]))
    one, two = place[top[0]][0], place[top[1]][0]
    pairs = sorted(
        (pair if place[pair[0]][0] == one else pair[::-1] for pair in games),
        key=lambda pair: place[pair[0]][1],
    )
    whole = all(place[pair[0]][1] < tournament.team_rules.size for pair in pairs)
    boards = []
    for order, (own, other) in enumerate(pairs, 1):
        game = tournament.game_of[number, own]
        boards.append(
            TeamBoard(
                board=place[own][1] + 1 if whole else order,
                players=(own, other),
                points=(game.points(own), game.points(other)),
                done=game.result is not Result.unknown,
            )
        )
    sums = [sum(board.points[side] for board in boards) for side in (0, 1)]
    half = 0.0 if tournament.discipline == "chess" else tournament.team_rules.size / 2
    points = []
    for own_sum, other_sum in (sums, sums[::-1]):
        needed = max(half, other_sum)
        points.append(2 if own_sum > needed else 1 if own_sum == needed else 0)
    started = any(board.done for board in boards)
    return TeamMatch(
        round=number,
        teams=(one, two),
        boards=tuple(boards),
        board_points=(sums[0], sums[1]),
        match_points=(points[0], points[1]) if started else (0, 0),
    )


@dataclass(frozen=True, slots=True)
class MemberScore:
    """What a player made for the team."""

    player: int
    team: int
    points: float
    games: int  #: With a result


@dataclass(frozen=True, eq=False)
class TeamStandings:
    """Teams in order of place."""

    tournament: Tournament
    round: int  #: After which round
    #: ``TEAMP`` (match points), ``BDW`` (board points), ``BDW3U`` (those of the three upper
    #: boards), ``SOST`` (match points of the opponents), ``SB`` (these times the board points made
    #: against each), ``MNR`` (mean rating of the first line-up)
    criteria: tuple[str, ...]
    order: Longs  #: Teams, the best first; tied ones by number
    place: Longs  #: From 1; tied teams share the best place of theirs
    values: Floats  #: (teams, criteria) In the order of places
    matches: tuple[TeamMatch, ...]

    def __len__(self) -> int:
        return len(self.order)

    def members(self) -> tuple[MemberScore, ...]:
        """Everybody who had a game in a match, by teams in their order and line-up."""
        made: dict[tuple[int, int], list[float]] = {}
        for match in self.matches:
            for board in match.boards:
                for team, player, points in zip(
                    match.teams, board.players, board.points, strict=True
                ):
                    made.setdefault((team, player), []).extend([points] if board.done else [])
        lines = [team.everybody() for team in self.tournament.teams]
        place = {team: at for at, team in enumerate(self.order.tolist())}
        listed = sorted(made.items(), key=lambda m: (place[m[0][0]], lines[m[0][0]].index(m[0][1])))
        return tuple(MemberScore(who, team, sum(s), len(s)) for (team, who), s in listed)


def team_standings(
    tournament: Tournament,
    *,
    round_number: int | None = None,
    criteria: str | Sequence[str] | None = None,
) -> TeamStandings:
    """The table of teams after a round.

    A round without a match brings a team nothing, as in OpenGotha.

    Args:
        round_number: By default the last one without an open result.
        criteria: Names in their order; by default the tournament's.

    Raises:
        InputError: The tournament has no teams, or a player is in two.
        UsageError: There is no such round or criterion.
    """
    if not tournament.teams:
        raise tournament.error("the tournament has no teams")
    now = round_shown(tournament, round_number)
    usual = _USUAL_CHESS if tournament.discipline == "chess" else _USUAL
    names = criteria if criteria is not None else tournament.team_rules.criteria or usual
    names = names.split(",") if isinstance(names, str) else names
    chosen = tuple(_criterion(name) for name in names)
    played = matches(tournament, now)
    columns = [_values(tournament, name, played) for name in chosen]
    teams = len(tournament.teams)
    values = np.column_stack([*columns, np.zeros(teams)])[:, :-1]
    numbers = [team.number for team in tournament.teams]
    rows = np.lexsort([numbers, *-values.T[::-1]])
    place = shared_places(values[rows])
    return TeamStandings(tournament, now, chosen, rows, place, values[rows], played)


def _criterion(name: str) -> str:
    plain = name.strip().upper()
    plain = _NAMES.get(plain, plain)
    if (upper := _UPPER.fullmatch(plain)) is not None:
        return f"BDW{upper[1]}U"
    if plain not in ("TEAMP", "BDW", "SOST", "SB", "MNR"):
        raise UsageError(
            f"no criterion of teams is called {name.strip()!r}: TEAMP, BDW, BDW1U to BDW9U, "
            "SOST, SB or MNR"
        )
    return plain


def _values(tournament: Tournament, name: str, played: tuple[TeamMatch, ...]) -> Floats:
    values = np.zeros(len(tournament.teams))
    if name == "MNR":
        return np.array([_mean_rating(tournament, team) for team in tournament.teams])
    scores = _values(tournament, "TEAMP", played) if name in ("SOST", "SB") else values
    upper = int(name[3]) if name.endswith("U") else 0
    for match in played:
        for side, team in enumerate(match.teams):
            rival = scores[match.teams[1 - side]]
            if name == "TEAMP":
                values[team] += match.match_points[side]
            elif name in ("SOST", "SB"):
                values[team] += rival * (match.board_points[side] if name == "SB" else 1.0)
            else:
                boards = (b for b in match.boards if not upper or b.board <= upper)
                values[team] += sum(board.points[side] for board in boards)
    return values


def _mean_rating(tournament: Tournament, team: Team) -> float:
    """Mean rating of the first line-up, rounded; 0 without ratings."""
    line = [p for p in team.lineup(1) if p >= 0][: tournament.team_rules.size]
    ratings = [r for p in line if (r := tournament.players[p].rating) is not None]
    return float(round(sum(ratings) / len(ratings))) if ratings else 0.0


_RESULTS = {(2, 0): Result.first_wins, (0, 2): Result.second_wins, (1, 1): Result.draw}


def team_tournament(tournament: Tournament) -> Tournament:
    """A tournament whose entrants are the teams, and whose games are the matches.

    A match counts by its match points, and the side of the first board is the side of the team. A
    team that sat out a round that was paired has had the bye, without points.

    Raises:
        InputError: There are fewer than two teams, or a player is in two.
    """
    if len(tournament.teams) < 2:
        raise tournament.error("the tournament has no teams to pair")
    entrants = tuple(
        Player(name=team.name, rating=_mean_rating(tournament, team) or None)
        for team in tournament.teams
    )
    played = matches(tournament)
    games = tuple(
        Game(
            round=match.round,
            table=table,
            first=match.teams[0],
            second=match.teams[1],
            result=_RESULTS.get(match.match_points, Result.both_lose)
            if match.done
            else Result.unknown,
        )
        for table, match in enumerate(played, 1)
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
        games=games,
        byes=tuple(byes),
        teams=(),
        adjustments=(),
        system=System.round_robin if robin else System.swiss,
        scoring=replace(scoring, round_down=False),
        handicap=replace(tournament.handicap, ceiling=0),
        document=None,
    )


def with_boards(tournament: Tournament, before: Tournament, paired: Tournament) -> Tournament:
    """A tournament of players with the games of a round that was `paired` by teams.

    On odd boards the team with the first move in the match has it, on even boards the other. A
    board for which a team has nobody is left out; all games are even. `before` and `paired` are its
    `team_tournament`, and the same with the round. InputError if a match has no board left.
    """
    size = tournament.team_rules.size
    games: list[Game] = []
    new = paired.games[len(before.games) :]
    for match in new:
        table = max((g.table for g in tournament.round_games(match.round)), default=0)
        table += size * sum(other.table < match.table for other in new)
        teams = [tournament.teams[team] for team in (match.first, match.second)]
        lines = zip(*(team.lineup(match.round)[:size] for team in teams), strict=False)
        seats = [(board, pair) for board, pair in enumerate(lines, 1) if min(pair) >= 0]
        if not seats:
            names = " - ".join(team.name for team in teams)
            raise tournament.error(
                f"{names}: no board has a player of both teams in round {match.round}",
                hint="enter the line-ups first",
            )
        for board, pair in seats:
            first, second = pair if board % 2 else pair[::-1]
            games.append(Game(round=match.round, table=table + board, first=first, second=second))
    return replace(tournament.with_round(games), swiss=paired.swiss)
