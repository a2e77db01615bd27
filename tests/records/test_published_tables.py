"""Tables in the shapes in which people publish results: understood, or asked about."""

from __future__ import annotations

import io
from typing import Any

import pandas as pd
import pytest

import yardstone
from yardstone.errors import InputError, SkippedWarning, UsageError, YardstoneError
from yardstone.pool import Pool

Games = list[tuple[str, str, float]]


def read(text: str, **options: Any) -> Pool:
    frame = pd.read_csv(io.StringIO(text.strip()), dtype=str, keep_default_na=False)
    return yardstone.read(frame, **options)


def games(pool: Pool) -> Games:
    return [
        (pool.players[a], pool.players[b], float(s))
        for a, b, s in zip(pool.first, pool.second, pool.score, strict=True)
    ]


UNDERSTOOD: dict[str, tuple[str, Games]] = {
    "football-data.co.uk": (
        """
Div,Date,HomeTeam,AwayTeam,FTHG,FTAG,FTR,HTHG,HTAG,HTR,B365H,B365D,B365A
E0,2023-08-11,Burnley,Man City,0,3,A,0,2,A,8,5.5,1.33
E0,2023-08-12,Arsenal,Forest,2,1,H,2,0,H,1.18,7,15
E0,2023-08-12,Bournemouth,West Ham,1,1,D,0,0,D,2.7,3.4,2.55
""",
        [("Burnley", "Man City", 0), ("Arsenal", "Forest", 1), ("Bournemouth", "West Ham", 0.5)],
    ),
    "football-data.co.uk, further leagues": (
        """
Country,League,Season,Date,Home,Away,HG,AG,Res
Brazil,Serie A,2023,2023-04-15,Palmeiras,Cuiaba,2,1,H
Brazil,Serie A,2023,2023-04-15,America MG,Fluminense,0,3,A
""",
        [("Palmeiras", "Cuiaba", 1), ("America MG", "Fluminense", 0)],
    ),
    "internationals": (
        """
date,home_team,away_team,home_score,away_score,tournament,city,country,neutral
1872-11-30,Scotland,England,0,0,Friendly,Glasgow,Scotland,FALSE
1873-03-08,England,Scotland,4,2,Friendly,London,England,FALSE
1874-03-07,Scotland,England,2,1,Friendly,Glasgow,Scotland,FALSE
""",
        [("Scotland", "England", 0.5), ("England", "Scotland", 1), ("Scotland", "England", 1)],
    ),
    "nflverse, with the margin as result": (
        """
game_id,season,away_team,away_score,home_team,home_score,location,result,total
a,2023,DET,21,KC,20,Home,-1,41
b,2023,CAR,10,ATL,24,Home,14,34
c,2023,NYG,20,WAS,20,Home,0,40
""",
        [("KC", "DET", 0), ("ATL", "CAR", 1), ("WAS", "NYG", 0.5)],
    ),
    "basketball by FiveThirtyEight": (
        """
date,season,neutral,playoff,team1,team2,elo1_pre,elo2_pre,elo_prob1,score1,score2
1946-11-01,1947,0,,TRH,NYK,1300,1300,0.64,66,68
1946-11-02,1947,0,,PRO,BOS,1300,1300,0.64,59,53
""",
        [("TRH", "NYK", 0), ("PRO", "BOS", 1)],
    ),
    "baseball": (
        """
date,v_name,h_name,v_score,h_score,winning_pitcher_name,losing_pitcher_name
20220407,HOU,LAA,3,1,A,B
20220407,SDN,ARI,2,4,C,D
""",
        [("LAA", "HOU", 0), ("ARI", "SDN", 1)],
    ),
    "hockey with overtime": (
        """
date,visitor_team,home_team,outcome
2023-10-10,NSH,TBL,home win REG
2023-10-10,CHI,PIT,away win OT
2023-10-11,SEA,VGK,home win SO
""",
        [("TBL", "NSH", 1), ("PIT", "CHI", 0), ("VGK", "SEA", 1)],
    ),
    "toto": (
        "home,away,result\nA,B,1\nB,C,X\nC,A,2\n",
        [("A", "B", 1), ("B", "C", 0.5), ("C", "A", 0)],
    ),
    "goals in one cell": (
        "Home,Away,Score\nA,B,2–1\nB,C,0:0\nC,A,1 - 3\nA,C,4-2 (OT)\n",
        [("A", "B", 1), ("B", "C", 0.5), ("C", "A", 0), ("A", "C", 1)],
    ),
    "tennis in sets": (
        'player1,player2,score\nA,B,6-4 3-6 7-6(5)\nB,C,"4-6, 2-6"\n',
        [("A", "B", 1), ("B", "C", 0)],
    ),
    "chess of Kaggle, whose players are numbers": (
        '"Month #","White Player #","Black Player #","Score"\n1,1,2,1\n1,2,0,0.5\n2,0,1,0\n',
        [("1", "2", 1), ("2", "0", 0.5), ("0", "1", 0)],
    ),
    "lichess": (
        """
id,rated,created_at,turns,victory_status,winner,white_id,white_rating,black_id,black_rating,moves
a,FALSE,1504210000000,13,outoftime,white,bourgris,1500,a-00,1191,d4 d5
b,TRUE,1504130000000,16,resign,black,a-00,1322,skinnerua,1261,d4 Nc6
c,TRUE,1504130000000,61,draw,draw,ischia,1496,a-00,1500,e4 e5
""",
        [("bourgris", "a-00", 1), ("a-00", "skinnerua", 0), ("ischia", "a-00", 0.5)],
    ),
    "chess.com": (
        """
white_username,black_username,white_rating,black_rating,white_result,black_result,time_class
ann,bob,1500,1480,win,checkmated,blitz
bob,ann,1490,1490,agreed,agreed,blitz
ann,cid,1500,1510,timeout,win,blitz
""",
        [("ann", "bob", 1), ("bob", "ann", 0.5), ("ann", "cid", 0)],
    ),
    "chess.com, in words": (
        "White,Black,Result\nann,bob,bob won by resignation\nbob,cid,Game drawn by agreement\n"
        "cid,ann,cid won on time\n",
        [("ann", "bob", 0), ("bob", "cid", 0.5), ("cid", "ann", 1)],
    ),
    "engines": (
        "White,Black,Result,ECO\nA 1.0,B 2.1,1-0,C50\nB 2.1,A 1.0,1/2-1/2,B01\nB 2.1,C,0-1,A00\n",
        [("A 1.0", "B 2.1", 1), ("B 2.1", "A 1.0", 0.5), ("B 2.1", "C", 0)],
    ),
    "arena of language models": (
        """
model_a,model_b,winner,judge,turn,anony,language,tstamp
gpt-4,vicuna,model_a,arena_user_1,1,TRUE,English,1682351591.13
alpaca,gpt-4,model_b,arena_user_2,1,TRUE,English,1682351654.66
koala,alpaca,tie,arena_user_3,1,TRUE,English,1682351708.93
koala,vicuna,tie (bothbad),arena_user_4,1,TRUE,English,1682351750.10
""",
        [
            ("gpt-4", "vicuna", 1),
            ("alpaca", "gpt-4", 0),
            ("koala", "alpaca", 0.5),
            ("koala", "vicuna", 0.5),
        ],
    ),
    "arena of Kaggle": (
        """
id,model_a,model_b,winner_model_a,winner_model_b,winner_tie
1,gpt-4,koala,1,0,0
2,koala,gpt-4,0,0,1
3,koala,alpaca,0,1,0
""",
        [("gpt-4", "koala", 1), ("koala", "gpt-4", 0.5), ("koala", "alpaca", 0)],
    ),
    "Go server": (
        "date,white,black,result,komi,handicap\n2020-01-01,Ann,Bob,B+R,6.5,0\n"
        "2020-01-02,Bob,Cid,W+3.5,6.5,0\n2020-01-03,Cid,Ann,Jigo,7,0\n",
        [("Bob", "Ann", 1), ("Cid", "Bob", 0), ("Ann", "Cid", 0.5)],
    ),
    "Go in words": (
        "Black,White,Result\nAnn,Bob,Black wins by resignation\nBob,Cid,白中盘胜\n"
        "Cid,Ann,B+Time\nAnn,Cid,W+0.5\n",
        [("Ann", "Bob", 1), ("Bob", "Cid", 0), ("Cid", "Ann", 1), ("Ann", "Cid", 0)],
    ),
    "OpenGotha": (
        "white,black,w_rank,b_rank,handicap,result\nA,B,3K,6K,0,RESULT_WHITEWINS\n"
        "B,C,6K,2K,0,RESULT_BLACKWINS\nC,A,2K,3K,0,RESULT_EQUAL\n",
        [("B", "A", 0), ("C", "B", 1), ("A", "C", 0.5)],
    ),
    "esports, the winner by name": (
        "date,team_1,team_2,map,winner\n2023-01-01,NaVi,G2,Mirage,G2\n2023-01-02,G2,Vitality,Nuke,G2\n",
        [("NaVi", "G2", 0), ("G2", "Vitality", 1)],
    ),
    "esports, the winner by number": (
        "team_1,team_2,map_winner\nNaVi,G2,2\nG2,Vitality,1\n",
        [("NaVi", "G2", 0), ("G2", "Vitality", 1)],
    ),
    "esports, a column of one side": (
        "radiant_team,dire_team,radiant_win\nOG,Liquid,True\nLiquid,OG,False\n",
        [("OG", "Liquid", 1), ("Liquid", "OG", 0)],
    ),
    "cricket": (
        "team1,team2,toss_winner,result,winner\nMI,CSK,CSK,normal,MI\nRCB,MI,MI,normal,MI\n",
        [("MI", "CSK", 1), ("RCB", "MI", 0)],
    ),
    "signs": (
        "first,second,outcome\nA,B,1\nB,C,0\nC,A,-1\n",
        [("A", "B", 1), ("B", "C", 0.5), ("C", "A", 0)],
    ),
    "per cent": (
        "home,away,score\nA,B,100%\nB,C,50 %\nC,A,0 %\n",
        [("A", "B", 1), ("B", "C", 0.5), ("C", "A", 0)],
    ),
}


