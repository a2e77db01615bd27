from __future__ import annotations

import pytest

from yardstone import evaluation


@pytest.mark.parametrize("name", evaluation.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(evaluation, name) is not None
    assert name in dir(evaluation)


def test_other_names_do_not_exist() -> None:
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        _ = evaluation.no_such_name
