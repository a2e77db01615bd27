"""What a match says, as sentences and as plain values."""

from __future__ import annotations

from math import isfinite, isinf, isnan
from typing import TYPE_CHECKING, Any

from yardstone.ratings.matches import elo, games_for_half_width, normalized_elo, superiority
from yardstone.reports.statements import plural

if TYPE_CHECKING:
    from yardstone.ratings.matches import Interval, Match
    from yardstone.ratings.pairs import PairedGames
    from yardstone.ratings.sprt import Sprt

__all__ = ["match_text", "plain_match"]

_PAIR_NAMES = ("LL", "LD", "LW+DD", "DW", "WW")


def plain_match(
    match: Match,
    *,
    confidence: float,
    half_width: float,
    test: Sprt,
    paired: PairedGames | None = None,
) -> dict[str, Any]:
    """All findings as plain values; None where a value is unknown or infinite."""
    state = test.state(match)
    names = _PAIR_NAMES if match.paired else ("losses", "draws", "wins")
    found: dict[str, Any] = {
        "model": "pentanomial" if match.paired else "trinomial",
        "counts": dict(zip(names, map(int, match.counts), strict=True)),
        "games": int(match.games),
        "score": _known(match.score),
        "shared": _known(match.shared),
        "confidence": confidence,
        "elo": _interval(elo(match, confidence)),
        "normalized_elo": _interval(normalized_elo(match, confidence)),
        "superiority": superiority(match),
        "games_for_half_width": {
            "half_width": half_width,
            "games": _known(games_for_half_width(match, half_width, confidence)),
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
            "chance_of_h1": _known(state.chance),
            "further_games": _known(state.further_games),
        },
    }
    if paired is not None:
        losses, draws, wins = paired.games.counts
        found["games_between"] = {"wins": int(wins), "draws": int(draws), "losses": int(losses)}
        found["unpaired"] = paired.unpaired
        found["paired_by"] = list(paired.by)
        found["error_of_pairs_over_games"] = _known(paired.gain)
    return found


def _known(value: float) -> float | None:
    return value if isfinite(value) else None


def _interval(found: Interval) -> dict[str, float | None]:
    return {
        "value": _known(found.value),
        "low": _known(found.low),
        "high": _known(found.high),
    }


def match_text(
    match: Match,
    *,
    confidence: float,
    half_width: float,
    test: Sprt,
    paired: PairedGames | None = None,
    names: tuple[str, str] | None = None,
) -> str:
    """All findings as aligned lines; ends with a newline."""
    level = f"{100.0 * confidence:.6g} %"
    lines = [] if names is None else [("Match", f"{names[0]} against {names[1]}")]
    lines += _counted(match, paired)
    value, normalized = elo(match, confidence), normalized_elo(match, confidence)
    lines += [
        ("Elo difference", f"{_signed(value.value)}  {_between(value, level)}"),
        ("Normalized Elo", f"{_signed(normalized.value)}  {_between(normalized, level)}"),
        (
            "Likelihood of superiority",
            f"{100.0 * superiority(match):.2f} %, were all differences as likely before",
        ),
    ]
    needed = games_for_half_width(match, half_width, confidence)
    if not isnan(needed):
        more = max(needed - match.games, 0.0)
        text = f"about {_round(more)} more games" if more else "reached"
        lines.append((f"For ± {half_width:g} Elo", text))
    lines += _tested(match, test)
    width = max(len(title) for title, _ in lines)
    return "".join(f"{title:<{width}}  {text}\n" for title, text in lines)


def _counted(match: Match, paired: PairedGames | None) -> list[tuple[str, str]]:
    lines = []
    if match.paired:
        counts = ", ".join(
            f"{name} {count:g}" for name, count in zip(_PAIR_NAMES, match.counts, strict=True)
        )
        lines.append(("Pairs", f"{match.size:g} ({counts})"))
    games = match if paired is None else paired.games
    if not games.paired:
        losses, draws, wins = games.counts
        lines.append(("Games", f"{games.size:g} (+{wins:g} ={draws:g} -{losses:g})"))
    else:
        lines.append(("Games", f"{games.games:g}"))
    if paired is not None and paired.unpaired:
        lines.append(
            ("Not paired", f"{plural(paired.unpaired, 'game')}, left out of all that follows")
        )
    if match.size:
        shared = "pairs ended 1–1" if match.paired else "games drawn"
        lines.append(
            ("Score", f"{100.0 * match.score:.2f} %, {100.0 * match.shared:.1f} % {shared}")
        )
    else:
        lines.append(("Score", "unknown: no games"))
    if paired is not None and not isnan(paired.gain):
        lines.append(
            ("Error by pairs", f"{100.0 * paired.gain:.0f} % of the error by single games")
        )
    return lines


def _tested(match: Match, test: Sprt) -> list[tuple[str, str]]:
    state = test.state(match)
    said = {
        "accept H1": f"finished: H1 accepted (stronger by {test.elo1:g})",
        "accept H0": f"finished: H0 accepted (stronger by {test.elo0:g})",
        "continue": "not decided yet",
    }[state.decision]
    unit = "normalized Elo" if test.model == "normalized" else "Elo"
    lines = [
        (
            "Sequential test",
            f"H0: {test.elo0:g}, H1: {test.elo1:g} {unit}, "
            f"alpha {test.alpha:g}, beta {test.beta:g}",
        ),
        (
            "  Log likelihood ratio",
            f"{state.llr:.2f} within ({state.lower:.2f}, {state.upper:.2f})",
        ),
        ("  State", said),
    ]
    if state.decision == "continue" and not isnan(state.chance):
        lines.append(
            (
                "  Forecast",
                f"about {_round(state.further_games)} more games; "
                f"H1 accepted with {_share(state.chance)} probability",
            )
        )
    return lines


def _share(chance: float) -> str:
    """A forecast probability in whole per cent, no surer than forecasts proved to be."""
    if chance > 0.95:
        return "over 95 %"
    return "under 5 %" if chance < 0.05 else f"{100.0 * chance:.0f} %"


def _round(number: float) -> str:
    """A number of games to three figures."""
    return f"{float(f'{number:.3g}'):,.0f}"


def _signed(value: float) -> str:
    if isnan(value):
        return "unknown"
    return f"{value:+.1f}" if isfinite(value) else "+∞" if value > 0.0 else "−∞"


def _between(value: Interval, level: str) -> str:
    """The interval with its level, or why there is none."""
    if isinf(value.low) and isinf(value.high):
        return "(too few games for an interval)"
    return f"{_ends(value)} at {level}"


def _ends(found: Interval) -> str:
    return f"[{_signed(found.low)}, {_signed(found.high)}]"