@pytest.mark.parametrize("name", UNDERSTOOD)
def test_understood(name: str) -> None:
    text, expected = UNDERSTOOD[name]
    pool = read(text)
    assert games(pool) == expected
    assert pool.ordered
    turned = read(text.upper() if name == "toto" else text)
    assert games(turned) == expected


WORDS = [
    ("H D A", "home away"),
    ("h d a", "x y"),
    ("home draw away", "home_team away_team"),
    ("Home Draw Away", "home away"),
    ("1 X 2", "home away"),
    ("1 x 2", "p q"),
    ("W D L", "player1 player2"),
    ("w t l", "team1 team2"),
    ("win draw loss", "a b"),
    ("Won Tied Lost", "home away"),
    ("2-1 1-1 0-3", "home away"),
    ("1-0 ½-½ 0-1", "white black"),
    ("1-0 1/2-1/2 0-1", "white black"),
    ("1 ½ 0", "white black"),
    ("1 0,5 0", "white black"),
    ("1.0 0.5 0.0", "white black"),
    ("white draw black", "white black"),
    ("W D B", "white black"),
    ("W+3.5 Jigo B+R", "white black"),
    ("model_a tie model_b", "model_a model_b"),
    ("A tie B", "model_a model_b"),
    ("player1 draw player2", "player1 player2"),
    ("1 -1 2", "p q"),
]


