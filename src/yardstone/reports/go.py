"""Go games that a network analysed or judged, and the networks, as documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from math import isfinite, isnan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yardstone.go.analysis import (
    PHASES,
    WHOLE_GAME,
    AnalysedGames,
    GameAnalysis,
    JudgedGames,
    Judgement,
    Total,
)
from yardstone.go.losses import DECIDED
from yardstone.go.nets.store import KNOWN, KnownNetwork, StoredNetwork
from yardstone.go.points import BLACK, WHITE, colour_name, point_name
from yardstone.records.go_game import DRAWN
from yardstone.records.go_game import UNKNOWN as NO_WINNER
from yardstone.reports.chart import Axis, Band, Chart, Guide, Mark, Panel, Points, Stroke
from yardstone.reports.document import Column, Document, Facts, Lines, Picture, Section, Table
from yardstone.reports.words import picked, plain_skipped, plural


class _Move(NamedTuple):
    """Move k of a game, from 0."""

    game: GameAnalysis
    k: int

    def point(self, number: int) -> str:
        return point_name(int(number), self.game.game.size)

    @property
    def side(self) -> str:
        return colour_name(int(self.game.colour[self.k]))

    @property
    def better(self) -> str | None:
        losses = self.game.losses
        return self.point(losses.best[self.k]) if losses.points[self.k] > 0.0 else None


def _known(value: float, digits: int) -> float | None:
    return round(float(value), digits) if isfinite(value) else None


def _text(value: float, digits: int = 1) -> str:
    return Column.unknown if isnan(value) else f"{round(float(value), digits) + 0.0:.{digits}f}"


def _amount(
    name: str,
    read: Callable[[Any], float],
    heading: str,
    gives_way: int = 0,
    *,
    digits: int = 2,
    shown: int = 1,
    scale: float = 1.0,
) -> Column:
    """A number with so many digits in files, and `scale` times it `shown` to people."""

    def text(row: Any) -> str:
        return _text(scale * read(row), shown)

    def value(row: Any) -> float | None:
        return _known(read(row), digits)

    return Column(name, value, heading, "number", show=text, gives_way=gives_way)


_share = partial(_amount, digits=6, scale=100.0)


_PLACE = (
    Column("file", "game.game.file"),
    Column("game", "game.game.number", kind="integer"),
    *Column.files("game.game.black", "game.game.white", kind="text"),
)


#: What is said of each move, in files and, with a heading, to people.
_MOVE_COLUMNS = (
    Column("number", lambda m: int(m.game.number[m.k]), "Move", "integer", form="d"),
    Column("colour", lambda m: m.side.lower(), "Side", show=lambda m: m.side[0]),
    Column("move", lambda m: m.point(m.game.point[m.k]), "Point"),
    _share("white_winrate", lambda m: m.game.white_winrate[m.k + 1], "White wins %"),
    _amount("white_lead", lambda m: m.game.white_lead[m.k + 1], "White leads", digits=3),
    _share("win_loss", lambda m: m.game.win_loss[m.k], "Lost %", 4),
    _amount("point_loss", lambda m: m.game.point_loss[m.k], "Lost points"),
    Column("point_error", lambda m: _known(m.game.losses.error[m.k], 2), kind="number"),
    Column("decided", lambda m: bool(m.game.losses.decided[m.k]), kind="boolean"),
    _share("policy", lambda m: m.game.policy[m.k], "Policy %", 3),
    Column("rank", lambda m: int(m.game.rank[m.k]) or None, "Rank", "integer", "d", gives_way=2),
    Column("best", lambda m: m.point(m.game.best[m.k]), "Best", gives_way=6),
    _share("best_policy", lambda m: m.game.best_policy[m.k], "Its policy %", 1),
    Column("better"),
    Column("phase", lambda m: PHASES[m.game.phase[m.k]]),
    Column("counted", lambda m: bool(m.game.counted[m.k]), kind="boolean"),
)
_MOVE = {column.name: column for column in _MOVE_COLUMNS}
_MISTAKES = (
    *(_MOVE[name] for name in ("number", "colour", "move", "point_loss")),
    Column("", lambda m: f"± {_text(m.game.losses.error[m.k])}", "Error", left=False),
    *(_MOVE[name] for name in ("win_loss", "policy", "rank")),
    Column("", lambda m: m.point(m.game.losses.best[m.k]), "Better"),
    replace(_MOVE["phase"], heading="Phase", gives_way=5),
)


def _player(total: Total) -> str:
    """The player's name, in the first of that player's rows."""
    if total.phase != WHOLE_GAME:
        return ""
    colour = f" ({colour_name(total.colour)[0]})" if total.colour else ""
    games = "" if total.games == 1 else f", {plural(total.games, 'game')}"
    return f"{total.player}{colour}{games}"


_TOTALS = (
    Column("", _player, "Player"),
    Column("", lambda t: "all" if t.phase == WHOLE_GAME else t.phase, "Phase"),
    Column("", "moves", "Moves", "integer"),
    _amount("", lambda t: t.point_loss, "Points a move", shown=2),
    _share("", lambda t: t.win_loss, "% a move", 4, shown=2),
    _share("", lambda t: t.policy, "Policy %", 2),
    _share("", lambda t: t.first_choice, "First choice %", 1),
    Column("", "mistakes", "Mistakes", "integer", gives_way=3),
)


def analysis_document(result: AnalysedGames, *, moves: bool = True, top: int = 10) -> Document:
    """The games, each with its picture, and the totals of players.

    Args:
        moves: List every move.
        top: Mistakes to list for each game.
    """
    games = result.games
    sections: list[Section] = []
    for game in games:
        rows = [_Move(game, k) for k in range(len(game))]
        record = game.game
        about = (record.event, _date(game), f"result {record.result}" if record.result else "")
        handicap = f", handicap {record.handicap}" if record.handicap > 1 else ""
        lines = [
            ", ".join(filter(None, about)),
            f"{plural(len(game), 'move')} on {record.size}x{record.size}{handicap}, "
            f"{game.conditions.in_words}; network {result.network}",
            f"Note: {game.remark}" if game.remark else "",
        ]
        draw = partial(game_chart, replace(result, games=[game]))
        picture = Picture(draw, "White's winrate and lead after each move")
        sections.append(Section(game_title(game), [Lines(list(filter(None, lines))), picture]))
        if moves:
            table = Table(_MOVE_COLUMNS, rows, noun="move")
            sections.append(Section("All moves", [table], folded=True))
        totals = Table(_TOTALS, result.totals(game), caption="By player and phase")
        sections += [Section(blocks=[totals]), _mistakes(result, game, top)]
    if len(games) > 1:
        title = f"All {len(games):,} games, by player"
        sections.append(Section(title, [Table(_TOTALS, result.players())]))
    sections.append(Section(blocks=[Lines([*_legend(result)], bullets=True)]))
    title = "Analysis" if len(games) == 1 else f"Analysis of {len(games):,} games"
    every = [_Move(game, k) for game in games for k in range(len(game))]
    records, plain = Table((*_PLACE, *_MOVE_COLUMNS), every), partial(_plain_analysis, result)
    return Document(title, (), sections, records, plain, partial(game_chart, result))


def _date(of: GameAnalysis | Judgement) -> str:
    date = of.game.date
    return "" if np.isnat(date) else str(date)[:10]


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
    ends = result.phases
    scaled = "".join(
        f"; on {size}x{size} {' and '.join(map(str, ends.ends(size)))}"
        for size in sorted({analysis.game.size for analysis in result.games} - {19})[:3]
    )
    yield (
        "A loss is what the move left its player, less what the best move found would have left: "
        f"never below 0, and {Column.unknown} where the game was decided, one side having more "
        f"than {100.0 * DECIDED:g} % before and after the move."
    )
    yield "Mistakes are losses of at least twice their error."
    later = f"{PHASES[1]}: to {ends.middle}; then {PHASES[2]}{scaled}"
    yield f"{PHASES[0].capitalize()}: moves 1 to {ends.opening}; {later}."


def _plain_analysis(result: AnalysedGames) -> dict[str, Any]:
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
    game, conditions = analysis.game, analysis.conditions
    return {
        "file": game.file,
        "game": game.number,
        **picked(game, "black", "white", "black_rank", "white_rank"),
        "date": _date(analysis) or None,
        **picked(game, "result", "size", "handicap"),
        "komi": conditions.komi,
        "rules": conditions.rules.name,
        "remark": analysis.remark or None,
        "start": {
            "white_winrate": _known(analysis.white_winrate[0], 6),
            "white_lead": _known(analysis.white_lead[0], 3),
        },
        "moves": [Column.record(_MOVE_COLUMNS, _Move(analysis, k)) for k in range(len(analysis))],
        "totals": [_plain_total(total) for total in result.totals(analysis)],
    }


def _plain_total(total: Total) -> dict[str, Any]:
    return {
        **asdict(total),
        "point_loss": _known(total.point_loss, 4),
        "win_loss": _known(total.win_loss, 6),
        "colour": colour_name(total.colour).lower() if total.colour else None,
    }


_WINNERS = {BLACK: "black", WHITE: "white", DRAWN: "draw", NO_WINNER: ""}


def _place(judgement: Judgement) -> str:
    game = judgement.game
    return f"{game.file} #{game.number}" if game.number > 1 else game.file


_JUDGEMENT_COLUMNS = (
    Column("file", "game.file", "Game", show=_place),
    Column("game", "game.number", kind="integer"),
    Column("black", "game.black", "Black"),
    Column("white", "game.white", "White"),
    Column("date", _date),
    Column("result", "game.result", "Result", gives_way=3),
    Column("recorded", lambda j: _WINNERS[j.game.winner]),
    Column("judged", lambda j: _WINNERS[j.winner] or "undecided", "Judged"),
    Column("agrees", kind="boolean"),
    _share("white_winrate", lambda j: round(j.white_winrate, 6), "White wins %"),
    _amount("white_lead", lambda j: round(j.white_lead, 3), "White leads", 2, digits=3),
    Column("moves", heading="Moves", kind="integer", form="d", gives_way=1),
    Column("komi", "conditions.komi", kind="number"),
    Column("rules", "conditions.rules.name"),
)


def judgement_document(result: JudgedGames, *, top: int = 20) -> Document:
    """How far records and network agree; `top` limits the games that contradict their records."""
    contrary = [each for each in result.games if each.agrees is False]
    contrary.sort(key=lambda each: -abs(round(each.white_winrate, 6) - 0.5))
    title = "The other winner"
    if len(contrary) > top:
        title += f", the surest {top} of {len(contrary):,}"
    sections = [Section(title, [Table(_JUDGEMENT_COLUMNS, contrary[:top], noun="game")])]
    records = Table(_JUDGEMENT_COLUMNS, result.games)

    def plain() -> dict[str, Any]:
        counts = asdict(result.agreement)
        values = {"format": 1, **picked(result, "network", "sure"), "counts": counts}
        return values | {"games": records.records(), "skipped": plain_skipped(result.skipped)}

    return Document("Judged games", list(_summary(result)), sections, records, plain)


def _summary(result: JudgedGames) -> Iterator[str]:
    counts = result.agreement
    yield f"{plural(counts.games, 'game')} judged by {result.network}"
    yield (
        f"Decided (at least {100 * result.sure:g} % sure): {counts.games - counts.undecided:,}; "
        f"undecided: {counts.undecided:,}"
    )
    conditions = [each.conditions for each in result.games]
    others = Counter(each.in_words for each in conditions if each.remark)
    for words, number in others.most_common():
        yield f"{plural(number, 'game')} judged by {words}"
    compared = counts.agreeing + counts.contrary
    if compared:
        yield (
            f"The record names the same winner in {counts.agreeing:,} of {compared:,} "
            f"decided games ({100.0 * counts.agreeing / compared:.1f} %)"
        )
    if counts.unrecorded:
        yield f"Decided without a recorded winner: {counts.unrecorded:,}"


_NETWORK_COLUMNS = (
    Column("name", heading="network", strong=True),
    *(
        Column(name, f"header.{name}", name, "integer", form="d", gives_way=1)
        for name in ("version", "blocks", "channels")
    ),
    Column("size", heading="size", kind="integer", show=lambda each: f"{each.size / 1e6:.1f} MB"),
    Column("sha256", heading="SHA-256", show=lambda network: network.sha256[:12]),
    Column("file", lambda network: str(network.path)),
    Column("problem"),
)


def networks_document(networks: Sequence[StoredNetwork], folder: Path) -> Document:
    """A table of the networks that are there; `folder` is the user's."""
    table = Table(_NETWORK_COLUMNS, networks, noun="network")
    notes = [f"{each.name}: {each.problem}" for each in networks if each.problem]
    names = [each.name for each in networks if each.included]
    notes += [f"{name} comes with Yardstone." for name in names]
    others = f"The others are in {folder}."
    if len(networks) == len(names):
        download = "`yardstone go nets download b6c96` gets a stronger one."
        others = f"No other network in {folder}: {download}"
    notes.append(others)
    return Document("Networks", (), [Section(blocks=[table, Lines(notes)])], table)


