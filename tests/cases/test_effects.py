import numpy as np
import pytest
import torch
from torch import nn

from halfulp import Verdict, check
from halfulp.cases import LIFTED, Case, Change, Inputs, Variant
from halfulp.cases.effects import AFTERWARDS, are_one_parameter, counterparts
from halfulp.cases.poison import poisoned

V = Verdict


class Norm(nn.Module):
    def __init__(self, size, momentum=0.1):
        super().__init__()
        self.inner = nn.BatchNorm1d(size, momentum=momentum)

    def forward(self, x):
        return self.inner(x)


def test_tensors_correspond_by_identity_name_or_unique_ending():
    shared, own = torch.ones(2), torch.ones(2)
    assert counterparts({"a": shared}, {"b": shared, "a": own}) == {"a": "b"}
    assert counterparts({"bn.mean": own}, {"model.bn.mean": torch.ones(2)}) == {"bn.mean": "model.bn.mean"}
    assert counterparts({"mean": own}, {"x.mean": torch.ones(2), "y.mean": torch.ones(2)}) == {}
    assert counterparts({"mean": own}, {"mean": torch.ones(3)}) == {}


def test_buffers_are_compared_across_names_and_in_every_run():
    x = torch.randn(20, 4)
    case = Case(nn.BatchNorm1d(4), Norm(4), (x,))
    paths = [leaf.path for leaf in case.native("actual").outputs]
    assert paths == ["", *(f"inner.{name}{AFTERWARDS}" for name in ("num_batches_tracked", "running_mean", "running_var"))]
    for variant in (LIFTED, Variant(repetition=1), Variant(inputs=Inputs(Change.MOVED, 0))):
        assert [leaf.path for leaf in case.run("expected", variant).outputs] == paths
    assert check(nn.BatchNorm1d(4), Norm(4), (x,)).verdict is V.IDENTICAL
    wrong = check(nn.BatchNorm1d(4, momentum=0.11), Norm(4), (x,))
    assert wrong.verdict is V.MISTAKE
    assert "running" in wrong.reason


def test_inputs_that_both_sides_write_are_compared_and_others_reported():
    def write(factor):
        def f(x):
            x.mul_(factor)
            return x.sum()

        return f

    x = torch.randn(9)
    assert check(write(2.0), write(2.0), (x,)).verdict is V.IDENTICAL
    assert check(write(2.0), lambda x: (x * 2.0).sum(), (x,)).verdict is V.IDENTICAL
    assert check(write(2.001), write(2.0), (x,)).verdict is V.MISTAKE


def test_state_is_put_back_where_a_run_inside_another_asked_what_changed():
    norm = Norm(3)
    state = Case(norm, norm, (torch.randn(8, 3),)).actual.state
    before = norm.inner.running_mean.clone()
    with state.put_back():
        norm.inner.running_mean.add_(1.0)
        with state.put_back():
            norm.inner.running_var.add_(1.0)
            assert any(name.endswith("running_var") for name in state.changed())
        norm.inner.running_mean.add_(1.0)
    assert torch.equal(norm.inner.running_mean, before) and torch.equal(norm.inner.running_var, torch.ones(3))
    with state.put_back():
        norm.inner.running_mean.add_(1.0)
        state.changed()
    assert torch.equal(norm.inner.running_mean, before)


def test_gradients_and_optimizers_are_put_back():
    net = nn.Linear(3, 2)
    net.weight.grad = torch.full((2, 3), 7.0)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
    before = {name: value.detach().clone() for name, value in net.named_parameters()}

    def step(x):
        optimizer.zero_grad()
        loss = net(x).square().sum()
        loss.backward()
        optimizer.step()
        return loss.detach()

    case = Case(step, step, (torch.randn(4, 3),))
    run = case.native("actual")
    assert any("exp_avg_sq" in leaf.path for leaf in run.outputs)
    assert any("weight.grad" in leaf.path for leaf in run.outputs)
    lifted = case.run("actual", LIFTED)
    assert {leaf.dtype for leaf in lifted.outputs} <= {"float64", "float32"}  # a step counter may stay
    assert all(torch.equal(value, before[name]) and value.dtype == torch.float32 for name, value in net.named_parameters())
    assert net.weight.grad.eq(7.0).all()
    assert net.bias.grad is None
    assert not optimizer.state
    assert optimizer.param_groups[0]["lr"] == 0.1


def test_functions_that_differentiate_by_themselves_are_lifted():
    net = nn.Linear(3, 2)

    def own_gradient(x):
        return torch.autograd.grad(net(x).square().sum(), [net.weight])[0]

    result = check(own_gradient, lambda x: 2.0 * net(x).T @ x, (torch.randn(4, 3),))
    assert result.verdict in (V.IDENTICAL, V.ROUNDING)
    assert result.verdict is V.IDENTICAL or result.find("scaling").finding == "vanishes"