@pytest.mark.parametrize(("values", "columns"), WORDS)
def test_results_as_people_write_them(values: str, columns: str) -> None:
    first, second = columns.split()
    rows = zip(("Ann", "Bob", "Cid"), ("Bob", "Cid", "Ann"), values.split(), strict=True)
    frame = pd.DataFrame(rows, columns=[first, second, "result"])
    named = {"first": first, "second": second, "score": "result"}
    if values == "1 -1 2":
        with pytest.raises(InputError, match="margin=result"):
            yardstone.read(frame, columns=named)
        return
    if values.startswith("W+"):
        with pytest.raises(InputError, match="in Go Black moves first"):
            yardstone.read(frame, columns=named)
        pool = yardstone.read(frame, columns={**named, "first": second, "second": first})
        assert games(pool) == [("Bob", "Ann", 0), ("Cid", "Bob", 0.5), ("Ann", "Cid", 1)]
        return
    expected = [("Ann", "Bob", 1), ("Bob", "Cid", 0.5), ("Cid", "Ann", 0)]
    assert games(yardstone.read(frame, columns=named)) == expected
    for case in (str.upper, str.lower):
        other = frame.assign(result=[case(text) for text in frame["result"]])
        assert games(yardstone.read(other, columns=named)) == expected


ASKED = {
    "0, 1, 2": ("home,away,result\nA,B,1\nB,C,0\nC,A,2\n", "read as .*1=win.* or as .*2=win"),
    "1 and 2": ("home,away,result\nA,B,1\nB,C,2\nC,A,2\n", "can be read as"),
    "margins": ("home,away,result\nA,B,-3\nB,C,7\nC,A,14\n", "margin=result"),
    "0 to 100": ("home,away,score\nA,B,83\nB,C,40\nC,A,100\n", "margin=score"),
    "true or false": ("home,away,winner\nA,B,True\nB,C,False\n", "may tell the result of"),
    "the winner as 0 or 1": ("home,away,winner\nA,B,0\nB,C,1\n", "may tell the result of"),
    "blank winners": (
        "team1,team2,winner\nA,B,A\nB,C,\nC,A,A\nB,A,B\n", "names no winner in 1 of 4 rows"
    ),
    "Go, whose 1-0 may be White's": (
        "white,black,komi,result\nA,B,6.5,1-0\nB,C,6.5,0-1\n", "in 'result' may tell"
    ),
    "files of Go": ("File,White,Black,Score\na.sgf,A,B,1\nb.sgf,B,A,0\n", "may tell the result of"),
    "Black before White": ("black,white,result\nA,B,1-0\nB,C,0-1\n", "who moves first"),
    "visitors first": ("away,home,score\nA,B,3-5\nB,C,2-1\n", "may tell the result of"),
    "each game twice": (
        "team_id,opp_id,pts,opp_pts,game_result\nA,B,90,80,W\nB,A,80,90,L\n", "appears twice"
    ),
    "0-0 in chess": ("white,black,result\nA,B,1-0\nB,C,0-0\nC,A,0-1\n", "or a game that both lost"),
    "other words": (
        "local,visitante,resultado\nA,B,V\nB,C,E\n", "which column is 'first'"
    ),
    "letters of another language": (
        "home,away,result\nA,B,V\nB,C,N\nC,A,D\nA,C,V\n",
        r"3 of 4 records cannot be read: the values 'V' \(2\), 'N' \(1\) of 'result'",
    ),
    "no header": ("20220407,0,Thu,HOU,LAA,3,1\n20220407,0,Thu,SDN,ARI,2,4\n", "which column"),
}  # fmt: skip


