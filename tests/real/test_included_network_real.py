"""What the included network says of quiet openings, under all that commands accept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from yardstone.errors import UsageError
from yardstone.examples import example
from yardstone.go.analysis import analyse_games, judge_games
from yardstone.go.evaluator import Evaluator, NetworkQuestion
from yardstone.go.inputs import encode_game
from yardstone.go.losses import LossEffort
from yardstone.go.nets.network import load_network
from yardstone.go.nets.store import INCLUDED
from yardstone.go.rules import NAMED_RULES
from yardstone.pool import SkipReport
from yardstone.records.sgf import read_games


def test_quiet_openings_are_level_under_the_rules_and_the_komi_that_it_knows() -> None:
    network = load_network(INCLUDED, threads=1)
    game = next(read_games(example("professional.sgf")))  # its beginning is level
    openings = [
        replace(game, moves=game.moves[:count], colours=game.colours[:count]) for count in (20, 12)
    ]
    for name, wanted in NAMED_RULES.items():
        (analysis,) = analyse_games(
            openings[:1], network, rules=wanted, komi=6.5, effort=LossEffort(0)
        )
        assert 0.2 < analysis.white_winrate.min() <= analysis.white_winrate.max() < 0.8
        assert np.abs(analysis.white_lead).max() < 9.0
        asked, known = analysis.conditions, name in ("tromp-taylor", "ing")
        assert (asked.komi, asked.rules == wanted) == (6.5, known)
        assert wanted.name in asked.in_words
        assert ("does not know" in asked.remark) is not known
    for komi in (-5.0, 0.5, 5.0, 5.5, 6.5, 7.5, 8.0, 15.0):
        report = SkipReport()
        judged = list(judge_games(openings, network, komi=komi, skipped=report))
        assert all(0.2 < each.white_winrate < 0.8 and abs(each.white_lead) < 9.0 for each in judged)
        assert (len(judged), len(report)) == ((2, 0) if 5.5 <= komi <= 7.5 else (0, 2)), komi
    rules = NAMED_RULES["japanese"]
    question = NetworkQuestion(encode_game(19, komi=6.5, rules=rules, packed=True), rules)
    with pytest.raises(UsageError, match="asked under japanese rules"):
        list(Evaluator(network).answer([question]))
