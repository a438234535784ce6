import numpy as np
import pytest
import torch
from torch import nn

from halfulp.cases import Case
from halfulp.differences.excess import in_noise
from halfulp.errors import InputError
from halfulp.noise import backward_error, noise_of, residual_of, widened
from halfulp.noise.doubled import doubled_product
from halfulp.noise.gaussians import GaussianPool
from halfulp.ops.arithmetic import POOL_SIZE


def test_same_seed_gives_the_same_noise():
    case = lambda seed: Case(torch.exp, torch.exp, (torch.linspace(-1, 1, 50),), seed=seed)
    first, again, other = (noise_of(case(seed)).leaves[""].spread for seed in (0, 0, 1))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_cancellation_is_in_the_noise():
    """x + big - big loses what float32 loses."""
    noise = noise_of(Case(lambda x: (x + 1e6) - 1e6, lambda x: (x + 1e6) - 1e6, (torch.rand(200),))).leaves[""]
    assert 0.01 < np.median(noise.spread) < 0.1


def test_subnormal_results_carry_an_absolute_error():
    x = torch.full((500,), 1e-22)
    noise = noise_of(Case(lambda x: (x * x * 1e-1) * 1e20, lambda x: (x * x * 1e-1) * 1e20, (x,))).leaves[""]
    assert np.median(noise.spread / noise.reference) > 1e-3


def test_infinities_and_nan_stay_what_they_are():
    x = torch.tensor([1.0, float("inf"), -float("inf"), float("nan")])
    noise = noise_of(Case(lambda x: x * 2 + 1, lambda x: x * 2 + 1, (x,))).leaves[""]
    assert np.isfinite(noise.spread).all()
    assert np.isinf(noise.reference[1:3]).all()


def test_float64_functions_get_a_better_reference():
    a, b = torch.randn(8, 300).double(), torch.randn(300, 5).double()
    noise = noise_of(Case(torch.matmul, torch.matmul, (a, b)))
    assert noise.reference == "expected, products in doubled precision"
    exact = (a.numpy().astype(np.longdouble) @ b.numpy().astype(np.longdouble)).astype(np.float64)
    assert np.abs(noise.leaves[""].reference - exact).max() <= np.abs(exact).max() * 2.0**-52
    assert noise_of(Case(torch.exp, torch.exp, (a,))).reference == "expected in its own precision"


def test_doubled_products_of_every_kind():
    a, b, c = torch.randn(3, 4).double(), torch.randn(4, 2).double(), torch.randn(3, 2).double()
    cases = {
        "mm": ((a, b), a @ b),
        "bmm": ((a[None], b[None]), (a @ b)[None]),
        "mv": ((a, b[:, 0]), a @ b[:, 0]),
        "dot": ((a[0], a[1]), a[0] @ a[1]),
        "addmm": ((c, a, b), c + a @ b),
        "addmv": ((c[:, 0], a, b[:, 0]), c[:, 0] + a @ b[:, 0]),
    }
    for name, (arguments, expected) in cases.items():
        assert torch.allclose(doubled_product(name, arguments, {}), expected, rtol=1e-14), name
    assert doubled_product("addmm", (c, a, b), {"beta": 2}) is None
    assert doubled_product("mm", (a.float(), b.float()), {}) is None
    assert doubled_product("relu", (a,), {}) is None
    huge = torch.zeros(1, 1).double().expand(2**13, 2**13)
    assert doubled_product("mm", (huge, huge), {}) is None


def test_ops_of_actual_stand_in_for_numpy():
    def with_numpy(x):
        return torch.from_numpy(np.exp(x.numpy()))

    noise = noise_of(Case(torch.exp, with_numpy, (torch.randn(30),)))
    assert noise.method == "ops of actual"
    assert noise.reference == "expected in float64"
    assert "calls no PyTorch op that rounds" in noise.notes[0]


def test_inputs_are_moved_where_no_ops_are_seen():
    with_numpy = lambda x: np.exp(x)
    noise = noise_of(Case(with_numpy, with_numpy, (np.linspace(0, 1, 20, dtype=np.float32), np.array(["text"])[:0].size)[:1]))
    assert noise.method == "inputs"
    assert 0 < np.median(noise.leaves[""].spread) < 1e-6


def test_float32_only_functions_fall_back_and_say_so():
    def only(x):
        if x.dtype != torch.float32:
            raise TypeError("float32 only")
        return torch.exp(x)

    noise = noise_of(Case(only, only, (torch.randn(20),)))
    assert noise.method == "inputs"
    assert noise.reference == "expected in its own precision"
    assert any("float32 only" in note for note in noise.notes)


def test_a_function_that_fails_on_moved_inputs():
    calls = []

    def fragile(x):
        calls.append(1)
        if x.dtype != torch.float32 or len(calls) > 3:
            raise ValueError("no more")
        return x.clone()

    noise = noise_of(Case(fragile, fragile, (torch.randn(20),)))
    assert "`expected` fails on inputs moved by one rounding: ValueError" in noise.notes


