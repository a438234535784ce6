"""The walk on small programs: alignment, what is at fault, what is inherited, and what can't be told."""

import copy
import json
import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

import halfulp
from halfulp import InputError, Verdict
from halfulp.origins import slices


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.second, self.head = nn.Linear(24, 48), nn.LayerNorm(48), nn.Linear(48, 24), nn.Linear(24, 5)

    def forward(self, x):
        return self.head(x + self.second(F.gelu(self.norm(self.first(x)))))


@pytest.fixture
def net():
    torch.manual_seed(0)
    return Net()


X = torch.randn(16, 24, generator=torch.Generator().manual_seed(1))


def located(actual, expected, **options):
    return halfulp.locate(actual, expected, X, **options)


def test_the_same_program_is_identical(net):
    origin = located(copy.deepcopy(net), net, gradients=True)
    assert (origin.module, origin.verdict, origin.exit_code) == (None, Verdict.IDENTICAL, 0)
    assert all(point.counterpart == "same bits" for point in origin.walk)


def test_what_is_inherited_is_not_added(net):
    actual = copy.deepcopy(net)
    actual.norm.eps = 1e-3
    origin = located(actual, net)
    assert (origin.module, origin.phase, origin.verdict, origin.exit_code) == ("norm", "forward", Verdict.MISTAKE, 1)
    after = [point for point in origin.walk if point.step > origin.point.step and point.verdict is not None and point.module == "head"]
    assert after
    for point in after:
        assert point.excess <= 1.0 < point.inherited / point.added


def test_a_fault_in_the_backward_pass_alone(net):
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, grad):
            return grad * 1.001

    actual = copy.deepcopy(net)
    inner = actual.second.forward
    actual.second.forward = lambda x: Wrong.apply(inner(x))
    assert located(actual, net).module is None
    origin = located(actual, net, gradients=True)
    assert (origin.module, origin.phase) == ("second", "backward")


def test_ops_that_a_hook_adds_belong_to_the_module(net):
    actual = copy.deepcopy(net)
    actual.first.register_forward_hook(lambda module, inputs, output: output + 1e-3 * output * output)
    origin = located(actual, net)
    assert (origin.module, origin.verdict) == ("first", Verdict.MISTAKE)


def test_a_parameter_that_differs_is_named(net):
    actual = copy.deepcopy(net)
    with torch.no_grad():
        actual.second.bias[3] += 1e-5  # far below what rounding may do to the sum, but a parameter is not computed
    origin = located(actual, net)
    assert origin.module == "second"
    assert "parameter second.bias itself differs" in origin.because.lower()


@pytest.mark.parametrize("precision", [torch.bfloat16, torch.float16])
def test_a_module_in_fewer_bits_is_reduced_precision(net, precision):
    actual = copy.deepcopy(net)
    actual.second.forward = lambda x: F.linear(x.to(precision), net.second.weight.to(precision), net.second.bias.to(precision)).float()
    origin = located(actual, net)
    assert (origin.module, origin.verdict) == ("second", Verdict.REDUCED_PRECISION)
    assert str(precision).removeprefix("torch.") in origin.because


def test_declared_precision_is_allowed(net):
    actual = copy.deepcopy(net)
    actual.second.forward = lambda x: F.linear(x.bfloat16(), net.second.weight.bfloat16(), net.second.bias.bfloat16()).float()
    assert located(actual, net, declared="bfloat16").module is None


def decomposed(net):
    """The same written by hand, in a function without modules."""

    def run(x):
        y = x @ net.first.weight.T + net.first.bias
        mean = y.mean(-1, keepdim=True)
        y = (y - mean) / torch.sqrt(((y - mean) ** 2).mean(-1, keepdim=True) + net.norm.eps) * net.norm.weight + net.norm.bias
        y = 0.5 * y * (1.0 + torch.erf(y / math.sqrt(2.0)))
        return F.linear(x + (F.linear(y, net.second.weight) + net.second.bias), net.head.weight, net.head.bias)

    return run


def test_other_graphs_are_aligned_by_their_values(net):
    origin = located(decomposed(net), net, gradients=True)
    assert (origin.module, origin.acceptable) == (None, True)
    matched = [point for point in origin.walk if point.phase == "forward" and point.counterpart == "value"]
    assert {point.op for point in matched} >= {"aten.native_layer_norm.default", "aten.gelu.default"}


def test_a_fault_in_another_graph_is_found(net):
    wrong = copy.deepcopy(net)
    wrong.norm.eps = 1e-3
    origin = located(decomposed(wrong), net)
    assert origin.module == "norm"