def test_unwritten_memory_holds_nan_and_everything_is_put_back():
    originals = torch.empty, torch.empty_like, np.empty, torch.Tensor.new_empty
    with poisoned():
        assert torch.empty(3).isnan().all()
        assert torch.empty_like(torch.ones(2)).isnan().all()
        assert torch.ones(1).new_empty(2).isnan().all()
        assert np.isnan(np.empty(3)).all()
        assert torch.empty(3, dtype=torch.int64).shape == (3,)
        assert np.empty(2, dtype=int).shape == (2,)
    assert (torch.empty, torch.empty_like, np.empty, torch.Tensor.new_empty) == originals
    assert "new_empty" not in vars(torch.Tensor)


def test_reading_unwritten_memory_is_named():
    def forgets(x):
        y = torch.empty_like(x)
        y[1:] = x[1:]
        return y

    result = check(forgets, torch.clone, (torch.randn(50, 40),))
    assert result.verdict is V.NONDETERMINISTIC
    assert "reads memory before it is written" in result.reason
    attention = nn.MultiheadAttention(8, 2).eval()  # has a fast path that a mode would turn off
    x = torch.randn(3, 1, 8)
    assert check(lambda x: attention(x, x, x)[0], lambda x: attention(x, x, x)[0], (x,)).verdict is V.IDENTICAL
    assert torch.isfinite(forgets(torch.ones(2))[1:]).all()


def test_layout_and_device_are_reported():
    x = torch.randn(1, 2, 3, 4)
    result = check(lambda x: x.contiguous(memory_format=torch.channels_last) * 2, lambda x: x * 2, (x,))
    assert result.verdict is V.IDENTICAL
    assert result.find("effects").measured["memory_formats"] == ["channels_last against contiguous"]


def test_counterparts_by_their_bits_come_before_names_by_order():
    """Modules that a function reads are named by their order, which may be another one on the other side."""
    first, second = torch.randn(3), torch.randn(3)
    assert counterparts({"0": second.clone(), "1": first.clone()}, {"0": first, "1": second}) == {"0": "1", "1": "0"}
    # Equal bits on several places tell nothing: names do.
    zeros = torch.zeros(3)
    assert counterparts({"a": zeros.clone(), "b": zeros.clone()}, {"b": zeros, "a": zeros.clone()}) == {"a": "a", "b": "b"}


def test_gradients_of_other_numbers_are_not_compared():
    """A batch normalization that is folded into a convolution: the results are the same, the weights are others."""
    torch.manual_seed(0)
    conv, norm = torch.nn.Conv2d(3, 8, 3, bias=False), torch.nn.BatchNorm2d(8)
    norm.running_var.uniform_(0.3, 1.3)
    folded = torch.nn.Conv2d(3, 8, 3)
    with torch.no_grad():
        scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
        folded.weight.copy_(conv.weight * scale[:, None, None, None])
        folded.bias.copy_(norm.bias - norm.running_mean * scale)
    expected = torch.nn.Sequential(conv, norm).eval()
    result = check(torch.nn.Sequential(folded), expected, torch.randn(2, 3, 7, 7), gradients=True)
    assert result.acceptable, result.reason
    compared = {
        leaf.path
        for leaf in Case(torch.nn.Sequential(folded), expected, (torch.randn(2, 3, 7, 7),), gradients=True).native("actual").outputs
    }
    assert compared == {"['output']", "['gradient']['inputs[0]']"}


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float8_e4m3fn])
def test_a_parameter_stays_itself_when_it_is_rounded(dtype):
    weight = torch.randn(100)
    assert are_one_parameter(weight.to(dtype).float(), weight)
    assert not are_one_parameter(weight * (1 + torch.rand(100)), weight)


def test_weights_that_one_side_has_captured_do_not_move_on_the_other_alone():
    norm = nn.LayerNorm(8)
    with torch.no_grad():
        norm.weight.uniform_(0.5, 1.5)
    weight, bias, table = norm.weight.detach().clone(), norm.bias.detach().clone(), torch.randn(10, 8)
    case = Case(lambda ids: norm(table[ids]), lambda ids: nn.functional.layer_norm(table[ids], (8,), weight, bias), (torch.arange(10),))
    moved = Variant(inputs=Inputs(Change.MOVED_WIDELY, 0))
    actual, expected = (case.run(name, moved).outputs[0].stored for name in ("actual", "expected"))
    assert np.array_equal(actual, expected)
