"""check on functions whose truth is known by construction: each verdict, and each kind of awkward input."""

import dataclasses
import random

import numpy as np
import pytest
import torch
from benchmarks.verdicts.rewrites import onednn
from torch import nn
from torch.nn import functional as F

import halfulp
from halfulp import Verdict, check
from halfulp.errors import InputError, RunError

V = Verdict
torch.manual_seed(20)  # the inputs of the tables below are drawn at import
A, W = torch.randn(32, 256, generator=torch.Generator().manual_seed(1)), torch.randn(256, 40, generator=torch.Generator().manual_seed(2))
X = torch.randn(8, 16, generator=torch.Generator().manual_seed(3))


def product(a, w):
    return a @ w


def halves(a, w):
    return a[:, ::2] @ w[::2] + a[:, 1::2] @ w[1::2]


def elementwise(a, w):
    return (a[:, :, None] * w).sum(1)


def only_float32(function):
    def refusing(*inputs):
        if any(tensor.dtype != torch.float32 for tensor in inputs):
            raise TypeError("float32 kernel")
        return function(*inputs)

    return refusing


def to_tf32(value):
    bits = value.contiguous().view(torch.int32)
    return ((bits + 0x0FFF + ((bits >> 13) & 1)) & ~0x1FFF).view(torch.float32)


def one_pass(x):
    return (x * x).mean(1) - x.mean(1) ** 2


HONEST = {
    "halves": (halves, product, (A, W)),
    "elementwise": (elementwise, product, (A, W)),
    "bfloat16": (halves, product, (A.bfloat16(), W.bfloat16())),
    "float16": (halves, product, (A.half(), W.half())),
    "float64": (halves, product, (A.double(), W.double())),
    "numpy": (lambda a, w: a @ w, lambda a, w: a[:, ::2] @ w[::2] + a[:, 1::2] @ w[1::2], (A.numpy(), W.numpy())),
    "kernel for float32 only": (only_float32(halves), product, (A, W)),
    "both for float32 only": (only_float32(halves), only_float32(product), (A, W)),
    "complex": (lambda x: x.to(torch.complex64) @ torch.fft.fft(torch.eye(16)), torch.fft.fft, (X,)),
    "softmax by hand": (lambda x: x.exp() / x.exp().sum(1, keepdim=True), lambda x: torch.softmax(x, 1), (X,)),
    "a constant rounded to float32": (lambda x: x * torch.tensor(1 / 50, dtype=torch.float32), lambda x: x / 50, (X,)),
}


@pytest.mark.parametrize("name", HONEST)
def test_honest_implementations_are_rounding(name):
    actual, expected, inputs = HONEST[name]
    result = check(actual, expected, inputs)
    assert result.verdict is V.ROUNDING, result
    assert result.acceptable is True


MISTAKES = {
    "factor": (lambda a, w: (a @ w) * (1 + 1e-4), product, (A, W)),
    "one element": (lambda a, w: (a @ w).index_put((torch.tensor(3), torch.tensor(4)), torch.tensor(1.0)), product, (A, W)),
    "below the noise of a long sum": (lambda x: x[:, :-1].sum(1), lambda x: x.sum(1), (torch.rand(4, 100_001) + 0.5,)),
    "the same, float32 only": (only_float32(lambda x: x[:, :-1].sum(1)), lambda x: x.sum(1), (torch.rand(4, 100_001) + 0.5,)),
    "a small row beside a large one": (
        lambda x: torch.cat([x[:1].sum(1), x[1:].sum(1) * (1 + 1e-5)]),
        lambda x: x.sum(1),
        (torch.randn(2, 4000, generator=torch.Generator().manual_seed(0)) * torch.tensor([[1e6], [1.0]]),),
    ),
    "layer_eps": (lambda x: F.layer_norm(x, (16,), eps=1e-4), lambda x: F.layer_norm(x, (16,)), (X,)),
    "float32 only": (only_float32(lambda a, w: (a @ w) * 1.001), product, (A, W)),
    "both float32 only": (only_float32(lambda a, w: (a @ w) * 1.001), only_float32(product), (A, W)),
    "float64": (lambda a, w: (a @ w) * (1 + 1e-9), product, (A.double(), W.double())),
    "float64, tiny": (lambda a, w: (a @ w) * (1 + 3e-14), product, (A.double(), W.double())),
    "ties the other way": (lambda x: torch.floor(x * 4 + 0.5) / 4, lambda x: torch.round(x * 4) / 4, (torch.arange(-20, 20) * 0.125,)),
    "integer ties": (lambda x: 2 - x.flip(1).argmax(1), lambda x: x.argmax(1), (torch.ones(4, 3),)),
    "integers": (lambda x: x + 1, lambda x: x, (torch.arange(4),)),
    "booleans": (lambda x: x > 0, lambda x: x >= 0, (torch.tensor([0.0, 1.0]),)),
    "a Python number": (lambda a: a * (1 + 1e-9), lambda a: a, (1.7,)),
    "overlapping windows": (lambda x: x.unfold(1, 3, 1).mul_(2), lambda x: x.unfold(1, 3, 1) * 2, (X,)),
    "complex against real": (lambda x: torch.complex(x, x), lambda x: x, (X,)),
    "NaN": (lambda x: x.sqrt(), lambda x: x.abs().sqrt(), (X,)),
    "infinity": (lambda x: x / 0, lambda x: -x / 0, (X.abs() + 1,)),
}


