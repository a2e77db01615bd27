"""The model of winning probabilities as documents: fits, statistics, players, handicaps, charts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from yardstone.choices import plural
from yardstone.errors import UsageError
from yardstone.grades import format_grade, parse_grades
from yardstone.reports.document import Column, Document, Lines, Picture, Section, Table
from yardstone.reports.words import chance_columns, chance_text, known_values, per_cent, picked
from yardstone.winprob.goldis import STONE
from yardstone.winprob.kaniuk import PUBLISHED, GradeModel, Kaniuk, gap_of_probability
from yardstone.winprob.model import WinningModel
from yardstone.winprob.scales import SCALES

if TYPE_CHECKING:
    from yardstone.reports.chart import Axis, Chart, Mark
    from yardstone.winprob.fit import FittedParameter, ModelFit
    from yardstone.winprob.likelihood import LikelihoodFit
    from yardstone.winprob.players import HandicapAdvice, JudgedProposal, PairProbability
    from yardstone.winprob.statistics import WinningStatistics

    Array = NDArray[np.float64]


def fit_document(
    result: ModelFit, *, about: Sequence[str] = (), facts: Mapping[str, Any] | None = None
) -> Document:
    """Coefficients with intervals, what they say of pairs, and how far they miss ratios.

    Of a fit other than by likelihood `about` says what it is, `facts` the same for programs.
    """

    def ends(row: FittedParameter) -> str:
        assert row.interval is not None
        both = (row.interval.low, row.interval.high)
        return " to ".join(f"{end:.4g}" if np.isfinite(end) else "no end" for end in both)

    columns = [
        Column("name", heading=" "),
        Column("value", heading="value", kind="number", form=".6g"),
        Column("published", heading="published", kind="number", form=".6g", unknown=""),
    ]
    if (interval := result.parameters[0].interval) is not None:
        shown = Column("", ends, f"{per_cent(interval.level)} ({interval.method})", left=False)
        columns[2:2] = [shown, *Column.files("interval.low", "interval.high")]
    parameters = Table(columns, result.parameters, noun="coefficient")
    lines, statistics = list(about), result.statistics
    if not about:
        fit = result.fit
        assert _by_likelihood(fit)
        fitted = f"log-likelihood {fit.log_likelihood:.2f}"
        told = f"{fit.games.games.sum():.0f} games; {fitted}, AIC {fit.aic:.2f}"
        told = f"{result.winning.about}; {fitted}" if statistics is None else told
        lines.append(f"{told}; {fit.minimum.steps} Newton steps.")
    of_event = " for one event" if result.winning.of_events else ""
    for row in result.probabilities:
        low, high = 100.0 * row.interval.low, 100.0 * row.interval.high
        lines.append(
            f"{format_grade(row.first)} beats {format_grade(row.second)} in "
            f"{100.0 * row.probability:.2f} % of even games "
            f"({per_cent(row.interval.level)}{of_event}: {low:.2f} to {high:.2f})."
        )
    sections = [Section(blocks=[parameters, Lines(lines)])]
    if result.errors:
        errors = Table(_ERRORS, result.errors, noun="difference")
        sections.append(Section("Probability, 12 kyu to 7 dan:", [errors]))
    draw = None
    if statistics is not None:
        title = "Games and the model fitted to them"
        draw = partial(curves_chart, statistics, result.model, title=title)
        sections.append(Section(blocks=[Picture(draw)]))
    plain = partial(_plain, result, facts)
    return Document("Fit to games", (), sections, parameters, plain, draw)


def _by_likelihood(fit: Any) -> TypeGuard[LikelihoodFit]:
    from yardstone.winprob.likelihood import LikelihoodFit

    return isinstance(fit, LikelihoodFit)


_ERRORS = (
    Column("", lambda row: str(row.difference), "d"),
    Column("", "rms", "RMS error", "number", ".4f", unknown="-"),
    Column("", "by_chance", "by chance alone", "number", ".4f", unknown="-"),
    Column("", "published_model", "published model", "number", ".4f", unknown="-"),
)


def _plain(result: ModelFit, facts: Mapping[str, Any] | None) -> dict[str, Any]:
    parameters = [
        picked(row, "name", "value", "published")
        | ({} if row.interval is None else {"interval": known_values(row.interval)})
        for row in result.parameters
    ]
    plain: dict[str, Any] = {"parameters": parameters}
    if _by_likelihood(fit := result.fit):
        plain |= {"method": "likelihood", **picked(fit, "minimum.steps", "log_likelihood", "aic")}
        plain["games"] = float(fit.games.games.sum())
        plain["probabilities"] = [
            {"first": format_grade(row.first), "second": format_grade(row.second)}
            | {"probability": row.probability, "interval": known_values(row.interval)}
            for row in result.probabilities
        ]
    plain |= facts or {}
    if result.errors:
        plain["rms"] = list(map(known_values, result.errors))
    return plain


def statistics_document(statistics: WinningStatistics) -> Document:
    """The layout of the European Go Database for people, a row a cell for programs.

    Cells without games are left out.
    """
    from yardstone.winprob.statistics import as_published

    draw = partial(curves_chart, statistics, None, title="Measured win probability")

    def count(value: float) -> float:
        return int(value) if value == int(value) else float(value)

    ratio = statistics.ratio()
    columns = [
        Column("grade", lambda cell: format_grade(statistics.grades[cell[0]])),
        Column("difference", lambda cell: int(statistics.differences[cell[1]]), kind="integer"),
        Column("wins", lambda cell: count(float(statistics.wins[cell])), kind="number"),
        Column("games", lambda cell: count(float(statistics.games[cell])), kind="number"),
        Column("ratio", lambda cell: float(ratio[cell]), kind="number"),
    ]
    lines = Lines(as_published(statistics).splitlines(), exact=True)
    sections = [Section(blocks=[lines]), Section(blocks=[Picture(draw)])]
    records = Table(columns, list(zip(*np.nonzero(statistics.games), strict=True)))
    return Document("Winning statistics", (), sections, records, drawing=draw)


#: The largest difference in the table.
MOST = 9
#: From this difference on, a pairing in a tournament says that the weaker has won before.
_EARNED = 2.0


def figure_document(model: WinningModel, figure: str, level: float = 0.95) -> Document:
    """A figure of the model, for a page and for ``-o FILE.svg``."""
    draw = partial(model_chart, figure, model, level)
    return Document("Win probability", [], [Section(blocks=[Picture(draw)])], drawing=draw)


def pair_document(pair: PairProbability, figure: str = "curves") -> Document:
    """How often one player beats another."""
    model, average = pair.model, pair.average
    interval, digits = "", 2
    if pair.low is not None and pair.high is not None:
        of_event, events = "", ""
        if average is not None:
            of_event = " for one event"
            events = f"; average over events: {' to '.join(map(_share, average))}"
        ends, digits = f"{_share(pair.low)} to {_share(pair.high)}", 1
        interval = f" ({per_cent(pair.level)}{of_event}: {ends}{events})"
    lines = [
        f"{pair.first} beats {pair.second} in {_share(pair.probability, digits)} % of "
        f"{_games(model, pair.handicap, pair.komi)}{interval}."
    ]
    if pair.handicap or pair.komi is not None:
        lines.append(f"{pair.first if pair.first_is_black else pair.second} is Black.")
    if average is not None and not pair.handicap:  # what a pairing tells beyond the grades
        if abs(pair.first_grade - pair.second_grade) >= _EARNED:
            lines.append(
                "A player who meets a much stronger one in a tournament has usually earned it by "
                "winning: such games are won more often than those of any two players of these "
                "grades."
            )
        if not np.isnan(parse_grades([pair.first, pair.second])).any():
            lines.append(
                "Where you know the ratings of both, give them: they say more (--scale egf)."
            )
    lines += _model_lines(model, interval=pair.low is not None)
    if pair.extrapolated:
        lines.append(f"Beyond what that was made for: {_reach(model)}.")
    ratings = model.scale == "points"
    record = {
        **picked(pair, "first", "second", "probability", "low", "high"),
        **picked(pair, "average_low=average.0", "average_high=average.1"),
        "level": None if pair.low is None else pair.level,
        **({} if ratings else picked(pair, "first_grade", "second_grade")),
        **picked(pair, "handicap", "komi"),
        "black": "first" if pair.first_is_black else "second",
        **picked(pair, "model=model.name", "model.about", "extrapolated"),
    }
    if ratings:
        record |= picked(pair, "first_rating=first_grade", "second_rating=second_grade")
    picture = Document("") if ratings else figure_document(model, figure, pair.level)
    title, records = f"{pair.first} and {pair.second}", Table.of_record(record)
    return replace(picture, title=title, lead=lines, records=records, plain=lambda: record)


def _model_lines(model: WinningModel, *, interval: bool) -> list[str]:
    lines = [f"By the model {model.name}: {model.about}."]
    return lines if interval else [*lines, f"No interval: {model.no_interval}."]


def _games(model: WinningModel, handicap: float, komi: float | None) -> str:
    if model.scale == "points":
        return "games that are not drawn"
    points = "" if komi is None else f"komi {komi:g}"
    if not handicap:
        return f"even games at {points}" if points else "even games"
    if handicap == 1:
        return f"games at {points}" if points else "games without komi"
    stones = f"games with {handicap:g} stones"
    return f"{stones} and {points}" if points else stones


def _reach(model: WinningModel) -> str:
    """The grades and differences that a model was made for, in words."""
    words = f"{format_grade(model.lowest)} to {format_grade(model.highest)}"
    if np.isfinite(model.apart):
        words += f", up to {model.apart:g} grades apart"
    return words


def grades_document(
    model: WinningModel,
    figure: str = "curves",
    *,
    handicap: float = 0.0,
    komi: float | None = None,
    level: float = 0.95,
) -> Document:
    """Per cent that each grade wins against opponents 1, 2, ... grades stronger.

    With stones the weaker, whose row it is, has them.
    """
    lowest, highest = SCALES["grade"].lowest, SCALES["grade"].highest
    grades = np.arange(lowest, highest)
    one, two = np.broadcast_arrays(grades[:, None], grades[:, None] + np.arange(1.0, MOST + 1))
    inside = two <= highest
    p = model.probability(one, two, handicap=handicap, komi=komi)
    ends = model.interval(one, two, handicap=handicap, komi=komi, level=level)

    def column(place: int) -> Column:
        def show(row: tuple[int, bool]) -> str:
            at = row[0], place
            if not inside[at]:
                return ""
            if not row[1] or ends is None:
                return _share(p[at])
            return "-".join(f"{100.0 * float(end[at]):.0f}" for end in ends)

        return Column("", lambda row: float(p[row[0], place]), f"+{place + 1}", "number", show=show)

    seconds = (False,) if ends is None else (False, True)
    rows = [(row, second) for row in range(len(grades)) for second in seconds]
    names = Column("", lambda row: "" if row[1] else format_grade(grades[row[0]]), "grade")
    table = Table([names, *map(column, range(MOST))], rows, noun="grade")
    columns = [
        Column("first", lambda cell: format_grade(float(one[cell]))),
        Column("second", lambda cell: format_grade(float(two[cell]))),
        Column("difference", lambda cell: cell[1] + 1, kind="integer"),
    ]
    for name, of in zip(("probability", "low", "high"), (p, *(ends or ())), strict=False):
        columns.append(Column(name, lambda cell, of=of: float(of[cell]), kind="number"))
    picture = figure_document(model, figure, level)
    of_event = " for one event" if model.of_events else ""
    below = "" if ends is None else f"; below it the {per_cent(level)} interval{of_event}"
    lead = [
        f"Per cent of {_games(model, handicap, komi)} won by Black, by grades that White is "
        f"stronger{below}",
        *_model_lines(model, interval=ends is not None),
        f"That was made for {_reach(model)}.",
    ]
    sections = [Section(blocks=[table]), *picture.sections]
    records = Table(columns, list(map(tuple, np.argwhere(inside).tolist())))
    return replace(picture, lead=lead, sections=sections, records=records)


def _share(share: float, digits: int = 1) -> str:
    """Per cent with so many decimals, or as many as distinguish it from 0 and 100."""
    value = 100.0 * float(share)
    least = 0.5 * 10.0**-digits
    if least <= value <= 100.0 - least:
        return f"{value:.{digits}f}"
    return f"{value:.2g}" if value < 50.0 else f"{value:.10g}" if value == 100.0 else "over 99.9"


def handicap_document(advice: HandicapAdvice) -> Document:
    """The handicap by each model, Black's chance with it, and why they differ."""
    names = [format_grade(round(grade, 2)) for grade in advice.grades]
    grades = "" if names == [advice.white, advice.black] else f" ({names[0]} and {names[1]})"
    apart = _plural_grades(advice.apart)
    table = Table(_columns(advice), advice.proposals, noun="model")
    sections = [Section(blocks=[table]), Section(blocks=[Lines(list(_remarks(advice)))])]
    lead = [f"White {advice.white}, Black {advice.black}: {apart} apart{grades}."]
    return Document("Handicap", lead, sections, table, lambda: _plain_advice(advice))


