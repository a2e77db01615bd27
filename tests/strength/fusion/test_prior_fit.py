from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.strength.fusion.made_moves import made_pool
from yardstone.errors import NoGamesError, UsageError
from yardstone.evaluation.backtest import earlier_part, evaluate
from yardstone.strength.fusion import SHIPPED, Fusion
from yardstone.strength.fusion_priors import (
    FITTED,
    centred_fusion,
    fit_fusion,
    fusion_parameters,
)


def test_the_fit_finds_what_moves_are_worth() -> None:
    """A rank is 60 points; ± 3 ranks a game of 100 moves, so that half is known soon."""
    pool = made_pool(players=900, games=4000)
    fitted, games = fit_fusion(pool, Fusion(initial_deviation=250.0))
    assert games > 1000
    assert 45.0 < fitted.slope < 75.0
    assert abs(fitted.strength) < 0.5
    assert fitted.noise < 150.0
    assert fitted.level is not None
    assert abs(fitted.level - 1500.0) < 60.0


def test_the_fit_sees_the_earlier_games_only() -> None:
    pool = made_pool(players=300, games=1500)
    share = earlier_part(pool, share=0.6)
    assert len(share) == 900
    given, sentence = fusion_parameters(share, {"initial_deviation": 250.0}, fit=True)
    assert "fitted to" in sentence
    turned = replace(pool, score=np.append(pool.score[:900], 1.0 - pool.score[900:]))
    again, _ = fusion_parameters(
        earlier_part(turned, share=0.6), {"initial_deviation": 250.0}, fit=True
    )
    assert given == again


def test_fitted_or_not_it_beats_results_alone_for_newcomers() -> None:
    pool = made_pool(players=500, games=2000)
    plain = {"initial_deviation": 250.0}
    for fit in (False, True):
        given, _ = fusion_parameters(earlier_part(pool), plain, fit=fit)
        result = evaluate(
            pool,
            ["glicko2", "fusion"],
            parameters={"glicko2": plain, "fusion": given},
            replicates=0,
            first_advantage="none",
            gap_edges=(),
        )
        one, other = (
            result[name].metrics["representative"].log_likelihood for name in ("fusion", "glicko2")
        )
        assert one > other + 0.002


def test_without_a_fit_the_average_player_is_in_the_middle() -> None:
    pool = made_pool()
    assert centred_fusion(pool).strength == pytest.approx(0.0, abs=1.2)
    given, sentence = fusion_parameters(pool, {}, fit=False)
    assert given == {**SHIPPED["ogs"], "strength": centred_fusion(pool).strength}
    assert "as shipped for strengths on the scale ogs" in sentence
    given, _ = fusion_parameters(pool, {"strength": 2.0, "noise": 100.0}, fit=False, scale="fox")
    assert given == {**SHIPPED["fox"], "strength": 2.0, "noise": 100.0}


def test_nothing_is_made_up_for_other_scales() -> None:
    pool = made_pool()
    with pytest.raises(UsageError, match="nothing is shipped of what strengths on the scale kgs"):
        fusion_parameters(pool, {}, fit=False, scale="kgs")
    own = {"slope": 50.0, "noise": 200.0, "half_moves": 50.0}
    given, _ = fusion_parameters(pool, own, fit=False, scale="kgs")
    assert given.keys() == {*own, "strength"}
    assert fusion_parameters(pool, {}, fit=True, scale="kgs")[0].keys() == set(FITTED)


def test_too_few_games_fit_nothing() -> None:
    pool = made_pool(games=60)
    with pytest.raises(NoGamesError, match="a fit takes 50"):
        fit_fusion(pool)
    with pytest.raises(NoGamesError, match="no moves are known"):
        centred_fusion(replace(pool, columns={}))
    with pytest.raises(UsageError, match="--fit finds slope"):
        fusion_parameters(pool, {"slope": 3.0}, fit=True)
