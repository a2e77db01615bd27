"""Every reader takes its corpus, what once broke it, and some mutations, without a fault."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, seed, settings

from tests.fuzz.cases import run_case
from tests.fuzz.mutations import Plan, mutant, plans
from tests.fuzz.targets import Target, targets

TARGETS = pytest.mark.parametrize("target", targets().values(), ids=lambda each: each.name)


@TARGETS
def test_corpus(target: Target, tmp_path: Path) -> None:
    seeds = target.seeds()
    assert seeds, "a target needs an example"
    for name, data in seeds.items():
        assert run_case(target, data, tmp_path, slack=10) is None, name


@TARGETS
def test_mutations(target: Target, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("fuzz")
    seeds = list(target.seeds().values())

    @seed(0)
    @settings(max_examples=target.examples, database=None)
    @given(plans(len(seeds)))
    def tried(plan: Plan) -> None:
        data = mutant(plan, seeds, target.words, 1 << 14)
        assert run_case(target, data, folder, slack=10) is None

    tried()