def test_renamed_modules(net):
    class Renamed(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.ModuleDict({"up": net.first, "ln": nn.LayerNorm(48, eps=1e-3), "down": net.second})
            self.out = net.head

        def forward(self, x):
            return self.out(x + self.body["down"](F.gelu(self.body["ln"](self.body["up"](x)))))

    assert located(Renamed(), net).module == "norm"
    named = located(Renamed(), net, rename={"first": "body.up", "norm": "body.ln", "second": "body.down", "head": "out"})
    assert named.module == "norm"


def test_loops_go_by_the_call(net):
    class Loop(nn.Module):
        def __init__(self, wrong_at):
            super().__init__()
            self.cell, self.wrong_at = net.second, wrong_at

        def forward(self, x):
            y = torch.zeros(16, 48)
            for step in range(4):
                y = F.pad(self.cell(y + 1.0), (0, 24))
                if step == self.wrong_at:
                    y = y * 1.001
            return y

    origin = halfulp.locate(Loop(2), Loop(None), X)
    assert origin.acceptable is False
    assert all(point.call <= 2 for point in origin.walk if point.step < origin.point.step)


def test_a_training_step_names_the_parameter_s_module(net):
    def step(momentum):
        model = copy.deepcopy(net)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, dampening=momentum)

        def run(x):
            for _ in range(2):
                optimizer.zero_grad()
                model(x).square().mean().backward()
                optimizer.step()
            return model.head.weight.detach().clone()

        return run

    origin = located(step(0.01), step(0.0))
    assert origin.phase == "step"
    assert located(step(0.0), step(0.0)).module is None


def test_a_buffer(net):
    expected = nn.Sequential(nn.Linear(24, 8), nn.BatchNorm1d(8)).train()
    actual = copy.deepcopy(expected)
    actual[1].momentum = 0.11
    before = copy.deepcopy(expected.state_dict())
    origin = located(actual, expected)
    assert (origin.module, origin.phase) == ("1", "buffer")
    assert all(torch.equal(value, before[name]) for name, value in expected.state_dict().items())  # nothing is left behind


def test_the_first_nan_is_named_with_what_led_to_it(net):
    actual = copy.deepcopy(net)
    actual.norm.forward = lambda y: torch.log(y) - torch.log(y)
    origin = located(actual, net)
    found = next(each for each in origin.nonfinite if each.side == "actual")
    assert (found.op, found.module, found.kind) == ("aten.log.default", "norm", "NaN")
    assert "float32 16x48" in found.inputs[0]
    assert origin.module == "norm"


def test_the_first_op_that_gives_other_bits(net):
    noisy = copy.deepcopy(net)
    noisy.first.forward = lambda x: torch.addmm(net.first.bias.flip(0).flip(0), x.flip(1), net.first.weight.flip(1).T)
    origin = located(noisy, net)
    assert origin.verdict is Verdict.ROUNDING
    assert origin.first_bits.module == "first"


def test_the_same_program_recorded_twice_is_not_deterministic(tmp_path):
    """What differs in a repetition is neither rounding nor a mistake of one side."""
    weight = torch.randn(24, 24, generator=torch.Generator().manual_seed(2))
    calls = []

    class Racing(torch.autograd.Function):
        """Stands for a kernel that sums in an order of its own each time, and drops a term."""

        @staticmethod
        def forward(ctx, x):
            calls.append(None)
            y = x.new_empty(x.shape)
            y.numpy()[...] = x.numpy() * (1.0 + 1e-3 * len(calls))  # unseen, as a race is
            return y

    def run(x):
        return Racing.apply(x) @ weight

    first, second = (halfulp.record(run, X, tmp_path / f"{k}.trace", level="tensors") for k in range(2))
    origin = halfulp.locate(first, second)
    assert any("nondeterminism" in note for note in origin.notes)
    assert origin.first_bits is not None


@pytest.mark.parametrize("level", ["hash", "statistics"])
def test_without_elements_bits_are_compared_and_nothing_is_claimed(net, level):
    actual = copy.deepcopy(net)
    actual.norm.eps = 1e-3
    same = halfulp.record(copy.deepcopy(net), X, level=level)
    other, reference = halfulp.record(actual, X, level=level), halfulp.record(net, X, level=level)
    assert halfulp.locate(same, reference).verdict is Verdict.IDENTICAL
    origin = halfulp.locate(other, reference)
    assert (origin.verdict, origin.module, origin.first_bits.module) == (Verdict.UNDECIDED, None, "norm")
    assert origin.exit_code == 3