def _plural_grades(number: float) -> str:
    """A number of grades, which need not be whole."""
    return f"{number:.4g} grade{'' if number == 1 else 's'}"


def _columns(advice: HandicapAdvice) -> list[Column]:
    judge = advice.judge.name
    several = len(advice.proposals) > 1 or judge != advice.proposals[0].proposal.model
    own, by, by_no_komi = "no komi", "", ""
    if several:
        own, by, by_no_komi = "", f"by {judge}", f"by {judge}, no komi"

    def komi(each: JudgedProposal) -> str:
        points = each.proposal.komi
        return f"{'Black' if points > 0 else 'White'} gives {abs(points)}" if points else "none"

    return [
        Column("model", "proposal.model", "Model", strong=True),
        Column("stones", "proposal.stones", "Stones", "integer"),
        Column("komi", "proposal.komi", kind="integer"),
        Column("tie", "proposal.tie"),
        *Column.files("proposal.half_point_komi", "proposal.exact_stones"),
        Column("", komi, "Komi"),
        Column("", lambda each: each.proposal.tie.capitalize(), "Tie won by"),
        *chance_columns("probability", "proposal.chance", "Black wins"),
        *chance_columns("probability_without_komi", "proposal.without_komi", own),
        *chance_columns("judged", "judged", by),
        *chance_columns("judged_without_komi", "judged_without_komi", by_no_komi, gives_way=1),
        Column("judge", lambda _: judge),
        Column("level", lambda _: advice.level, kind="number"),
    ]