def known_networks_document() -> Document:
    """Networks that can be downloaded by name."""
    headings = {"short": "name", "name": "full name", "about": "what it is"}
    columns = [Column(name, heading=heading) for name, heading in headings.items()]
    sections = [Section(blocks=[Table(columns, KNOWN, noun="network")])]
    records = Table(Column.files(*KnownNetwork.__dataclass_fields__, kind="text"), KNOWN)
    return Document("Networks that can be downloaded", (), sections, records)


def network_document(facts: Mapping[str, Any]) -> Document:
    """One network in detail; `facts` are those of `describe_file`."""
    kinds = ", ".join(f"{count} {kind}" for kind, count in facts["block_kinds"].items())
    alive = "as if suicide were legal" if facts["pass_alive_under_suicide"] else "by the rules"
    rows = [
        ("network", facts["name"]),
        ("model version", str(facts["version"])),
        ("kind", facts["kind"]),
        ("blocks", f"{facts['blocks']} ({kinds})"),
        ("channels", str(facts["channels"])),
        ("parameters", f"{facts['parameters']:,}"),
        ("last activation", facts["activation"]),
        ("last norm", facts["norm"]),
        ("policies", str(facts["policies"])),
        ("pass-alive inputs", alive),
        ("size", f"{facts['size'] / 1e6:.1f} MB"),
        ("SHA-256", facts["sha256"]),
        ("file", facts["file"]),
    ]
    if facts["knows"]:
        rows.append(("knows only", facts["knows"]))
    sections = [Section(blocks=[Facts(rows)])]
    records = Table(Column.files("property=0", "value=1", kind="text"), rows)
    return Document(f"Network {facts['name']}", (), sections, records, lambda: dict(facts))


