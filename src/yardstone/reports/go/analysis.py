"""Analysed games as a document.

To add a column of the moves: a line in `_COLUMNS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from yardstone.go.analysis import PHASES, WHOLE_GAME
from yardstone.go.losses import DECIDED
from yardstone.go.points import colour_name, point_name
from yardstone.reports.charts.go import game_chart
from yardstone.reports.document import (
    UNKNOWN,
    Column,
    Document,
    Drawing,
    Kind,
    Lines,
    Picture,
    Section,
    Table,
)
from yardstone.reports.go.titles import game_title
from yardstone.reports.skipped import plain_skipped
from yardstone.reports.words import plural

if TYPE_CHECKING:
    from yardstone.go.analysis import AnalysedGames, GameAnalysis, Total

__all__ = ["analysis_document"]


class _Move(NamedTuple):
    """Move k of a game, from 0."""

    game: GameAnalysis
    k: int

    def point(self, number: int) -> str:
        return point_name(int(number), self.game.game.size)


def _known(value: float, digits: int) -> float | None:
    return round(float(value), digits) if isfinite(value) else None


def _per_cent(value: float, digits: int = 1) -> str:
    return UNKNOWN if isnan(value) else f"{100.0 * value:.{digits}f}"


def _points(value: float, digits: int = 1) -> str:
    return UNKNOWN if isnan(value) else f"{round(float(value), digits) + 0.0:.{digits}f}"


def _share(
    name: str, read: Callable[[Any], float], heading: str, gives_way: int = 0, *, shown: int = 1
) -> Column:
    return Column(
        name,
        lambda row: _known(read(row), 6),
        heading,
        "number",
        show=lambda row: _per_cent(read(row), shown),
        gives_way=gives_way,
    )


def _amount(
    name: str, read: Callable[[Any], float], heading: str, *, digits: int = 2, shown: int = 1
) -> Column:
    return Column(
        name,
        lambda row: _known(read(row), digits),
        heading,
        "number",
        show=lambda row: _points(read(row), shown),
    )


def _words(name: str, read: Callable[[_Move], Any], kind: Kind = "text") -> Column:
    """A column that stands in files only."""
    return Column(name, read, kind=kind)


_PLACE = (
    _words("file", lambda m: m.game.game.file),
    _words("game", lambda m: m.game.game.number, "integer"),
    _words("black", lambda m: m.game.game.black),
    _words("white", lambda m: m.game.game.white),
)
_NUMBER = Column("number", lambda m: int(m.game.number[m.k]), "Move", "integer", form="d")
_SIDE = Column(
    "colour",
    lambda m: colour_name(int(m.game.colour[m.k])).lower(),
    "Side",
    show=lambda m: colour_name(int(m.game.colour[m.k]))[0],
)
_POINT = Column("move", lambda m: m.point(m.game.point[m.k]), "Point")
_WIN_LOSS = _share("win_loss", lambda m: m.game.win_loss[m.k], "Lost %", 4)
_POINT_LOSS = _amount("point_loss", lambda m: m.game.point_loss[m.k], "Lost points")
_POLICY = _share("policy", lambda m: m.game.policy[m.k], "Policy %", 3)
_RANK = Column(
    "rank",
    lambda m: int(m.game.rank[m.k]) or None,
    "Rank",
    "integer",
    form="d",
    gives_way=2,
)
_PHASE = _words("phase", lambda m: PHASES[m.game.phase[m.k]])


def _better(move: _Move) -> str | None:
    losses = move.game.losses
    return move.point(losses.best[move.k]) if losses.points[move.k] > 0.0 else None


#: What is said of each move, in files and, with a heading, to people.
_COLUMNS = (
    _NUMBER,
    _SIDE,
    _POINT,
    _share("white_winrate", lambda m: m.game.white_winrate[m.k + 1], "White wins %"),
    _amount("white_lead", lambda m: m.game.white_lead[m.k + 1], "White leads", digits=3),
    _WIN_LOSS,
    _POINT_LOSS,
    _words("point_error", lambda m: _known(m.game.losses.error[m.k], 2), "number"),
    _words("decided", lambda m: bool(m.game.losses.decided[m.k]), "boolean"),
    _POLICY,
    _RANK,
    Column("best", lambda m: m.point(m.game.best[m.k]), "Best", gives_way=6),
    _share("best_policy", lambda m: m.game.best_policy[m.k], "Its policy %", 1),
    _words("better", _better),
    _PHASE,
    _words("counted", lambda m: bool(m.game.counted[m.k]), "boolean"),
)
_MISTAKES = (
    _NUMBER,
    _SIDE,
    _POINT,
    _POINT_LOSS,
    Column("", lambda m: f"± {_points(m.game.losses.error[m.k])}", "Error", left=False),
    _WIN_LOSS,
    _POLICY,
    _RANK,
    Column("", lambda m: m.point(m.game.losses.best[m.k]), "Better"),
    replace(_PHASE, heading="Phase", gives_way=5),
)


def _player(total: Total) -> str:
    """Who it is, in the first of a player's rows."""
    if total.phase != WHOLE_GAME:
        return ""
    colour = f" ({colour_name(total.colour)[0]})" if total.colour else ""
    games = "" if total.games == 1 else f", {plural(total.games, 'game')}"
    return f"{total.player}{colour}{games}"


