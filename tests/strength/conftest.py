from __future__ import annotations

import pytest

from tests.strength.estimate_cases import Case, make_case


@pytest.fixture(scope="session")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    return make_case(tmp_path_factory.mktemp("case"))