def game_title(analysis: GameAnalysis) -> str:
    """Who played whom, Black first."""
    game = analysis.game

    def player(name: str, rank: str, colour: int) -> str:
        shown = f" {rank}" if rank.strip(" ?-") else ""
        return f"{name or colour_name(colour)}{shown} ({colour_name(colour)})"

    black = player(game.black, game.black_rank, BLACK)
    return f"{black} – {player(game.white, game.white_rank, WHITE)}"


#: Games in one picture.
MOST_GAMES = 8


def game_chart(report: AnalysedGames) -> Chart:
    """Draw White's winrate and lead after each move, a row of two panels a game.

    Dots mark mistakes, filled for Black's and open for White's; dotted lines part
    the phases. Of many games the first `MOST_GAMES` are drawn, and the note says so.
    """
    games = list(report.games[:MOST_GAMES])
    note = f"Network {report.network}. Dots: moves that cost {report.mistake:g} points or more, and"
    note += " more than noise explains (filled: Black’s, open: White’s)."
    if len(report.games) > len(games):
        note += f" The first {len(games)} of {len(report.games):,} games."
    panels = [panel for game in games for panel in _panels(report, game)]
    words = "White’s winrate and lead after each move"
    return Chart(panels, words=words, note=note, columns=2, height=190.0)