@pytest.mark.filterwarnings("ignore")  # torch.jit is deprecated and says so
def test_a_traced_module_is_no_excuse():
    linear = nn.Linear(16, 4)
    traced = torch.jit.trace(linear, X)
    assert check(lambda x: linear(x) * 1.05, traced, (X,)).verdict is V.MISTAKE
    assert check(lambda x: x @ linear.weight.T + linear.bias, traced, (X,)).acceptable


@pytest.mark.parametrize("name", MISTAKES)
def test_other_functions_are_mistakes(name):
    actual, expected, inputs = MISTAKES[name]
    result = check(actual, expected, inputs)
    assert result.verdict is V.MISTAKE, result
    assert result.exit_code == 1
    assert result.reason.endswith(".")


REDUCED = {
    "tf32": (lambda a, w: to_tf32(a) @ to_tf32(w), product, (A, W), "tf32"),
    "bfloat16 inputs": (lambda a, w: a.bfloat16().float() @ w.bfloat16().float(), product, (A, W), "bfloat16"),
    "bfloat16 results": (lambda a, w: (a @ w).bfloat16().float(), product, (A, W), "bfloat16"),
    "float16 softmax": (lambda x: torch.softmax(x.half(), 1).float(), lambda x: torch.softmax(x, 1), (X,), "float16"),
    "float64 in float32": (lambda a, w: (a.float() @ w.float()).double(), product, (A.double(), W.double()), "float32"),
    "bfloat16 weights, float32 only": (only_float32(lambda a, w: a @ w.bfloat16().float()), product, (A, W), "bfloat16"),
    "autocast": (None, product, (A, W), "bfloat16"),
}


@pytest.mark.parametrize("name", REDUCED)
def test_reduced_precision_is_named(name):
    actual, expected, inputs, form = REDUCED[name]
    if name == "autocast":

        def actual(a, w):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                return (a @ w).float()

    result = check(actual, expected, inputs)
    assert result.verdict is V.REDUCED_PRECISION, result
    assert form in result.reason


def test_a_model_in_bfloat16_is_named():
    net = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 8)).eval()
    half = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 8)).eval()
    half.load_state_dict(net.state_dict())
    half.bfloat16()
    result = check(lambda x: half(x.bfloat16()).float(), net, (X,))
    assert result.verdict is V.REDUCED_PRECISION, result
    assert "bfloat16" in result.reason
    assert check(lambda x: half(x.bfloat16()).float(), net, (X,), declared="bfloat16").acceptable
    with torch.no_grad():
        half[2].bias += 3.0
    assert check(lambda x: half(x.bfloat16()).float(), net, (X,)).verdict is V.MISTAKE


def test_declaring_the_precision_makes_it_acceptable():
    tf32 = REDUCED["tf32"]
    assert check(*tf32[:3], declared="tf32").acceptable