def test_large_results_are_judged_in_parts(net, monkeypatch):
    whole = located(decomposed(net), net, gradients=True)
    monkeypatch.setattr(slices, "LARGE", 200)
    parts = located(decomposed(net), net, gradients=True)
    assert (parts.module, parts.verdict) == (whole.module, whole.verdict)
    wrong = copy.deepcopy(net)
    with torch.no_grad():
        wrong.head.weight[2, 3] += 0.01
    assert located(wrong, net).module == "head"


def test_an_interrupted_walk_says_what_it_saw(net):
    calls = []

    def progress(word):
        calls.append(word)
        if word.startswith("comparing") and len([call for call in calls if call.startswith("comparing")]) > 1:
            raise KeyboardInterrupt

    origin = located(decomposed(net), net, gradients=True, progress=progress)
    assert not origin.complete
    assert any(note.startswith("interrupted after") for note in origin.notes)


def test_the_report_and_the_json(net):
    actual = copy.deepcopy(net)
    actual.norm.eps = 1e-3
    origin = located(actual, net)
    text = str(origin)
    assert text.startswith(
        "MISTAKE: the two compute different functions (not acceptable)\nIt starts in norm, at aten.native_layer_norm.default (forward"
    )
    assert ">  norm" in text
    content = json.loads(origin.to_json())
    assert (content["schema"], content["module"], content["verdict"]) == (1, "norm", "MISTAKE")
    assert len(content["walk"]) == len(origin.walk)


def test_arguments_that_make_no_sense(net, tmp_path):
    trace = halfulp.record(net, X, tmp_path / "a.trace")
    with pytest.raises(InputError, match="two traces and inputs"):
        halfulp.locate(trace, trace, X)
    with pytest.raises(InputError, match="two traces, or two callables"):
        halfulp.locate(trace, net, X)
    with pytest.raises(InputError, match="no inputs"):
        halfulp.locate(net, net)
    with pytest.raises(halfulp.RunError, match="while it was recorded"):
        halfulp.locate(net, net, torch.randn(3, 3))
    with pytest.raises(halfulp.TraceError, match="does not exist"):
        halfulp.locate(tmp_path / "nothing", trace)


def test_sampled_traces_tell_distances_only(net, tmp_path):
    trace = halfulp.record(net, X, tmp_path / "a.trace", level="tensors", sample=8)
    assert all(value.place is None or value.place.elements <= 8 for value in trace.values)
    assert np.isfinite(trace.stored(next(value.number for value in trace.values if value.place is not None and value.elements > 8))).all()


class TestOtherNumbersOfElements:
    """A mask that selects more elements on one side: counterparts of another size are no error of halfulp's."""

    x = torch.linspace(-2.0, 2.0, 41).reshape(41, 1) * torch.tensor([1.0, -0.7, 0.3])

    @pytest.mark.parametrize("slope", [1.3, 0.7])
    @pytest.mark.parametrize(
        "reads",
        [
            lambda h: (h[h > 0.5] ** -2).cumsum(0).sum(),
            lambda h: h[(h > 0.5).nonzero()[:, 0]].sum(0),
            lambda h: torch.masked_select(h, h > 0.5).mean(),
            lambda h: h[h[:, 0] > 0.5].exp().sum(0),
            lambda h: torch.unique((h * 19).round()).cumsum(0) * 2,
            lambda h: h[h > 0.5] * 2,
            lambda h: h[h > 0.5],
        ],
    )
    def test_it_is_located(self, reads, slope):
        found = halfulp.locate(lambda x: reads((x * slope).tanh()), lambda x: reads((x * 1.0).tanh()), (self.x,))
        assert found.verdict.name == "MISTAKE"
        assert found.place is not None and found.op

    def test_an_output_of_another_shape_is_said(self):
        found = halfulp.locate(lambda x: x[x > 0.5] * 2, lambda x: x[x > 0.4] * 2, (self.x,))
        assert found.verdict.name == halfulp.check(lambda x: x[x > 0.5] * 2, lambda x: x[x > 0.4] * 2, (self.x,)).verdict.name

    @pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
    def test_honest_ones_stay_so(self, dtype):
        x = self.x.to(dtype)
        found = halfulp.locate(lambda x: x[x > 0.5].exp().sum(), lambda x: x[x > 0.5].exp().flip(0).sum(), (x,))
        assert found.acceptable