_TOTALS = (
    Column("", _player, "Player"),
    Column("", lambda t: "all" if t.phase == WHOLE_GAME else t.phase, "Phase"),
    Column("", lambda t: t.moves, "Moves", "integer"),
    _amount("", lambda t: t.point_loss, "Points a move", shown=2),
    _share("", lambda t: t.win_loss, "% a move", 4, shown=2),
    _share("", lambda t: t.policy, "Policy %", 2),
    _share("", lambda t: t.first_choice, "First choice %", 1),
    Column("", lambda t: t.mistakes, "Mistakes", "integer", gives_way=3),
)


def analysis_document(result: AnalysedGames, *, moves: bool = True, top: int = 10) -> Document:
    """The games, each with its picture, and the totals of players.

    Parameters
    ----------
    result : AnalysedGames
    moves : bool
        List every move.
    top : int
        Mistakes to list for each game.
    """
    games = result.games
    sections: list[Section] = []
    for game in games:
        rows = [_Move(game, k) for k in range(len(game))]
        lines = Lines([*_place_line(game), *_conditions(result, game)])
        draw = _picture(replace(result, games=[game]))
        picture = Picture(draw, "White's winrate and lead after each move")
        sections.append(Section(game_title(game), [lines, picture]))
        if moves:
            table = Table(_COLUMNS, rows, noun="move")
            sections.append(Section("All moves", [table], folded=True))
        totals = Table(_TOTALS, result.totals(game), caption="By player and phase")
        sections += [Section(blocks=[totals]), _mistakes(result, game, top)]
    if len(games) > 1:
        title = f"All {len(games):,} games, by player"
        sections.append(Section(title, [Table(_TOTALS, result.players())]))
    sections.append(Section(blocks=[Lines([*_legend(result)], bullets=True)]))
    return Document(
        "Analysis" if len(games) == 1 else f"Analysis of {len(games):,} games",
        sections=sections,
        records=Table(
            (*_PLACE, *_COLUMNS), [_Move(game, k) for game in games for k in range(len(game))]
        ),
        plain=lambda: _plain(result),
        drawing=_picture(result),
    )


def _picture(result: AnalysedGames) -> Callable[[], Drawing]:
    def draw() -> Drawing:
        return game_chart(result)

    return draw


def _date(analysis: GameAnalysis) -> str:
    date = analysis.game.date
    return "" if np.isnat(date) else str(date)[:10]


