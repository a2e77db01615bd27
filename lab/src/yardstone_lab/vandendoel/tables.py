"""Tables of matches: by pairs of players, by cells of error rates, of people."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.backgammon.formulas import PUBLISHED, Weight
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.records.sources import Source
from yardstone.winprob import fibs
from yardstone_lab.vandendoel.choices import Averaging, CloseRule, StudyModel
from yardstone_lab.vandendoel.play import MatchSetting, NoisyPlayer, read_results

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Counts = NDArray[np.int64]
    Floats = NDArray[np.float64]

__all__ = [
    "StudyTable",
    "from_results",
    "joined",
    "own_table",
    "ratio",
    "read_table",
    "setting_order",
    "table_text",
    "LEVEL",
    "Cells",
    "is_judged",
    "is_part_one",
    "is_part_two",
    "make_cells",
    "published_weight",
    "MatchTable",
    "read_match_table",
]

#: Rows of the largest table that is read.
MOST_ROWS = 5_000_000
_MODES = {"random": False, "deterministic": True}
_SIDES = ("first", "second")
_NOISES = ("chequer_noise", "cube_noise")
_DEPTHS = ("plies", "cube_plies")
#: What names a row: its setting, the depth of analysis, and the match.
_SETTING = (
    "length",
    *(f"{side}_{what}" for side in _SIDES for what in (*_NOISES, *_DEPTHS)),
    "noise",
    "analysis",
)
_MATCH = ("seed", "number")
_COUNTS = ("unforced", "close_2003", "close_2006")
#: Total error of the moves; error of the cube decisions for each that 1.07 counts as close.
_ERRORS = ("move_error", "cube_error_rate")
COLUMNS = (
    *_SETTING,
    *_MATCH,
    "won",
    "luck_adjusted",
    *(f"{side}_{what}" for side in _SIDES for what in (*_COUNTS, *_ERRORS)),
)


@dataclass(frozen=True, eq=False, repr=False)
class StudyTable:
    """Analysed matches; the two columns of an array are the two players."""

    settings: tuple[MatchSetting, ...]  #: Each with the one depth of analysis that its rows have.
    setting: Counts  #: (n,): which of them a match has.
    seed: Counts  #: `seed`, `number` (n,): name the match within its setting.
    number: Counts
    won: NDArray[np.bool_]  #: (n,): whether the first player won.
    luck_adjusted: Array  #: (n,): the first player's chance with luck taken out; may leave [0, 1].
    unforced: Counts  #: (n, 2): unforced moves.
    close_2003: Counts  #: `close_2003`, `close_2006` (n, 2): close cube decisions by each rule.
    close_2006: Counts
    #: `move_error`, `cube_error` (n, 2): total normalised equity lost by moves and by cube
    #: decisions.
    move_error: Array
    cube_error: Array

    def __len__(self) -> int:
        return len(self.setting)

    def __repr__(self) -> str:
        return f"<StudyTable: {len(self)} matches in {len(self.settings)} settings>"

    def close(self, rule: CloseRule) -> Counts:
        """Close cube decisions of both players by this rule."""
        return self.close_2003 if rule is CloseRule.old else self.close_2006

    def error_per_move(self) -> Array:
        """EPM of each match and player: 0 where no move was a choice."""
        return ratio(self.move_error, self.unforced)

    def error_per_cube_decision(self, rule: CloseRule) -> Array:
        """EPC of each match and player: 0 where no decision was close."""
        return ratio(self.cube_error, self.close(rule))

    def error_per_decision(self, rule: CloseRule) -> Array:
        """EPD of each match and player, moves and cube decisions together."""
        return ratio(self.move_error + self.cube_error, self.unforced + self.close(rule))

    def take(self, rows: NDArray[Any]) -> StudyTable:
        """The table of some rows (numbers or a mask), with all settings."""
        names = [name for name in self.__dataclass_fields__ if name != "settings"]
        return StudyTable(self.settings, **{name: getattr(self, name)[rows] for name in names})


def joined(tables: Sequence[StudyTable]) -> StudyTable:
    """All matches of several tables; one that is in two counts once, as the later has it."""
    settings = list(dict.fromkeys(s for table in tables for s in table.settings))
    place = {setting: k for k, setting in enumerate(settings)}
    names = [n for n in StudyTable.__dataclass_fields__ if n not in ("settings", "setting")]
    columns = {name: np.concatenate([getattr(t, name) for t in tables]) for name in names}
    setting = np.concatenate([np.array([place[s] for s in t.settings])[t.setting] for t in tables])
    whole = StudyTable(tuple(settings), setting=setting, **columns)
    matches = zip(setting.tolist(), whole.seed.tolist(), whole.number.tolist(), strict=True)
    last = {match: row for row, match in enumerate(matches)}
    return whole.take(np.array(sorted(last.values())))


def ratio(total: NDArray[Any], number: NDArray[Any]) -> Array:
    """`total` / `number`, and 0 where there is nothing to divide by."""
    share = np.zeros(total.shape)
    np.divide(total, number, out=share, where=number > 0)
    return share


def from_results(paths: Iterable[Path]) -> StudyTable:
    """The table of the matches in results files; matches that failed are left out.

    Raises:
        InputError: A file cannot be read, or is no results file.
        NoGamesError: There is no match.
    """
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    for path in paths:
        for line, record in read_results(path):
            if "failed" in record:
                continue
            try:
                matches = list(_rows(record))
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise InputError(
                    f"this match lacks what the fits need: {error}", file=str(path), line=line
                ) from None
            for row in matches:
                rows[tuple(row[name] for name in (*_SETTING, *_MATCH))] = row
    return _table(rows.values(), "")


def _rows(record: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    setting = MatchSetting.from_record(record)
    for plies, analysis in record["analyses"].items():
        values: dict[str, Any] = {
            "length": setting.length,
            "noise": setting.noise_mode,
            "analysis": int(plies),
            "seed": int(record["seed"]),
            "number": int(record["number"]),
            "won": {"X": 1, "O": 0}[record["winner"]],
            "luck_adjusted": _single(analysis["stats"]["X"]["dice"]["luck-adjusted-result"]),
        }
        for side, who, player in zip(_SIDES, "XO", (setting.first, setting.second), strict=True):
            stats, close = analysis["stats"][who], analysis["close"][who]
            for name in (*_NOISES, *_DEPTHS):
                values[f"{side}_{name}"] = f"{getattr(player, name):.9g}"
            values |= {
                f"{side}_unforced": int(stats["moves"]["unforced-moves"]),
                f"{side}_close_2003": int(close["close-2003"]),
                f"{side}_close_2006": int(stats["cube"]["close-cube"]),
                f"{side}_move_error": _single(stats["moves"]["error-skill"]),
                f"{side}_cube_error_rate": _single(stats["cube"]["error-skill"]),
            }
        yield {name: str(values[name]) for name in COLUMNS}


def _single(value: float) -> str:
    """A number as GNU Backgammon has it, in single precision, as short as it can be."""
    return str(np.float32(value))


def setting_order(setting: MatchSetting) -> tuple[float, ...]:
    """A key to sort settings by: length, kind of noise, depth, players."""
    players = (setting.first, setting.second)
    return (
        setting.length,
        setting.deterministic,
        *setting.analyses,
        *(getattr(player, name) for name in (*_DEPTHS, *_NOISES) for player in players),
    )


def table_text(table: StudyTable) -> str:
    """The table as CSV, in one order whatever that of the rows; `read_table` reads it back."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    rate = ratio(table.cube_error, table.close_2006)
    ranked = sorted(range(len(table.settings)), key=lambda k: setting_order(table.settings[k]))
    rank = np.argsort(ranked)[table.setting]
    for row in np.lexsort((table.number, table.seed, rank)):
        setting = table.settings[table.setting[row]]
        cells: list[Any] = [setting.length]
        for player in (setting.first, setting.second):
            cells += [f"{getattr(player, name):.9g}" for name in (*_NOISES, *_DEPTHS)]
        cells += [setting.noise_mode, setting.analyses[0], table.seed[row], table.number[row]]
        cells += [int(table.won[row]), _single(table.luck_adjusted[row] - 0.5)]
        for k in (0, 1):
            cells += [table.unforced[row, k], table.close_2003[row, k], table.close_2006[row, k]]
            cells += [_single(table.move_error[row, k]), _single(rate[row, k])]
        writer.writerow(cells)
    return out.getvalue()


