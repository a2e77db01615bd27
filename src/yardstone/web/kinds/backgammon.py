"""Error rates and ratings from matches of backgammon, by GNU Backgammon."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from yardstone.errors import InputError
from yardstone.parallel import Track
from yardstone.reports.document import Document
from yardstone.reports.words import plural
from yardstone.web.kinds.kind import (
    Card,
    ChoiceField,
    Kind,
    Plain,
    Query,
    Task,
    View,
    card_ranges,
    glanced,
    level_field,
)
from yardstone.web.problems import refusal

_BLUNDERS = 20
#: Columns of the sample on the start page.
_GLANCED = ("Player", "Rating", "EPM", "PR")


def _perform(task: Task) -> dict[str, Any]:
    from yardstone.backgammon.analysis import RatingRule, analyse_matches
    from yardstone.backgammon.file_analysis import MatchFile
    from yardstone.backgammon.formulas import OFFSETS
    from yardstone.backgammon.gnubg import find_gnubg
    from yardstone.reports.backgammon import backgammon_plain

    task.check("matches", len(task.files), "matches", "Send fewer of them.")
    try:
        program = find_gnubg(Path(task.settings.gnubg) if task.settings.gnubg else None)
    except InputError:
        raise refusal("no_gnubg") from None
    Track("analysing", len(task.files))(0)
    analysis = analyse_matches(
        [MatchFile(file.name, file.path) for file in task.files],
        rule=RatingRule(offset=OFFSETS[task.options["offset"]], level=task.options["level"]),
        blunders=_BLUNDERS,
        program=program,
        timeout=float(task.settings.limits.seconds),
    )
    Track("rating", 1)(0)
    return backgammon_plain(analysis)


def _view(result: Plain, query: Query) -> View:
    from yardstone.reports.backgammon import backgammon_document

    names = [each["player"] for each in result["players"]]
    who = " and ".join(names) if len(names) <= 2 else plural(len(names), "player")
    return View(backgammon_document(result, title=f"Backgammon: {who}"))


def _card(result: Plain) -> Card:
    played = plural(len(result["matches"]), "match", "matches")
    best = min((each["pr"] for each in result["players"]), default=None)
    rates = "" if best is None else f", the lowest error rate is PR {best:.2f}"
    ratings = sorted((each["rating"] for each in result["players"]), key=lambda one: -one["value"])
    return Card(
        f"Backgammon: error rates of {plural(len(result['players']), 'player')}",
        f"From {played} analysed by GNU Backgammon{rates}.",
        card_ranges(ratings, "value"),
    )


def _glance(result: Plain) -> Document:
    from yardstone.reports.backgammon import backgammon_document

    names = " and ".join(each["player"] for each in result["players"][:2])
    return glanced(names, backgammon_document(result), *_GLANCED)


KIND = Kind(
    name="backgammon",
    short="Backgammon",
    title="Backgammon: error rates",
    plural="matches",
    holds="matches of backgammon (.mat)",
    files="Backgammon: .mat and other matches.",
    offer=(
        "Backgammon",
        "Error rates and a rating for each player from GNU Backgammon’s analysis, match by match, "
        "with luck set apart, and the worst blunders.",
    ),
    glance=_glance,
    path="/api/backgammon",
    summary="Send matches of backgammon",
    about="Get error rates and ratings from matches of backgammon.",
    heading="Analysing the matches",
    counted=("match", "matches"),
    formats=("mat", "sgf-backgammon"),
    fields=(
        level_field(0.9),
        ChoiceField(
            name="offset",
            values=("fibs", "gamesite2000", "gamesgrid"),
            about="The site whose rating of perfect play is meant.",
        ),
    ),
    limits={"matches": 100},
    allowance=lambda limits: plural(limits["matches"], "match", "matches"),
    warm=("yardstone.backgammon.analysis", "yardstone.reports.backgammon"),
    perform=_perform,
    view=_view,
    card=_card,
)