UNSTABLE = {
    "one-pass variance": (one_pass, lambda x: x.var(1, unbiased=False), (torch.randn(20, 100) + 300,)),
    "log(1 + x)": (lambda x: torch.log(1 + x), torch.log1p, (torch.rand(500) * 1e-4,)),
    "log-softmax of an offset": (lambda x: x - torch.logsumexp(x, 1, keepdim=True), lambda x: torch.log_softmax(x, 1), (X + 10_000,)),
}


def test_an_unstable_algorithm_is_not_taken_for_a_coarse_format():
    """Where 1 + x is 1 in float32 and in float16 alike, a format that leaves nothing reproduces nothing."""
    torch.manual_seed(17)
    result = check(lambda x: torch.log(1 + x), torch.log1p, (torch.rand(200) * 1e-4,))
    assert result.find("precision").finding != "reproduced"
    assert result.verdict is V.UNSTABLE


@pytest.mark.parametrize("name", UNSTABLE)
def test_lost_digits_are_unstable(name):
    result = check(*UNSTABLE[name])
    assert result.verdict is V.UNSTABLE, result
    assert "digits" in result.reason


def test_fast_products_are_rounding_with_the_loss_said():
    def without_onednn(x, w):
        with onednn(False):  # NNPACK's Winograd, where there is one
            return F.conv2d(x, w, padding=1)

    result = check(without_onednn, lambda x, w: F.conv2d(x, w, padding=1), (torch.randn(32, 3, 24, 24), torch.randn(8, 3, 3, 3)))
    assert result.verdict in (V.ROUNDING, V.IDENTICAL), result
    if result.because[:1] == ("loss",):
        assert "a loss of" in result.reason


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_sums_that_are_kept_in_16_bits_are_no_fast_product(dtype):
    """Winograd's transforms may be stored in 16 bits; what a matrix product adds up is float32 everywhere."""

    def in_tiles(x, w):
        total = torch.zeros(x.shape[0], w.shape[0], dtype=dtype)
        for k in range(0, x.shape[1], 8):
            total = total + (x[:, k : k + 8].float() @ w[:, k : k + 8].float().t()).to(dtype)
        return total

    generator = torch.Generator().manual_seed(5)
    x, w = (torch.randn(24, 2048, generator=generator).to(dtype) for _ in range(2))
    result = check(in_tiles, F.linear, (x, w))
    assert result.acceptable is False, result


def test_flips_of_integers_and_floats():
    near = torch.cat([W[:, :1], torch.nextafter(W[:, :1], torch.tensor(9.0))], 1)
    inputs = (torch.randn(400, 256), near)
    result = check(lambda x, w: halves(x, w).argmax(1), lambda x, w: product(x, w).argmax(1), inputs)
    assert result.verdict is V.FLIP, result
    stepped = check(lambda x, w: (halves(x, w) * 1000).floor(), lambda x, w: (product(x, w) * 1000).floor(), (torch.randn(500, 256), W))
    assert stepped.verdict is V.FLIP, stepped
    assert "jump" in stepped.reason


class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.generator = torch.Generator().manual_seed(0)

    def forward(self, x):
        return x + torch.randn(x.shape, generator=self.generator)


def test_random_state_is_nondeterministic_and_named():
    dropped = check(nn.Sequential(nn.Linear(16, 8), nn.Dropout(0.2)), nn.Linear(16, 8), (X,))
    assert dropped.verdict is V.NONDETERMINISTIC
    assert "1 (Dropout, p=0.2)" in dropped.reason
    noisy = Noisy()
    assert check(noisy, noisy, (X,)).verdict is V.NONDETERMINISTIC
    calls = []

    def fails_later(x):
        calls.append(1)
        if len(calls) > 1:
            raise ValueError("only once")
        return x

    assert check(fails_later, torch.clone, (X,)).verdict is V.NONDETERMINISTIC


def test_what_changes_now_and_then_is_seen_though_two_runs_agree():
    chance = random.SystemRandom()

    def loses_a_term(x):  # two runs agree once in eight
        kept = torch.ones(x.shape[-1])
        kept[chance.randrange(x.shape[-1])] = 0.0
        return (x * kept).sum(-1)

    verdicts = {check(loses_a_term, lambda x: x.sum(-1), (X[:, :8],)).verdict for _ in range(24)}
    assert verdicts == {V.NONDETERMINISTIC}  # eight runs agree once in two million
    calls = []

    def nan_later(x):
        calls.append(1)
        return x / (x.sum() * 0.0) if len(calls) in (1, 2, 3, 6) else x * 1.0

    result = check(nan_later, torch.clone, (X,))
    assert result.verdict is V.NONDETERMINISTIC and result.find("repetition").measured["side"] == "actual"
    again = check(lambda x: x * 1.5, torch.clone, (X,))
    assert again.verdict is V.MISTAKE and again.find("repetition").measured["runs"] == 8


