from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lab.studies.winning.selection import SelectionFit, fit_with_strengths
from lab.studies.winning.simulation import (
    european_games,
    simulate_mcmahon,
    simulate_pool,
)
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.winprob.games import GameColumns, read_games_csv
from yardstone.winprob.kaniuk import PUBLISHED, GradeModel
from yardstone.winprob.likelihood import GradedGames, fit_likelihood
from yardstone.winprob.statistics import WinningStatistics
from yardstone_lab.kaniuk import (
    CANDIDATES,
    RATINGS,
    ModelForm,
    cross_validate,
    game_log_loss,
)


def test_mcmahon_pairing_flattens_the_ratios_and_strengths_mend_it() -> None:
    deviation = 1.5
    pool = simulate_mcmahon(
        PUBLISHED, tournaments=8, players=80, rounds=7, deviation=deviation, seed=3
    )
    free = ("u0", "u1")
    start = GradeModel(PUBLISHED)
    ratios = GradedGames.from_statistics(WinningStatistics.from_pool(pool))
    naive = fit_likelihood(ratios, free=free, start=start).model
    result = fit_with_strengths(pool, free=free, start=start)
    nobody = np.zeros(0)
    truth = SelectionFit(start, (), deviation, 0.0, (), nobody, nobody)
    weaker, stronger = np.array([-9.0, -4.0, 0.0]), np.array([-7.0, -2.0, 2.0])
    true = truth.probability(weaker, stronger)
    wrong = naive.probability(weaker, stronger) - true
    assert np.all(wrong > 0.02)  # the weaker of a selected pair does too well
    assert np.abs(result.probability(weaker, stronger) - true).max() < 0.5 * wrong.max()
    assert result.deviation == pytest.approx(deviation, abs=0.45)
    assert np.all(result.offset_deviation < result.deviation)


def test_simulated_games() -> None:
    games = european_games(2_000)
    one, two = (simulate_pool(PUBLISHED, games, seed=4) for _ in range(2))
    assert np.array_equal(one.score, two.score)
    pool = simulate_mcmahon(PUBLISHED, tournaments=3, players=40, rounds=5, seed=1)
    assert np.array_equal(pool.columns["first_strength"], pool.columns["first_grade"])
    with pytest.raises(UsageError, match="even number"):
        simulate_mcmahon(PUBLISHED, tournaments=1, players=5)
    with pytest.raises(InputError, match="without lapses"):
        fit_with_strengths(pool, free=("u0", "lapse"))
    with pytest.raises(NoGamesError):
        fit_with_strengths(pool.select(np.zeros(len(pool), np.bool_)))


def columns(size: int, seed: int = 0, model: GradeModel | None = None) -> GameColumns:
    rng = np.random.default_rng(seed)
    first = rng.integers(-15, 6, size).astype(float)
    second = np.clip(first + rng.integers(-5, 6, size), -20, 6).astype(float)
    p = (model or GradeModel(PUBLISHED)).probability(first, second)
    won, event = rng.random(size) < p, np.arange(size) // 20
    return GameColumns(first, second, np.zeros(size), np.full(size, 7.0), won, event)


def test_cross_validation_prefers_the_form_that_made_the_games() -> None:
    games = columns(6_000)
    result = cross_validate(games, candidates=CANDIDATES[:6], folds=5, seed=1)
    assert result.names[0] == "published"
    assert result.chosen == "published"  # it is the truth here, and the simplest
    mean = result.mean()
    assert mean["plain logistic"][0] > mean["published"][0]
    gain, error = result.gain("plain logistic", "published")
    assert gain < -2 * error
    assert result.gain("published", "published") == (0.0, 0.0)


