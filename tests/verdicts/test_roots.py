"""What verdicts have got wrong before, by its root: each former miss beside its nearest honest neighbors (`benchmarks/verdicts/roots`)."""

import copy

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from benchmarks.verdicts import PAIRS
from torch import nn

import halfulp
from halfulp import Verdict as V
from halfulp.cases import Case
from halfulp.floats import FORMATS
from halfulp.noise import gain_of, noise_of, stored_noise
from halfulp.verdicts.evidence.finding import Finding

ROOTS = [pair for pair in PAIRS if ".roots." in pair.build.__module__]


@pytest.mark.parametrize("pair", ROOTS, ids=lambda pair: pair.name)
def test_each_pair_of_a_root_is_right(pair):
    actual, expected, inputs = pair.make(0)
    result = halfulp.check(actual, expected, inputs, declared=pair.declared)
    assert result.acceptable is (pair.kind == "rounding"), result
    if pair.verdict:
        assert result.verdict.name == pair.verdict, result


def test_each_root_has_misses_and_neighbors():
    roots = {pair.tags[0] for pair in ROOTS}
    assert len(roots) == 12
    for root in roots:
        kinds = [pair.kind for pair in ROOTS if pair.tags[0] == root]
        assert len(kinds) >= 5, root
        assert {"rounding", "mistake"} == set(kinds), root


FACTORS = {
    "matmul": (torch.matmul, lambda: (torch.randn(40, 100), torch.randn(100, 40))),
    "softmax": (lambda x: F.softmax(x, -1), lambda: (torch.randn(60, 40),)),
    "layer_norm": (lambda x: F.layer_norm(x, (40,)), lambda: (torch.randn(60, 40),)),
    "exp": (torch.exp, lambda: (torch.randn(1500),)),
}


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16"])
@pytest.mark.parametrize("name", FACTORS)
def test_a_factor_of_two_u_is_seen(name, dtype):
    torch.manual_seed(11)
    function, draw = FACTORS[name]
    inputs = tuple(tensor.to(getattr(torch, dtype)) for tensor in draw())
    factor = 1.0 + 2.0 * FORMATS[dtype].unit_roundoff
    result = halfulp.check(lambda *given: function(*given) * factor, function, inputs)
    assert result.verdict is V.MISTAKE, result


class TestStoredNumbers:
    """Only what one side alone has stored rounded excuses a difference in float64."""

    x = torch.linspace(-3.0, 3.0, 200)

    def test_nothing_is_stored_by_functions_of_their_inputs(self):
        found = stored_noise(Case(lambda x: x * 0.1, lambda x: x / 10.0, (self.x,)))
        assert not found.spreads
        assert not found.tensors

    def test_a_captured_table_is_moved_by_its_own_rounding(self):
        table = torch.linspace(0.1, 1.0, 200, dtype=torch.float64)
        stored = table.float()
        found = stored_noise(Case(lambda x: x * stored, lambda x: x * table.to(x.dtype), (self.x,)))
        assert found.tensors == 1
        expected = 0.425 * 2.0**-24 * np.abs(self.x.double().numpy() * stored.double().numpy())
        ratio = found.spreads[""][expected > 0] / expected[expected > 0]
        assert 0.85 < np.sqrt(np.mean(ratio**2)) < 1.15

    def test_what_both_hold_is_no_difference(self):
        weight = torch.randn(200, generator=torch.Generator().manual_seed(1))
        assert not stored_noise(Case(lambda x: x * weight, lambda x: weight * x, (self.x,))).tensors

    @pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
    def test_weights_of_sixteen_bits_are_not_shared_by_chance(self, dtype):
        torch.manual_seed(4)
        weights = torch.randn(64, 64).to(dtype), torch.randn(64, 64).to(dtype)
        x = torch.randn(8, 64).to(dtype)
        other = stored_noise(Case(lambda x: x @ weights[0], lambda x: x @ weights[1], (x,)))
        assert other.tensors == 2
        turned = weights[0].T.contiguous()
        assert not stored_noise(Case(lambda x: x @ weights[0], lambda x: x @ turned.T, (x,))).tensors

    def test_a_constant_written_with_eight_digits_is_the_constant(self):
        x = torch.linspace(0.32, 0.345, 4000).reshape(100, 40)
        result = halfulp.check(lambda x: ((x - 0.33333333) * 3.0).sum(1), lambda x: (x - 1.0 / 3.0).sum(1) * 3.0, (x,))
        assert result.acceptable, result
        assert result.find("scaling").finding == Finding.CONSTANTS

    @pytest.mark.parametrize(("scale", "accepted"), [(float(np.float32(24**-0.5)), True), (24**-0.5 * (1.0 + 2.0**-20), False)])
    def test_a_library_that_rounds_constants_is_allowed_that_and_no_more(self, scale, accepted):
        torch.manual_seed(5)
        inputs = tuple(torch.randn(3, 48, 24) for _ in range(3))

        class Program:
            def __init__(self, rounds_constants):
                self.rounds_constants = rounds_constants

            def __call__(self, q, k, v):
                q, k, v = (tensor.numpy() for tensor in (q, k, v))
                weights = np.exp((q @ k.swapaxes(-1, -2)) * q.dtype.type(scale))
                return torch.from_numpy(weights / weights.sum(-1, keepdims=True) @ v)

        result = halfulp.check(Program(rounds_constants=True), F.scaled_dot_product_attention, inputs)
        assert result.acceptable is accepted, result
        assert halfulp.check(Program(rounds_constants=False), F.scaled_dot_product_attention, inputs).acceptable is False

    def test_a_constant_with_four_digits_is_another(self):
        result = halfulp.check(lambda x: x - 0.33333, lambda x: x - 1.0 / 3.0, (torch.linspace(0.0, 1.0, 400),))
        assert result.verdict is V.MISTAKE, result

    def test_a_captured_array_is_put_back(self):
        table = np.linspace(0.1, 1.0, 200).astype(np.float32)
        before = table.copy()
        x = np.linspace(-1.0, 1.0, 200).astype(np.float32)
        result = halfulp.check(lambda x: x * table, lambda x: x * np.linspace(0.1, 1.0, 200).astype(x.dtype), (x,))
        assert result.acceptable, result
        assert np.array_equal(table, before)


