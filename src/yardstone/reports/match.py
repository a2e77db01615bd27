"""A match of two players, and what to expect of the next game, as documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from math import isfinite, isinf, isnan
from typing import TYPE_CHECKING, Any

from yardstone.ratings.match import TIME, Interval, Match
from yardstone.reports.document import Column, Document, Facts, Lines, Section, Table
from yardstone.reports.words import known, per_cent, picked, plain_skipped, plural

if TYPE_CHECKING:
    from yardstone.ratings.rating_list import GameForecast
    from yardstone.ratings.sprt import MatchJudgement, SprtState

_PAIR_NAMES = ("LL", "LD", "LW+DD", "DW", "WW")


def match_document(judgement: MatchJudgement) -> Document:
    """The report of a match."""
    title = "Match" if judgement.players is None else " – ".join(judgement.players)
    sections = [Section(blocks=[Facts(list(_facts(judgement)))])]
    records = Table(_RECORDS, [judgement])
    return Document(title, (), sections, records, partial(plain_match, judgement))


def plain_match(judgement: MatchJudgement) -> dict[str, Any]:
    """All that a match says as plain values; None where one is unknown or infinite."""
    match, paired = judgement.match, judgement.paired
    names = _PAIR_NAMES if match.paired else ("losses", "draws", "wins")
    values: dict[str, Any] = {
        **dict(zip(("player", "other"), judgement.players or (), strict=False)),
        "model": _model(judgement),
        "counts": dict(zip(names, map(int, match.counts), strict=True)),
        "games": int(match.games),
        **picked(judgement, "match.score", "match.shared", "confidence"),
        "elo": picked(judgement.elo, "value", "low", "high"),
        "normalized_elo": picked(judgement.normalized_elo, "value", "low", "high"),
        "superiority": judgement.superiority,
        "games_for_half_width": picked(judgement, "half_width", "games=games_needed"),
        "sprt": {
            **picked(judgement.test, "model", "elo0", "elo1", "alpha", "beta"),
            **picked(judgement.state, *_STATE, "decision", "chance_of_h1=chance", "further_games"),
        },
    }
    if paired is not None:
        values |= {
            "games_between": _results(paired.games),
            **picked(paired, "unpaired", "pairing=manner"),
            "paired_by": list(paired.by),
            "moving_first": _results(paired.sides[0]),
            "moving_second": _results(paired.sides[1]),
            "error_of_pairs_over_games": known(paired.gain),
            "endings": None if (ended := judgement.endings) is None else [*map(asdict, ended)],
        }
    if judgement.skipped is not None:
        values["skipped"] = plain_skipped(judgement.skipped)
    return values


def _results(match: Match) -> dict[str, int]:
    losses, draws, wins = map(int, match.counts)
    return {"wins": wins, "draws": draws, "losses": losses}


def match_line(judgement: MatchJudgement) -> str:
    """Return a match in one line: games, difference and the state of its test."""
    match, elo, paired = judgement.match, judgement.elo, judgement.paired
    games = match if paired is None else paired.games
    parts = [f"{games.games:g} games" + ("" if games.paired else f" {_signs(games)}")]
    if match.paired:
        counts = " ".join(f"{n:g}" for n in match.counts)
        parts.append(f"{plural(int(match.size), 'pair')} ({counts})")
    parts.append(f"Elo {_signed(elo.value)} [{_signed(elo.low)}, {_signed(elo.high)}]")
    parts.append(f"LLR {_between_bounds(judgement.state)}")
    parts += [
        f"losses on time {ending.lost[0]:,} and {ending.lost[1]:,}"
        for ending in judgement.endings or ()
        if ending.name == TIME
    ]
    return ", ".join(parts)


def _model(judgement: MatchJudgement) -> str:
    return "pentanomial" if judgement.match.paired else "trinomial"


_STATE = ("llr", "lower", "upper")
#: One row a match, so that those of several matches can be put together.
_RECORDS = (
    *Column.files("player=players.0", "other=players.1", kind="text"),
    Column("model", _model),
    Column("counts", lambda each: " ".join(f"{count:g}" for count in each.match.counts)),
    Column("games", lambda each: int(each.match.games), kind="integer"),
    *Column.files("match.score", "match.shared", "confidence"),
    *(
        Column(name + ending, f"{name}.{part}", kind="number")
        for name in ("elo", "normalized_elo")
        for ending, part in {"": "value", "_low": "low", "_high": "high"}.items()
    ),
    *Column.files("superiority", "half_width", "games_for_half_width=games_needed"),
    Column("sprt_model", "test.model"),
    *Column.files("test.elo0", "test.elo1", "test.alpha", "test.beta"),
    *Column.files(*(f"state.{name}" for name in _STATE)),
    Column("decision", "state.decision"),
    *Column.files("chance_of_h1=state.chance", "state.further_games"),
)


def _facts(judgement: MatchJudgement) -> Iterator[tuple[str, str]]:
    if judgement.players is not None:
        yield "Match", " against ".join(judgement.players)
    yield from _counts(judgement)
    yield "Elo difference", _with_interval(judgement.elo, judgement.confidence)
    yield "Normalized Elo", _with_interval(judgement.normalized_elo, judgement.confidence)
    yield "Likelihood of superiority", f"{100.0 * judgement.superiority:.2f} % (uniform prior)"
    if not isnan(judgement.games_needed):
        more = max(judgement.games_needed - judgement.match.games, 0.0)
        text = f"about {_rounded(more)} more games" if more else "reached"
        yield f"For ± {judgement.half_width:g} Elo", text
    yield from _sequential_test(judgement)


def _counts(judgement: MatchJudgement) -> Iterator[tuple[str, str]]:
    match, paired = judgement.match, judgement.paired
    if match.paired:
        counts = ", ".join(map("{} {:g}".format, _PAIR_NAMES, match.counts))
        yield "Pairs", f"{match.size:g} ({counts})"
    games = match if paired is None else paired.games
    yield "Games", f"{games.games:g}" if games.paired else f"{games.size:g} {_signs(games)}"
    if paired is not None:
        for label, side in zip(("  Moving first", "  Moving second"), paired.sides, strict=True):
            if side.size:
                yield label, f"{side.size:g} {_signs(side)}, {100.0 * side.score:.2f} %"
    yield from _endings(judgement)
    if paired is not None:
        how = _MANNERS[paired.manner].format(", ".join(paired.by))
        if paired.manner == "columns" and not paired.by:
            how = "the order of the games with each side"
        yield "Paired by", how
        if paired.unpaired and paired.pairs.size:
            yield "Not paired", f"{plural(paired.unpaired, 'game')}, left out of all that follows"
    if match.size:
        shared = "of pairs ended 1–1" if match.paired else "of games drawn"
        yield "Score", f"{100.0 * match.score:.2f} %, {100.0 * match.shared:.1f} % {shared}"
    else:
        yield "Score", "unknown: no games"
    if paired is not None and not isnan(paired.gain):
        yield "Error by pairs", f"{100.0 * paired.gain:.0f} % of the error by single games"


def _signs(games: Match) -> str:
    losses, draws, wins = games.counts
    return f"(+{wins:g} ={draws:g} -{losses:g})"


_MANNERS = {
    "columns": "{}, as requested",
    "round": "{}: at most two games each, with sides swapped",
    "position": "{}: games from one position, with sides swapped",
    "order": "order: consecutive games with sides swapped",
    "none": "nothing: neither round, position nor order shows which games form pairs",
}


def _endings(judgement: MatchJudgement) -> Iterator[tuple[str, str]]:
    """Losses on time, and other endings that are not by the rules of the game."""
    if judgement.endings is None or judgement.players is None:
        return

    def numbers(lost: tuple[int, int], *, all_: bool) -> str:
        counts = zip(judgement.players or (), lost, strict=True)
        return ", ".join(f"{name} {number:,}" for name, number in counts if number or all_)

    others, on_time = [], (0, 0)
    for ending in judgement.endings:
        if ending.name == TIME:
            on_time = ending.lost
            if ending.drawn:
                others.append(f"{ending.drawn:,} drawn on time")
            continue
        # Who directs the match decides an adjudication: nobody failed.
        lost = "" if ending.name == "adjudication" else numbers(ending.lost, all_=False)
        others.append(f"{ending.games:,} {ending.name}" + (f" (lost by {lost})" if lost else ""))
    yield "Losses on time", numbers(on_time, all_=True)
    if others:
        yield "Other endings", ", ".join(others)


def _sequential_test(judgement: MatchJudgement) -> Iterator[tuple[str, str]]:
    test, state = judgement.test, judgement.state
    unit = "normalized Elo" if test.model == "normalized" else "Elo"
    levels = f"alpha {test.alpha:g}, beta {test.beta:g}"
    yield "Sequential test", f"H0: {test.elo0:g}, H1: {test.elo1:g} {unit}, {levels}"
    yield "  Log likelihood ratio", _between_bounds(state)
    words = "not decided yet"
    if state.decision != "continue":
        taken, other = (test.elo0, test.elo1)[:: 1 if state.decision == "accept H0" else -1]
        which = state.decision.removeprefix("accept ")
        words = f"finished: {which} accepted ({taken:g} rather than {other:g} {unit})"
    yield "  State", words
    if state.decision == "continue" and not isnan(state.chance):
        chance = f"{100.0 * state.chance:.0f} %"
        if not 0.05 <= state.chance <= 0.95:  # no surer than forecasts proved to be
            chance = "over 95 %" if state.chance > 0.5 else "under 5 %"
        more = _rounded(state.further_games)
        yield "  Forecast", f"about {more} more games; H1 accepted with {chance} probability"


def _between_bounds(state: SprtState) -> str:
    """The log likelihood ratio, and whether it is within the bounds of the test."""
    bounds = f"({state.lower:.2f}, {state.upper:.2f})"
    place = {"accept H0": "below", "accept H1": "above", "continue": "within"}[state.decision]
    return f"{state.llr:.2f} {place} {bounds}"


def _rounded(number: float) -> str:
    """A number of games to three figures."""
    return f"{float(f'{number:.3g}'):,.0f}"


def _signed(value: float) -> str:
    if isnan(value):
        return "unknown"
    return f"{value:+.1f}" if isfinite(value) else "+∞" if value > 0.0 else "−∞"


def _with_interval(interval: Interval, confidence: float) -> str:
    """The value, with its interval and level, or why there is none."""
    if isinf(interval.low) and isinf(interval.high):
        return f"{_signed(interval.value)}  (too few games for an interval)"
    ends = f"[{_signed(interval.low)}, {_signed(interval.high)}]"
    return f"{_signed(interval.value)}  {ends} at {100.0 * confidence:.6g} %"


#: Players with fewer games than this are named as little known.
FEW_GAMES = 10


def forecast_document(forecast: GameForecast) -> Document:
    """The report of a forecast."""
    players = _players(forecast)
    lead = [
        f"{forecast.first}, moving first, is expected to score {100 * forecast.expected:.1f} % "
        f"against {forecast.second} (by {forecast.system}).",
    ]
    if forecast.draw:
        others = f"draw {100 * forecast.draw:.1f} %, loss {100 * forecast.loss:.1f} %"
        lead.append(f"Win {100 * forecast.win:.1f} %, {others}.")
    if abs(forecast.reversed_expected - forecast.expected) > 0.0005:
        lead.append(f"Moving second: {100 * forecast.reversed_expected:.1f} %.")
    if isfinite(forecast.margin):
        verb, by = "win" if forecast.margin >= 0.0 else "lose", f"{abs(forecast.margin):.1f} points"
        lead.append(f"In an even game {forecast.first} is expected to {verb} by {by}.")
    deviations = any(player["deviation"] is not None for player in players)
    shown = [
        Column("", "player", "Player"),
        Column("", "rating", "Rating", "number"),
        Column("", "deviation", "Deviation" if deviations else "", "number"),
        Column("", "games", "Games", "integer"),
    ]
    table = Table(shown, players, noun="player")
    notes = [_uncertainty(forecast), *filter(None, [forecast.basis])]
    few = [player for player in players if player["games"] < FEW_GAMES]
    if few:
        listed = (f"{player['player']} has {plural(player['games'], 'game')}" for player in few)
        notes.append(f"Note: {' and '.join(listed)}: too few to say much.")
    sections = [Section(blocks=[table]), Section(blocks=[Lines([*notes, *forecast.notes])])]
    title = f"{forecast.first} – {forecast.second}"
    records = Table(_FORECAST_RECORDS, [forecast], noun="game")
    return Document(title, lead, sections, records, partial(plain_forecast, forecast))


def _players(forecast: GameForecast) -> list[dict[str, Any]]:
    return [
        picked(forecast, f"player={side}", f"rating={side}_rating.value")
        | picked(forecast, f"deviation={side}_rating.deviation", f"games={side}_games")
        for side in ("first", "second")
    ]


def _of_player(side: str) -> list[Column]:
    figures = (f"{side}_rating={side}_rating.value", f"{side}_deviation={side}_rating.deviation")
    return [Column(side), *Column.files(*figures), Column(f"{side}_games", kind="integer")]


#: What stands in files, a row a game; JSON has the players as parts of their own.
_NUMBERS = (
    *Column.files("expected", "win", "draw", "loss", "reversed_expected"),
    *Column.files("low", "high", "confidence"),
    Column("integrated", kind="boolean"),
    *Column.files("margin"),
    Column("basis"),
)
_FORECAST_RECORDS = (Column("system"), *_of_player("first"), *_of_player("second"), *_NUMBERS)


def _uncertainty(forecast: GameForecast) -> str:
    """Say how far the chances include the uncertainty of the ratings."""
    if isfinite(forecast.low):
        return (
            "This averages over the uncertainty of the ratings; with the true ratings it would lie "
            f"between {100 * forecast.low:.0f} and {100 * forecast.high:.0f} % "
            f"({per_cent(forecast.confidence)} interval)."
        )
    if forecast.integrated:
        return (
            "This averages over the uncertainty of the ratings. "
            f"{forecast.system} has no deviations, so there is no interval."
        )
    if forecast.exact:
        return "The ratings are taken as exact (--exact), so the probabilities are too extreme."
    return (
        f"{forecast.system} gives no tested uncertainty of its ratings, so there is no interval, "
        "and the probabilities may be too extreme."
    )


def plain_forecast(forecast: GameForecast) -> dict[str, Any]:
    """The forecast as dictionaries, numbers, strings and None."""
    one, other = _players(forecast)
    values = {"format": 1, "system": forecast.system, "first": one, "second": other}
    return values | Column.record(_NUMBERS, forecast)
