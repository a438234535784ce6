"""halfulp on DirectML's stand-in. `test_standin_devices.py` runs these in a process of their own: the device can't be taken away again."""

import copy
import sys

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

import halfulp
from halfulp import Verdict, check, explain, locate, record
from halfulp.backends.adapters.with_torch import DirectML
from halfulp.cases.dependencies import dependencies_of
from halfulp.errors import Unsupported
from halfulp.inputs import variants
from halfulp.testing import check_backend, conformance

from . import faults
from .device import package, registered

INPUTS = torch.randn(16, 64, generator=torch.Generator().manual_seed(0))
WEIGHT = torch.randn(64, 16, generator=torch.Generator().manual_seed(1))
LABELS = torch.arange(16) % 5


@pytest.fixture(scope="session")
def gpu():
    return registered()


@pytest.fixture
def directml(gpu, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch_directml", package())
    gpu.kernels.clear()
    return halfulp.backend("directml")


@pytest.fixture
def pair(gpu):
    """A module on the device, and the same on the processor."""

    def made(module):
        return copy.deepcopy(module).to(gpu.device), module

    return made


def perceptron():
    return nn.Sequential(nn.Linear(64, 32), nn.GELU(), nn.Linear(32, 5))


# The backend


def test_it_is_here_and_its_fingerprint_names_the_device(directml):
    assert directml.availability().where == "here"
    assert directml.fingerprint()["DirectML device"] == "Stand-in adapter"


def test_modules_run_on_the_device_and_results_come_back(directml, gpu):
    net = perceptron()
    result = directml.implement(net)(INPUTS)
    assert gpu.kernels.count("aten.addmm.default") == 2
    assert result.device.type == "cpu"
    assert torch.equal(result, net(INPUTS))
    assert next(net.parameters()).device.type == "cpu"


def test_it_keeps_the_laws_of_backends(directml):
    found = check_backend(directml, ops=["linear", "gelu", "softmax", "layer_norm"])
    assert found.left_out["float64"].startswith("Got float64 for privateuseone:0.")


def test_the_laws_find_float64_that_is_float32(directml, gpu):
    class Trusting(DirectML):
        dtypes = (*DirectML.dtypes, "float64")

    assert not conformance(Trusting(), ops=["linear"]).broken
    with gpu.having(faults.float64_in_float32):
        broken = conformance(Trusting(), ops=["linear"]).broken
    assert "computed in lower precision" in broken["it computes in the dtype that goes in, and returns that dtype"]


@pytest.mark.parametrize("given", [INPUTS.double(), INPUTS.double().numpy()], ids=["tensor", "array"])
def test_float64_inputs_are_refused_and_nothing_is_computed(directml, gpu, given):
    function = directml.implement(torch.exp)
    with pytest.raises(Unsupported, match=r"Got float64 for privateuseone:0. Needed: float32, float16. .*computes in another format"):
        function(given)
    assert not gpu.kernels


def test_float64_parameters_are_refused(directml):
    bag = nn.EmbeddingBag(10, 4, mode="sum").double()
    with pytest.raises(Unsupported, match="float64"):
        directml.implement(bag)(torch.arange(20).reshape(4, 5) % 10)


def test_complex128_inputs_are_refused(directml):
    with pytest.raises(Unsupported, match="complex128"):
        directml.implement(torch.square)(INPUTS.to(torch.complex128))


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, inputs):
        self.calls += 1
        return inputs * self.calls


def test_a_module_that_is_put_back_starts_again(directml):
    net = Counting()
    function = directml.implement(net)
    first = function(INPUTS)
    net.calls.zero_()
    assert torch.equal(function(INPUTS), first)


def test_state_that_a_module_changes_is_no_mistake_of_the_device(directml):
    norm = nn.BatchNorm1d(64)
    assert check(directml.implement(norm), norm, (INPUTS,)).acceptable


def test_gradients_go_through_the_backend(directml):
    net = perceptron()
    assert check(directml.implement(net), net, (INPUTS,), gradients=True).acceptable


