from __future__ import annotations

import pytest

from tests.strength.estimate_cases import Case, make_case
from yardstone.go.evaluation_store import open_store


@pytest.fixture(scope="session")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    """What its network says of a position is kept for all tests."""
    folder = tmp_path_factory.mktemp("case")
    made = make_case(folder)
    made.network.answers = open_store(folder / "answers.sqlite", 1 << 27)
    return made
