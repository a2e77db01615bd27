"""`yardstone handicap`: the handicap for two ratings, by Goldis' SKT-LR and by other rules."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.winprob.goldis import Handicap

__all__ = ["handicap"]


class HandicapFormat(StrEnum):
    """How the handicap is written."""

    text = "text"
    json = "json"


class RatingScale(StrEnum):
    """What the two players are given in."""

    goldis = "goldis"
    uniform = "uniform"
    egf = "egf"
    ogs = "ogs"
    grade = "grade"
    rank = "rank"


def handicap(
    players: Annotated[
        list[str],
        typer.Argument(
            metavar="RATINGS",
            help="Two log ratings in thousandths such as 2673 2235; ranks of Goldis' table such as "
            "7aml 3p; or Go grades such as 2d 4k.",
        ),
    ],
    scale: Annotated[
        RatingScale | None,
        typer.Option(
            help="What the two are: goldis (numbers, the default), rank (names), grade, egf or ogs "
            "ratings, or uniform (Pratesi's modified scale).",
            show_default=False,
        ),
    ] = None,
    komi: Annotated[
        float, typer.Option(metavar="POINTS", help="Komi of an even game between equals.")
    ] = 8.0,
    base: Annotated[
        float,
        typer.Option(
            metavar="RATIO",
            help="Ratio of strengths between ranks: 1.2589 (the tenth root of ten); 3.1623 is "
            "Elo's root of ten.",
        ),
    ] = 10.0**0.1,
    stones: Annotated[
        int | None,
        typer.Option(min=1, metavar="STONES", help="Fix the stones; komi makes up the rest."),
    ] = None,
    form: Annotated[
        HandicapFormat, typer.Option("--format", help="Text or JSON.")
    ] = HandicapFormat.text,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file.")
    ] = None,
) -> None:
    """Handicap for two players by Goldis' rule: stones, komi, and who wins ties.

    Beside it stands what European usage and a fit to real handicap games give, which
    predict such games better.

    Examples
    --------
    yardstone handicap 2673 2235
    yardstone handicap 6d 2k --komi 6.5
    yardstone handicap 2315 1987 --scale egf --format json
    """
    from yardstone.cli.output import check_report
    from yardstone.winprob.goldis import handicap as complete

    check_report(output, form)
    if len(players) != 2:
        raise UsageError("give two ratings or two ranks")
    if scale is None and len({_is_number(word) for word in players}) == 2:
        raise UsageError(
            f"{players[0]} and {players[1]}: one is a name and the other a number, so they are on "
            "different scales (give two grades, or two ratings with --scale)"
        )
    one, two = (_rating(word, scale) for word in players)
    found = complete(one, two, komi=komi, base=base, stones=stones)
    strong = 0 if one >= two else 1
    values: dict[str, Any] = {
        "stones": found.stones,
        "komi": found.komi,
        "tie": found.tie,
        "even_game_margin": found.even_game_margin,
        "white": players[strong],
        "black": players[1 - strong],
        "difference": abs(one - two),
        "half_point_komi": found.half_point_komi,
        "exact_stones": found.exact_stones,
        "exact_points": found.exact_points,
        "exact_margin": found.exact_margin,
        "sub_rank": found.sub_rank,
        "ratings": [one, two],
        "even_komi": komi,
        "rule": "goldis",
        "others": _others(abs(one - two) / 100.0),
    }
    if form is HandicapFormat.json:
        from yardstone.reports.json_out import as_json

        text = as_json(values)
    else:
        text = _sentences(values, found)
    if output is None:
        sys.stdout.write(text)
        return
    from yardstone.files import write_text

    write_text(output, text)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _rating(word: str, scale: RatingScale | None) -> float:
    """Goldis log rating of a word on a scale; names are known without naming the scale."""
    from yardstone.scales import convert
    from yardstone.winprob.goldis import rank_rating, uniform_rank_rating
    from yardstone.winprob.grades import parse_grade

    number = float(word) if _is_number(word) else None
    if number is None:
        if scale in (None, RatingScale.rank):
            return rank_rating(word)
        if scale is RatingScale.grade:
            return float(convert(parse_grade(word), "grade", "goldis"))
        if scale is RatingScale.uniform:
            return uniform_rank_rating(word)
        if scale in (RatingScale.egf, RatingScale.ogs):
            return float(convert(parse_grade(word), "grade", "goldis"))
        raise UsageError(f"{word!r} is not a rating on the scale {scale.value}")
    if scale in (None, RatingScale.goldis, RatingScale.uniform):
        return number
    if scale in (RatingScale.grade, RatingScale.rank):
        raise UsageError(f"{word!r} is not a name such as 4k or 2d")
    return float(convert(number, scale.value, "goldis"))


def _others(grades: float) -> dict[str, Any]:
    """What other rules give for so many grades, a hundred rating points each."""
    from yardstone.winprob.handicap_rules import EUROPEAN, FITTED

    return {
        rule.name: {
            "stones": rule.stones(grades),
            "exact_stones": rule.exact(grades),
            "grades_a_stone": rule.stone,
            "low": rule.low,
            "high": rule.high,
        }
        for rule in (EUROPEAN, FITTED)
    }


def _comparison(values: dict[str, Any]) -> str:
    """The other rules in words, with what each is worth on real games."""
    from yardstone.winprob.handicap_rules import SCORES

    usual, fitted = values["others"]["EGF"], values["others"]["fitted"]
    goldis, stone = ("{:.3f}, 95 %: {:.3f} to {:.3f}".format(*SCORES[n]) for n in ("goldis", "EGF"))
    return (
        f"That is Goldis' rule. For {values['difference'] / 100.0:g} grades a stone a grade (EGF) "
        f"gives {usual['exact_stones']:.1f} stones\nwithout komi; fitted to real handicap games, "
        f"where a stone is worth {fitted['grades_a_stone']:.2f} grades (95 %: "
        f"{fitted['low']:.2f} to {fitted['high']:.2f}),\nit is {fitted['exact_stones']:.1f}. "
        f"Goldis' forecasts of those games are worse than a coin's (log loss {goldis}; a coin "
        f"0.693),\nthose of a stone a grade are not ({stone}).\n"
    )


def _sentences(values: dict[str, Any], found: Handicap) -> str:
    place = "no handicap stones: Black moves first"
    if found.stones > 1:
        place = f"{found.stones} handicap stones"
    if found.komi >= 0:
        points = f"Black gives {found.komi} points of komi"
    else:
        points = f"White gives {-found.komi} points of komi"
    same = f"{abs(found.half_point_komi):g}"
    whose = "Black" if found.half_point_komi > 0 else "White"
    return (
        f"Black {values['black']}, White {values['white']}: {place}.\n"
        f"{points}; {found.tie.capitalize()} wins a tie "
        f"(the same as {same} points from {whose}).\n"
        f"Exactly {found.exact_stones:.3f} stones. In an even game White should win by "
        f"{found.even_game_margin} points ({found.exact_margin:.2f}).\n"
    ) + _comparison(values)