def test_a_sum_in_an_order_of_its_own_each_time_is_within_rounding():
    tiny = iter([0.0, 3e-7, 0.0, 0.0])
    jittering = check(lambda x: x * 3 + x * next(tiny, 0.0), lambda x: x * 3, (X,))
    assert jittering.find("repetition").finding == "within rounding"


def test_identical_and_effects():
    norm = nn.BatchNorm1d(16)
    result = check(norm, norm, (X,))
    assert result.verdict is V.IDENTICAL
    assert "running_mean" in result.find("effects").measured["actual_changed_state"]
    assert norm.running_mean.abs().sum() == 0
    changed = check(lambda x: x.mul_(2), lambda x: x * 2, (X,))
    assert changed.find("effects").measured == {"actual_changed_inputs": ["inputs[0]"], "only_actual_changed": ["inputs[0]"]}
    assert changed.verdict is V.IDENTICAL
    assert "actual changes inputs[0], but expected does not" in str(changed)


@dataclasses.dataclass
class Output:
    logits: torch.Tensor
    extra: dict


def test_nested_outputs_say_which():
    def nested(scale):
        return lambda x: Output(x * 1.5, {"hidden": [x.exp() * scale, None]})

    result = check(nested(1.001), nested(1.0), (X,))
    assert result.verdict is V.MISTAKE
    assert "in output .extra['hidden'][0]" in result.reason
    missing = check(lambda x: (x,), lambda x: (x, x), (X,))
    assert "A value is missing in output [1]" in missing.reason
    assert "There is an extra value" in check(lambda x: (x, x), lambda x: (x,), (X,)).reason
    assert "The shape differs" in check(lambda x: x[:1], lambda x: x, (X,)).reason
    assert "The dtype differs: got float64, expected float32" in check(lambda x: x.double(), lambda x: x, (X,)).reason


def test_empty_all_nan_scalars_and_sparse():
    assert check(lambda x: x + 1, lambda x: x + 1.0, (torch.empty(0, 3),)).verdict is V.IDENTICAL
    everything = check(lambda x: x / 0 * 0, lambda x: x * float("nan"), (X,))
    assert everything.verdict is V.UNDECIDED
    assert "Every element is NaN" in everything.reason
    assert check(lambda x: float(x.sum()), lambda x: x.sum(), (X,)).verdict is V.MISTAKE  # float64 instead of float32
    assert check(torch.sparse.mm, lambda s, w: s.to_dense() @ w, (A.to_sparse(), W)).acceptable


def test_gradients_are_judged_with_their_own_noise():
    net = nn.Sequential(nn.Linear(16, 8), nn.GELU(), nn.Linear(8, 4))
    plain = lambda x: net[2](0.5 * net[0](x) * (1 + torch.erf(net[0](x) * 0.5**0.5)))
    assert check(plain, net, (X,), gradients=True).verdict is V.ROUNDING

    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.exp()

        @staticmethod
        def backward(ctx, gradient):
            return gradient

    wrong = check(Wrong.apply, torch.exp, (X,), gradients=True)
    assert wrong.verdict is V.MISTAKE
    assert "gradient" in wrong.reason
    assert check(net, net, (X,), gradients=True).find("bits").measured["count"] > X.numel()


def test_closer_side_is_told():
    better = lambda x: x.double().sum(1).float()
    result = check(better, lambda x: torch.from_numpy(np.add.accumulate(x.numpy(), 1)[:, -1].copy()), (torch.rand(30, 5000),))
    assert result.find("peer").finding == "actual"
    assert result.verdict is V.ROUNDING


def test_compiled_functions_are_judged_by_their_eager_ops():
    net = nn.Sequential(nn.Linear(16, 8), nn.Tanh())
    compiled = torch.compile(net, backend="eager")
    assert check(compiled, net, (X,)).verdict is V.IDENTICAL
    assert check(lambda x: net(x) * 1.01, compiled, (X,)).verdict is V.MISTAKE


