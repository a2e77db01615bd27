"""What a network says, averaged over symmetries: against turning the board by hand."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.go.nets.test_network import inputs, loaded
from tests.go.random_net import ALL_SHAPES
from yardstone.errors import UsageError
from yardstone.go.evaluation_store import inputs_key
from yardstone.go.nets import Network, NetworkOutput
from yardstone.go.nets.network import NetworkView, turned

ROUNDING = 2e-5
SHAPE = next(iter(ALL_SHAPES.values()))


def evaluated(net: Network, spatial: Any, numbers: Any) -> NetworkOutput:
    return net.evaluate(spatial, numbers, trunk=True, ownership=True)


def planes_of(output: NetworkOutput) -> tuple[Any, Any]:
    """Trunk and ownership, which were asked for."""
    assert output.trunk is not None
    assert output.ownership is not None
    return output.trunk, output.ownership


def chances(logits: Any) -> Any:
    return np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)


def test_two_are_the_mean_of_the_board_and_of_the_board_turned_by_a_quarter(
    tmp_path: Path,
) -> None:
    spatial, numbers = inputs(3, 7)
    plain = loaded(tmp_path, SHAPE)
    both = evaluated(loaded(tmp_path, SHAPE, symmetries=2), spatial, numbers)
    here = evaluated(plain, spatial, numbers)
    quarter = np.ascontiguousarray(np.rot90(spatial, 1, (2, 3)))
    there = evaluated(plain, quarter, numbers)

    def back(planes: Any) -> Any:
        return np.rot90(planes, -1, (-2, -1))

    for mean, one, other in zip(*map(planes_of, (both, here, there)), strict=True):
        np.testing.assert_allclose(mean, (one + back(other)) / 2, atol=ROUNDING)
    np.testing.assert_allclose(both.lead, (here.lead + there.lead) / 2, atol=ROUNDING)
    wanted = chances(here.policy_logits)
    other = chances(there.policy_logits)
    board = back(other[:, :-1].reshape(-1, 7, 7)).reshape(len(other), -1)
    wanted = (wanted + np.concatenate([board, other[:, -1:]], axis=1)) / 2
    np.testing.assert_allclose(chances(both.policy_logits), wanted, atol=ROUNDING)
    assert np.abs(here.lead - there.lead).max() > 100 * ROUNDING  # turning says something new


@pytest.mark.parametrize(("number", "turns"), [(4, (3, 5, 6)), (8, range(8))])
def test_over_a_whole_group_the_way_the_board_lies_does_not_matter(
    tmp_path: Path, number: int, turns: Any
) -> None:
    spatial, numbers = inputs(2, 9)
    net = loaded(tmp_path, SHAPE, symmetries=number)
    assert repr(net).endswith(f"{number} symmetries>")
    here = evaluated(net, spatial, numbers)
    for symmetry in turns:
        how = np.full(len(spatial), symmetry, np.int64)
        there = evaluated(net, turned(spatial, how), numbers)
        one, other = planes_of(here)[0], planes_of(there)[0]
        np.testing.assert_allclose(turned(one, how), other, atol=ROUNDING)
        for name in ("lead", "score_mean", "value_logits"):
            np.testing.assert_allclose(
                getattr(here, name), getattr(there, name), atol=ROUNDING, err_msg=name
            )


def test_one_is_what_the_network_says_of_the_board_as_it_lies(tmp_path: Path) -> None:
    spatial, numbers = inputs(3, 9)
    outputs = [
        evaluated(loaded(tmp_path, SHAPE, **how), spatial, numbers)
        for how in ({}, {"symmetries": 1})
    ]
    for field in fields(NetworkOutput):
        np.testing.assert_array_equal(*(getattr(each, field.name) for each in outputs))
    empty = loaded(tmp_path, SHAPE, symmetries=8).evaluate(spatial[:0], numbers[:0])
    assert empty.policy_logits.shape == (0, 82)


def test_averages_are_not_mistaken_for_single_looks(tmp_path: Path) -> None:
    spatial, numbers = inputs(1, 9)
    nets = [loaded(tmp_path, SHAPE, symmetries=number) for number in (1, 2)]
    keys = {inputs_key(net, spatial[0], numbers[0]) for net in nets}
    assert len(keys) == 2
    one, two = (NetworkView(net.sha256, net.symmetries, net.name) for net in nets)
    assert one != two
    assert two == NetworkView.of(two.card())
    assert one == NetworkView.of(one.card())
    assert (str(one), str(two)) == (nets[0].name, f"{nets[0].name} under 2 symmetries")
    for number in (0, 9):
        with pytest.raises(UsageError, match="symmetries is"):
            loaded(tmp_path, SHAPE, symmetries=number)