def _remarks(advice: HandicapAdvice) -> Iterator[str]:
    yield from filter(None, [_why(advice)])
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
        level = per_cent(advice.level)
        yield f"In brackets {level} intervals of {advice.judge.name}{of_event}{rest}."
    else:
        yield f"No interval: {advice.judge.no_interval}."
    if outside := [each.proposal.model for each in advice.proposals if each.proposal.outside]:
        yield f"Outside what the model was made for: {', '.join(outside)}."
    for _, reason in advice.failures:
        yield f"{reason[0].upper()}{reason[1:]}."


def _why(advice: HandicapAdvice) -> str:
    """Why the tradition and Goldis differ, and which of them is nearer to even."""
    goldis, egf = advice.by("goldis"), advice.by("egf")
    if goldis is None or egf is None or advice.goldis is None or advice.stones is not None:
        return ""
    ratio = advice.goldis.exact_stones
    apart = _plural_grades(advice.apart)
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


def _plain_advice(advice: HandicapAdvice) -> dict[str, Any]:
    goldis = advice.goldis and asdict(advice.goldis) | {"even_komi": advice.even_komi}
    proposals = [asdict(each) for each in advice.proposals]
    return {
        **picked(advice, "white", "black", "white_grade=grades.0", "black_grade=grades.1"),
        **picked(advice, "grades_apart=apart", "ratings", "level"),
        "judge": picked(advice.judge, "model=name", "about"),
        "proposals": [{**each.pop("proposal"), **each} for each in proposals],
        "goldis": goldis,
        "why": _why(advice),
        "failures": [{"model": name, "reason": reason} for name, reason in advice.failures],
    }