def read_table(path: Path) -> StudyTable:
    """Read a table, compressed or not.

    Raises:
        InputError: It cannot be read, is damaged, or a line is wrong; names the line.
        NoGamesError: There is no match in it.
    """
    source = Source(str(path), path)
    data = source.content()
    try:
        reader = csv.DictReader(io.StringIO(data.decode("utf-8")))
        missing = sorted(set(COLUMNS) - set(reader.fieldnames or ()))
    except (UnicodeDecodeError, csv.Error):
        raise InputError("this is not a table of matches", file=source.name) from None
    if missing:
        raise InputError(
            f"there is no column {missing[0]}",
            file=source.name,
            line=1,
            hint="name a table that `yardstone backgammon study table` wrote",
        )
    return _table(reader, source.name)


def own_table() -> StudyTable:
    """The project's own table: its run of both studies with seed 1 (see the guide)."""
    place = files("yardstone_lab.vandendoel").joinpath("data", "simulated_matches.csv.gz")
    with as_file(place) as path:
        return read_table(path)


def _table(rows: Iterable[Mapping[str, str | Any]], file: str) -> StudyTable:
    """Make the arrays; `rows` have `COLUMNS` as text, the first of them on line 2."""
    settings: dict[tuple[Any, ...], int] = {}
    made: list[MatchSetting] = []
    numbers: list[list[int]] = []
    errors: list[list[float]] = []
    remaining = iter(rows)
    line = 1
    while True:
        line += 1
        try:
            row = next(remaining, None)
            if row is None:
                break
            if line > MOST_ROWS:
                raise ValueError(f"there are more than {MOST_ROWS:,} rows")
            key = tuple(row[name] for name in _SETTING)
            if key not in settings:
                made.append(_setting(row))
                settings[key] = len(made) - 1
            named = [settings[key], *(int(row[name]) for name in _MATCH), _outcome(row["won"])]
            numbers.append(named + [_count(row[name]) for name in _sides(_COUNTS)])
            errors.append([_finite(row[name]) for name in ("luck_adjusted", *_sides(_ERRORS))])
        except InputError:
            raise
        except (KeyError, ValueError, TypeError, csv.Error) as error:
            raise InputError(
                f"this row cannot be used: {error}", file=file or None, line=line if file else None
            ) from None
    if not numbers:
        raise NoGamesError("there is no match", file=file or None)
    whole = np.array(numbers, np.int64)
    lost = np.array(errors, np.float64)
    return StudyTable(
        tuple(made),
        setting=whole[:, 0],
        seed=whole[:, 1],
        number=whole[:, 2],
        won=whole[:, 3] == 1,
        luck_adjusted=lost[:, 0] + 0.5,
        unforced=whole[:, 4:6],
        close_2003=whole[:, 6:8],
        close_2006=whole[:, 8:10],
        move_error=lost[:, 1:3],
        cube_error=lost[:, 3:5] * whole[:, 8:10],
    )


