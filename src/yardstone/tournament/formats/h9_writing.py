"""Writes the results format of the European Go Database (H9)."""

from __future__ import annotations

from dataclasses import replace

from yardstone.errors import InputError
from yardstone.tournament.formats.h9_reading import read_h9
from yardstone.tournament.formats.half_results import check_half_results
from yardstone.tournament.formats.line_files import TextDocument
from yardstone.tournament.formats.opengotha_fields import format_rank
from yardstone.tournament.model import Tournament, adjusted_time, egf_class
from yardstone.tournament.notation import result_text, score_text
from yardstone.tournament.rules import TimeSystem
from yardstone.tournament.standings_table import Standings, standings

__all__ = ["write_h9"]

_COLUMNS = 4
_NAMES = {
    TimeSystem.sudden_death: "Sudden death",
    TimeSystem.byo_yomi: "Standard byo-yomi",
    TimeSystem.canadian: "Canadian byo-yomi",
    TimeSystem.fischer: "Fischer",
}


def write_h9(
    tournament: Tournament, *, encoding: str = "utf-8", keep_forfeits: bool = True
) -> bytes:
    """The tournament as the bytes of an H9 file, ordered by its standings.

    One that was read from such a file and not changed comes back as it was.

    Parameters
    ----------
    tournament : Tournament
        Players and results.
    encoding : str
        Letters it lacks become question marks.
    keep_forfeits : bool
        Write games decided without play as ``12+!w0``; without it as half a point
        without an opponent, since they are not rated.

    Raises
    ------
    InputError
        A player has no grade, or a game has a result that the format does not know.
    """
    document = tournament.document
    if isinstance(document, TextDocument) and document.format == "h9":
        before = read_h9(document.to_bytes(document.lines), tournament.file)
        if replace(before, document=None) == replace(tournament, document=None):
            return document.to_bytes(document.lines)
    check_half_results(tournament, "this format")
    table = standings(tournament, round_number=tournament.last_round)
    lines = [*_head(tournament), _columns(table), *_rows(table, keep_forfeits)]
    return ("\n".join(lines) + "\n").encode(encoding, "replace")


def _head(tournament: Tournament) -> list[str]:
    days = [day.isoformat() for day in (tournament.begin, tournament.end) if day is not None]
    tags = {
        "CL": egf_class(tournament.time) or tournament.extras.get("CL", "") or "?",
        "EV": tournament.name,
        "PC": tournament.extras.get("PC", f",{tournament.place}"),
        "DT": ",".join(days),
    }
    if tournament.handicap.correction > 0 and tournament.handicap.ceiling > 0:
        tags["HA"] = f"h{tournament.handicap.correction}"
    if tournament.komi is not None:
        tags["KM"] = f"{tournament.komi:g}"
    if tournament.time.basic:
        tags["TM"] = str(adjusted_time(tournament.time) // 60)
    if tournament.time.system in _NAMES:
        tags["CM"] = _NAMES[tournament.time.system]
    known = {tag: text.replace("]", ")") for tag, text in tags.items() if text != "?"}
    return [*(f"; {tag}[{text}]" for tag, text in known.items()), ";"]


def _columns(table: Standings) -> str:
    names = "".join(f"{(c.heading or c.name)[:5]:>5}" for c in table.criteria)
    return f"; Pl {'Name':<32}Rk Co Club{names}"


def _rows(table: Standings, keep_forfeits: bool) -> list[str]:
    tournament = table.tournament
    number = {row: place + 1 for place, row in enumerate(table.order.tolist())}
    rows = []
    for at, row in enumerate(table.order.tolist()):
        player = tournament.players[row]
        shared = at > 0 and table.place[at] == table.place[at - 1]
        place = "" if shared else str(table.place[at])
        name = " ".join(part.replace(" ", "_") for part in (player.name, player.first_name or "x"))
        if player.rank is None:
            raise InputError(
                f"{player.full_name} has no grade, which this format needs",
                file=tournament.file or None,
            )
        rank = format_rank(player.rank)
        scores = [
            f"{score_text(c, v)[:4]:>4}"
            for c, v in zip(table.criteria, table.values[at].tolist(), strict=True)
        ]
        scores += ["0"] * (_COLUMNS - len(scores))
        cells = [
            f"{text:>8}" if len(text) > 3 else f"{text:>5}   "
            for r in range(1, table.round + 1)
            for text in [result_text(table, row, r, number, keep_forfeits=keep_forfeits)]
        ]
        parts = [
            f"{place:>4}", f"{name:<30.30}", f"{rank:>3}", f"{player.country.strip() or 'XX':>2.2}",
            f"{player.club.strip().replace(' ', '_') or 'xxxx':>4.4}", *scores, *cells,
        ]  # fmt: skip
        pin = player.ids.get("egf", "")
        rows.append(" ".join(parts).rstrip() + (f" |{pin}" if pin else ""))
    return rows