#: Grades that the figures reach over.
_LOWEST, _HIGHEST = -20, 6
#: Levels of the map of probabilities, in per cent.
_LEVELS = (1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99)


#: What gives a probability between grades.
_Law = WinningModel | Kaniuk | GradeModel


def difference_style(difference: int) -> tuple[str, tuple[float, ...]]:
    """Blue and full against weaker opponents, orange and dashed against stronger ones."""
    size = min(abs(difference), 4) - 1
    if difference < 0:
        return ("c1", "c3", "c6", "c7")[size], ()
    return ("c2", "c5", "c4", "ink")[size], (6.0, 3.0)


def _grades(label: str = "grade (zero-shodan units)") -> Axis:
    from yardstone.reports.chart import Axis

    ticks = [
        (float(grade), f"{grade}: {format_grade(grade)}".replace("-", "−"))
        for grade in range(_LOWEST, _HIGHEST + 1)
        if grade % 4 == 0 or grade == _HIGHEST
    ]
    return Axis(label, _LOWEST - 0.5, _HIGHEST + 0.5, ticks=ticks, grid=True)


def difference_name(difference: int) -> str:
    """Return what a curve of this difference of grades is called."""
    return f"d = {difference:+d}".replace("-", "−")


def curves_chart(
    statistics: WinningStatistics | None = None,
    model: _Law | None = PUBLISHED,
    *,
    title: str = "",
    level: float = 0.95,
) -> Chart:
    """Win probability by grade, one curve for each difference (figure 1).

    Dots with bars of one standard error are measured ratios, extended to weaker
    opponents by equation 1; lines are the model, with the interval of its average over events
    where it has one.
    """
    from yardstone.reports.chart import Axis, Band, Chart, Guide, Panel, Points, Stroke

    grades = np.arange(_LOWEST, _HIGHEST + 1)
    fine = np.linspace(_LOWEST, _HIGHEST, 300)
    marks: list[Mark] = [Guide(y=0.5)]
    for d in (-4, -3, -2, -1, 1, 2, 3, 4):
        colour, dash = difference_style(d)
        if statistics is not None:
            ratio, error = _measured(statistics, grades, d)
            x = grades + 0.06 * d
            marks.append(Points(x, ratio, colour, size=2.4, along=(ratio - error, ratio + error)))
            if model is None:
                marks.append(Stroke(x, ratio, colour, difference_name(d), 1.0, dash))
        if model is not None:
            curve = model.probability(fine, fine + d)
            if isinstance(model, WinningModel):
                ends = model.interval(grades, grades + d, level=level, average=True)
                if ends is not None:
                    marks.append(Band(grades, *ends, colour, opacity=0.12))
            marks.append(Stroke(fine, curve, colour, difference_name(d), 1.6, dash))
    y = Axis("win probability", low=0.0, high=1.0, grid=True)
    panel = Panel(_grades(), y, marks, direct=True)
    return Chart([panel], title or "Win probability against d stones stronger", height=380.0)


