"""Arrays of NumPy that a function holds are of the precision of a run, wherever they are held, and come back."""

import dataclasses

import numpy as np
import pytest
import torch

import halfulp
from halfulp.cases.sides import Side

GLOBAL = np.full((3, 3), 1 / 3, np.float32)


@dataclasses.dataclass(frozen=True)
class Frozen:
    weight: np.ndarray

    def __call__(self, x):
        return np.asarray(x) @ np.sqrt(self.weight)


class Refuses(dict):
    def __setitem__(self, key, value):
        raise TypeError("read only")


def in_a_cell():
    weight = np.full((3, 3), 1 / 3, np.float32)
    return lambda x: np.asarray(x) @ np.sqrt(weight)


def in_a_dict():
    held = {"weight": np.full((3, 3), 1 / 3, np.float32), "others": [np.full((3, 3), 1 / 7, np.float32)]}
    return lambda x: np.asarray(x) @ np.sqrt(held["weight"]) @ np.sqrt(held["others"][0])


def in_a_dict_that_refuses():
    held = Refuses(weight=np.full((3, 3), 1 / 3, np.float32))
    return lambda x: np.asarray(x) @ np.sqrt(held["weight"])


def in_a_global(x):
    return np.asarray(x) @ np.sqrt(GLOBAL)


HELD = {
    "cell": in_a_cell(),
    "dict": in_a_dict(),
    "global": in_a_global,
    "object": Frozen(np.full((3, 3), 1 / 3, np.float32)),
}


@pytest.mark.parametrize("place", HELD)
def test_they_are_lifted_wherever_they_are_and_come_back(place):
    function, x = HELD[place], np.ones((2, 3))
    side = Side("actual", function)
    before = function(x.astype(np.float32))
    arrays = [id(array) for array in side.state.arrays]
    with side.state.retyped(frozenset({torch.float32}), torch.float64, gradients=False):
        inside = function(x)
        assert inside.dtype == np.float64 and all(array.dtype == np.float64 for array in side.state.arrays)
        # What float32 has rounded away is not there any more: the root is taken in float64.
        assert np.abs(inside - function(x.astype(np.float32))).max() < 1e-15
    assert [id(array) for array in side.state.arrays] == arrays
    assert function(x.astype(np.float32)).dtype == np.float32 and np.array_equal(function(x.astype(np.float32)), before)


def test_a_container_that_takes_nothing_is_left_alone():
    function = in_a_dict_that_refuses()
    x = torch.randn(4, 3)
    assert halfulp.check(function, function, (x,)).acceptable
    assert function(x).dtype == np.float32


def test_a_root_of_weights_in_float32_is_no_other_formula():
    torch.manual_seed(0)
    weight = torch.rand(64, 64) + 0.1
    held = {"weight": weight.numpy()}
    result = halfulp.check(lambda x: np.asarray(x) @ np.sqrt(held["weight"]), lambda x: x @ weight.sqrt(), (torch.randn(8, 64),))
    assert result.verdict.name == "ROUNDING"
    wrong = halfulp.check(lambda x: np.asarray(x) @ np.sqrt(held["weight"] + 1e-5), lambda x: x @ weight.sqrt(), (torch.randn(8, 64),))
    assert wrong.acceptable is False
