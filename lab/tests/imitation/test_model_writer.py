"""Networks written as files of KataGo's: what is read back computes the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.go.nets.test_network import inputs
from tests.go.random_net import ALL_SHAPES, Shape, write_network
from yardstone.errors import UsageError
from yardstone.go.nets import load_network, read_model
from yardstone_lab.imitation.network import model_bytes, write_model


@pytest.mark.parametrize("filter_side", [3, 5])
def test_a_network_is_the_same_after_it_was_written(tmp_path: Path, filter_side: int) -> None:
    shape = Shape(8, ("residual", "pooling", "residual"), filter=(filter_side, filter_side))
    first = load_network(write_network(tmp_path / "first.bin.gz", shape))
    write_model(tmp_path / "second.bin.gz", first.model)
    second = load_network(tmp_path / "second.bin.gz")
    assert second.name == first.name
    assert model_bytes(second.model) == model_bytes(first.model)
    write_model(tmp_path / "third.bin.gz", second.model)
    files = [(tmp_path / f"{name}.bin.gz").read_bytes() for name in ("second", "third")]
    assert files[0] == files[1]
    for size in (9, 19):
        spatial, numbers = inputs(2, size)
        one, other = (
            net.evaluate(spatial, numbers, trunk=True, ownership=True) for net in (first, second)
        )
        for name in ("policy_logits", "value_logits", "lead", "score_mean", "trunk", "ownership"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


@pytest.mark.parametrize("name", sorted(set(ALL_SHAPES) - {"v8"}))
def test_other_versions_are_refused(tmp_path: Path, name: str) -> None:
    model = read_model(write_network(tmp_path / "net.bin.gz", ALL_SHAPES[name]))
    with pytest.raises(UsageError, match="only 8"):
        write_model(tmp_path / "other.bin.gz", model)
    if name != "v9" and name != "v10":  # whose trunks are like those of version 8
        plain = read_model(write_network(tmp_path / "plain.bin.gz", Shape(8)))
        with pytest.raises(UsageError, match="version 8 knows"):
            write_model(tmp_path / "other.bin.gz", replace(plain, trunk=model.trunk))
    assert not (tmp_path / "other.bin.gz").exists()