def _measured(games: WinningStatistics, grades: NDArray[np.int64], d: int) -> tuple[Array, Array]:
    """Ratios and standard errors at grades, NaN where nothing is known."""
    most = games.games.shape[1]
    table, errors = games.extended(), games.standard_error()
    ratio, error = np.full(len(grades), np.nan), np.full(len(grades), np.nan)
    for k, grade in enumerate(grades):
        row, weak = grade - games.lowest, min(grade, grade + d) - games.lowest
        if 0 <= row < len(table) and weak >= 0 and abs(d) <= most:
            ratio[k] = table[row, most + d]
            error[k] = errors[weak, abs(d) - 1]
    return ratio, np.where(np.isnan(ratio), np.nan, error)


def gap_chart(
    statistics: WinningStatistics | None = None,
    model: Kaniuk | GradeModel | None = PUBLISHED,
    *,
    title: str = "",
) -> Chart:
    """Lambda by grade for opponents 1 to 4 stones stronger (figure 2)."""
    from yardstone.reports.chart import Axis, Chart, Panel, Points, Stroke

    grades = np.arange(_LOWEST, _HIGHEST + 1)
    fine = np.linspace(_LOWEST, _HIGHEST, 300)
    marks: list[Mark] = []
    for d in range(1, 5):
        colour, _ = difference_style(d)
        name = f"d = {d}"
        if statistics is not None:
            measured, error = _measured(statistics, grades, d)
            inside = (measured > 0.0) & (measured < 1.0)
            gap = np.full(len(grades), np.nan)
            gap[inside] = gap_of_probability(measured[inside])
            spread = np.sqrt(np.pi) * np.exp(np.minimum(gap**2, 50.0)) * error
            marks.append(Points(grades, gap, colour, size=2.4, along=(gap - spread, gap + spread)))
            if model is None:
                marks.append(Stroke(grades, gap, colour, name, 1.0))
        if model is not None:
            marks.append(Stroke(fine, model.strength_gap(fine, fine + d), colour, name, 1.6))
    panel = Panel(_grades(), Axis("Λ(r, r + d)", -0.15, 2.0, grid=True), marks, direct=True)
    return Chart([panel], title or "Λ against d stones stronger", height=340.0)


