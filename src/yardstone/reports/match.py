"""A match of two players, and what to expect of the next game, as documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from math import isfinite, isinf, isnan
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from yardstone.ratings.match import TIME, Ending
from yardstone.reports.document import Column, Document, Facts, Lines, Section, Table
from yardstone.reports.words import known, per_cent, plain_skipped, plural

if TYPE_CHECKING:
    from yardstone.evaluation.interval_scale import GameForecast
    from yardstone.ratings.match import Interval, Match, PairedGames
    from yardstone.ratings.sprt import MatchJudgement, SprtState


__all__ = ["match_document", "plain_match", "forecast_document", "plain_forecast"]


_PAIR_NAMES = ("LL", "LD", "LW+DD", "DW", "WW")


def match_document(judgement: MatchJudgement) -> Document:
    """The report of a match."""
    return Document(
        title="Match" if judgement.players is None else " – ".join(judgement.players),
        sections=[Section(blocks=[Facts(list(_facts(judgement)))])],
        records=Table(_RECORDS, [judgement], noun="match"),
        plain=lambda: plain_match(judgement),
    )


def plain_match(judgement: MatchJudgement) -> dict[str, Any]:
    """All that a match says as plain values; None where one is unknown or infinite."""
    match, test, state, paired = judgement.match, judgement.test, judgement.state, judgement.paired
    names = _PAIR_NAMES if match.paired else ("losses", "draws", "wins")
    players = (
        {} if judgement.players is None else dict(zip(_PLAYERS, judgement.players, strict=True))
    )
    values: dict[str, Any] = {
        **players,
        "model": _model(judgement),
        "counts": dict(zip(names, map(int, match.counts), strict=True)),
        "games": int(match.games),
        "score": known(match.score),
        "shared": known(match.shared),
        "confidence": judgement.confidence,
        "elo": _plain_interval(judgement.elo),
        "normalized_elo": _plain_interval(judgement.normalized_elo),
        "superiority": judgement.superiority,
        "games_for_half_width": {
            "half_width": judgement.half_width,
            "games": known(judgement.games_needed),
        },
        "sprt": {
            "model": test.model,
            "elo0": test.elo0,
            "elo1": test.elo1,
            "alpha": test.alpha,
            "beta": test.beta,
            "llr": state.llr,
            "lower": state.lower,
            "upper": state.upper,
            "decision": state.decision,
            "chance_of_h1": known(state.chance),
            "further_games": known(state.further_games),
        },
    }
    if paired is not None:
        values["games_between"] = _results(paired.games)
        values["unpaired"] = paired.unpaired
        values["pairing"] = paired.manner
        values["paired_by"] = list(paired.by)
        values["moving_first"], values["moving_second"] = map(_results, paired.sides)
        values["error_of_pairs_over_games"] = known(paired.gain)
        values["endings"] = (
            None if judgement.endings is None else [asdict(each) for each in judgement.endings]
        )
    if judgement.skipped is not None:
        values["skipped"] = plain_skipped(judgement.skipped)
    return values


def _results(match: Match) -> dict[str, int]:
    losses, draws, wins = map(int, match.counts)
    return {"wins": wins, "draws": draws, "losses": losses}


def match_line(judgement: MatchJudgement) -> str:
    """Where a match stands, in a line."""
    match, state, paired = judgement.match, judgement.state, judgement.paired
    games = match if paired is None else paired.games
    parts = [
        f"{games.games:g} games {_signs(games)}" if not games.paired else f"{games.games:g} games"
    ]
    if match.paired:
        parts.append(
            f"{plural(int(match.size), 'pair')} ({' '.join(f'{n:g}' for n in match.counts)})"
        )
    ends = f"[{_signed(judgement.elo.low)}, {_signed(judgement.elo.high)}]"
    parts.append(f"Elo {_signed(judgement.elo.value)} {ends}")
    parts.append(f"LLR {_between_bounds(state)}")
    parts += [
        f"losses on time {ending.lost[0]:,} and {ending.lost[1]:,}"
        for ending in judgement.endings or ()
        if ending.name == TIME
    ]
    return ", ".join(parts)


_PLAYERS = ("player", "other")


def _model(judgement: MatchJudgement) -> str:
    return "pentanomial" if judgement.match.paired else "trinomial"


def _plain_interval(interval: Interval) -> dict[str, float | None]:
    return {name: known(getattr(interval, name)) for name in ("value", "low", "high")}


def _player(place: int) -> Column:
    def value(judgement: MatchJudgement) -> str | None:
        return judgement.players and judgement.players[place]

    return Column(_PLAYERS[place], value)


def _number(path: str, name: str = "") -> Column:
    """What stands at the end of a path of attributes."""
    return Column(name or path.rpartition(".")[2], attrgetter(path), kind="number")


#: One row a match, so that those of several matches can be put together.
_RECORDS = (
    _player(0),
    _player(1),
    Column("model", _model),
    Column("counts", lambda each: " ".join(f"{count:g}" for count in each.match.counts)),
    Column("games", lambda each: int(each.match.games), kind="integer"),
    _number("match.score"),
    _number("match.shared"),
    _number("confidence"),
    _number("elo.value", "elo"),
    _number("elo.low", "elo_low"),
    _number("elo.high", "elo_high"),
    _number("normalized_elo.value", "normalized_elo"),
    _number("normalized_elo.low", "normalized_elo_low"),
    _number("normalized_elo.high", "normalized_elo_high"),
    _number("superiority"),
    _number("half_width"),
    _number("games_needed", "games_for_half_width"),
    Column("sprt_model", lambda each: each.test.model),
    *map(_number, ("test.elo0", "test.elo1", "test.alpha", "test.beta")),
    *map(_number, ("state.llr", "state.lower", "state.upper")),
    Column("decision", lambda each: each.state.decision),
    _number("state.chance", "chance_of_h1"),
    _number("state.further_games"),
)


def _facts(judgement: MatchJudgement) -> Iterator[tuple[str, str]]:
    """Labels, with what is said of each."""
    if judgement.players is not None:
        yield "Match", " against ".join(judgement.players)
    yield from _counts(judgement)
    yield "Elo difference", _with_interval(judgement.elo, judgement.confidence)
    yield "Normalized Elo", _with_interval(judgement.normalized_elo, judgement.confidence)
    share = 100.0 * judgement.superiority
    yield "Likelihood of superiority", f"{share:.2f} % (uniform prior)"
    if not isnan(judgement.games_needed):
        more = max(judgement.games_needed - judgement.match.games, 0.0)
        text = f"about {_rounded(more)} more games" if more else "reached"
        yield f"For ± {judgement.half_width:g} Elo", text
    yield from _sequential_test(judgement)


def _counts(judgement: MatchJudgement) -> Iterator[tuple[str, str]]:
    match, paired = judgement.match, judgement.paired
    if match.paired:
        counts = ", ".join(
            f"{name} {count:g}" for name, count in zip(_PAIR_NAMES, match.counts, strict=True)
        )
        yield "Pairs", f"{match.size:g} ({counts})"
    games = match if paired is None else paired.games
    if games.paired:
        yield "Games", f"{games.games:g}"
    else:
        yield "Games", f"{games.size:g} {_signs(games)}"
    if paired is not None:
        yield from _sides(paired)
    yield from _endings(judgement)
    if paired is not None:
        yield from _pairing(paired)
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


def _sides(paired: PairedGames) -> Iterator[tuple[str, str]]:
    """The results with each side."""
    for label, games in zip(("  Moving first", "  Moving second"), paired.sides, strict=True):
        if games.size:
            yield label, f"{games.size:g} {_signs(games)}, {100.0 * games.score:.2f} %"


def _pairing(paired: PairedGames) -> Iterator[tuple[str, str]]:
    """How the pairs were found, and what was in none."""
    how = _MANNERS[paired.manner].format(", ".join(paired.by))
    if paired.manner == "columns" and not paired.by:
        how = "the order of the games with each side"
    yield "Paired by", how
    if paired.unpaired and paired.pairs.size:
        yield "Not paired", f"{plural(paired.unpaired, 'game')}, left out of all that follows"


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
    others = []
    on_time = (0, 0)
    for ending in judgement.endings:
        if ending.name == TIME:
            on_time = ending.lost
            if ending.drawn:
                others.append(f"{ending.drawn:,} drawn on time")
        else:
            others.append(f"{ending.games:,} {ending.name}{_losers(ending, judgement.players)}")
    counts = zip(judgement.players, on_time, strict=True)
    yield "Losses on time", ", ".join(f"{name} {number:,}" for name, number in counts)
    if others:
        yield "Other endings", ", ".join(others)


def _losers(ending: Ending, players: tuple[str, str]) -> str:
    """Who lost so, where it is a failure."""
    if ending.name in _NO_FAILURES:
        return ""
    lost = [
        f"{name} {number:,}" for name, number in zip(players, ending.lost, strict=True) if number
    ]
    return f" (lost by {', '.join(lost)})" if lost else ""


#: Endings that are decided by the one who directs the match.
_NO_FAILURES = ("adjudication",)


def _sequential_test(judgement: MatchJudgement) -> Iterator[tuple[str, str]]:
    test, state = judgement.test, judgement.state
    unit = "normalized Elo" if test.model == "normalized" else "Elo"
    yield (
        "Sequential test",
        f"H0: {test.elo0:g}, H1: {test.elo1:g} {unit}, alpha {test.alpha:g}, beta {test.beta:g}",
    )
    yield (
        "  Log likelihood ratio",
        _between_bounds(state),
    )
    yield (
        "  State",
        {
            "accept H1": f"finished: H1 accepted ({test.elo1:g} rather than {test.elo0:g} {unit})",
            "accept H0": f"finished: H0 accepted ({test.elo0:g} rather than {test.elo1:g} {unit})",
            "continue": "not decided yet",
        }[state.decision],
    )
    if state.decision == "continue" and not isnan(state.chance):
        yield (
            "  Forecast",
            f"about {_rounded(state.further_games)} more games; "
            f"H1 accepted with {_forecast(state.chance)} probability",
        )


def _between_bounds(state: SprtState) -> str:
    """Where the log likelihood ratio stands to the bounds at which the test ends."""
    bounds = f"({state.lower:.2f}, {state.upper:.2f})"
    place = {"accept H0": "below", "accept H1": "above", "continue": "within"}[state.decision]
    return f"{state.llr:.2f} {place} {bounds}"


def _forecast(chance: float) -> str:
    """A probability in whole per cent, no surer than forecasts proved to be."""
    if chance > 0.95:
        return "over 95 %"
    return "under 5 %" if chance < 0.05 else f"{100.0 * chance:.0f} %"


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
        *_chances(forecast),
    ]
    untold = all(known(player.deviation) is None for player in players)
    shown = [column for column in _FORECAST_PLAYERS if not (untold and column.name == "deviation")]
    table = Table(shown, players, noun="player")
    basis = [forecast.basis] if forecast.basis else []
    notes = [_uncertainty(forecast), *basis, *_little_known(players), *forecast.notes]
    return Document(
        title=f"{forecast.first} – {forecast.second}",
        lead=lead,
        sections=[Section(blocks=[table]), Section(blocks=[Lines(notes)])],
        records=Table(_FORECAST_RECORDS, [forecast], noun="game"),
        plain=partial(plain_forecast, forecast),
    )


@dataclass(frozen=True)
class _Player:
    name: str
    rating: float
    deviation: float
    games: int


def _players(forecast: GameForecast) -> list[_Player]:
    one, other = forecast.first_rating, forecast.second_rating
    return [
        _Player(forecast.first, one.value, one.deviation, forecast.first_games),
        _Player(forecast.second, other.value, other.deviation, forecast.second_games),
    ]


_FORECAST_PLAYERS = (
    Column("player", lambda player: player.name, "Player"),
    Column("rating", lambda player: player.rating, "Rating", "number"),
    Column("deviation", lambda player: known(player.deviation), "Deviation", "number"),
    Column("games", lambda player: player.games, "Games", "integer"),
)


def _of_player(place: int, side: str, column: Column) -> Column:
    name = side if column.name == "player" else f"{side}_{column.name}"

    def value(forecast: GameForecast) -> Any:
        return column.value(_players(forecast)[place])

    return Column(name, value, kind=column.kind)


#: What stands in files, a row a game; JSON has the players as parts of their own.
_NUMBERS = (
    *map(
        _number,
        ("expected", "win", "draw", "loss", "reversed_expected", "low", "high", "confidence"),
    ),
    Column("integrated", lambda forecast: forecast.integrated, kind="boolean"),
    Column("margin", lambda forecast: known(forecast.margin), kind="number"),
    Column("basis", lambda forecast: forecast.basis),
)
_FORECAST_RECORDS = (
    Column("system", lambda forecast: forecast.system),
    *(_of_player(0, "first", column) for column in _FORECAST_PLAYERS),
    *(_of_player(1, "second", column) for column in _FORECAST_PLAYERS),
    *_NUMBERS,
)


def _chances(forecast: GameForecast) -> Iterator[str]:
    if forecast.draw:
        yield (
            f"Win {100 * forecast.win:.1f} %, draw {100 * forecast.draw:.1f} %, "
            f"loss {100 * forecast.loss:.1f} %."
        )
    if abs(forecast.reversed_expected - forecast.expected) > 0.0005:
        yield f"Moving second: {100 * forecast.reversed_expected:.1f} %."
    if isfinite(forecast.margin):
        verb = "win" if forecast.margin >= 0.0 else "lose"
        yield (
            f"In an even game {forecast.first} is expected to {verb} by "
            f"{abs(forecast.margin):.1f} points."
        )


def _uncertainty(forecast: GameForecast) -> str:
    """What the chances have in them of the uncertainty of the ratings."""
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


def _little_known(players: list[_Player]) -> Iterator[str]:
    few = [player for player in players if player.games < FEW_GAMES]
    if few:
        listed = " and ".join(f"{player.name} has {plural(player.games, 'game')}" for player in few)
        yield f"Note: {listed}: too few to say much."


def plain_forecast(forecast: GameForecast) -> dict[str, Any]:
    """The forecast as dictionaries, numbers, strings and None."""
    one, other = (
        {c.name: c.value(player) for c in _FORECAST_PLAYERS} for player in _players(forecast)
    )
    values = {column.name: column.value(forecast) for column in _NUMBERS}
    for name in ("low", "high"):
        values[name] = known(values[name])
    return {"format": 1, "system": forecast.system, "first": one, "second": other, **values}