@pytest.mark.parametrize("name", ASKED)
def test_asked(name: str) -> None:
    text, message = ASKED[name]
    with pytest.raises(InputError, match=message) as caught:
        read(text)
    assert caught.value.hint


def test_answers() -> None:
    """What the questions tell the caller to say is then understood."""
    text = ASKED["0, 1, 2"][0]
    assert read(text, results="1=win,0=draw,2=loss").score.tolist() == [1, 0.5, 0]
    assert read(text, results={"2": 1, 1: 0.5, "0": 0}).score.tolist() == [0.5, 0, 1]
    margin = read(ASKED["margins"][0], columns={"margin": "result"})
    assert margin.score.tolist() == [0, 1, 1]
    go = ASKED["Go, whose 1-0 may be White's"][0]
    black = {"first": "black", "second": "white"}
    for options, expected in (
        ({"first": "black"}, [("B", "A", 1), ("C", "B", 0)]),
        ({"columns": {**black, "first_score": "result"}}, [("B", "A", 1), ("C", "B", 0)]),
        ({"columns": {**black, "second_score": "result"}}, [("B", "A", 0), ("C", "B", 1)]),
        ({"first": "white"}, [("A", "B", 1), ("B", "C", 0)]),
    ):
        assert games(read(go, **options)) == expected
    away = read(ASKED["visitors first"][0], columns={"second_score": "score"})
    assert games(away) == [("B", "A", 1), ("C", "B", 0)]
    blank = ASKED["blank winners"][0]
    assert read(blank, results="=draw").score.tolist() == [1, 0.5, 0, 1]
    with pytest.warns(SkippedWarning, match="1 no result"):
        assert read(blank, skip_unread=True).score.tolist() == [1, 0, 1]
    both = {"first": "home", "second": "away", "first_score": "hg", "second_score": "ag"}
    pool = read("home,away,hg,ag\nA,B,2,1\nB,A,0,0\n", columns=both)
    assert pool.score.tolist() == [1, 0.5]