def contour_chart(model: _Law = PUBLISHED) -> Chart:
    """Per cent by average grade and difference, in canonical coordinates (figure 6).

    Points a and b are the paper's examples: 5 dan against 1 dan, 8 kyu against 6 kyu.
    """
    from yardstone.reports.chart import Axis, Band, Chart, Label, Panel, Points, Stroke

    grade, apart = np.linspace(_LOWEST, _HIGHEST, 261), np.linspace(-9.0, 9.0, 481)
    g, d = np.meshgrid(grade, apart, indexing="ij")
    per_cent = 100.0 * model.probability(g - 0.5 * d, g + 0.5 * d)
    # At a grade the chance falls with the difference, so each level has one place or none.
    lines = {
        level: np.array([np.interp(-level, -row, apart, left=-9.0, right=9.0) for row in per_cent])
        for level in _LEVELS
    }
    marks: list[Mark] = []
    edges = [np.full(len(grade), 9.0), *lines.values(), np.full(len(grade), -9.0)]
    centres = [0.5, *(0.5 * (a + b) for a, b in pairwise(_LEVELS)), 99.5]
    for upper, lower, chance in zip(edges[:-1], edges[1:], centres, strict=True):
        colour = "c1" if chance > 50.0 else "c2"
        marks.append(Band(grade, lower, upper, colour, opacity=0.7 * abs(chance - 50.0) / 50.0))
    for level, line in lines.items():
        inside = np.where(np.abs(line) < 9.0, line, np.nan)
        marks.append(Stroke(grade, inside, "ink", width=1.6 if level == 50 else 0.8))
        known = np.flatnonzero(np.isfinite(inside))
        if len(known):
            at = known[int(0.45 * (len(known) - 1))]
            place = float(grade[at]), float(line[at])
            marks.append(Label(*place, f"{level}", "middle", size=10.0, up=-3.5))
    for name, (x, y) in {"a": (2.0, -4.0), "b": (-7.0, 2.0)}.items():
        marks.append(Points(x, y, "ink", size=3.5))
        marks.append(Label(x, y, name, bold=True, right=6.0, up=5.0))
    axis = _grades("average grade g (zero-shodan units)")
    x_axis = Axis(axis.label, _LOWEST, _HIGHEST, ticks=axis.ticks)
    panel = Panel(x_axis, Axis("difference d = opponent less player", -9.0, 9.0), marks)
    return Chart([panel], "Win probability, per cent", height=400.0)


#: Figures that need no data, by name.
FIGURES = ("curves", "lambda", "contour")


def model_chart(name: str, model: WinningModel, level: float = 0.95) -> Chart:
    """One of `FIGURES` of a model.

    Raises:
        UsageError: There is no such figure, or the model has no Lambda to be drawn.
    """
    if name == "curves":
        return curves_chart(model=model, level=level)
    if name == "contour":
        return contour_chart(model)
    if name != "lambda":
        raise UsageError(f"no figure is called {name!r} (there are {', '.join(FIGURES)})")
    if not isinstance(model.law, GradeModel):
        raise UsageError(f"the model {model.name} has no Lambda: draw curves or contour")
    return gap_chart(model=model.law)