def test_the_copy_on_the_device_is_no_state_of_the_user(directml):
    net = perceptron()
    function = directml.implement(net)
    function(INPUTS)
    assert dependencies_of(function).modules == [net]


def test_the_backend_records_on_the_device(directml):
    trace = directml.implement(perceptron()).record((INPUTS,))
    assert [step.op for step in trace.ops if "addmm" in step.op] == ["aten.addmm.default"] * 2
    assert {value.device for value in trace.values} == {"privateuseone:0"}


# Verdicts: a device without faults


WITHOUT_FLOAT64 = {"float64": (), "float64 in float32": (faults.float64_in_float32,), "no float64": (faults.float64_not_computed,)}


@pytest.fixture(params=WITHOUT_FLOAT64)
def honest(request, gpu):
    """A device whose float32 sums are right, in an order of its own, whatever it does in float64."""
    with gpu.having(*WITHOUT_FLOAT64[request.param], faults.sums_in_two_halves):
        yield gpu


def test_another_order_is_rounding_in_functions(honest):
    result = check(lambda inputs, weight: inputs.to(honest.device) @ weight.to(honest.device), torch.matmul, (INPUTS, WEIGHT))
    assert result.verdict is Verdict.ROUNDING, result


@pytest.mark.parametrize("gradients", [False, True])
def test_another_order_is_rounding_in_modules(honest, pair, gradients):
    result = check(*pair(perceptron()), (INPUTS,), gradients=gradients)
    assert result.verdict is Verdict.ROUNDING, result


def test_another_order_is_rounding_through_the_backend(honest, directml):
    net = perceptron()
    assert check(directml.implement(net), net, (INPUTS,)).verdict is Verdict.ROUNDING


def test_another_order_is_rounding_on_inputs_of_the_device(honest):
    there = (INPUTS.to(honest.device), WEIGHT.to(honest.device))
    assert check(torch.matmul, lambda inputs, weight: inputs.cpu() @ weight.cpu(), there).verdict is Verdict.ROUNDING


def test_another_order_makes_rounded_results_jump(honest, pair):
    class Rounded(nn.Linear):
        def forward(self, inputs):
            return super().forward(100 * inputs).mul(100).round().to(torch.int64)

    assert check(*pair(Rounded(64, 500)), (INPUTS,)).verdict is Verdict.FLIP


@pytest.mark.parametrize("layer", [nn.LSTM, nn.GRU])
def test_fused_cells_of_devices_are_rounding(pair, layer):
    there, here = pair(layer(64, 8, batch_first=True))
    result = check(lambda inputs: there(inputs)[0], lambda inputs: here(inputs)[0], (INPUTS.reshape(4, 4, 64),), gradients=True)
    assert result.verdict is Verdict.ROUNDING, result


def test_the_order_of_the_device_is_revealed_and_explains_the_difference(gpu, directml):
    with gpu.having(faults.sums_in_two_halves):
        product = directml.implement(torch.matmul)
        assert halfulp.order(product, (INPUTS, WEIGHT)).family.startswith("two halves")
        explanation = explain(product, torch.matmul, (INPUTS, WEIGHT))
    assert explanation[0].name == "order of summation"


def test_modules_are_run_in_float64_on_the_processor(gpu, pair):
    with gpu.having(faults.float64_not_computed, faults.sums_in_two_halves):
        result = check(*pair(perceptron()), (INPUTS,), full=True)
    assert finding(result, "scaling") == "vanishes"


def test_inputs_of_a_device_without_float64_can_be_moved(gpu):
    with gpu.having(faults.float64_not_computed, faults.sums_in_two_halves):
        result = check(
            torch.matmul, lambda inputs, weight: inputs.cpu() @ weight.cpu(), (INPUTS.to(gpu.device), WEIGHT.to(gpu.device)), full=True
        )
    assert finding(result, "redraw") != "unavailable"


