"""Handicaps by several models side by side, in words, as rows and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from yardstone.grades import format_grade
from yardstone.reports.document import Column, Document, Lines, Section, Table
from yardstone.reports.words import chance_text, per_cent, plural
from yardstone.winprob.goldis import STONE

if TYPE_CHECKING:
    from yardstone.winprob.players import Chance, HandicapAdvice, HandicapProposal, JudgedProposal

__all__ = ["handicap_document"]


def handicap_document(advice: HandicapAdvice) -> Document:
    """The handicap by each model, Black's chance with it, and why they differ."""
    return Document(
        "Handicap",
        [
            f"White {advice.white}, Black {advice.black}: "
            f"{plural_grades(advice.apart)} apart{_names(advice)}."
        ],
        [
            Section(blocks=[Table(_columns(advice), advice.proposals, noun="model")]),
            Section(blocks=[Lines(list(_remarks(advice)))]),
        ],
        records=Table(_columns(advice), advice.proposals),
        plain=lambda: _plain(advice),
    )


def plural_grades(number: float) -> str:
    """A number of grades, which need not be whole."""
    return f"{number:.4g} grade{'' if number == 1 else 's'}"


def _names(advice: HandicapAdvice) -> str:
    """The grades of players who were given as ratings."""
    words = [format_grade(round(grade, 2)) for grade in advice.grades]
    if words == [advice.white, advice.black]:
        return ""
    return f" ({words[0]} and {words[1]})"


def _columns(advice: HandicapAdvice) -> list[Column]:
    several = len(advice.proposals) > 1 or advice.judge.name != advice.proposals[0].proposal.model

    def of(name: str) -> Any:
        return lambda each: getattr(each.proposal, name)

    def part(name: str, which: str, *, judged: bool = False) -> Any:
        def read(each: JudgedProposal) -> float | None:
            chance: Chance = getattr(each if judged else each.proposal, name)
            value: float | None = getattr(chance, which)
            return value

        return read

    def files(prefix: str, name: str, *, judged: bool = False) -> list[Column]:
        return [
            Column(f"{prefix}{ending}", part(name, which, judged=judged), kind="number")
            for ending, which in (("", "probability"), ("_low", "low"), ("_high", "high"))
        ]

    shown = [
        Column("model", of("model"), "Model", strong=True),
        Column("stones", of("stones"), "Stones", "integer"),
        Column("komi", of("komi"), kind="integer"),
        Column("tie", of("tie")),
        Column("half_point_komi", of("half_point_komi"), kind="number"),
        Column("exact_stones", of("exact_stones"), kind="number"),
        Column("", lambda each: _komi(each.proposal), "Komi"),
        Column("", lambda each: each.proposal.tie.capitalize(), "Tie won by"),
        Column("", lambda each: chance_text(each.proposal.chance), "Black wins", left=False),
    ]
    if several:
        by = f"by {advice.judge.name}"
        shown += [
            Column("", lambda each: chance_text(each.judged), by, left=False),
            Column(
                "",
                lambda each: chance_text(each.judged_without_komi),
                f"{by}, no komi",
                left=False,
                gives_way=1,
            ),
        ]
    else:
        shown.append(
            Column("", lambda each: chance_text(each.proposal.without_komi), "no komi", left=False)
        )
    return [
        *shown,
        *files("probability", "chance"),
        *files("probability_without_komi", "without_komi"),
        *files("judged", "judged", judged=True),
        *files("judged_without_komi", "judged_without_komi", judged=True),
        Column("judge", lambda _: advice.judge.name),
        Column("level", lambda _: advice.level, kind="number"),
    ]


def _komi(proposal: HandicapProposal) -> str:
    giver = "Black" if proposal.komi > 0 else "White"
    return f"{giver} gives {abs(proposal.komi)}" if proposal.komi else "none"


def _remarks(advice: HandicapAdvice) -> Iterator[str]:
    if sentence := _why(advice):
        yield sentence
    if advice.goldis is not None:
        own = advice.goldis
        yield (
            f"Goldis: exactly {own.exact_stones:.3f} stones of {advice.even_komi:g} points; in an "
            f"even game White should win by {own.even_game_margin} points "
            f"({own.exact_margin:.2f})."
        )
    for each in advice.proposals:
        if each.proposal.model not in ("goldis", "egf"):
            yield f"{each.proposal.model}: {each.proposal.about}."
    if advice.judge.region is not None:
        others = any(each.proposal.model != advice.judge.name for each in advice.proposals)
        rest = "; the published models have none" if others else ""
        of_event = " for one event" if advice.judge.of_events else ""
        yield (
            f"In brackets {per_cent(advice.level)} intervals of {advice.judge.name}{of_event}"
            f"{rest}."
        )
    else:
        yield f"No interval: {advice.judge.no_interval}."
    outside = [each.proposal.model for each in advice.proposals if each.proposal.outside]
    if outside:
        yield f"Outside what the model was made for: {', '.join(outside)}."
    for _, reason in advice.failures:
        yield f"{reason[0].upper()}{reason[1:]}."


def _why(advice: HandicapAdvice) -> str:
    """Why the tradition and Goldis differ, and which of them is nearer to even."""
    goldis, egf = advice.by("goldis"), advice.by("egf")
    if goldis is None or egf is None or advice.goldis is None or advice.stones is not None:
        return ""
    ratio = advice.goldis.exact_stones
    apart = plural_grades(advice.apart)
    same = goldis.proposal.stones == egf.proposal.stones
    growth = ratio ** (1.0 / advice.apart) if advice.apart else STONE
    chances = [
        f"{_given(each.proposal.stones)} without komi {chance_text(each.judged_without_komi)}"
        for each in ([egf] if same else [egf, goldis])
    ]
    judged = f"By {advice.judge.name}, Black wins with {' and with '.join(chances)}."
    if same:
        return f"Tradition and Goldis both give {_given(egf.proposal.stones)}. {judged}"
    return (
        f"Tradition says {egf.proposal.stones} and Goldis {goldis.proposal.stones}: tradition "
        f"counts a stone for each of {apart}, Goldis takes a grade for a ratio of strengths of "
        f"{growth:.3f}, so {apart} for {ratio:.2f}, and that ratio for the stones. {judged}"
    )


def _given(stones: int) -> str:
    return "the first move" if stones == 1 else plural(stones, "stone")


def _plain(advice: HandicapAdvice) -> dict[str, Any]:
    return {
        "white": advice.white,
        "black": advice.black,
        "white_grade": advice.grades[0],
        "black_grade": advice.grades[1],
        "grades_apart": advice.apart,
        "ratings": list(advice.ratings),
        "level": advice.level,
        "judge": {"model": advice.judge.name, "about": advice.judge.about},
        "proposals": [
            asdict(each.proposal)
            | {
                "judged": asdict(each.judged),
                "judged_without_komi": asdict(each.judged_without_komi),
            }
            for each in advice.proposals
        ],
        "goldis": None
        if advice.goldis is None
        else asdict(advice.goldis) | {"even_komi": advice.even_komi},
        "why": _why(advice),
        "failures": [{"model": name, "reason": reason} for name, reason in advice.failures],
    }