def test_colour() -> None:
    """The winner is never turned round, whatever is called first."""
    text = "white,black,result\nA,B,B+R\nA,B,B+2.5\nB,A,W+R\n"
    right = [("B", "A", 1.0)] * 3
    named = {"first": "black", "second": "white", "score": "result"}
    for options in ({}, {"columns": named}, {"first": "white"}, {"first": "black"}):
        pool = read(text, **options)
        won = [(a, b, s) if s == 1.0 else (b, a, 1.0 - s) for a, b, s in games(pool)]
        assert won == right
    with pytest.raises(UsageError, match="first is white, but the column named first is 'black'"):
        read(text, columns=named, first="white")
    with pytest.raises(InputError, match="in Go Black moves first"):
        read(text, columns={"first": "white", "second": "black"})


def test_winners_and_losers() -> None:
    text = """
tourney_date,winner_id,winner_name,winner_hand,loser_id,loser_name,score
2023-01-01,1,Ann,R,2,Bob,6-4 6-4
2023-01-02,2,Bob,R,3,Cid,W/O
2023-01-03,1,Ann,R,3,Cid,6-0 6-0
2023-01-04,3,Cid,L,2,Bob,6-3 2-1 RET
"""
    with pytest.warns(SkippedWarning, match="1 decided by forfeit"):
        pool = read(text)
    assert not pool.ordered
    assert not pool.select(pool.score > 0.5).ordered
    winners = [a if s == 1.0 else b for a, b, s in games(pool)]
    assert winners == ["Ann", "Ann", "Cid"]
    assert {s for *_, s in games(pool)} == {1.0, 0.0}


def test_unread_values() -> None:
    rows = "".join(f"A,B,{'1-0' if k % 3 else '0-1'}\n" for k in range(1000))
    head = "home,away,result\n"
    with pytest.warns(SkippedWarning, match="1 record was skipped: 1 unknown result"):
        assert len(read(head + rows + "A,B,1-O\n")) == 1000
    odd = head + rows + "A,B,\x1b[31mabandonné" * 1 + "\n" + "A,B,W/L/W\n" * 20
    with pytest.raises(InputError, match=r"'W/L/W' \(20\)") as caught:
        read(odd)
    assert "\x1b" not in str(caught.value)
    assert "skip_unread" in str(caught.value)
    with pytest.warns(SkippedWarning, match="21 records were skipped"):
        assert len(read(odd, skip_unread=True)) == 1000
    many = head + rows + "".join(f"A,B,r{k}{'x' * 500}\n" for k in range(500))
    with pytest.raises(InputError, match="500 of 1,500 records cannot be read") as caught:
        read(many)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"frist": "home"}, "unknown key 'frist'; did you mean first"),
        ({"White": "home"}, "unknown key 'White'; did you mean first or second"),
        ({"scores": "result"}, "did you mean score"),
        ({"date": "day"}, "did you mean time"),
        ({"first": "hom"}, "no column 'hom', only home, away, result, day .*mean 'home'"),
        ({"first": "home", "second": "home"}, "'home' is named for both 'first' and 'second'"),
        (["nonsense"], "no column 'nonsense'"),
    ],
)
def test_columns_that_are_not_there(columns: Any, message: str) -> None:
    with pytest.raises(YardstoneError, match=message):
        read("home,away,result,day\nA,B,1-0,2020-01-01\n", columns=columns)


def test_further_columns() -> None:
    text = "home,away,result,venue\nA,B,1-0,Rome\n"
    assert read(text, columns={"place": "venue"}).columns["place"].tolist() == ["Rome"]
    assert read(text, columns=["venue"]).columns["venue"].tolist() == ["Rome"]
    assert list(read(text, columns="all").columns) == ["venue"]


