"""What a run leaves on modules is undone, and what it writes is converted anew."""

import torch
from torch import nn

from halfulp import Verdict, check
from halfulp.cases.dependencies import dependencies_of
from halfulp.cases.state import State

X = torch.randn(8, 8, generator=torch.Generator().manual_seed(0))


class Caching(nn.Module):
    """Makes a table at its first call, as rotary embeddings do."""

    def __init__(self):
        super().__init__()
        self.register_buffer("table", None)
        self.plain = None

    def forward(self, x):
        if self.table is None:
            self.table, self.plain = torch.arange(8, dtype=x.dtype) / 3, torch.ones(8, dtype=x.dtype)
        return x * self.table + self.plain


def test_what_a_run_in_float64_caches_is_gone_afterwards():
    left, right = Caching(), Caching()
    result = check(left, lambda x: right(x) * (1 + 3e-5), (X,))
    assert result.verdict is not Verdict.NONDETERMINISTIC and result.find("scaling") is not None
    assert left.table is None and left.plain is None
    assert left(X).dtype == torch.float32


class Writing(nn.Module):
    def __init__(self, shift, *, through_data):
        super().__init__()
        self.layer, self.shift, self.through_data = nn.Linear(8, 8, bias=False), shift, through_data
        nn.init.constant_(self.layer.weight, 0.5)

    def forward(self, x):
        if self.through_data:
            self.layer.weight.data.mul_(0.99)
        else:
            with torch.no_grad():
                self.layer.weight.mul_(0.99)
        return (self.layer(x) + self.shift) - self.shift


def test_a_parameter_that_is_written_is_no_wider_noise():
    for through_data in (False, True):
        result = check(Writing(1e4, through_data=through_data), Writing(0.0, through_data=through_data), (X,))
        assert result.verdict is Verdict.UNSTABLE, result
        assert result.find("noise").measured["noise_rel_rms"] < 1e-5


def test_each_run_starts_from_the_same_numbers():
    module = Writing(0.0, through_data=False)
    state = State(dependencies_of(module))
    with state.put_back():
        module(X)
        state.changed()
    for _ in range(3):
        with state.retyped(frozenset([torch.float32]), torch.float64, gradients=False):
            assert module.layer.weight.dtype == torch.float64 and bool((module.layer.weight == 0.5).all())
            module(X.double())


def test_one_tensor_under_two_modules_is_given_back_once():
    first, second = nn.Linear(8, 8), nn.Linear(8, 8)
    second.weight = first.weight
    for gradients in (False, True):
        result = check(lambda x: second(torch.tanh(first(x))), lambda x: second(torch.tanh(first(x))) * 1.0, (X,), gradients=gradients)
        assert result.acceptable and first.weight.requires_grad and first.weight is second.weight