def _panels(report: AnalysedGames, game: GameAnalysis) -> tuple[Panel, Panel]:
    """The panel of the winrate, with Black's share above the line, and that of the lead."""
    moves = np.arange(len(game) + 1)
    share, lead = 100.0 * game.white_winrate, game.white_lead
    ends = report.phases.ends(game.game.size)
    phases = [Guide(x=float(end), dash=(1.5, 3.0)) for end in ends if 0 < end < len(game)]
    across = Axis("move", low=0.0, high=float(max(len(game), 1)), whole=True)
    known = lead[np.isfinite(lead)]
    least, most = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
    room, bad = 0.05 * (most - least), game.mistakes(report.mistake)
    low, high = min(least - room, -5.0), max(most + room, 5.0)

    def curve(values: NDArray[np.float32]) -> list[Mark]:
        marks: list[Mark] = [*phases, Stroke(moves, values, width=1.6)]
        for black in (True, False):
            at = bad[(game.colour[bad] == BLACK) == black] + 1
            marks.append(Points(at, values[at], "c2", size=3.2, hollow=not black))
        return marks

    black = Band(moves, share, 100.0, "black", opacity=0.75)
    white = Band(moves, 0.0, share, "white", opacity=0.9)
    percent = Axis("White wins, %", low=0.0, high=100.0)
    points = Axis("White leads, points", low=low, high=high, grid=True)
    return (
        Panel(across, percent, [black, white, Guide(y=50.0), *curve(share)], game_title(game)),
        Panel(across, points, [Guide(y=0.0), *curve(lead)], " "),
    )