SEVERAL = {
    "wins, draws, wins": "a,b,wins_a,draws,wins_b\nA,B,5,3,2\nB,C,1,4,6\n",
    "a win and a draw each": "a,b,wins_a,draws,wins_b\nA,B,1,1,0\nB,C,0,0,1\n",
    "wins by number": "player1,player2,wins1,wins2\nA,B,12,7\nB,C,9,11\n",
    "chances to win": "home,away,home_win,draw,away_win\nA,B,0.45,0.25,0.3\nB,A,0.5,0.3,0.2\n",
    "draws beside a score": "home,away,home_score,away_score,draws\nA,B,6,4,2\nB,C,3,3,6\n",
    "totals in two columns": 'white,black,white_score,black_score\nA,B,"12,5","7,5"\nB,C,9,11\n',
    "totals with ½": "player1,player2,score1,score2\nA,B,12½,7½\nB,C,9,11\n",
    "totals in one column": "a,b,score\nA,B,12.5-7.5\nB,C,9-11\n",
    "a short match": "white,black,result\nA,B,1½-½\nB,C,2-0\n",
    "results and counts": "white,black,result,count\nA,B,1-0,12\nA,B,0-1,20\n",
    "winners and counts": "winner,loser,n_games\nA,B,12\nB,A,20\n",
    "games played": "home,away,score,Games\nA,B,1,10\nB,A,0,3\n",
    "weights": "white,black,result,weight\nA,B,1-0,0.5\nA,B,0-1,1\n",
    "winners and times": "winner,loser,times\nA,B,12\nB,A,20\n",
    "multipliers": "white,black,result,multiplier\nA,B,1-0,12\nA,B,0-1,20\n",
    "weights in German": 'white,black,result,Gewicht\nA,B,1-0,"0,5"\nA,B,0-1,1\n',
}


@pytest.mark.parametrize("name", SEVERAL)
def test_rows_of_several_games(name: str) -> None:
    with pytest.raises(
        InputError, match=r"of several games, or of part of one .*not read"
    ) as caught:
        read(SEVERAL[name])
    assert "write a row for each game" in str(caught.value.hint)


def test_rows_said_to_be_one_game() -> None:
    both = {"first": "a", "second": "b", "first_score": "wins_a", "second_score": "wins_b"}
    assert read(SEVERAL["wins, draws, wins"], columns=both).score.tolist() == [1, 0]
    told = read(SEVERAL["totals in one column"], results="12.5-7.5=win")
    assert told.score.tolist() == [1, 0]
    kept = read(SEVERAL["weights"], columns=["weight"])
    assert (kept.score.tolist(), kept.columns["weight"].tolist()) == ([1, 0], ["0.5", "1"])


ONE_EACH = {
    "counts of one": "white,black,result,count\nA,B,1-0,1\nA,B,0-1,1\n",
    "running numbers": "white,black,result,n\n"
    + "".join(f"A,B,{'1-0' if k == 3 else '0-1'},{k}\n" for k in range(3, 9)),
    "classes of weight": "white,black,result,weight\nA,B,1-0,light\nA,B,0-1,125\n",
    "area and komi": "black,white,komi,black_score,white_score\n"
    "A,B,6.5,184,176.5\nA,B,6.5,180,187\n",
    "a column of each side": "a,b,wins_a,draws,wins_b\nA,B,1,0,0\nB,A,1,0,0\n",
    "records before the game": "home,away,home_score,away_score,home_wins,home_losses\n"
    "A,B,3,1,10,4\nB,A,3,0,4,11\n",
}


@pytest.mark.parametrize("name", ONE_EACH)
def test_rows_of_one_game_each(name: str) -> None:
    pool = read(ONE_EACH[name])
    assert len(pool) == ONE_EACH[name].count("\n") - 1
    assert {0.0, 1.0} >= set(pool.score.tolist())


