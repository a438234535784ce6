"""A module run elsewhere is what it is here afterwards. Elsewhere: copies on the processor; a device: `standins/on_directml.py`."""

import copy

import pytest
import torch
from torch import nn

from halfulp.backends.adapters.placed_module import Placed

X = torch.randn(8, 6, generator=torch.Generator().manual_seed(0))


class Elsewhere(Placed):
    """Another device, as far as memory goes."""

    def _moved(self, tensor):
        return tensor.clone()


def ran(module, *given, leaves=False):
    placed = Elsewhere(module, "cpu", leaves=leaves)
    result = placed.module(*given)
    placed.give_back()
    return result


class Everything(nn.Module):
    """Parameters tied and written, buffers that grow, appear and become NaN, caches, counters, lists."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(6, 6), nn.Linear(6, 6)
        self.second.weight = self.first.weight
        self.again = self.first
        self.nothing = None
        self.register_parameter("absent", None)
        self.register_buffer("seen", torch.zeros(0, 6))
        self.register_buffer("largest", torch.zeros(6))
        self.register_buffer("table", None)
        self.register_buffer("steady", torch.ones(6))
        self.plain, self.calls, self.history = torch.ones(6), 0, {"outputs": [], "pair": (self.first.weight, None)}

    def forward(self, x):
        self.calls += 1
        with torch.no_grad():
            self.first.bias.clamp_(-0.1, 0.1)
        self.seen = torch.cat([self.seen, x])
        self.largest.fill_(torch.nan)
        if self.table is None:
            self.table = torch.arange(6.0)
        hidden = self.second(torch.tanh(self.again(x))) * self.steady * self.plain + self.table
        self.history["outputs"].append(hidden)
        self.nothing = hidden * 2
        return hidden


def state_of(module):
    return {**module.state_dict(), "calls": module.calls, "outputs": module.history["outputs"], "nothing": module.nothing}


def test_a_module_run_elsewhere_is_what_it_is_here():
    torch.manual_seed(1)
    net = Everything()
    expected = copy.deepcopy(net)
    for _ in range(2):
        assert torch.equal(ran(net, X), expected(X))
    mine, other = state_of(net), state_of(expected)
    assert mine.keys() == other.keys() and mine["calls"] == 2
    for name, value in other.items():
        pairs = zip(mine[name], value) if isinstance(value, list) else [(mine[name], value)]
        assert all(torch.equal(torch.as_tensor(each).nan_to_num(7.0), torch.as_tensor(right).nan_to_num(7.0)) for each, right in pairs), (
            name
        )
    assert net.second.weight is net.first.weight is net.history["pair"][0] and not net.history["outputs"][0].requires_grad


def test_gradients_reach_the_parameters_of_the_module():
    torch.manual_seed(2)
    net = nn.LSTM(6, 3, num_layers=2)
    expected = copy.deepcopy(net)
    ran(net, X)[0].square().sum().backward()
    expected(X)[0].square().sum().backward()
    for mine, right in zip(net.parameters(), expected.parameters()):
        assert torch.allclose(mine.grad, right.grad, rtol=1e-5)


@pytest.mark.parametrize("frozen", [False, True])
def test_leaves_are_parameters_of_their_own(frozen):
    net = nn.Linear(6, 2).requires_grad_(not frozen)
    placed = Elsewhere(net, "cpu", leaves=True)
    assert all(
        isinstance(parameter, nn.Parameter) and parameter.is_leaf and parameter.requires_grad is not frozen
        for parameter in placed.module.parameters()
    )
    copy.deepcopy(placed.module)
    assert placed.module.weight is not net.weight


def test_in_inference_mode_values_say_what_was_written():
    class Written(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(6))
            self.other = nn.Parameter(torch.ones(6))

        def forward(self, x):
            self.weight.mul_(2.0)
            return x * self.weight * self.other

    with torch.inference_mode():
        net = Written()
        ran(net, X)
        assert net.weight.tolist() == [2.0] * 6 and net.other.tolist() == [1.0] * 6
