"""Plays matches between GNU Backgammon's players of given noise, one process a match.

A match is named by its setting, its number and the seed of the whole: they alone
give its dice and the clock that seeds its noise. So match 17 of a setting is the
same whichever matches are played beside it, in which order, by how many processes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from threading import Event
from typing import Any

from yardstone.backgammon.gnubg import TIMEOUT, inside, run_script
from yardstone.errors import UsageError, WorkerError

__all__ = ["MatchJob", "MatchSetting", "NoisyPlayer", "play_match"]

#: Longest match that GNU Backgammon plays with its match equity table.
LONGEST = 64
#: Deepest search that is of use here.
DEEPEST = 4
#: The clocks lie between 1973 and 2036 (seconds since 1970).
_FIRST_CLOCK, _CLOCKS = 100_000_000, 2_000_000_000
#: Noise is kept to so many parts of one when it enters a seed.
_PARTS = 1_000_000
#: Names of the two players inside GNU Backgammon.
_NAMES = ("first", "second")


@dataclass(frozen=True, slots=True)
class NoisyPlayer:
    """How a player of a match thinks.

    Attributes
    ----------
    chequer_noise, cube_noise : float
        Standard deviation of the noise added to the outputs of the evaluation,
        in chequer play and in cube decisions; 0 for none.
    plies : int
        Depth of the search, from 0.
    cube_plies : int, optional
        Depth in cube decisions, if it is another one.
    """

    chequer_noise: float = 0.0
    cube_noise: float = 0.0
    plies: int = 0
    cube_plies: int = -1

    def __post_init__(self) -> None:
        for noise in (self.chequer_noise, self.cube_noise):
            if not 0.0 <= noise <= 10.0:
                raise UsageError(f"noise of {noise:g}: it lies between 0 and 10")
        if self.cube_plies == -1:
            object.__setattr__(self, "cube_plies", self.plies)
        for plies in (self.plies, self.cube_plies):
            if not 0 <= plies <= DEEPEST:
                raise UsageError(f"{plies} plies: give 0 to {DEEPEST}")

    def __str__(self) -> str:
        if self.chequer_noise == self.cube_noise:
            noise = f"noise {self.chequer_noise:g}"
        else:
            noise = f"noise {self.chequer_noise:g} and {self.cube_noise:g} (cube)"
        cube = "" if self.cube_plies == self.plies else f" ({self.cube_plies}-ply cube)"
        return f"{self.plies}-ply{cube}, {noise}"


@dataclass(frozen=True, slots=True)
class MatchSetting:
    """A cell of a study: who plays whom, how long, and how it is analysed.

    Attributes
    ----------
    length : int
        Points to win.
    first, second : NoisyPlayer
        GNU Backgammon's player 0 (``X``) and player 1 (``O``). Who begins is
        decided by the dice.
    analyses : tuple of int
        Plies of each analysis of the match; luck is analysed at 0 plies.
    deterministic : bool
        Noise computed from the position in place of random noise. It is GNU
        Backgammon's default, and biased by 6.9 standard deviations: only for showing that.
    """

    length: int
    first: NoisyPlayer
    second: NoisyPlayer
    analyses: tuple[int, ...] = (0,)
    deterministic: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.length <= LONGEST:
            raise UsageError(f"a match of {self.length} points: give 1 to {LONGEST}")
        if not self.analyses or not all(0 <= plies <= DEEPEST for plies in self.analyses):
            raise UsageError(f"analyses at {self.analyses} plies: give 0 to {DEEPEST}")
        if len(set(self.analyses)) < len(self.analyses):
            raise UsageError(f"analyses at {self.analyses} plies: give each depth once")

    def __str__(self) -> str:
        mode = ", deterministic noise" if self.deterministic else ""
        return f"{self.length} points, {self.first} against {self.second}{mode}"

    @property
    def noise_mode(self) -> str:
        """``random`` or ``deterministic``."""
        return "deterministic" if self.deterministic else "random"

    def as_record(self) -> dict[str, Any]:
        """The setting in plain words, as results files have it."""
        return {
            "length": self.length,
            "first": asdict(self.first),
            "second": asdict(self.second),
            "analyses": list(self.analyses),
            "noise": self.noise_mode,
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> MatchSetting:
        """Read back what `as_record` wrote.

        Raises
        ------
        KeyError, TypeError, ValueError, UsageError
            It is no such record.
        """
        return cls(
            int(record["length"]),
            NoisyPlayer(**record["first"]),
            NoisyPlayer(**record["second"]),
            tuple(int(plies) for plies in record["analyses"]),
            {"random": False, "deterministic": True}[record["noise"]],
        )


@dataclass(frozen=True, slots=True)
class MatchJob:
    """One match of a setting.

    Attributes
    ----------
    setting : MatchSetting
    number : int
        Which match of the setting, from 0.
    seed : int
        Seed of the whole study.
    """

    setting: MatchSetting
    number: int
    seed: int

    def seeds(self) -> tuple[int, int]:
        """Seed of the dice, and the clock (seconds since 1970) that seeds the noise."""
        import numpy as np

        # The analyses do not enter: a match analysed otherwise is the same match.
        setting = self.setting
        key = [setting.length, int(setting.deterministic)]
        for player in (setting.first, setting.second):
            key += [round(player.chequer_noise * _PARTS), round(player.cube_noise * _PARTS)]
            key += [player.plies, player.cube_plies]
        sequence = np.random.SeedSequence(self.seed, spawn_key=(*key, self.number))
        dice, clock = (int(word) for word in sequence.generate_state(2))
        return dice >> 1, _FIRST_CLOCK + clock % _CLOCKS


def play_match(
    job: MatchJob,
    *,
    program: Path | None = None,
    frozen: bool = True,
    timeout: float = TIMEOUT,
    export: bool = False,
    stop: Event | None = None,
) -> dict[str, Any]:
    """Play a match, analyse it, and give everything GNU Backgammon says about it.

    Parameters
    ----------
    job : MatchJob
    program : Path, optional
        GNU Backgammon.
    frozen : bool
        Let the clock stand still, so that the same job gives the same match. Without
        it (no libfaketime) random noise is new each time, and the record says so.
    timeout : float
        Seconds until the match is given up.
    export : bool
        Keep the match itself, as the text of a ``.mat`` file.
    stop : Event, optional
        Once it is set, the match is broken off.

    Returns
    -------
    dict
        The setting (as `Setting.as_record`), ``number``, ``seed``, ``dice``, ``clock``
        (null if it ran), ``winner`` (``X`` or ``O``), ``games``, ``score``, and
        ``analyses``: for each depth ``stats`` exactly as GNU Backgammon gives them
        and ``close``, the close cube decisions by the rules of 2003 and 2006; with
        `export` also ``mat``.

    Raises
    ------
    WorkerError
        GNU Backgammon crashed, hung, or gave no complete match.
    """
    dice, clock = job.seeds()
    setting = job.setting
    data = {
        "length": setting.length,
        "players": [asdict(setting.first), asdict(setting.second)],
        "analyses": list(setting.analyses),
        "deterministic": setting.deterministic,
        "dice": dice,
        "names": _NAMES,
        "export": export,
    }
    done = run_script(
        _script(),
        data=data,
        program=program,
        timeout=timeout,
        clock=clock if frozen else None,
        stop=stop,
    )
    answer = done.result
    if answer is None:
        raise WorkerError(f"GNU Backgammon gave no result: {_last_words(done.output, done.errors)}")
    games = answer["games"]
    score = {"X": 0, "O": 0}
    for game in games:
        if game.get("winner") not in score:
            raise WorkerError("GNU Backgammon left a game without a winner")
        score[game["winner"]] += game["points-won"]
    winner = max(score, key=lambda who: score[who])
    if score[winner] < setting.length:
        raise WorkerError(f"GNU Backgammon left the match at {score['X']} to {score['O']}")
    return {
        **setting.as_record(),
        "number": job.number,
        "seed": job.seed,
        "dice": dice,
        "clock": clock if frozen else None,
        "winner": winner,
        "games": len(games),
        "score": [score["X"], score["O"]],
        **{name: answer[name] for name in ("analyses", "mat") if name in answer},
    }


@lru_cache(maxsize=1)
def _script() -> str:
    """What runs inside GNU Backgammon."""
    play = files("yardstone_lab.vandendoel").joinpath("_gnubg_play.py").read_text(encoding="utf-8")
    return inside(f"{play}\n\nplay()")


def _last_words(*streams: str) -> str:
    lines = [line.strip() for stream in streams for line in stream.splitlines() if line.strip()]
    return " / ".join(lines[-3:])[:300] or "it said nothing"