CONTRADICTIONS = {
    "winner and result": (
        "white,black,result,winner\nA,B,1-0,A\nB,A,0-1,B\nA,C,1-0,A\n",
        "1 of 3 rows .*line 2: result: '0-1' but winner: 'B'",
        {"score": "winner"},
        [1, 1, 1],
    ),
    "goals and result": (
        "home,away,FTR,FTHG,FTAG\nA,B,H,2,1\nB,A,A,2,1\nA,C,D,1,1\n",
        "FTR: 'A' but FTHG and FTAG: '2 and 1'",
        {"score": "FTR"},
        [1, 0, 0.5],
    ),
    "a draw that somebody won": (
        "home,away,winner,home_goals,away_goals\nA,B,A,2,1\nA,B,A,1,1\nB,A,B,2,1\n",
        "winner: 'A' but home_goals and away_goals: '1 and 1'",
        {"score": "winner"},
        [1, 1, 1],
    ),
    "winners who lost": (
        "winner,loser,result\nA,B,1-0\nB,A,0-1\nA,C,0-1\n",
        "2 of 3 rows .*winner: 'B' but result: '0-1'",
        {"first": "winner", "second": "loser", "score": "result"},
        [1, 0, 0],
    ),
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_contradictions(name: str) -> None:
    text, message, columns, scores = CONTRADICTIONS[name]
    with pytest.raises(InputError, match=message) as caught:
        read(text)
    assert ",".join(f"{key}={name}" for key, name in columns.items())[-12:] in str(
        caught.value.hint
    )
    assert read(text, columns=columns).score.tolist() == scores
    head, *rows = text.splitlines()
    many = "\n".join([head, rows[1], *[rows[0]] * 30])
    with pytest.warns(
        SkippedWarning, match="1 record was skipped: 1 columns contradict each other"
    ):
        pool = read(many)
    assert len(pool) == 30
    with pytest.raises(InputError, match="contradict"):
        read(many, strict=True)


def test_neutral_ground_is_said_to_be_unused() -> None:
    head, rows = "home,away,neutral_site,result\n", "A,B,{},1-0\nB,A,no,1-0\n"
    assert read(head + rows.format("no")).skipped.doubts == []
    (doubt,) = read(head + rows.format("yes")).skipped.doubts
    assert "'neutral_site' is not used: in 1 of 2 games nobody was at home" in doubt
    pool = read(head + rows.format("TRUE"), where="NOT neutral_site")
    assert len(pool) == 1
    assert pool.skipped.doubts == []


@pytest.mark.parametrize("name", ["location", "Venue", "match_site", "ground"])
def test_a_venue_that_is_neutral(name: str) -> None:
    text = f"home,away,{name},result\nA,B,{{}},1-0\nB,A,Rome,1-0\n"
    assert read(text.format("Oslo")).skipped.doubts == []
    for value in ("Neutral", "N"):
        (doubt,) = read(text.format(value)).skipped.doubts
        assert f"in {name!r} is not used: in 1 of 2 games nobody was at home" in doubt
        assert f"--where \"{name} <> '{value}'\"" in doubt
        assert read(text.format(value), where=f"{name} <> '{value}'").skipped.doubts == []
    beside = read(f"team,opponent,{name},result\nA,B,N,W\nB,A,H,W\nC,A,A,L\n")
    assert games(beside) == [("A", "B", 1), ("B", "A", 1), ("A", "C", 1)]
    assert len(beside.skipped.doubts) == 1


SIDES = {
    "player,opponent,is_white,result\nA,B,true,W\nB,A,false,W\n": [("A", "B", 1), ("A", "B", 0)],
    "player,opponent,is_black,result\nA,B,0,W\nB,A,1,W\n": [("A", "B", 1), ("A", "B", 0)],
    "player,opponent,opponent_is_white,result\nA,B,0,W\nB,A,1,W\n": [
        ("A", "B", 1),
        ("A", "B", 0),
    ],
    "team,opponent,home,result\nA,B,yes,W\nB,A,no,W\n": [("A", "B", 1), ("A", "B", 0)],
    "player1,player2,white,winner\nAnn,Bob,bob,Ann\nBob,Cid,Bob,Cid\n": [
        ("Bob", "Ann", 0),
        ("Bob", "Cid", 0),
    ],
    "player1,player2,black,komi,winner\nAnn,Bob,Bob,6.5,Ann\nBob,Cid,Bob,6.5,Cid\n": [
        ("Bob", "Ann", 0),
        ("Bob", "Cid", 0),
    ],
    "player1,player2,white,winner\nA,B,2,A\nB,C,1,C\n": [("B", "A", 0), ("B", "C", 0)],
    "p1,p2,home_team,score1,score2\nAnn,Bob,Bob,1,3\nBob,Cid,Bob,2,1\n": [
        ("Bob", "Ann", 1),
        ("Bob", "Cid", 1),
    ],
    "player,opponent,color,result\nA,B,white,W\nB,A,black,W\nA,C,black,D\n": [
        ("A", "B", 1),
        ("A", "B", 0),
        ("C", "A", 0.5),
    ],
    "player,opponent,Farbe,result\nA,B,schwarz,1\nB,A,weiß,1\n": [("B", "A", 0), ("B", "A", 1)],
    "player1,player2,color1,winner\nA,B,b,A\nB,A,w,A\n": [("B", "A", 0), ("B", "A", 0)],
    "player,opponent,colour,komi,result\nA,B,B,6.5,B+R\nB,A,W,6.5,W+3.5\n": [
        ("A", "B", 1),
        ("A", "B", 0),
    ],
    "team,opponent,venue,score,opponent_score\nA,B,H,2,1\nC,A,A,0,1\n": [
        ("A", "B", 1),
        ("A", "C", 1),
    ],
}


@pytest.mark.parametrize("text", SIDES)
def test_a_column_of_the_side_tells_who_moved_first(text: str) -> None:
    pool = read(text)
    assert pool.ordered
    assert games(pool) == SIDES[text]


def test_a_side_that_is_not_told() -> None:
    for name, values in (("color", "wb"), ("is_white", "10")):
        text = f"player1,player2,{name},winner\nA,B,{values[0]},A\nB,A,{values[1]},A\n"
        with pytest.raises(InputError, match=f"whose side does '{name}' tell") as caught:
            read(text)
        assert "first=player1,second=player2" in str(caught.value.hint)
        named = {"first": "player1", "second": "player2"}
        assert games(read(text, columns=named)) == [("A", "B", 1), ("A", "B", 1)]
        assert games(read(text, columns=[name])) == [("A", "B", 1), ("B", "A", 0)]
    head, rows = "player1,player2,white,winner\n", "A,B,B,A\n" * 30
    few = read(head + rows + "A,B,,A\n")
    assert games(few)[-2:] == [("B", "A", 0), ("A", "B", 1)]
    assert "who moved first in 1 of 31 games: there 'player1' is" in few.skipped.doubts[0]
    many = read(head + rows + "A,B,,A\n" * 2)
    assert not many.ordered
    assert "in 2 of 32 games: it is not used" in many.skipped.doubts[0]


def test_further_columns_where_the_players_change_places() -> None:
    text = "player,opponent,color,result,elo,opp_elo\nA,B,white,W,1,2\nB,A,black,W,2,1\n"
    named = {"first_rating": "elo", "second_rating": "opp_elo"}
    pool = read(text, columns=named)
    assert games(pool) == [("A", "B", 1), ("A", "B", 0)]
    assert [pool.columns[name].tolist() for name in named] == [["1", "1"], ["2", "2"]]
    with pytest.raises(InputError, match="'first_rating' alone is known of one player"):
        read(text, columns={"first_rating": "elo"})
    kept = read(text, columns="all")
    assert games(kept) == games(pool)
    assert kept.columns["player"].tolist() == ["A", "B"]  # whose elo it is
    assert kept.columns["elo"].tolist() == ["1", "2"]


def test_results_of_both_that_contradict_each_other() -> None:
    head, right = "home,away,home_result,away_result\n", "A,B,W,L\nB,A,L,W\nA,B,D,D\n"
    assert read(head + right).score.tolist() == [1, 0, 0.5]
    for odd in ("W,W", "L,L", "W,D", "D,L"):
        with pytest.raises(InputError, match=f"'{odd[0]} and {odd[2]}' .* not understood"):
            read(f"{head}{right}A,B,{odd}\n")


def test_whose_points_stand_first_beside_a_colour() -> None:
    text = "player,opponent,color,result\nA,B,white,1-0\nB,A,black,1-0\nA,C,w,1-0\n"
    with pytest.raises(InputError, match="'1-0' in 'result' may tell the result of") as caught:
        read(text)
    assert "first_score=result" in str(caught.value.hint)
    assert games(read(text, first="white")) == [("A", "B", 1), ("A", "B", 1), ("A", "C", 1)]
    own = {"first": "player", "second": "opponent", "first_score": "result"}
    assert games(read(text, columns=own)) == [("A", "B", 1), ("A", "B", 0), ("A", "C", 1)]
    with pytest.raises(InputError, match="appears twice"):
        read("player,opponent,color,result\nA,B,white,W\nB,A,black,L\nA,C,w,W\nC,A,b,L\n")
    assert not read("player,opponent,color,result\nA,B,red,W\nB,C,green,L\n").ordered
    won = read("winner,loser,winner_color\nA,B,white\nB,A,black\n")
    assert not won.ordered
    assert games(won) == [("A", "B", 1), ("A", "B", 0)]