def test_no_group_stands_on_both_sides() -> None:
    games = columns(400)
    seen: list[set[int]] = []

    class Spy(ModelForm):
        def fit(self, games: GameColumns) -> GradeModel:
            seen.append(set(games.group.tolist()))
            return self.start

    result = cross_validate(games, candidates=[Spy("spy", method="none")], folds=4)
    everything = set(games.group.tolist())
    left_out = [everything - part for part in seen]
    assert sum(map(len, left_out)) == len(everything)
    assert set().union(*left_out) == everything
    assert result.log_loss[0] == pytest.approx(game_log_loss(GradeModel(), games))
    for number, said in ((3, "3 groups"), (1, "1 group")):
        with pytest.raises(UsageError, match=f"^{said} of games cannot be dealt"):
            cross_validate(games.select(games.group < number), folds=4)
    with pytest.raises(NoGamesError):
        cross_validate(games.select(games.group < 0))


def test_ratings_are_scored_where_both_players_have_one() -> None:
    """Results follow ratings that scatter about grades; one game in three comes without."""
    rng = np.random.default_rng(2)
    size = 1_200
    grades = rng.integers(-10, 5, (2, size)).astype(float)
    ratings = 2100.0 + 100.0 * (grades + rng.normal(0.0, 2.0, grades.shape))
    won = rng.random(size) < 1.0 / (1.0 + np.exp((ratings[1] - ratings[0]) / 200.0))
    without = np.arange(size) % 3 == 0
    ratings[0, without] = np.nan
    stones, komi, event = np.zeros(size), np.full(size, 7.0), np.arange(size) // 20
    games = GameColumns(grades[0], grades[1], stones, komi, won, event, ratings)
    plain = next(form for form in CANDIDATES if form.name == "likelihood")
    result = cross_validate(games, candidates=(plain, RATINGS), folds=3)
    assert result.names[-1] == result.chosen == "ratings where they stand"
    ends = result.gain_interval("ratings where they stand", "likelihood", ~without)
    assert ends is not None
    assert ends[0] > 0.02
    by = dict(zip(result.names, result.log_loss, strict=True))
    assert np.array_equal(by["ratings where they stand"][without], by["likelihood"][without])
    ahead = np.where(won, 1.0, -1.0) * (ratings[0] - ratings[1]) / 200.0
    true = np.log1p(np.exp(-ahead[~without])).mean()
    assert by["ratings where they stand"][~without].mean() == pytest.approx(true, abs=0.01)
    # By itself the entrant takes part where there are ratings, and only there.
    few = games.select(np.arange(size) < 60)
    assert cross_validate(few, folds=2).names == (*(form.name for form in CANDIDATES), RATINGS.name)
    nowhere = few.select(~few.rated)
    assert RATINGS.name not in cross_validate(nowhere, folds=2).names


HEAD = "tournament,begin,size,komi,rnd,white,black,w_rank,b_rank,handicap,result\n"


def test_games_from_csv(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    path.write_text(
        HEAD + "A,2020-01-02,19,6.5,1,Wei,Bo,3k,2d,0,RESULT_BLACKWINS\n"
        "A,2020-01-02,19,7.5,2,Bo,Cy,2d,1p,2,W+R\nA,2020-01-02,9,7.5,2,Bo,Cy,2d,1k,0,W+R\n"
        "A,,19,,3,Cy,Bo,1k,2d,0,jigo\nA,2020-01-02,19,7.5,3,Cy,Bo,1k,2d,0,?\n"
    )
    pool = read_games_csv(path)
    assert [pool.players[i] for i in pool.first] == ["Bo", "Cy", "Bo"]
    assert pool.score.tolist() == [1.0, 0.0, 0.5]
    np.testing.assert_array_equal(pool.columns["first_grade"], [1.0, np.nan, 1.0])
    assert pool.columns["handicap"].tolist() == [0, 2, 0]
    assert pool.time is not None
    assert np.isnat(pool.time).tolist() == [False, False, True]
    assert dict(pool.skipped.reasons) == {"no result": 1, "not on a board of 19 lines": 1}
    assert [(d.line, d.reason) for d in pool.skipped.details] == [(6, "no result")]
    assert len(GameColumns.from_pool(pool, group="event")) == 1
    assert GameColumns.from_pool(pool).graded().games.sum() == 1
    for content, message in (("black,white,result\na,b,B+1\n", "do not name the"), ("", ".")):
        path.write_text(content)
        with pytest.raises(InputError, match=message):
            read_games_csv(path)
