import functools
import random

import numpy as np
import pytest
import torch
from torch import nn

from halfulp.cases import Side
from halfulp.cases.dependencies import eager_of
from halfulp.cases.sides import repeatable, taken_apart

CAPTURED = torch.ones(3)


def uses_global(x):
    return x * CAPTURED


class Holder:
    def __init__(self):
        self.net = nn.Linear(2, 2)

    def run(self, x):
        return self.net(x)


def test_finds_what_a_callable_depends_on():
    net = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.3))
    weights = [torch.zeros(2), {"w": torch.ones(1)}]
    assert Side("actual", net).modules == [net]
    assert Side("actual", lambda x: net(x)).modules == [net]
    assert len(Side("actual", lambda x: weights[0] + x).state.captured) == 2
    assert Side("actual", uses_global).state.captured["captured tensor 0"] is CAPTURED
    assert Side("actual", functools.partial(torch.add, torch.ones(1))).state.captured
    assert Side("actual", lambda x, w=CAPTURED: x + w).state.captured["captured tensor 0"] is CAPTURED
    assert Side("actual", net.forward).modules == [net]
    assert Side("actual", torch.relu).modules == []
    compiled = torch.compile(net, backend="eager")
    assert Side("actual", compiled).is_compiled
    assert eager_of(compiled) is net


def test_device_is_that_of_the_state():
    assert Side("actual", nn.Linear(1, 1)).device == torch.device("cpu")
    assert Side("actual", torch.relu).device is None


def test_names_modules_that_draw_random_numbers():
    net = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.3), nn.Dropout(0.0))
    assert Side("actual", net).random_modules() == ["1 (Dropout, p=0.3)"]
    assert Side("actual", net.eval()).random_modules() == []
    assert Side("actual", nn.MultiheadAttention(2, 1, dropout=0.1)).random_modules() == ["MultiheadAttention (MultiheadAttention, p=0.1)"]


def test_state_is_restored_also_after_an_error():
    net = nn.BatchNorm1d(2)
    side = Side("actual", net)
    before = {name: value.clone() for name, value in net.state_dict().items()}
    with side.unchanged():
        net(torch.randn(8, 2))
        changed = side.state.changed()
    assert sorted(changed) == ["num_batches_tracked", "running_mean", "running_var"]
    with pytest.raises(RuntimeError), side.unchanged():
        net(torch.randn(8, 2))
        raise RuntimeError
    assert all(torch.equal(value, before[name]) for name, value in net.state_dict().items())


def test_random_states_go_on_as_before():
    torch.manual_seed(1)
    np.random.seed(1)
    random.seed(1)
    expected = (torch.rand(1), np.random.rand(), random.random())
    torch.manual_seed(1)
    np.random.seed(1)
    random.seed(1)
    with repeatable(5):
        first = (torch.rand(1).item(), np.random.rand(), random.random())
    with repeatable(5):
        assert first == (torch.rand(1).item(), np.random.rand(), random.random())
    assert expected == (torch.rand(1), np.random.rand(), random.random())


def test_modules_are_retyped_inside_only():
    net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    lstm = nn.LSTM(2, 2)
    side = Side("actual", lambda x: lstm(net(x))[0])
    weight = net[0].weight
    before = {name: value.clone() for name, value in net.state_dict().items()}
    for _ in range(2):
        with side.state.retyped(frozenset([torch.float32]), torch.float64, gradients=False):
            assert net[0].weight is weight
            assert weight.dtype == torch.float64
            assert not weight.requires_grad
            assert side.function(torch.randn(4, 2, dtype=torch.float64)).dtype == torch.float64
    assert weight.requires_grad
    assert all(torch.equal(value, before[name]) and value.dtype == before[name].dtype for name, value in net.state_dict().items())
    with pytest.raises(ZeroDivisionError), side.state.retyped(frozenset([torch.float32]), torch.float64, gradients=True):
        assert weight.requires_grad
        1 / 0  # noqa: B018
    assert weight.dtype == torch.float32


def test_state_of_plain_objects_is_found():
    class Callable:
        def __init__(self):
            self.layers = [nn.Dropout(0.5)]
            self.table = torch.ones(2)

        def __call__(self, x):
            return self.layers[0](x) * self.table

    side = Side("actual", Callable())
    assert side.random_modules() == ["Dropout (Dropout, p=0.5)"]
    assert len(side.state.captured) == 1
    assert Side("actual", Holder().run).modules


def test_writes_through_data_are_seen_and_undone():
    net = nn.Linear(2, 2)
    side = Side("actual", net)
    before = net.weight.clone()
    with side.unchanged():
        net.weight.data.mul_(2)
        net.eval()
        changed = side.state.changed()
    assert list(changed) == ["weight"]
    assert torch.equal(net.weight, before)
    assert net.training


def test_fused_kernels_are_off_inside_only():
    before = torch.backends.mha.get_fastpath_enabled()
    with taken_apart():
        assert not torch.backends.mha.get_fastpath_enabled()
    assert torch.backends.mha.get_fastpath_enabled() == before