def _place_line(analysis: GameAnalysis) -> list[str]:
    """Where the game was played, when, and how it ended."""
    game = analysis.game
    known = [game.event, _date(analysis), f"result {game.result}" if game.result else ""]
    return [", ".join(part for part in known if part)] if any(known) else []


def _conditions(result: AnalysedGames, analysis: GameAnalysis) -> list[str]:
    """Rules and komi that the network was shown, and what the reader must know."""
    game, conditions = analysis.game, analysis.conditions
    handicap = f", handicap {game.handicap}" if game.handicap > 1 else ""
    line = (
        f"{plural(len(analysis), 'move')} on {game.size}x{game.size}{handicap}, "
        f"{conditions.in_words}; network {result.network}"
    )
    return [line, *([f"Note: {analysis.remark}"] if analysis.remark else [])]


def _mistakes(result: AnalysedGames, analysis: GameAnalysis, top: int) -> Section:
    worst = analysis.mistakes(result.mistake).tolist()
    if not worst:
        line = f"No move stands out from the noise with {result.mistake:g} points or more."
        return Section(blocks=[Lines([line])])
    limit = f"; the worst {top}" if 0 < top < len(worst) else ""
    title = f"{plural(len(worst), 'move')} cost {result.mistake:g} points or more{limit}"
    rows = [_Move(analysis, k) for k in worst[:top]]
    return Section(title, [Table(_MISTAKES, rows)] if rows else [])


def _legend(result: AnalysedGames) -> Iterator[str]:
    """How to read the figures."""
    ends = result.phases
    small = sorted({analysis.game.size for analysis in result.games} - {19})
    scaled = "".join(
        f"; on {size}x{size} {first} and {middle}"
        for size in small[:3]
        for first, middle in [ends.ends(size)]
    )
    yield (
        "A loss is what the move left its player, less what the best move found would have left: "
        f"never below 0, and {UNKNOWN} where the game was decided, one side having more than "
        f"{100.0 * DECIDED:g} % before and after the move."
    )
    yield "Mistakes are losses of at least twice their error."
    yield (
        f"{PHASES[0].capitalize()}: moves 1 to {ends.opening}; {PHASES[1]}: to "
        f"{ends.middle}; then {PHASES[2]}{scaled}."
    )


def _plain(result: AnalysedGames) -> dict[str, Any]:
    return {
        "format": 2,
        "network": result.network,
        "mistake_points": result.mistake,
        "phases": {"opening": result.phases.opening, "middle game": result.phases.middle},
        "games": [_plain_game(result, game) for game in result.games],
        "players": [_plain_total(total) for total in result.players()],
        "skipped": plain_skipped(result.skipped),
    }


def _plain_game(result: AnalysedGames, analysis: GameAnalysis) -> dict[str, Any]:
    game = analysis.game
    rows = [_Move(analysis, k) for k in range(len(analysis))]
    return {
        "file": game.file,
        "game": game.number,
        "black": game.black,
        "white": game.white,
        "black_rank": game.black_rank,
        "white_rank": game.white_rank,
        "date": _date(analysis) or None,
        "result": game.result,
        "size": game.size,
        "handicap": game.handicap,
        "komi": analysis.conditions.komi,
        "rules": analysis.conditions.rules.name,
        "remark": analysis.remark or None,
        "start": {
            "white_winrate": _known(analysis.white_winrate[0], 6),
            "white_lead": _known(analysis.white_lead[0], 3),
        },
        "moves": [{column.name: column.value(row) for column in _COLUMNS} for row in rows],
        "totals": [_plain_total(total) for total in result.totals(analysis)],
    }


def _plain_total(total: Total) -> dict[str, Any]:
    return {
        **asdict(total),
        "point_loss": _known(total.point_loss, 4),
        "win_loss": _known(total.win_loss, 6),
        "colour": colour_name(total.colour).lower() if total.colour else None,
    }
