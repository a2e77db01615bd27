"""One meaning for each way to write a result, whichever door it comes through."""

from __future__ import annotations

import csv
import warnings
from pathlib import Path
from typing import Literal

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

pytestmark = pytest.mark.usefixtures("one_database")

#: Whom a text names: a colour, or by the place of its points the first or the second player.
TEXTS = {
    "black": [
        "B+3.5", "b+r", "B+F", "B+", "B +3.5", "B+3,5", "B+.5", "B+3 1/2", "B+½", "B+151.5",
        "B+0.0",
        "B+3.", "B+Resign", "B+Timeout", "B+Time out", "B+Offline", "B+3.5 points", "B+1 point",
        "B+2 pts", "B+Moderator decision", "B+Resign (White lost)", "B+R (212 moves)", "Black+R",
        "B", "Black", "Ｂ＋３．５", "Black won", "black_wins", "black-won", "RESULT_BLACKWINS",
        "Black wins by resignation.", "Black wins on time", "Black won by 3.5 points",
        "Black wins by half a point", "Black wins by White’s timeout", "Black (Bob) wins",
        "Black: wins", "Black has won", "Black defeated White by 2.5 points", "Winner: Black",
        "winner is black", "Black victory", "Black wins the game", "Black wins by checkmate",
        "White resigns", "White (Ann) resigns", "White forfeits", "White loses on time",
        "White lost to Black", "White times out", "White ran out of time",
        "White resigned, Black wins", "B+R; Black wins", "黑中盘胜", "黑胜3.75子", "黑勝2又1/2子",
        "黑贏2又1/2子", "黑胜四分之三子", "黑超时胜", "黑棋中盘胜", "黑，中盘胜", "白认输", "白負",
        "黒番中押し勝ち", "黒中押勝ち", "黒2目半勝", "黒の勝ち", "白投了", "白時間切れ負け",
        "黒反則勝ち",
        "B+中押し", "B+半目", "흑불계승", "흑승", "흑 3집반승", "백 시간패",
        "Schwarz gewinnt durch Aufgabe",
        "Weiß gibt auf", "Noir gagne par abandon", "Blanc abandonne", "Negro gana por 3.5 puntos",
        "Negras ganan", "Blanco abandona", "Чёрные выиграли", "Белые сдались",
    ],
    "white": [
        "W+3.5", "w+r", "W+Time", "White +3.5", "W", "white", "whitewins", "RESULT_WHITEWINS",
        "White won by resignation", "W 3.5", "Black resigned", "Black lost on time",
        "Black timed out", "black checkmated", "白6目半勝", "白番中押し勝ち", "黑负", "黒投了",
        "黒負け",
        "흑 기권패", "Weiß gewinnt auf Zeit", "Weiss gewinnt", "Blanc gagne de 3,5 points", "W+0,5",
        "W+12.5 moku",
    ],
    "draw": [
        "Jigo", "draw", "Game drawn", "Draw by agreement", "draw (triple ko)", "Tie",
        "RESULT_EQUAL", "=", "=-=", "½", "1/2-1/2", "1/2 - 1/2", "0,5-0,5", "½:½", "Remis",
        "Unentschieden", "Empate", "持碁", "和棋(三劫)", "平局", "무승부", "ничья", "stalemate",
    ],
    "first": ["1-0", "1:0", "1 - 0", "1–0", "(1-0)", "1−0", "1‑0", "100%", "1.0-0.0"],
    "second": ["0-1", "0:1", "0 - 1", "0—1", "0%"],
    "forfeit": ["1-0F", "0-1 !", "1-0 ff", "+--", "--+", "+/-", "+:-", "1-0 (forfeit)",
                "RESULT_WHITEWINS_BYDEF", "White wins by default", "w/o"],
    "open": ["", "?", "*", "void (triple ko)", "No result", "no result (both agreed)",
             "Unfinished", "adjourned", "Both lost", "打ち掛け", "無勝負", "封盘", "무효"],
    "neither": [
        "BW", "x,w", "W+B+3", "W+-3", "B+R W+R", "B+R, W+R", "B+R (W+R)", "Black doesn't win",
        "Black does not win", "not Black", "Black?", "B+R?", "B+?", "Black wins?",
        "Black wins by White", "Black wins by Black's resignation", "Black wins, White wins",
        "Blackie wins", "Lee beats Bob", "Blackburn won", "B+R void", "B+R (annulled)", "B+Draw",
        "Draw, W wins", "drawn by lot: W+R", "jigo?", "no draw", "B+3.5.5", "B+3..5", "B++R",
        "B--3",
        "+B", "R+B", "B+W", "B+RR", "B+x", "B+20200101", "3.5B", "B-R", "B/W", "black white",
        "Black resign", "White resign?", "Black resigns and White resigns", "Black almost won",
        "Black nearly wins by 3.5", "Black wins nothing", "White (Black) ", "wb", "b2", "黑白",
        "黑不胜", "黑未胜", "白黑中盘胜", "黑胜白胜", "흑백", "黑胜?", "B+R B", "B+3.5 W",
        "B+(3.5", "[B+R]",
        "B+R]", "the B+R game", "see comments: B+R", "1-O", "1-0-0", "1-0 0-1", "--", "l-0",
    ],
}  # fmt: skip
MEANING = {text: meaning for meaning, texts in TEXTS.items() for text in texts}
NUMBERS = {str(k): text for k, text in enumerate(MEANING)}
CLEAR = {number: text for number, text in NUMBERS.items() if MEANING[text] != "neither"}


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


