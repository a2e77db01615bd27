"""Statistics as GNU Backgammon's own Python gives them, made up for tests."""

from __future__ import annotations

from typing import Any

_CUBE = (
    *("missed-double-below-cp", "missed-double-above-cp"),
    *("wrong-double-below-dp", "wrong-double-above-tg", "wrong-take", "wrong-drop"),
)


def statistics(
    *,
    moves: int = 50,
    unforced: int = 40,
    close: int = 8,
    chequer: float = 0.4,
    cube: tuple[float, ...] = (0.1, 0.2, 0.05, 0.0, 0.3, 0.0),
    luck: float = 0.5,
    adjusted: float = 0.1,
) -> dict[str, Any]:
    """The entry of one player."""
    return {
        "moves": {
            "unforced-moves": unforced,
            "total-moves": moves,
            "error-skill": chequer,
            "marked": {"very bad": 1, "bad": 2, "doubtful": 3, "unmarked": moves - 6},
        },
        "cube": {
            "close-cube": close,
            **{name: int(error > 0) for name, error in zip(_CUBE, cube, strict=True)},
            **{f"err-{name}-skill": error for name, error in zip(_CUBE, cube, strict=True)},
        },
        "dice": {"luck": luck, "luck-adjusted-result": adjusted},
    }


def outcome_of(
    file: str = "match.mat",
    names: tuple[str, str] = ("Ann", "Bob"),
    *,
    length: int = 5,
    date: tuple[int, ...] = (24, 5, 2022),
    first: dict[str, Any] | None = None,
    errors: tuple[dict[str, Any], ...] = (),
    decisions: tuple[tuple[Any, ...], ...] = (),
) -> Any:
    """Return an outcome of the analysis of one file, of a match won by 6 to 1."""
    from yardstone.backgammon.file_analysis import FileAnalysis

    games = [
        {"score-X": mine, "score-O": other, "winner": who, "points-won": points}
        for mine, other, who, points in ((0, 0, "X", 2), (2, 0, "O", 1), (2, 1, "X", 4))
    ]
    match = {"names": list(names), "length": length, "date": list(date), "event": "", "place": "",
             "variation": "Standard", "games": games, "more_games": 0}  # fmt: skip
    stats = {"X": first or statistics(), "O": statistics(adjusted=-0.1, chequer=0.8)}
    close = {who: {"close-2003": 13, "close-2006": 8} for who in "XO"}
    found = {
        "match": match, "analysis": {"stats": stats, "close": close}, "errors": list(errors),
        "decisions": [list(row) for row in decisions],
    }  # fmt: skip
    return FileAnalysis(file, "analysed", "", found)