def test_outside_reference_is_used_and_must_match():
    case = Case(torch.exp, torch.exp, (torch.ones(3),), reference=lambda x: torch.exp(x) + 1e-3)
    noise = noise_of(case)
    assert noise.reference == "reference"
    assert noise.leaves[""].reference[0] == pytest.approx(np.e + 1e-3)
    assert widened(noise, case.native("expected")) is noise
    with pytest.raises(InputError, match="Got a reference that returns"):
        noise_of(Case(torch.exp, torch.exp, (torch.ones(3),), reference=lambda x: x[:2]))


def test_errors_of_expected_widen_the_noise():
    def library(x):
        return torch.exp(x) * (1 + 1e-4) if x.dtype == torch.float32 else torch.exp(x)

    case = Case(library, library, (torch.zeros(4),))
    sampled = noise_of(case)
    wide = widened(sampled, case.native("expected"))
    assert np.allclose(wide.leaves[""].spread, 1e-4, rtol=1e-2)
    assert sampled.leaves[""].spread.max() < 1e-6


def test_modules_buffers_and_compiled_functions():
    net = nn.Sequential(nn.Linear(6, 4), nn.BatchNorm1d(4), nn.ReLU())
    before = {name: value.clone() for name, value in net.state_dict().items()}
    compiled = torch.compile(net, backend="eager")
    noise = noise_of(Case(compiled, compiled, (torch.randn(8, 6),)))
    assert noise.has_products
    assert all(torch.equal(value, before[name]) for name, value in net.state_dict().items())


def test_data_dependent_branches_are_followed():
    def branching(x):
        return x * 2 if float(x.sum()) > 0.3 else torch.exp(x) + x

    x = torch.tensor([0.1, 0.2])
    noise = noise_of(Case(branching, branching, (x,)))
    assert noise.leaves[""].spread.min() > 0


def test_pool_serves_any_size():
    pool = GaussianPool(0)
    large = pool.like(torch.empty(POOL_SIZE + 5, dtype=torch.float64))
    assert large.numel() == POOL_SIZE + 5
    assert abs(float(large.std()) - 1) < 0.01
    assert pool.like(torch.empty(2, 3, dtype=torch.float64)).shape == (2, 3)


def test_residuals_in_units_of_the_noise():
    noise = noise_of(Case(torch.exp, torch.exp, (torch.zeros(4),))).leaves[""]
    off = noise.reference + np.array([0, 1, -2, 3]) * noise.spread
    found = residual_of(off, noise)
    assert found.max_in_noise == pytest.approx(3.0)
    assert found.rms_in_noise == pytest.approx(np.sqrt(14 / 4))
    assert found.worst_index == (3,)
    assert (found.count, found.nonzero) == (4, 3)
    empty = residual_of(np.full(4, np.nan), noise)
    assert (empty.count, empty.rms_in_noise) == (0, 0.0)
    assert in_noise(np.array([0.0, 1.0]), np.array([0.0, 0.0])).tolist() == [0.0, np.inf]


def backward(actual, expected, *inputs, **options):
    case = Case(actual, expected, inputs, **options)
    return backward_error(case, case.native("actual"), noise_of(case))


def test_backward_error_of_sums_of_products():
    a, w, b = torch.randn(20, 300), torch.randn(15, 300), torch.randn(15)
    linear = backward(lambda a, w, b: a @ w.T + b, torch.nn.functional.linear, a, w, b)
    assert linear.terms == 301
    exact = a.double() @ w.double().T + b.double()
    scale = a.double().abs() @ w.double().abs().T + b.double().abs()
    by_hand = ((a @ w.T + b).double() - exact).abs() / (2.0**-24 * scale)
    assert linear.eta == pytest.approx(by_hand.max().item(), rel=1e-6)
    assert linear.eta <= linear.estimate == 3 * np.sqrt(301)
    x = torch.randn(1, 4, 9, 9)
    assert backward(torch.conv2d, torch.conv2d, x, torch.randn(3, 4, 3, 3)).terms == 36
    assert backward(lambda x: x.sum(1), lambda x: x.sum(1), torch.rand(5, 70)).terms == 70
    assert backward(lambda a, b: a - b, lambda a, b: a - b, torch.rand(5), torch.rand(5)).terms == 1
    net = nn.Linear(300, 4)
    assert backward(net, net, a).terms == 301


def test_backward_error_tells_tf32_and_is_none_for_other_functions():
    a, w = torch.randn(20, 300), torch.randn(300, 15)
    coarse = backward(lambda a, w: a.bfloat16().float() @ w.bfloat16().float(), torch.matmul, a, w)
    assert coarse.eta > coarse.bound
    assert backward(torch.exp, torch.exp, a) is None
    assert backward(torch.matmul, lambda a, w: torch.relu(a @ w) @ w.T, a, w) is None
    assert backward(torch.matmul, torch.matmul, a.bfloat16(), w.bfloat16()) is None