def test_recurrent_and_attention_modules_inside_functions():
    lstm, attention = nn.LSTM(16, 8, batch_first=True), nn.MultiheadAttention(16, 2, batch_first=True).eval()
    sequence = torch.randn(2, 5, 16)
    assert check(lambda x: lstm(x)[0] * 1.0001, lambda x: lstm(x)[0], (sequence,)).verdict is V.MISTAKE
    result = check(lambda x: attention(x, x, x)[0], lambda x: attention(x, x, x, need_weights=False)[0], (sequence,))
    assert result.acceptable, result


def test_outside_reference():
    assert check(halves, product, (A, W), reference=product).find("noise").measured["reference"] == "reference"
    wrong = check(elementwise, product, (A, W), reference=lambda a, w: (a @ w) * 3)
    assert wrong.verdict is V.UNDECIDED
    assert "reference disagrees" in wrong.reason


def test_bad_input_is_refused_with_the_place():
    with pytest.raises(InputError, match="Needed: tensors, arrays or numbers"):
        check(lambda x: "text", lambda x: x, (X,))
    with pytest.raises(RunError, match="from `actual` on the inputs"):
        check(lambda x: x @ x, lambda x: x, (X,))
    with pytest.raises(InputError, match="Got two results, a Tensor and a Tensor"):
        check(X, X, (X,))


def test_result_prints_stores_and_is_judged_again():
    steps = []
    result = check(halves, product, (A, W), progress=steps.append)
    assert steps
    text = str(result)
    assert text.startswith("ROUNDING: the difference is rounding")
    again = halfulp.CheckResult.from_json(result.to_json())
    assert again == result
    assert halfulp.judge(again.evidence) is V.ROUNDING
    special = check(lambda x: x / 0, lambda x: x / 0 * 2, (X,))
    assert halfulp.CheckResult.from_json(special.to_json()).difference == special.difference


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "which is not JSON"),
        ("{}", "JSON without a kind"),
        ('{"kind": "check", "schema": 99}', "Needed: schema 1"),
        ('{"kind": "check", "schema": 1}', "not valid: Field required"),
    ],
)
def test_broken_stored_results_are_refused(text, message):
    with pytest.raises(InputError, match=message):
        halfulp.CheckResult.from_json(text)


def test_assert_equivalent_returns_or_explains():
    assert halfulp.assert_equivalent(halves, product, (A, W)).verdict is V.ROUNDING
    with pytest.raises(AssertionError, match="MISTAKE: the two compute different functions") as caught:
        halfulp.assert_equivalent(MISTAKES["factor"][0], product, (A, W))
    assert "Next, to find the cause: halfulp.explain(actual, expected, inputs)" in str(caught.value)
    assert len(str(caught.value).splitlines()) <= 10


def test_signs_of_zero_are_counted_apart():
    zeros = check(lambda x: x * 0.0, lambda x: x.abs() * 0.0, (torch.tensor([1.0, 2e-39, -3e-40, 0.5]),))
    assert zeros.find("bits").measured["signed_zeros"] == 1


def test_one_output_of_pure_rounding_does_not_undo_the_others():
    """The gradient of the keys' bias is zero in exact arithmetic, whatever the attention: all of it is rounding."""
    query, key, value = (torch.randn(7, 6) for _ in range(3))

    def attention(k_bias, flip):
        keys = key + k_bias
        scores = query.flip(1) @ keys.flip(1).T if flip else query @ keys.T
        return torch.softmax(scores, -1) @ value

    bias = torch.randn(6)
    result = check(lambda b: attention(b, True), lambda b: attention(b, False), (bias,), gradients=True)
    assert result.verdict is V.ROUNDING
    assert result.find("noise").measured["least_noise_rel_rms"] < 1e-5


def test_compiled_functions_are_asked_whether_the_error_stays():
    compiled = torch.compile(lambda x: torch.tanh(x).sum(-1), backend="aot_eager")
    result = check(compiled, lambda x: torch.tanh(x.flip(-1)).flip(-1).cumsum(-1)[:, -1], (X,), full=True)
    assert result.verdict is V.ROUNDING
    assert result.find("redraw").finding == "random"


