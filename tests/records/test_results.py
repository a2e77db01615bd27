"""One meaning for each way to write a result, whichever door it comes through."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

import yardstone
from tests.shared import shared_path
from yardstone.errors import InputError, SkippedWarning, UsageError
from yardstone.pool import Pool
from yardstone.records.go_game import parse_winner
from yardstone.records.results import left_out_reason, meanings
from yardstone.tournament.event import parse_score
from yardstone.tournament.model import Result
from yardstone.winprob.games import read_games_csv

#: Whom a text names: a colour, or by the place of its points the first or the second player.
TEXTS = {
    "black": [
        "B+3.5", "B+0.5", "B+R", "b+r", "B+T", "B+F", "B+", "B +3.5", "B + R", "B+3,5", "B+.5",
        "B+3 1/2", "B+½", "B+1/2", "B+151.5", "B+0.02", "B+0", "B+0.0", "B+7.500000", "B+3.",
        "B+Resign", "B+Resigned", "B+Resignation", "B+Time", "B+Timeout", "B+Time out",
        "B+Forfeit", "B+Offline", "B+Disconnection", "B+3.5 points", "B+1 point", "B+2 pts",
        "B+Moderator decision", "B+Resign (White lost)", "B+R (212 moves)", "B+R (resignation)",
        "Black+R", "Black+3.5", "BLACK+RESIGN", "B", "b", "Black", "Ｂ＋Ｒ", "Ｂ＋３．５",
        "Black wins", "Black won", "black win", "BlackWins", "black_wins", "black-won",
        "RESULT_BLACKWINS", "Black wins by resignation", "Black wins by resignation.",
        "Black wins on time", "Black won by 3.5 points", "Black wins by 3.5",
        "Black wins by half a point", "Black wins by White's resignation",
        "Black wins by White’s timeout", "Black (Bob) wins", "Black: wins", "Black has won",
        "Black beats White", "Black defeated White by 2.5 points", "Winner: Black",
        "winner is black", "Black victory", "Black wins the game", "Black wins by forfeit",
        "Black wins by checkmate", "White resigns", "White resigned", "White (Ann) resigns",
        "White forfeits", "White lost", "White loses on time", "White lost to Black",
        "White lost by 3.5 points", "White times out", "White ran out of time", "White timed out",
        "White resigns. Black wins.", "White resigned, Black wins", "B+R; Black wins",
        "黑中盘胜", "黑中盤勝", "黑胜", "黑胜3.75子", "黑勝2又1/2子", "黑贏2又1/2子",
        "黑胜四分之三子", "Black+Resign",
        "黑超时胜", "黑方胜", "黑棋中盘胜", "黑，中盘胜", "白认输", "白負", "白超时负", "白方认输",
        "黒中押し勝ち", "黒番中押し勝ち", "黒中押勝ち", "黒2目半勝", "黒半目勝ち", "黒の勝ち",
        "黒勝",
        "黒番2目半勝ち", "白投了", "白時間切れ負け", "黒反則勝ち", "黑+3.5", "B+中押し", "B+半目",
        "흑 불계승", "흑불계승", "흑승", "흑 3집반승", "흑 시간승", "백 시간패", "백 불계패",
        "黑中押し勝ち",
        "Schwarz gewinnt", "Schwarz gewinnt durch Aufgabe", "Schwarz gewinnt mit 3,5 Punkten",
        "Weiß gibt auf", "Noir gagne", "Noir gagne par abandon", "Blanc abandonne",
        "Negro gana por 3.5 puntos", "Negras ganan", "Blanco abandona", "Чёрные выиграли",
        "Белые сдались",
    ],
    "white": [
        "W+3.5", "W+R", "w+r", "W+T", "W+F", "W+", "W+Resign", "W+Time", "W+Offline", "W+0.0",
        "White+Resign", "White +3.5", "W", "white", "White wins", "whitewins", "WhiteWins",
        "RESULT_WHITEWINS", "White won by resignation", "White wins on time", "W 3.5",
        "Black resigns", "Black resigned", "Black lost on time", "Black forfeits",
        "Black timed out",
        "black checkmated", "白中盘胜", "白半目勝", "白6目半勝", "白 3집반승", "白番中押し勝ち",
        "白勝ち",
        "黑负", "黑认输", "黒投了", "黒負け", "흑 기권패", "백 불계승", "Weiß gewinnt auf Zeit",
        "Weiss gewinnt", "Blanc gagne de 3,5 points", "White+1/2", "W+0,5", "W+12.5 moku",
    ],
    "draw": [
        "Jigo", "jigo", "Draw", "draw", "Drawn", "Game drawn", "Draw by agreement",
        "Game drawn by repetition", "draw (triple ko)", "Draw agreed", "Tie", "tied",
        "RESULT_EQUAL", "=", "=-=", "½", "½-½", "1/2-1/2", "1/2 - 1/2", "0.5-0.5", "0,5-0,5",
        "½:½", "Remis", "Unentschieden", "Empate", "持碁", "持棋", "和棋", "和棋(三劫)", "和局",
        "平局",
        "무승부", "ничья", "stalemate",
    ],
    "first": ["1-0", "1:0", "1 - 0", "1–0", "(1-0)", "1−0", "1‑0", "100%", "1.0-0.0"],
    "second": ["0-1", "0:1", "0 - 1", "0—1", "0%"],
    "forfeit": ["1-0F", "0-1 !", "1-0 ff", "+--", "--+", "+/-", "-/+", "+:-", "1-0 (forfeit)",
                "RESULT_WHITEWINS_BYDEF", "White wins by default", "w/o"],
    "open": ["", "?", "*", "Void", "void (triple ko)", "No result", "no result (both agreed)",
             "Unfinished", "Suspended", "adjourned", "Both lost", "打ち掛け", "無勝負", "封盘",
             "무효"],
    "neither": [
        "BW", "aw", "x,w", "D,aw", "W+B+3", "W+-3", "B+-0.5", "B+R W+R", "B+R, W+R", "B+R (W+R)",
        "Black doesn't win", "Black does not win", "Black didn't win", "not Black", "Black?",
        "B+R?", "B+?", "Black wins?", "Black wins by White", "Black wins by Black's resignation",
        "Black win or White win", "Black wins, White wins", "Blackie wins", "Lee beats Bob",
        "Blackburn won", "B+R void", "Void B+R", "B+R (annulled)", "B+R (void)", "B+Draw",
        "Draw, W wins", "drawn by lot: W+R", "jigo?", "no draw", "B+3.5.5", "B+3..5", "B++R",
        "B--3", "+B", "R+B", "B+W", "W+B", "B+RR", "B+x", "B+moves", "B+20200101", "3.5B",
        "B-R", "B/W", "black white", "Black, White", "Black resign", "White resign?",
        "Black resigns and White resigns", "Black would have won", "Black almost won",
        "Black nearly wins by 3.5", "Black wins nothing", "White (Black) ", "wb", "bb", "b2", "W3",
        "黑白", "黑不胜", "黑未胜", "黑白胜", "白黑中盘胜", "黑胜白胜", "흑백", "黒?", "黑胜?",
        "B+R B",
        "B+3.5 W", "B+(3.5", "[B+R]", "B+R]", "the B+R game", "see comments: B+R",
        "1-O", "O-1", "1-0-0", "1-0 0-1", "--", "l-0",
    ],
}  # fmt: skip
MEANING = {text: meaning for meaning, texts in TEXTS.items() for text in texts}
NO_RESULT = {"forfeit", "open", "neither"}


def _score(text: str, black_first: bool = True) -> float | None:
    """Points of the first player, who is Black or White; None where there are none."""
    black = {"black": 1.0, "white": 0.0, "draw": 0.5, "first": 1.0, "second": 0.0}
    score = black.get(MEANING[text])
    turned = score is not None and not black_first and MEANING[text] in ("black", "white")
    return 1.0 - score if score is not None and turned else score


def _read(path: Path, first: Literal["black"] | None = None) -> Pool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkippedWarning)
        return yardstone.read(path, skip_unread=True, first=first)


def _by_name(pool: Pool) -> dict[str, float]:
    """Points of the first player by the number of the text, which is in their name."""
    return {
        pool.players[first].removeprefix("n"): float(score)
        for first, score in zip(pool.first, pool.score, strict=True)
    }


def _agrees(read: dict[str, float], numbers: dict[str, str], *, black_first: bool = True) -> None:
    """Whatever was read has its stated meaning; what was not is refused."""
    wrong = {
        numbers[number]: score
        for number, score in read.items()
        if number in numbers and score != _score(numbers[number], black_first)
    }
    assert not wrong


def test_there_are_many_and_each_has_one_meaning() -> None:
    assert len(MEANING) == sum(map(len, TEXTS.values())) > 300


@pytest.mark.parametrize("meaning", TEXTS)
def test_the_table_of_notations(meaning: str) -> None:
    for text in TEXTS[meaning]:
        said, reason = meanings(text), left_out_reason(text)
        if meaning in ("forfeit", "open"):
            assert reason is not None, text
        elif meaning == "neither":
            assert said == {} or text == "--", (text, said)
        elif meaning in ("black", "white"):
            assert (said["colour"], reason) == ({"white": 1, "black": -1}[meaning], None), text
        elif meaning == "draw":
            assert (said, reason) == ({"": 0}, None), text
        else:
            assert set(said.values()) == {1 if meaning == "first" else -1}, text
    winners = {"black": 1, "white": 2, "draw": -1}
    expected = dict.fromkeys(TEXTS[meaning], winners.get(meaning, 0))
    assert {text: parse_winner(text) for text in TEXTS[meaning]} == expected


def test_sgf(tmp_path: Path) -> None:
    path = tmp_path / "games.sgf"
    numbers = {str(k): text for k, text in enumerate(MEANING)}
    escaped = {k: text.replace("]", "\\]") for k, text in numbers.items()}
    path.write_text(
        "\n".join(f"(;GM[1]CA[UTF-8]PB[n{k}]PW[x]RE[{text}])" for k, text in escaped.items())
    )
    read = _by_name(_read(path))
    _agrees(read, numbers)
    understood = {k for k, text in numbers.items() if MEANING[text] in ("black", "white", "draw")}
    assert set(read) == understood


def _table(path: Path, numbers: dict[str, str], context: list[str]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["black", "white", "b_rank", "w_rank", "result"])
        writer.writerows([f"n{k}", "x", "1k", "1k", text] for k, text in numbers.items())
        writer.writerows(["p", "q", "1k", "1k", text] for _ in range(400) for text in context)


@pytest.mark.parametrize("context", [["B+R", "W+R"], ["1-0", "0-1"]])
def test_tables(tmp_path: Path, context: list[str]) -> None:
    """In tables the notation of the whole column counts: colours, or points of both."""
    path = tmp_path / "games.csv"
    numbers = {str(k): text for k, text in enumerate(MEANING)}
    _table(path, numbers, context)
    read = _by_name(_read(path, first="black"))
    _agrees(read, numbers)
    colours = {"black", "white"} if context[0] == "B+R" else set()
    assert {text for k, text in numbers.items() if k in read} >= {
        text for text, meaning in MEANING.items() if meaning in {"draw", *colours}
    }


def test_a_table_of_one_text(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    for text in ["Black?", "B+?", "+B", *[*MEANING][::12]]:
        _table(path, {"0": text}, [])
        try:
            read = _by_name(_read(path, first="black"))
        except InputError:
            continue
        _agrees(read, {"0": text})


@pytest.mark.parametrize("context", [["B+R", "W+R"], ["1-0", "0-1"], ["1", "0"]])
def test_tables_of_the_winning_model(tmp_path: Path, context: list[str]) -> None:
    path = tmp_path / "games.csv"
    numbers = {str(k): text for k, text in enumerate(MEANING) if MEANING[text] != "neither"}
    _table(path, numbers, context * 10)
    read = _by_name(read_games_csv(path))
    _agrees(read, numbers)
    _table(path, {"0": "BW", "1": "aw", "2": "BW"}, context)
    assert set(_by_name(read_games_csv(path))) == {"p"}
    _table(path, {str(k): "BW" for k in range(90)}, context)
    with pytest.raises(InputError, match=r"'BW' \(90\) of 'result' are not understood"):
        read_games_csv(path)


def test_the_winning_model_and_the_list_understand_the_same_rows(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    numbers = {str(k): text for k, text in enumerate(MEANING) if MEANING[text] != "neither"}
    _table(path, numbers, ["B+R", "W+R"])
    assert _by_name(read_games_csv(path)) == _by_name(_read(path, first="black"))


def test_pgn(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    numbers = {str(k): text for k, text in enumerate(MEANING)}
    path.write_text(
        "\n".join(
            f'[White "n{k}"]\n[Black "x"]\n[Result "{text}"]\n\n*\n' for k, text in numbers.items()
        )
    )
    read = _by_name(_read(path))
    _agrees(read, numbers, black_first=False)
    assert {numbers[k] for k in read} >= {"1-0", "0-1", "1/2-1/2"}


def test_entry_in_a_tournament() -> None:
    points = {Result.first_wins: 1.0, Result.draw: 0.5, Result.second_wins: 0.0}
    entered = {}
    for text, meaning in MEANING.items():
        try:
            result, forfeit = parse_score(text)
        except UsageError:
            assert text not in ("1-0", "0-1", "½-½", "jigo", "+--")
            continue
        entered[text] = meaning
        assert forfeit is (meaning == "forfeit"), text
        if meaning not in NO_RESULT:
            assert points[result] == _score(text), text
        elif meaning == "open":
            assert result is Result.unknown, text
    assert "neither" not in entered.values()
    assert {"first", "second", "draw", "forfeit"} <= set(entered.values())


def _real_texts() -> Iterator[tuple[str, int]]:
    """Texts of results of servers and tournaments, and how often each occurs."""
    for name in (
        "fox_index.csv.gz",
        "fox_ranked/index.csv.gz",
        "ogs_weak/index.csv.gz",
        "tournaments/games.csv.gz",
        "tygem_2005_2011.tsv.gz",
    ):
        pool = yardstone.query(
            f"SELECT result AS first, count(*)::VARCHAR AS second, '1-0' AS score FROM "
            f"read_csv('{shared_path('data/go/' + name)}', all_varchar = true) GROUP BY result"
        )
        yield from (
            (pool.players[one], int(pool.players[two]))
            for one, two in zip(pool.first, pool.second, strict=True)
        )


def test_results_of_real_games_name_their_winner() -> None:
    """All of them: what B+0.0 means shows in whom it names, mostly the stronger player."""
    games = 0
    for text, number in _real_texts():
        plain = text.removeprefix("RESULT_").upper()
        winner = {"B": 1, "W": 2, "D": -1, "E": -1}[plain[0]]
        assert parse_winner(text) == winner, text
        assert left_out_reason(text) is None, text
        games += number
    assert games > 680_000


def test_names_with_a_result_behind_them(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    rows = ["Ann won", "Bob wins by resignation", "Ann won't win", "Ann won nothing"]
    path.write_text("player1,player2,winner\n" + "".join(f"Ann,Bob,{row}\n" for row in rows * 5))
    pool = _read(path)
    np.testing.assert_array_equal(pool.score, [1.0, 0.0] * 5)
