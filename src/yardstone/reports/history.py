"""Ratings over time, and ratings joined with other sources: tables and charts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from yardstone.arrays import Longs
from yardstone.evaluation.findings import Findings, Improbable
from yardstone.evaluation.history import RatingCurve, RatingHistory, game_text
from yardstone.reports.document import Column, Document, Lines, Picture, Section, Table
from yardstone.reports.words import known, per_cent, picked

if TYPE_CHECKING:
    from yardstone.reports.chart import Chart, Mark
    from yardstone.strength.fusion_priors import RatingSources

#: Version of the shape of `plain_history`; keys are only ever added to one.
FORMAT = 1
#: Players and games named in each part of the findings.
NAMED = 20


def history_document(history: RatingHistory) -> Document:
    """The report of ratings over time."""
    sections = []
    if history.curves:
        names = ", ".join(curve.player for curve in history.curves)
        picture = Picture(partial(history_chart, history), f"Ratings over time of {names}")
        sections.append(Section(blocks=[picture, _curve_table(history)]))
    title = "Present ratings" if history.curves else ""
    sections.append(Section(title, [_present_table(history)]))
    few = f" Players with fewer than {history.fewest} games are not listed."
    intervals = f"{history.rated.name} has no tested deviations, so there are no intervals."
    if history.scale is not None and history.scale.has_intervals:
        intervals = (
            f"±: {per_cent(history.confidence)} interval, relative to the mean of all players, "
            f"calibrated on {history.scale.pools} "
            "simulations of these games (newcomers' strengths have a standard deviation of about "
            f"{history.scale.expected_spread:.0f} points). In pools of known strengths, 95 % "
            "intervals covered 91 to 98 %."
        )
    sections.append(Section(blocks=[Lines([intervals + few * (history.fewest > 1)])]))
    if history.rated.name == "fusion":
        sections.append(fusion_section(history))
    if history.findings is not None:
        sections += _finding_sections(history, history.findings)
    if history.notes:
        sections.append(Section("Notes", [Lines(history.notes, bullets=True)]))
    records = Table(_GAMES, list(_games(history)), noun="game")
    if not history.curves:
        records = Table(_PRESENT, [history.present(row) for row in history.ranked()], noun="player")
    drawing = partial(history_chart, history) if history.curves or records.rows else None
    rated = history.rated
    lead = f"{rated.number:,} games of {(rated.played > 0).sum():,} players"
    if rated.period is not None:
        begin, end = rated.period
        lead += f", {str(begin)[:10]} to {str(end)[:10]}"
    lead += f", rated by {rated.name}"
    title, plain = f"Ratings by {rated.name}", partial(plain_history, history)
    return Document(title, [lead], sections, records, plain, drawing)


def _games(history: RatingHistory) -> Iterator[dict[str, Any]]:
    """The games of the chosen players, with the interval of their rating before each."""
    numbers = ("score", "expected", "rating", "deviation", "after")
    for curve in history.curves:
        reach = history.half_widths(curve)
        for k, opponent in enumerate(curve.opponents):
            game = {"number": k + 1, "game": int(curve.game[k]) + 1, "opponent": opponent}
            game |= {"player": curve.player, "first": bool(curve.first[k])}
            game |= {name: float(getattr(curve, name)[k]) for name in numbers}
            game |= {"low": game["rating"] - reach[k], "high": game["rating"] + reach[k]}
            yield game | {"time": None if curve.time is None else str(curve.time[k])}


#: The games of the chosen players in files; JSON has them below each player.
_GAMES = (
    Column("player"),
    *Column.files("number", "game", kind="integer"),
    Column("time", kind="time"),
    Column("opponent"),
    Column("first", kind="boolean"),
    *Column.files("score", "expected", "rating", "deviation", "low", "high", "after"),
)


#: The listed players in files, where none was chosen.
_PRESENT = (
    Column("player"),
    *Column.files("rating", "deviation", "low", "high"),
    Column("games", kind="integer"),
)


def _present_table(history: RatingHistory) -> Table:
    """The best players now; a row is the number of a player among the ratings."""
    ratings, last = history.rated.ratings, history.rated.last_game
    reach, games, listed = history.present_half_widths, history.played, history.listed()
    rank = {row: place for place, row in enumerate(listed, 1)}

    def last_game(row: int) -> str | None:
        return None if last is None or np.isnat(last[row]) else str(last[row])[:10]

    columns = [
        Column("", rank.__getitem__, "Rank", "integer"),
        Column("", ratings.players.__getitem__, "Player"),
        Column("", lambda row: float(ratings.rating[row]), "Rating", "number"),
        Column("", lambda row: float(reach[row]), "±", "number"),
        Column("", lambda row: int(games[row]), "Games", "integer", gives_way=1),
        Column("", last_game, "Last game", "date", gives_way=2),
    ]
    return Table(columns, listed, noun="player")


def _curve_table(history: RatingHistory) -> Table:
    """The chosen players, now and at their best."""
    peak = {curve.player: int(np.argmax(curve.after)) for curve in history.curves}

    def day(curve: RatingCurve, place: int) -> str | None:
        return None if curve.time is None else str(curve.time[place])[:10]

    def when(curve: RatingCurve) -> str:
        best = peak[curve.player]
        return day(curve, best) or f"game {best + 1}"

    columns = [
        Column("", "player", "Player"),
        Column("", lambda curve: float(curve.after[-1]), "Rating", "number"),
        Column("", lambda curve: float(history.half_widths(curve)[-1]), "±", "number"),
        Column("", len, "Games", "integer", gives_way=5),
        Column("", lambda curve: 100 * curve.score.mean(), "Score %", "number", gives_way=3),
        Column("", lambda curve: 100 * curve.expected.mean(), "Expected %", "number", gives_way=2),
        Column("", lambda c: float(c.after[peak[c.player]]), "Highest", "number", gives_way=6),
        Column("", when, "at", "date", gives_way=4),
        Column("", lambda curve: day(curve, -1), "Last game", "date", gives_way=1),
    ]
    caption = "The chosen players, now and at their best"
    return Table(columns, history.curves, noun="player", caption=caption)


def _finding_sections(history: RatingHistory, findings: Findings) -> Iterator[Section]:
    players = history.rated.pool.players

    def section(what: str, with_their: str, rows: Longs, values: Any) -> Section:
        if not len(rows):
            return Section(f"{what}: 0")
        names = ", ".join(f"{players[row]} ({values[row]})" for row in rows[:NAMED])
        more = f" … and {len(rows) - NAMED:,} more" if len(rows) > NAMED else ""
        title = f"{what}: {len(rows):,}, with their {with_their}"
        return Section(title, [Lines([names + more])])

    yield section("Provisional players", "games", findings.provisional, findings.played)
    if findings.last_game is not None:
        days = findings.last_game.astype("datetime64[D]")
        yield section("Idle players", "last games", findings.idle, days)
    lines = [
        f"In at most {100 * findings.swap_share:.2f} % of {findings.decided:,} decided "
        "games the players' names seem to have been swapped.",
        "Swapped: the probability of that for this game. Twin: a game of the same "
        "day with the names the other way round. Both are evidence to check, not a "
        "verdict.",
    ]
    table = _improbable_table(history, findings.improbable)
    yield Section(f"Improbable results: {len(findings.improbable):,}", [Lines(lines), table])


def _twin(item: Improbable) -> int | None:
    return None if item.twin is None else item.twin + 1


def _improbable_table(history: RatingHistory, improbable: Sequence[Improbable]) -> Table:
    pool = history.rated.pool

    def share(name: str, digits: int) -> Column:
        def show(item: Improbable) -> str:
            return f"{100 * getattr(item, name):.{digits}f} %"

        return Column("", name, name.capitalize(), "number", show=show)

    columns = [
        Column("", lambda item: game_text(pool, item.game), "Game"),
        Column("", lambda item: item.game + 1, "Number", "integer", "d", gives_way=2),
        share("expected", 1),
        share("chance", 2),
        share("swapped", 0),
        Column("", _twin, "Twin", "integer", show=lambda i: str(_twin(i) or ""), gives_way=1),
    ]
    return Table(columns, improbable[:NAMED], noun="result", caption="Improbable results")


def plain_history(history: RatingHistory) -> dict[str, Any]:
    """The report as dictionaries, lists, numbers, strings and None."""
    rated = history.rated
    games: dict[str, list[dict[str, Any]]] = {curve.player: [] for curve in history.curves}
    for game in _games(history):
        games[game["player"]].append(Column.record(_GAMES[1:], game))

    def final(curve: RatingCurve) -> dict[str, float | None]:
        rating, reach = float(curve.after[-1]), history.half_widths(curve)[-1]
        ends = {"low": known(rating - reach), "high": known(rating + reach)}
        return {"rating": rating, "deviation": known(curve.final_deviation), **ends}

    values: dict[str, Any] = {
        "format": FORMAT,
        **picked(history, "system=rated.name", "rated.parameters", "confidence"),
        "games": rated.number,
        "players": int((rated.played > 0).sum()),
        "replayed": rated.replayed,
        "ratings": [Column.record(_PRESENT[:-1], history.present(row)) for row in history.listed()],
        "curves": [
            {"player": curve.player, "final": final(curve), "games": games[curve.player]}
            for curve in history.curves
        ],
        "notes": list(history.notes),
    }
    if rated.name == "fusion":
        values["sources"] = plain_sources(history)
    if history.findings is not None:
        values["findings"] = _plain_findings(history, history.findings)
    return values


def _plain_findings(history: RatingHistory, findings: Findings) -> dict[str, Any]:
    pool, last, games = history.rated.pool, findings.last_game, findings.played

    def time(moments: NDArray[np.datetime64] | None, row: int) -> str | None:
        return None if moments is None else str(moments[row])

    return {
        "provisional": [
            {"player": pool.players[row], "games": int(games[row])} for row in findings.provisional
        ],
        "idle": [
            {"player": pool.players[row], "last_game": time(last, row), "games": int(games[row])}
            for row in findings.idle
        ],
        "decided_games": findings.decided,
        "swap_share": findings.swap_share,
        "improbable": [
            {
                "game": item.game + 1,
                "time": time(pool.time, item.game),
                "first": pool.players[pool.first[item.game]],
                "second": pool.players[pool.second[item.game]],
                "score": float(pool.score[item.game]),
                **picked(item, "expected_of_winner=expected", "chance", "swapped"),
                "twin": _twin(item),
            }
            for item in findings.improbable
        ],
    }


#: Players in the picture.
DRAWN = 40
_WORDS = (
    "Moves: what the moves of all games show by themselves. Results: what the results say by "
    "themselves. Both: the rating, which may lie beyond the two, for each of them begins at a "
    "newcomer's. ± is one standard deviation, as the system reckons it. With few "
    "games the moves weigh most, with many the results."
)


def fusion_section(history: RatingHistory) -> Section:
    """What results say of the chosen or listed players, what moves say, and both."""
    from yardstone.strength.fusion_priors import rating_sources

    sources, ratings, games = rating_sources(history.rated), history.rated.ratings, history.played
    players = ratings.players
    rows = [ratings.index(curve.player) for curve in history.curves] or list(history.listed())

    def estimate(name: str) -> Callable[[int], str]:
        values, spread = getattr(sources, name), getattr(sources, f"{name}_deviation")
        return lambda row: f"{values[row]:.0f} ± {spread[row]:.0f}"

    def by_moves(row: int) -> str:
        return estimate("moves")(row) if sources.number[row] else "–"

    columns = [
        Column("", players.__getitem__, "Player"),
        Column("", by_moves, "Moves", left=False),
        Column("", estimate("results"), "Results", left=False),
        Column("", estimate("both"), "Both", left=False),
        Column("", lambda row: int(games[row]), "Games", "integer", gives_way=2),
        Column("", lambda row: int(sources.number[row]), "Moves seen", "integer", gives_way=1),
    ]
    caption = "What moves say, what results say, and both"
    table = Table(columns, rows, noun="player", caption=caption)
    draw = partial(sources_chart, sources, players, rows[:DRAWN])
    picture = Picture(draw, "Ratings from moves, from results, and from both")
    return Section("Moves and results", [picture, table, Lines([_WORDS])])


def plain_sources(history: RatingHistory) -> list[dict[str, Any]]:
    """The same of all listed players as plain values."""
    from yardstone.strength.fusion_priors import rating_sources

    sources, players = rating_sources(history.rated), history.rated.ratings.players

    def estimate(name: str, row: int) -> dict[str, float | None]:
        return picked(sources, f"rating={name}.{row}", f"deviation={name}_deviation.{row}")

    return [
        {
            "player": players[row],
            "moves_seen": int(sources.number[row]),
            **({"moves": estimate("moves", row)} if sources.number[row] else {}),
            **{name: estimate(name, row) for name in ("results", "both")},
        }
        for row in np.asarray(history.listed()).tolist()
    ]


#: Curves in one picture: more than these cannot be told apart.
MOST_CURVES = 10
#: A curve that lasts for less of the whole time is a stroke upwards.
_SHORTEST_SPAN = 0.1
#: Bands in one picture.
_MOST_BANDS = 4


def history_chart(history: RatingHistory) -> Chart:
    """Draw the ratings of the chosen players, or of the highest, each with its band.

    More than a few bands would hide each other, so many curves go without.

    Against time where it is known, else against the number of games; so it is as well for
    the highest, where each of them played in so short a time that nothing of it could be
    seen. A point of a curve is the rating with which a game was predicted, or without bands
    the first of a moment; the last one is the present rating.
    """
    from yardstone.reports.chart import Axis, Band, Chart, Panel, Stroke
    from yardstone.reports.drawing import series_style

    curves = history.drawn[:MOST_CURVES]
    banded = len(curves) <= _MOST_BANDS
    dated = _dated(curves, chosen=bool(history.curves))
    bands: list[Mark] = []
    lines: list[Mark] = []
    for place, curve in enumerate(curves):
        rating = np.append(curve.rating, curve.after[-1])
        x = np.arange(len(rating))
        if dated and curve.time is not None:
            x = np.append(curve.time, curve.time[-1])
        if dated and not banded:
            x, begins = np.unique(x, return_index=True)
            rating = np.append(rating[begins[:-1]], rating[-1])
        colour, dash = series_style(place)
        lines.append(Stroke(x, rating, colour, curve.player, 1.5, dash))
        reach = history.half_widths(curve)
        if banded and np.isfinite(reach).any():
            bands.append(Band(x, rating - reach, rating + reach, colour, opacity=0.13))
    title = f"Ratings by {history.rated.name}"
    if bands:
        title += f" with {100 * history.confidence:g} % bands"
    if not history.curves:
        title += f": the {len(curves)} highest"
        if history.fewest > 1:
            title += f" with at least {history.fewest} games"
    elif len(curves) < len(history.curves):
        title += f": the first {len(curves)} of {len(history.curves)} players"
    x_axis = Axis(scale="date") if dated else Axis("Games played", whole=True)
    panel = Panel(x_axis, Axis("Rating", grid=True), [*bands, *lines], direct=True)
    return Chart([panel], title, height=340.0)


def _dated(curves: Sequence[RatingCurve], *, chosen: bool) -> bool:
    """Whether to draw curves against time: it is known, and long enough for them to be seen."""
    times = [curve.time for curve in curves if curve.time is not None]
    if not times or len(times) < len(curves):
        return False
    spans = [float((time[-1] - time[0]).astype(np.int64)) for time in times]
    whole = max(time[-1] for time in times) - min(time[0] for time in times)
    return chosen or float(np.median(spans)) >= _SHORTEST_SPAN * float(whole.astype(np.int64))


#: The three estimates: their name, colour and shape, and how far above a player's line they stand.
_KINDS = (
    ("moves", "c2", "diamond", -0.25),
    ("results", "c3", "square", 0.0),
    ("both", "c1", "circle", 0.25),
)


def sources_chart(sources: RatingSources, players: Sequence[str], rows: Sequence[int]) -> Chart:
    """Draw three estimates of each player, a line being one deviation on each side.

    Args:
        rows: Which of them, from above.
    """
    from yardstone.reports.chart import Axis, Chart, Panel, Points

    chosen = np.asarray(rows, np.int64)
    place = np.arange(len(chosen))
    marks: list[Mark] = []
    for name, colour, shape, above in _KINDS:
        shown = sources.number[chosen] > 0 if name == "moves" else np.ones(len(chosen), np.bool_)
        rating = getattr(sources, name)[chosen][shown]
        reach = getattr(sources, f"{name}_deviation")[chosen][shown]
        y, ends = place[shown] + above, (rating - reach, rating + reach)
        marks.append(Points(rating, y, colour, name.capitalize(), shape, across=ends))
    names = [players[row] for row in rows]
    panel = Panel(Axis("Rating", grid=True), Axis(scale="category", names=names), marks)
    title = "Ratings from moves, from results, and from both, with one deviation"
    return Chart([panel], title, height=34.0 * max(len(rows), 4))