def _sides(columns: Iterable[str]) -> list[str]:
    return [f"{side}_{column}" for column in columns for side in _SIDES]


def _setting(row: Mapping[str, str]) -> MatchSetting:
    one, two = (
        NoisyPlayer(
            _finite(row[f"{side}_chequer_noise"]),
            _finite(row[f"{side}_cube_noise"]),
            int(row[f"{side}_plies"]),
            int(row[f"{side}_cube_plies"]),
        )
        for side in _SIDES
    )
    analyses = (int(row["analysis"]),)
    return MatchSetting(int(row["length"]), one, two, analyses, deterministic=_MODES[row["noise"]])


def _finite(text: str) -> float:
    value = float(text)
    if not np.isfinite(value):
        raise ValueError(f"{text} is not a number")
    return value


def _count(text: str) -> int:
    value = int(text)
    if not 0 <= value < 2**31:
        raise ValueError(f"{value} is not a count")
    return value


def _outcome(text: str) -> int:
    if text not in ("0", "1"):
        raise ValueError(f"{text} is not an outcome")
    return int(text)


#: Confidence of the intervals, as published.
LEVEL = 0.90


@dataclass(frozen=True, eq=False, repr=False)
class Cells:
    """Means over the matches of each setting; the rows of all arrays are the cells."""

    settings: tuple[MatchSetting, ...]
    matches: Array  #: (c,): number of matches.
    #: (c,): the first player's mean luck-adjusted result. With few matches it may leave [0, 1].
    chance: Array
    chance_error: Array  #: (c,): its standard error; infinite where there is one match.
    #: `move_error`, `cube_error`, `decision_error` (c, 2): EPM, EPC and EPD of both players.
    move_error: Array
    cube_error: Array
    decision_error: Array
    #: (c, 2): errors of cube decisions by the number of unforced moves, which no rule of closeness
    #: enters.
    cube_error_per_move: Array

    def __len__(self) -> int:
        return len(self.settings)

    def __repr__(self) -> str:
        return f"<Cells: {len(self)}, of {self.matches.sum():.0f} matches>"

    @property
    def length(self) -> Array:
        """Points to win."""
        return np.array([setting.length for setting in self.settings], np.float64)

    @property
    def rating(self) -> Array:
        """Points that the first player is ahead; infinite where the mean result is 0 or 1."""
        return _rating(self.chance, self.length)

    @property
    def rating_error(self) -> Array:
        """Standard error of `rating`, to first order; infinite where that is."""
        inside = (self.chance > 0.0) & (self.chance < 1.0)
        slope = fibs.steepness(self.length) * self.chance * (1.0 - self.chance)
        error = np.full(len(self), np.inf)
        np.divide(self.chance_error, slope, out=error, where=inside)
        return error

    def rating_interval(self, level: float = LEVEL) -> tuple[Array, Array]:
        """Where the rating difference lies, by Student's t on the mean result.

        An end is infinite where the mean result with its error reaches 0 or 1.
        """
        from scipy.special import stdtrit

        if not 0.0 < level < 1.0:
            raise UsageError("a confidence level lies between 0 and 1")
        freedom = np.maximum(self.matches - 1.0, 1.0)
        reach = stdtrit(freedom, 0.5 + level / 2.0) * self.chance_error
        return (
            _rating(self.chance - reach, self.length),
            _rating(self.chance + reach, self.length),
        )

    @property
    def depd(self) -> Array:
        """The second player's EPD less the first's."""
        return np.asarray(self.decision_error[:, 1] - self.decision_error[:, 0])

    def terms(self, model: StudyModel) -> Array:
        """Differences of error rates (second minus first), one column a coefficient."""
        if model is StudyModel.decision:
            return np.diff(self.decision_error, axis=1)
        return np.hstack([np.diff(self.move_error, axis=1), np.diff(self.cube_error, axis=1)])

    @property
    def judged(self) -> NDArray[np.bool_]:
        """Cells analysed as deeply as their players think; the errors of others tell nothing."""
        return np.array([is_judged(setting) for setting in self.settings], bool)

    def belongs(self, model: StudyModel) -> NDArray[np.bool_]:
        """Cells of the part of the study that fits a model."""
        part = is_part_one if model is StudyModel.decision else is_part_two
        return np.array([part(setting) for setting in self.settings], bool)

    def published_rating(self, model: StudyModel) -> Array:
        """Rating difference by the published formula of a model."""
        weights = [published_weight(name)(self.length) for name in model.names]
        return np.asarray(np.sum(np.column_stack(weights) * self.terms(model), axis=1), np.float64)

    def deviations(self, rating: Array) -> Array:
        """Standard errors that the mean result lies above what a rating difference gives."""
        expected = fibs.probability(rating, 0.0, self.length)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((self.chance - expected) / self.chance_error, np.float64)

    def select(self, rows: NDArray[np.bool_]) -> Cells:
        """Some of the cells."""
        return Cells(
            tuple(setting for setting, kept in zip(self.settings, rows, strict=True) if kept),
            *(getattr(self, name)[rows] for name in list(self.__dataclass_fields__)[1:]),
        )


