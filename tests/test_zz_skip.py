import pytest
def test_a(): pytest.importorskip("nothere")