class TestGain:
    """Errors that lean to one side."""

    def test_it_is_a_regression_through_the_origin(self):
        rng = np.random.default_rng(0)
        reference = rng.normal(size=4000)
        error = 3e-7 * reference + 1e-8 * rng.normal(size=4000)
        assert abs(gain_of(error, reference) - 3e-7) < 1e-9
        assert gain_of(error * 1e300, reference * 1e300) == pytest.approx(gain_of(error, reference), rel=1e-12)
        assert gain_of(error, np.zeros(4000)) == 0.0

    def test_one_sum_many_times_over_does_not_lean(self):
        """Sixty-four equal sums have one rounding error, not sixty-four that agree."""
        x, w = torch.full((8, 32), -43.0159797668457), torch.full((32, 8), 2938.63037109375)
        result = halfulp.check(lambda x, w: x @ w, lambda x, w: (x[:, :, None] * w[None]).sum(1), (x, w))
        assert result.verdict.name == "ROUNDING", result.reason

    def test_a_leaning_factor_is_seen_among_repeated_rows(self):
        torch.manual_seed(0)
        x, w = torch.randn(1, 64).expand(8, 64).contiguous(), torch.randn(64, 512)
        result = halfulp.check(lambda x, w: (x @ w) * (1 + 2.0**-19), torch.matmul, (x, w))
        assert result.acceptable is False, result.reason

    def test_samples_of_noise_do_not_lean(self):
        x, w = torch.randn(60, 90), torch.randn(90, 60)
        noise = noise_of(Case(torch.matmul, torch.matmul, (x, w)))
        gains = noise.leaves[""].gains
        assert len(gains) == 8
        assert np.sqrt(np.mean(gains**2)) < 2.0**-24

    def test_a_running_sum_that_stops_says_so(self):
        pair = next(pair for pair in ROOTS if pair.name == "m_moving_average_in_bfloat16")
        actual, expected, inputs = pair.make(0)
        result = halfulp.check(actual, expected, inputs)
        assert result.because[0] == "gain"
        assert "lost" in result.reason or "lean" in result.reason, result.reason

    def test_weights_whose_updates_are_lost(self):
        def steps(w, g):
            for _ in range(20):
                w = w - 1e-3 * g
            return w

        w, g = (torch.rand(500) + 1.0).bfloat16(), torch.randn(500).bfloat16()
        result = halfulp.check(steps, lambda w, g: (w.double() - 20 * 1e-3 * g.double()).to(w.dtype), (w, g))
        assert result.verdict is V.UNSTABLE, result
        assert "is lost" in result.reason


class TestOverflow:
    """A right formula that leaves the range of its format on the way."""

    def test_it_says_where(self):
        x = torch.full((4, 8), 90.0)
        result = halfulp.check(lambda x: x.exp() / x.exp().sum(-1, keepdim=True), lambda x: F.softmax(x, -1), (x,))
        assert result.verdict is V.UNSTABLE
        assert result.find("overflow").measured["op"] == "exp"
        assert "test_roots.py" in result.find("overflow").measured["line"]
        assert "exp" in result.reason
        assert "subtract the maximum" in str(result)

    def test_an_expected_that_overflows_is_warned_of(self):
        x = torch.randn(200) * 1e20
        result = halfulp.check(torch.hypot, lambda a, b: (a * a + b * b).sqrt(), (x, x.flip(0)))
        assert result.verdict is V.ROUNDING, result
        assert any("`expected` overflows" in warning for warning in result.warnings)

    def test_nan_of_another_formula_is_a_mistake(self):
        x = torch.randint(0, 3, (300,)).float()
        result = halfulp.check(lambda x: x / x, lambda x: torch.ones_like(x), (x,))
        assert result.verdict is V.MISTAKE, result