def published_weight(name: str) -> Weight:
    """The published a(N), a2(N) or b(N)."""
    return {"a": PUBLISHED.decision, "a2": PUBLISHED.move, "b": PUBLISHED.cube}[name]


def _rating(chance: Array, length: Array) -> Array:
    return fibs.difference(np.clip(chance, 0.0, 1.0), length)


def make_cells(
    table: StudyTable,
    rule: CloseRule = CloseRule.new,
    averaging: Averaging = Averaging.matches,
    *,
    times: Array | None = None,
) -> Cells:
    """Average the matches of each setting.

    Args:
        rule: Which cube decisions count as close.
        averaging: How rates of matches become one.
        times (float64 array (n,)): How often each match counts: once by default.

    Returns:
        Of the settings that have a match, ordered by length and noise.
    """
    groups = len(table.settings)
    times = np.ones(len(table)) if times is None else times
    number = np.asarray(np.bincount(table.setting, times, groups), np.float64)
    some = number > 0.0
    order = sorted(np.flatnonzero(some), key=lambda row: setting_order(table.settings[row]))

    def total(values: NDArray[Any]) -> Array:
        if values.ndim == 2:
            return np.column_stack([total(values[:, 0]), total(values[:, 1])])
        return np.asarray(np.bincount(table.setting, times * values, groups)[order], np.float64)

    number = number[order]
    chance = total(table.luck_adjusted) / number
    # Squares about the mean of each cell, so that no digits are lost.
    mean = np.zeros(groups)
    mean[order] = chance
    squares = total((table.luck_adjusted - mean[table.setting]) ** 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(squares / (number - 1.0) / number)
    error[number <= 1.0] = np.inf

    close = table.close(rule)
    lost = table.move_error + table.cube_error
    if averaging is Averaging.matches:
        rates = (
            total(table.error_per_move()) / number[:, None],
            total(table.error_per_cube_decision(rule)) / number[:, None],
            total(table.error_per_decision(rule)) / number[:, None],
            total(ratio(table.cube_error, table.unforced)) / number[:, None],
        )
    else:
        rates = (
            ratio(total(table.move_error), total(table.unforced)),
            ratio(total(table.cube_error), total(close)),
            ratio(total(lost), total(table.unforced + close)),
            ratio(total(table.cube_error), total(table.unforced)),
        )
    settings = tuple(table.settings[row] for row in order)
    return Cells(settings, number, chance, error, *rates)


def _plain(setting: MatchSetting) -> bool:
    players = (setting.first, setting.second)
    return (
        not setting.deterministic
        and setting.analyses == (0,)
        and all(player.plies == player.cube_plies == 0 for player in players)
    )


def is_judged(setting: MatchSetting) -> bool:
    """Whether the analysis of a setting is as deep as both players think."""
    players = (setting.first, setting.second)
    deepest = max(plies for player in players for plies in (player.plies, player.cube_plies))
    return min(setting.analyses) >= deepest


def is_part_one(setting: MatchSetting) -> bool:
    """Whether a cell is of Part I: noise is random and each player's the same everywhere."""
    players = (setting.first, setting.second)
    return _plain(setting) and all(p.chequer_noise == p.cube_noise for p in players)


def is_part_two(setting: MatchSetting) -> bool:
    """Whether a cell is of Part II: no noise against separate noise for moves and cube."""
    first, second = setting.first, setting.second
    return (
        _plain(setting)
        and setting.length > 1
        and first.chequer_noise == first.cube_noise == 0.0
        and second.chequer_noise != second.cube_noise
    )


_CUBE_ERRORS = ("missed_double", "wrong_double", "wrong_take", "wrong_pass")
_NEEDED = ("length", "player_1", "player_2", "winner", "luck_adjusted_1")


@dataclass(frozen=True)
class MatchTable:
    """Matches with a winner, as arrays with one entry a match; frozen."""

    length: Floats  #: Points to win.
    players: NDArray[Any]  #: (matches, 2)
    score: Floats  #: 1 where the first player won, else 0.
    luck_adjusted: Floats  #: Luck-adjusted result of the first player as a probability.
    #: `chequer`, `cube` (matches, 2): sums of errors of both players, in normalised equity.
    chequer: Floats
    cube: Floats
    unforced: Floats  #: `unforced`, `close` (matches, 2): unforced moves, and close cube decisions.
    close: Floats

    def __len__(self) -> int:
        return len(self.length)

    def select(self, keep: NDArray[Any]) -> MatchTable:
        """The matches where `keep` is true, or those of its numbers."""
        return MatchTable(**{name: getattr(self, name)[keep] for name in self.__dataclass_fields__})

    @property
    def epm(self) -> Floats:
        """Errors per unforced move, shape (matches, 2); 0 without a move."""
        return ratio(self.chequer, self.unforced)

    @property
    def epc(self) -> Floats:
        """Errors per close cube decision, shape (matches, 2); 0 without one."""
        return ratio(self.cube, self.close)

    @property
    def epd(self) -> Floats:
        """Errors per decision, shape (matches, 2); 0 without one."""
        return ratio(self.chequer + self.cube, self.unforced + self.close)


def read_match_table(path: Path, *, close: str = "close") -> MatchTable:
    """Read the table that ``yardstone backgammon analyse --table`` writes, also packed with gzip.

    Rows without a winner and money sessions are left out.

    Args:
        close ({"close", "close_2003"}): Which rule counts close cube decisions: GNU Backgammon's,
            or that of 2003.

    Raises:
        InputError: The file cannot be read, or a column is missing or holds no number.
    """
    try:
        text = Source(str(path), path).content().decode("utf-8")
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"cannot be read: {error}", file=str(path)) from None
    missing = [name for name in _NEEDED if rows and name not in rows[0]]
    if missing:
        raise InputError(
            f"there is no column {missing[0]!r}",
            file=str(path),
            hint="make it with yardstone backgammon analyse --table",
        )
    values = []
    for line, row in enumerate(rows, 2):
        try:
            if row["winner"] and row["luck_adjusted_1"] and float(row["length"]) >= 1.0:
                values.append(_numbers(row, close))
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"no such number: {error}", file=str(path), line=line) from None
    if not values:
        raise NoGamesError("there is no match with a winner in it", file=str(path))
    columns = [np.array(column) for column in zip(*values, strict=True)]
    return MatchTable(*columns)


def _numbers(row: Mapping[str, str], close: str) -> tuple[Any, ...]:
    """One row in the order of `MatchTable`."""

    def both(*names: str) -> list[float]:
        return [sum(float(row[f"{name}_{side}"]) for name in names) for side in (1, 2)]

    return (
        float(row["length"]),
        [row["player_1"], row["player_2"]],
        float({"1": 1.0, "2": 0.0}[row["winner"]]),
        float(row["luck_adjusted_1"]),
        both("chequer"),
        both(*_CUBE_ERRORS),
        both("unforced"),
        both(close),
    )