def test_variants_are_made_of_inputs_on_a_device(gpu):
    labels = [variant.label for variant in variants((INPUTS,))]
    assert [variant.label for variant in variants((INPUTS.to(gpu.device),))] == labels


def finding(result, kind):
    return next(each.finding for each in result.evidence if each.kind == kind)


# Verdicts: faults that were reported


def masked_in_place(inputs, mask):
    inputs = inputs.clone()
    inputs *= mask
    return inputs


def added_with_gaps(inputs, factor):
    transposed = inputs.clone().t()
    return transposed.addcmul_(factor.t(), factor.t())


class Loss(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(64, 5)

    def forward(self, inputs, labels):
        return functional.cross_entropy(self.linear(inputs), labels, reduction="none")


FUNCTIONS = {
    "matmul": (torch.matmul, (INPUTS.double(), WEIGHT.double()), faults.float64_in_float32, Verdict.REDUCED_PRECISION, "float32"),
    "sum": (lambda inputs: inputs.cumsum(1), (INPUTS.double(),), faults.float64_in_float32, Verdict.REDUCED_PRECISION, "float32"),
    "mask": (torch.mul, (INPUTS, INPUTS > 0), faults.bool_wins_products, Verdict.MISTAKE, "dtype differs: got bool, expected float32"),
    "mask in place": (masked_in_place, (INPUTS, INPUTS > 0), faults.bool_wins_products, Verdict.MISTAKE, "dtype differs: got bool"),
    "true division": (lambda inputs: inputs / 3, (torch.arange(-9, 9),), faults.integers_divide_to_integers, Verdict.MISTAKE, ""),
    "floor division": (lambda inputs: inputs // 3, (torch.arange(-9, 9),), faults.floor_division_truncates, Verdict.MISTAKE, "Integer"),
    "gaps": (added_with_gaps, (INPUTS, INPUTS), faults.gaps_are_not_written, Verdict.MISTAKE, ""),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_fault_in_a_function_is_found(gpu, name):
    function, given, fault, verdict, words = FUNCTIONS[name]

    def on_device(*arguments):
        return function(*(argument.to(gpu.device) for argument in arguments))

    assert check(on_device, function, given).verdict is Verdict.IDENTICAL
    with gpu.having(fault):
        result = check(on_device, function, given)
    assert (result.verdict, result.acceptable) == (verdict, False), result
    assert words in result.reason


MODULES = {
    "float64": (lambda: perceptron().double(), (INPUTS.double(),), {}, faults.float64_in_float32, Verdict.REDUCED_PRECISION, "float32"),
    "gradients": (Loss, (INPUTS, LABELS), {"gradients": True}, faults.no_gradient_of_unreduced_loss, Verdict.MISTAKE, "gradient"),
    "statistics": (
        lambda: nn.BatchNorm1d(64),
        (INPUTS,),
        {},
        faults.statistics_not_updated,
        Verdict.MISTAKE,
        "running_mean (after the call)",
    ),
}


@pytest.mark.parametrize("name", MODULES)
def test_a_fault_in_a_module_is_found(gpu, pair, name):
    make, given, options, fault, verdict, words = MODULES[name]
    there, here = pair(make())
    assert check(there, here, given, **options).verdict is Verdict.IDENTICAL
    with gpu.having(fault):
        result = check(there, here, given, **options)
    assert (result.verdict, result.acceptable) == (verdict, False), result
    assert words in result.reason


def test_wrong_gradients_are_no_matter_of_the_forward_pass(gpu, pair):
    with gpu.having(faults.no_gradient_of_unreduced_loss):
        assert check(*pair(Loss()), (INPUTS, LABELS)).verdict is Verdict.IDENTICAL


def test_faults_stand_out_from_honest_differences(gpu, pair):
    with gpu.having(faults.no_gradient_of_unreduced_loss, faults.sums_in_two_halves):
        assert check(*pair(Loss()), (INPUTS, LABELS), gradients=True).verdict is Verdict.MISTAKE
    with gpu.having(faults.float64_in_float32, faults.sums_in_two_halves):
        assert check(*pair(perceptron().double()), (INPUTS.double(),)).verdict is Verdict.REDUCED_PRECISION


# Recording


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm = nn.Linear(64, 8), nn.BatchNorm1d(8)
        self.mixing = nn.Parameter(torch.randn(8, 6).t())
        self.last = nn.Linear(6, 5)

    def forward(self, inputs, labels):
        mixed = functional.gelu(self.norm(self.first(inputs))) @ self.mixing.t()
        return functional.cross_entropy(self.last(mixed), labels, reduction="none")


def training_step(device):
    """A forward and a backward pass and a step of Adam, recorded; and the module afterwards."""
    torch.manual_seed(0)
    net = Net().to(device)
    # Elsewhere PyTorch steps all parameters at once by itself, here one after the other.
    optimizer = torch.optim.Adam(net.parameters(), lr=0.1, foreach=False)
    return record(net, (INPUTS.to(device), LABELS.to(device)), level="tensors", gradients=True, optimizer=optimizer), net


def test_a_training_step_on_the_device_is_recorded(gpu):
    (there, moved), (here, net) = training_step(gpu.device), training_step("cpu")
    assert {step.phase for step in there.ops} == {"forward", "backward", "step"}
    assert not there.notes
    assert "privateuseone:0" in {value.device for value in there.values}
    for name, parameter in net.named_parameters():
        assert torch.equal(dict(moved.named_parameters())[name].cpu(), parameter)
        assert np.array_equal(there.numbers(there.named[name]), parameter.detach().numpy())
    assert locate(there, here).verdict is Verdict.IDENTICAL


def test_another_order_is_located_nowhere(gpu):
    with gpu.having(faults.sums_in_two_halves):
        there, _ = training_step(gpu.device)
    origin = locate(there, training_step("cpu")[0])
    assert (origin.module, origin.verdict) == (None, Verdict.ROUNDING), origin


def products_with_gaps_are_not_added(op, name, arguments, keywords, run):
    return faults.gaps_are_not_written(op, name, arguments, keywords, run) if name == "aten::addcmul_" else NotImplemented


@pytest.mark.parametrize(
    ("fault", "op", "module"),
    [
        (faults.no_gradient_of_unreduced_loss, "aten.nll_loss_backward.default", ""),
        (faults.statistics_not_updated, "aten.native_batch_norm.default", "norm"),
        (products_with_gaps_are_not_added, "aten.addcmul_.default", ""),
    ],
)
def test_the_op_with_the_fault_is_located(gpu, fault, op, module):
    with gpu.having(fault, faults.sums_in_two_halves):
        there, _ = training_step(gpu.device)
    origin = locate(there, training_step("cpu")[0])
    assert (origin.op, origin.module, origin.verdict) == (op, module, Verdict.MISTAKE), origin


def test_nan_is_recorded_on_a_device_without_float64(gpu):
    with gpu.having(faults.float64_not_computed):
        trace = record(torch.log, (-INPUTS.to(gpu.device),))
    assert trace.values[-1].statistics["nan"] == (INPUTS > 0).sum()


def test_recording_asks_the_device_for_copies_only(gpu):
    given = INPUTS.to(gpu.device)
    gpu.kernels.clear()
    record(torch.exp, (given,))
    assert set(gpu.kernels) <= {"aten.exp.default", "aten._copy_from.default", "aten.empty_strided.default", "aten.view.default"}


# Modules with state of all kinds


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.out = nn.Embedding(16, 8), nn.Linear(8, 16, bias=False)
        self.out.weight = self.embedding.weight

    def forward(self, tokens):
        return self.out(torch.tanh(self.embedding(tokens)))


class Caching(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("table", None)
        self.plain = None
        self.calls = 0

    def forward(self, inputs):
        self.calls += 1
        if self.table is None:
            self.table, self.plain = torch.arange(64.0, device=inputs.device), torch.ones(64, device=inputs.device)
        self.kept = inputs * self.table
        return self.kept + self.plain


class Growing(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(0, 64))
        self.register_buffer("largest", torch.zeros(64))

    def forward(self, inputs):
        self.seen = torch.cat([self.seen, inputs])
        self.largest.copy_(torch.maximum(self.largest, inputs.log().amax(0)))
        return self.seen.sum()


class Clamping(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.linspace(-3.0, 3.0, 64))

    def forward(self, inputs):
        with torch.no_grad():
            self.weight.clamp_(-1.0, 1.0)
        return inputs * self.weight


STATEFUL = {
    "tied": (Tied, (torch.arange(10),)),
    "caching": (Caching, (INPUTS,)),
    "growing": (Growing, (INPUTS,)),
    "clamping": (Clamping, (INPUTS,)),
    "weight norm": (lambda: nn.utils.parametrizations.weight_norm(nn.Linear(64, 5)), (INPUTS,)),
    "spectral norm": (lambda: nn.utils.parametrizations.spectral_norm(nn.Linear(64, 5)), (INPUTS,)),
    "old weight norm": (lambda: nn.utils.spectral_norm(nn.Linear(64, 5)), (INPUTS,)),
    "lstm": (lambda: nn.LSTM(64, 8, num_layers=2, bidirectional=True), (INPUTS,)),
    "batch norm of nan": (lambda: nn.BatchNorm1d(64), (torch.full((4, 64), torch.nan),)),
}


@pytest.mark.parametrize("name", STATEFUL)
def test_modules_with_state_are_what_they_are_on_the_processor(gpu, directml, name):
    make, given = STATEFUL[name]
    net = make()
    there = directml.implement(net)
    expected = copy.deepcopy(net)
    result = check(there, expected, given)
    assert result.acceptable or "NaN" in result.reason, result
    found, right = there(*given), expected(*given)
    first = lambda result: result[0] if isinstance(result, tuple) else result
    assert torch.allclose(first(found), first(right), rtol=1e-4, atol=1e-5, equal_nan=True)
    mine, other = net.state_dict(), expected.state_dict()
    assert mine.keys() == other.keys()
    assert all(mine[key].device.type == "cpu" and torch.allclose(mine[key], other[key], atol=1e-6, equal_nan=True) for key in mine)
    net(*given)  # nothing of the device is left in it
    if not name.startswith("old"):  # these can't be copied on the processor either
        copy.deepcopy(net)
    if name != "batch norm of nan":
        assert there.record(given).ops


def test_modules_that_have_no_structure_to_copy_are_refused(gpu, directml):
    with pytest.warns(DeprecationWarning, match="torch.jit.trace"):
        traced = torch.jit.trace(nn.Linear(64, 5), INPUTS)
    with pytest.raises(Unsupported, match="TorchScript"):
        directml.implement(traced)
    with pytest.raises(Unsupported, match="no shape yet"):
        directml.implement(nn.LazyLinear(5))


def test_a_weight_under_two_modules_keeps_its_gradient(gpu):
    first, second = (nn.Linear(8, 8, bias=False).to(gpu.device) for _ in range(2))
    second.weight = first.weight
    here = copy.deepcopy(first).to("cpu")
    inputs = torch.randn(4, 8)

    def there(x):
        return second(torch.tanh(first(x.to(gpu.device)))).cpu()

    for _ in range(2):
        assert check(there, lambda x: here(torch.tanh(here(x))), (inputs,)).acceptable
        assert first.weight.requires_grad and first.weight is second.weight and first.weight.device == gpu.device


def test_attention_is_located_nowhere_without_a_fault(gpu, directml):
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(16, 2, dim_feedforward=32, batch_first=True).eval()
    origin = halfulp.locate(directml.implement(layer), layer, (torch.randn(2, 5, 16),))
    assert origin.verdict is not Verdict.MISTAKE, origin
