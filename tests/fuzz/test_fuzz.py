"""Every reader takes its corpus, what once broke it, and some mutations, without a fault."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, seed, settings

from tests.fuzz.cases import run_case
from tests.fuzz.mutations import Plan, mutant, plans
from tests.fuzz.targets import MODULES, Target, group

#: Mutations of each target; `make fuzz` tries more.
STEPS = 5


@pytest.mark.parametrize("module", MODULES)
def test_readers(module: str, tmp_path: Path) -> None:
    for target in group(module):
        seeds = target.seeds()
        assert seeds, f"{target.name} needs an example"
        for name, data in seeds.items():
            assert run_case(target, data, tmp_path, slack=10) is None, (target.name, name)
        _mutated(target, list(seeds.values()), tmp_path)


def _mutated(target: Target, seeds: list[bytes], folder: Path) -> None:
    @seed(0)
    @settings(max_examples=STEPS, database=None, deadline=None)
    @given(plans(len(seeds)))
    def tried(plan: Plan) -> None:
        data = mutant(plan, seeds, target.words, 1 << 14)
        assert run_case(target, data, folder, slack=10) is None, target.name

    tried()