def test_a_device_that_came_too_late_is_told():
    def late(x):
        raise RuntimeError("0 <= device.index() && device.index() < device_ready_queues_.size() INTERNAL ASSERT FAILED")

    with pytest.raises(RunError, match="before the first backward pass"):
        check(late, torch.clone, (X,))
    with pytest.raises(RunError, match=r"call actual\(\*inputs\) by itself"):
        check(lambda x: 1 // 0, torch.clone, (X,))


def test_a_result_whose_shape_changes_is_no_mistake_of_the_formula():
    chance = random.SystemRandom()

    def drops_rows(x):
        return x[: chance.randrange(1, 8)]

    for _ in range(12):
        result = check(drops_rows, torch.clone, (X,))
        assert result.verdict is V.NONDETERMINISTIC
        assert "return float32[" in result.reason and "8 runs" in result.reason
    assert check(lambda x: x[:3], lambda x: x[:4], (X,)).verdict is V.MISTAKE


def test_a_run_that_differs_once_is_counted():
    calls = []

    def once(x):
        calls.append(1)
        return x * (1.5 if len(calls) == 2 else 1.0)

    result = check(once, torch.clone, (X,))
    assert result.verdict is V.NONDETERMINISTIC and "128 of 128" in result.reason and "gave 2 different results" in result.reason


def one_pass(x):
    return (x * x).mean(1) - x.mean(1) ** 2


@pytest.mark.parametrize("mean", [30.0, 300.0, 1000.0])
def test_an_algorithm_that_loses_digits_of_float64_is_no_other_formula(mean):
    """In float32 it loses as many: the difference stays, and grows as rounding does."""
    x = torch.randn(64, 512, dtype=torch.float64, generator=torch.Generator().manual_seed(0)) + mean
    result = check(one_pass, lambda x: x.var(1, unbiased=False), (x,))
    assert result.verdict is V.UNSTABLE, result
    assert check(lambda x: one_pass(x) * (512 / 511), lambda x: x.var(1, unbiased=False), (x,)).verdict is V.MISTAKE
    assert check(lambda x: x.var(1) * (1 + 1e-3), lambda x: x.var(1), (x,)).verdict is V.MISTAKE


@pytest.mark.parametrize("seed", [0, 1])
def test_who_may_use_bfloat16_may_store_its_data_in_it(seed):
    """At elements that cancel the rounding of the bias is all that is seen."""
    generator = torch.Generator().manual_seed(seed)
    x, w, b = (torch.randn(*shape, generator=generator) for shape in ((32, 1024), (256, 1024), (256,)))
    for actual in (
        lambda x, w, b: x @ w.T + b.bfloat16(),
        lambda x, w, b: x @ w.bfloat16().float().T + b,
        lambda x, w, b: (x.bfloat16() @ w.bfloat16().T + b.bfloat16()).float(),
    ):
        assert check(actual, torch.nn.functional.linear, (x, w, b), declared="bfloat16").verdict is V.ROUNDING
    assert check(lambda x, w, b: x @ w.T, torch.nn.functional.linear, (x, w, b), declared="bfloat16").verdict is V.MISTAKE


D = torch.float64


@pytest.mark.parametrize(
    ("actual", "expected", "inputs"),
    [
        (lambda a, b: (a - b) * 1.01, lambda a, b: a - b, lambda r: (1e6 + r(500), 1e6 + r(500))),
        (lambda a, b: (a - b) * (1 + 1e-6), lambda a, b: a - b, lambda r: (1e4 + r(500), 1e4 + r(500))),
        (lambda t: torch.sin(t) * 1.1, torch.sin, lambda r: (1e9 * r(500).abs(),)),
        (lambda t: torch.diff(t) * 1.01, torch.diff, lambda r: (1.7e9 + r(500).abs().cumsum(0),)),
        (lambda x: x.sum(1) * (1 + 1e-6), lambda x: x.sum(1), lambda r: (r(8, 64) * 1e100,)),
    ],
)
def test_another_formula_in_float64_is_no_loss_of_digits(actual, expected, inputs):
    """Also where float32 keeps little of the inputs: both sides get the same of it."""
    generator = torch.Generator().manual_seed(0)
    assert check(actual, expected, inputs(lambda *shape: torch.randn(*shape, dtype=D, generator=generator))).verdict is V.MISTAKE


@pytest.mark.parametrize("factor", [1.05, 1.3])
def test_who_may_use_bfloat16_may_not_scale_what_cancels(factor):
    generator = torch.Generator().manual_seed(0)
    a, b = (torch.randn(2000, generator=generator) + 100 for _ in range(2))
    assert check(lambda a, b: (a - b) * factor, lambda a, b: a - b, (a, b), declared="bfloat16").verdict is V.MISTAKE


@pytest.mark.parametrize("seed", range(3))
def test_rounding_in_float64_is_rounding(seed):
    """Samples of float64's rounding in float64 lose themselves unless they are made larger."""
    x = torch.randn(4000, dtype=D, generator=torch.Generator().manual_seed(seed))
    assert check(lambda x: x - 2, lambda x: (x * 3 - 1) - (x * 2 + 1), (x,)).verdict is V.ROUNDING


def test_distances_by_a_product_are_unstable_in_float64_too():
    x = torch.randn(40, 8, dtype=D, generator=torch.Generator().manual_seed(0))
    by = [lambda x, mode=mode: torch.cdist(x, x, compute_mode=f"{mode}_for_euclid_dist") for mode in ("use_mm", "donot_use_mm")]
    assert check(*by, (x,)).verdict is V.UNSTABLE


def test_numbers_whose_squares_overflow_are_measured():
    x = torch.randn(8, 64, dtype=D, generator=torch.Generator().manual_seed(0)) * 1e200
    assert check(lambda x: x.flip(1).sum(1), lambda x: x.sum(1), (x,)).verdict in (V.ROUNDING, V.IDENTICAL)
    assert check(lambda x: x.sum(1) * (1 + 1e-6), lambda x: x.sum(1), (x,)).acceptable is False


def test_small_numbers_stored_in_float16_are_rounded_to_its_spacing():
    x = torch.randn(32, 128, generator=torch.Generator().manual_seed(0)) * 1e-5
    assert check(lambda x: x.half().float() * 1e5, lambda x: x * 1e5, (x,), declared="float16").verdict is V.ROUNDING


def test_unwritten_memory_is_found_whatever_the_first_runs_were_lent():
    def actual(x):
        out = torch.empty_like(x)
        out[:, :8] = torch.sigmoid(x[:, :8])
        return out

    for every in (1, 2, 3):
        junk = [torch.full((16, 13), float("nan") if place % every == 0 else 7.0) for place in range(200)]
        del junk
        assert check(actual, torch.sigmoid, (torch.randn(16, 13),)).verdict in (V.NONDETERMINISTIC, V.MISTAKE)


def test_small_integers_that_nearly_agree_are_no_proof_of_one_formula():
    """A percent of a small integer is less than one half, and more than fast algorithms (Winograd, Strassen) lose."""
    t = 1.7e9 + torch.arange(100, dtype=D) * 1e-3
    result = check(lambda t: (t - t[0]) * 1000.01, lambda t: (t - t[0]) * 1000, (t,))
    assert result.verdict in (V.UNDECIDED, V.MISTAKE)
    assert result.find("integers").finding == "unavailable"


RAMP = np.arange(8.0)


@pytest.mark.parametrize(
    ("actual", "expected", "x"),
    [
        (np.fft.fft, lambda x: np.fft.fft(x) * 2, RAMP),
        (torch.fft.fft, lambda x: torch.fft.fft(x) * (1 + 1e-9), torch.randn(8, dtype=torch.float64)),
    ],
    ids=["NumPy", "PyTorch"],
)
def test_complex_results_of_double_precision_are_judged(actual, expected, x):
    assert halfulp.check(actual, expected, (x,)).verdict is V.MISTAKE


def test_rounding_of_complex_numbers_is_relative_to_their_size():
    """One part of a result may be zero by symmetry on one side and a rounding of the other part on the other."""
    x, k = np.random.default_rng(0).normal(size=8).astype(np.float32), np.arange(8)
    transform = np.exp(-2j * np.pi * np.outer(k, k) / 8).astype(np.complex64)
    assert halfulp.check(lambda x: transform @ x, np.fft.fft, (x,)).verdict is V.ROUNDING