def _checked(pool: Pool, numbers: dict[str, str], *, black_first: bool = True) -> dict[str, float]:
    """Points by the number of the text, which is in a name: those of its meaning, or none."""
    read = {
        pool.players[first].removeprefix("n"): float(score)
        for first, score in zip(pool.first, pool.score, strict=True)
    }
    for number, score in read.items():
        if number in numbers:
            assert score == _score(numbers[number], black_first), numbers[number]
    return read


def test_the_table_of_notations() -> None:
    for text, meaning in MEANING.items():
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
        winner = {"black": 1, "white": 2, "draw": -1}.get(meaning, 0)
        assert parse_winner(text) == winner, text


def test_sgf_and_pgn(tmp_path: Path) -> None:
    sgf, pgn = tmp_path / "games.sgf", tmp_path / "games.pgn"
    escaped = {k: text.replace("]", "\\]") for k, text in NUMBERS.items()}
    games = [f"(;GM[1]CA[UTF-8]PB[n{k}]PW[x]RE[{text}])" for k, text in escaped.items()]
    sgf.write_text("\n".join(games))
    understood = {k for k, text in NUMBERS.items() if MEANING[text] in ("black", "white", "draw")}
    assert set(_checked(_read(sgf), NUMBERS)) == understood
    tags = '[White "n{}"]\n[Black "x"]\n[Result "{}"]\n\n*\n'
    pgn.write_text("\n".join(tags.format(k, text) for k, text in NUMBERS.items()))
    read = _checked(_read(pgn), NUMBERS, black_first=False)
    assert {NUMBERS[k] for k in read} >= {"1-0", "0-1", "1/2-1/2"}


def _table(path: Path, numbers: dict[str, str], context: list[str]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["black", "white", "b_rank", "w_rank", "result"])
        writer.writerows([f"n{k}", "x", "1k", "1k", text] for k, text in numbers.items())
        writer.writerows(["p", "q", "1k", "1k", text] for _ in range(200) for text in context)


@pytest.mark.parametrize("context", [["B+R", "W+R"], ["1-0", "0-1"], ["1", "0"]])
def test_tables(tmp_path: Path, context: list[str]) -> None:
    """In tables the notation of the whole column counts: colours, or points of both."""
    path = tmp_path / "games.csv"
    if context != ["1", "0"]:
        _table(path, NUMBERS, context)
        read = _checked(_read(path, first="black"), NUMBERS)
        sure = {"draw", "black", "white"} if context[0] == "B+R" else {"draw"}
        assert {k for k, text in NUMBERS.items() if MEANING[text] in sure} <= set(read)
    _table(path, CLEAR, context * 10)
    graded = _checked(read_games_csv(path), CLEAR)
    if context[0] == "B+R":  # the winning model and the list understand the same rows
        assert graded == _checked(_read(path, first="black"), CLEAR)
    _table(path, {"0": "BW", "1": "x,w", "2": "BW"}, context)
    assert set(_checked(read_games_csv(path), {})) == {"p"}
    _table(path, {str(k): "BW" for k in range(90)}, context)
    with pytest.raises(InputError, match=r"'BW' \(90\) of 'result' are not understood") as caught:
        read_games_csv(path)
    assert caught.value.hint == "correct the file: these commands have no options for it"
    path.write_text("black,white,result\nAnn,Bob,B+R\n")
    with pytest.raises(InputError, match="do not name the players' grades") as caught:
        read_games_csv(path)
    assert caught.value.hint is None


def test_a_table_of_one_text_and_of_names_with_a_result(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    rows = ["Ann won", "Bob wins by resignation", "Ann won't win", "Ann won nothing"]
    path.write_text("player1,player2,winner\n" + "".join(f"Ann,Bob,{row}\n" for row in rows * 5))
    assert _read(path).score.tolist() == [1.0, 0.0] * 5
    for text in ["Black?", "B+?", "+B", *[*MEANING][::60]]:
        _table(path, {"0": text}, [])
        try:
            pool = _read(path, first="black")
        except InputError:
            continue
        _checked(pool, {"0": text})


def test_entry_in_a_tournament() -> None:
    points = {Result.first_wins: 1.0, Result.draw: 0.5, Result.second_wins: 0.0}
    entered = set()
    for text, meaning in MEANING.items():
        try:
            result, forfeit = parse_score(text)
        except UsageError:
            assert text not in ("1-0", "0-1", "1/2-1/2", "Jigo", "+--")
            continue
        entered.add(meaning)
        assert forfeit is (meaning == "forfeit"), text
        if meaning == "open":
            assert result is Result.unknown, text
        elif meaning != "forfeit":
            assert points[result] == _score(text), text
    assert {"first", "second", "draw", "forfeit"} <= entered


def test_results_of_real_games_name_their_winner() -> None:
    """All of them: what B+0.0 means shows in whom it names, mostly the stronger player."""
    games = 0
    indexes = "fox_index.csv fox_ranked/index.csv ogs_weak/index.csv tournaments/games.csv"
    for name in [f"{each}.gz" for each in indexes.split()] + ["tygem_2005_2011.tsv.gz"]:
        pool = yardstone.query(
            f"SELECT result AS first, count(*)::VARCHAR AS second, '1-0' AS score FROM "
            f"read_csv('{shared_path('data/go/' + name)}', all_varchar = true) GROUP BY result"
        )
        for one, two in zip(pool.first, pool.second, strict=True):
            text = pool.players[one]
            winner = {"B": 1, "W": 2, "D": -1, "E": -1}[text.removeprefix("RESULT_").upper()[0]]
            assert (parse_winner(text), left_out_reason(text)) == (winner, None), text
            games += int(pool.players[two])
    assert games > 680_000