class TestVacuous:
    """Agreement that says little."""

    @pytest.mark.parametrize(
        ("function", "inputs", "word"),
        [
            (lambda x: x[:0], (torch.randn(5),), "nothing to compare"),
            (lambda x: x * 2.0, (torch.zeros(5),), "zero"),
            (lambda x: torch.ones_like(x), (torch.randn(5),), "are equal"),
        ],
    )
    def test_it_is_accepted_with_a_warning_and_undecided_when_strict(self, function, inputs, word):
        result = halfulp.check(function, function, inputs)
        assert result.exit_code == 0
        assert any(word in warning for warning in result.warnings), result.warnings
        assert "Warning: " in str(result)
        strict = halfulp.check(function, function, inputs, strict=True)
        assert strict.verdict is V.UNDECIDED
        assert word in strict.reason

    def test_there_is_none_where_something_is_tested(self):
        x = torch.randn(5)
        assert halfulp.check(torch.exp, torch.exp, (x,), strict=True).verdict is V.IDENTICAL
        assert halfulp.check(torch.exp, torch.exp, (x,)).warnings == ()


class Kernel(nn.Module):
    """A linear layer by a kernel that can't be looked into, in float32 or in TF32 by truncation; on float64 it is the layer itself."""

    def __init__(self, inner, bits):
        super().__init__()
        self.inner, self.bits = inner, bits

    def forward(self, x):
        if x.dtype == torch.float64:
            return self.inner(x)
        x, weight = (self._cut(tensor.detach().numpy()) for tensor in (x, self.inner.weight))
        return torch.from_numpy(x @ weight.T + self.inner.bias.detach().numpy())

    def _cut(self, numbers):
        return (numbers.view(np.int32) & -(1 << self.bits)).view(np.float32)


@pytest.mark.parametrize(("bits", "verdict"), [(13, V.REDUCED_PRECISION), (0, V.ROUNDING)])
def test_a_coarse_layer_far_inside_is_named(bits, verdict):
    torch.manual_seed(3)
    parts = []
    for _ in range(12):
        linear = nn.Linear(64, 64)
        linear.weight.data *= 6.0  # so that what one layer loses drowns in what all others make of rounding
        parts += [linear, nn.LayerNorm(64), nn.Tanh()]
    expected = nn.Sequential(*parts)
    actual = copy.deepcopy(expected)
    actual[3] = Kernel(actual[3], bits)
    result = halfulp.check(actual, expected, (torch.randn(16, 64),))
    assert result.verdict is verdict, result
    if bits:
        assert result.find("inside").measured["module"] == "3"
        assert "module 3 alone, given the inputs that it gets in `actual`, is judged REDUCED_PRECISION" in result.reason


def test_the_line_of_a_default_dtype_is_named():
    x = torch.randn(300, dtype=torch.float64)
    result = halfulp.check(lambda x: x * torch.linspace(0.0, 1.0, 300), lambda x: x * torch.linspace(0.0, 1.0, 300, dtype=x.dtype), (x,))
    assert result.verdict is V.REDUCED_PRECISION, result
    assert "test_roots.py" in result.reason
    assert "default dtype" in result.reason


def test_nothing_is_wrong_is_not_said_where_expected_is_much_closer():
    torch.manual_seed(0)

    def in_turn(x):
        total = torch.zeros_like(x[0])
        for row in x:
            total = total + row
        return total

    for pair in [pair for pair in ROOTS if pair.kind == "rounding"]:
        actual, expected, inputs = pair.make(1)
        result = halfulp.check(actual, expected, inputs, declared=pair.declared)
        peer = result.find("peer")
        if peer is not None and peer.finding == Finding.EXPECTED and peer.measured["ratio"] > 4.0:
            assert "Nothing is wrong" not in str(result), result
    result = halfulp.check(in_turn, lambda x: x.double().sum(0).to(x.dtype), (torch.rand(3000, 50),))
    assert result.acceptable
    assert result.find("peer").measured["ratio"] > 4.0
    assert "Nothing is wrong" not in str(result)


@pytest.mark.parametrize(
    "make", [lambda t: t[::-1], lambda t: np.broadcast_to(t[:1], t.shape), np.asfortranarray, lambda t: t.astype("f2")]
)
def test_arrays_of_any_layout_can_be_captured(make):
    table = make(np.linspace(0.1, 1.0, 200).astype(np.float32))
    x = np.linspace(-1.0, 1.0, 200).astype(np.float32)
    result = halfulp.check(lambda x: x * table, lambda x: x * 0.5, (x,))
    assert result.verdict in (V.MISTAKE, V.REDUCED_PRECISION), result


@pytest.mark.parametrize("declared", ["bfloat16", "float16"])
def test_weights_rounded_to_the_declared_format_may_be_held_in_float32(declared):
    torch.manual_seed(0)
    expected = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
    actual = copy.deepcopy(expected)
    with torch.no_grad():
        for parameter in actual.parameters():
            parameter.copy_(parameter.to(getattr(torch, declared)))
    x = torch.randn(32, 64)
    assert halfulp.check(actual, expected, (x,), declared=declared).verdict is V.ROUNDING
    assert halfulp.check(actual, expected, (x,)).verdict is V.REDUCED_PRECISION
