"""The model of rounding against real rounding: float32 results of real orders, measured in float64."""

import math

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from halfulp.cases import Case
from halfulp.floats import FORMATS
from halfulp.noise import noise_of, residual_of
from halfulp.noise.decompositions import decomposed
from halfulp.noise.noise import scaled_error
from halfulp.noise.rules import OpError
from halfulp.ops.deviation import ROUNDING_RMS


def ratio(actual, expected, *inputs, **options):
    """The rms error of a float32 implementation in units of the modelled noise."""
    case = Case(actual, expected, inputs, **options)
    noise = noise_of(case, samples=32)  # a spread estimated from few samples makes the ratio larger
    return residual_of(case.native("actual").outputs[0].numbers().astype(np.float64), noise.leaves[""]).rms_in_noise


def chain(x):
    """Strictly left to right."""
    return torch.from_numpy(np.add.accumulate(x.numpy(), axis=1)[:, -1].copy())


def test_one_rounding_has_the_rms_of_its_derivation():
    values = np.exp(np.random.default_rng(0).uniform(0, 20, 200_000))
    relative = (values.astype(np.float32) - values) / values
    # 200,000 samples: the estimate of an rms is good to 1 / sqrt(2 n) = 0.2 %, five times that is allowed.
    assert math.sqrt(np.mean(relative**2)) * 2**24 == pytest.approx(ROUNDING_RMS, rel=0.01)


@pytest.mark.parametrize("make", [torch.rand, torch.randn])
def test_a_chain_errs_as_modelled_at_every_length(make):
    """The law: the error of a chain follows sqrt(n) times the root mean square of its partial sums, over four octaves."""
    for n in (500, 2000, 8000):
        found = ratio(chain, lambda x: x.sum(1), make(400, n))
        assert 0.8 < found < 1.25, n  # 400 independent sums: 1 / sqrt(800) = 3.5 % statistical, the rest is the bridge model


def test_products_by_chains_and_by_libraries_are_contained():
    def outer(a, b):
        total = torch.zeros(a.shape[0], b.shape[1])
        for k in range(a.shape[1]):
            total = total + a[:, k : k + 1] * b[k : k + 1]
        return total

    a, b = torch.randn(30, 600), torch.randn(600, 40)
    assert 0.8 < ratio(outer, torch.matmul, a, b) < 1.25
    assert ratio(torch.matmul, torch.matmul, a, b) < 1.25


torch.manual_seed(0)  # the same inputs whichever tests were collected before
OPS = {
    "exp": (torch.exp, (torch.randn(2000),)),
    "division": (torch.div, (torch.randn(2000), torch.rand(2000) + 0.5)),
    "softmax": (lambda x: torch.softmax(x, -1), (torch.randn(20, 100) * 3,)),
    "log_softmax with an offset": (lambda x: torch.log_softmax(x, -1), (torch.randn(20, 100) + 1000,)),
    "layer_norm with an offset": (lambda x: F.layer_norm(x, (256,)), (torch.randn(20, 256) + 100,)),
    "batch_norm": (lambda x: F.batch_norm(x, None, None, training=True), (torch.randn(30, 8, 5, 5),)),
    "group_norm": (lambda x: F.group_norm(x, 2), (torch.randn(5, 8, 5, 5),)),
    "gelu": (F.gelu, (torch.randn(3000),)),
    "gelu tanh": (lambda x: F.gelu(x, approximate="tanh"), (torch.randn(3000),)),
    "var": (lambda x: x.var(1), (torch.randn(50, 300),)),
    "std and mean": (lambda x: torch.stack(torch.std_mean(x, 1)), (torch.randn(50, 300),)),
    "var_mean": (lambda x: torch.var_mean(x, 1, correction=0)[0], (torch.randn(50, 300),)),
    "conv1d": (F.conv1d, (torch.randn(2, 8, 100), torch.randn(6, 8, 5), torch.randn(6))),
    "conv_transpose2d": (F.conv_transpose2d, (torch.randn(2, 8, 10, 10), torch.randn(8, 6, 3, 3))),
    "avg_pool2d": (lambda x: F.avg_pool2d(x, 3), (torch.randn(2, 4, 30, 30),)),
    "adaptive_avg_pool2d": (lambda x: F.adaptive_avg_pool2d(x, 2), (torch.randn(2, 4, 30, 30),)),
    "cumsum": (lambda x: x.cumsum(1), (torch.randn(20, 500),)),
    "index_add": (lambda x: torch.zeros(7, dtype=x.dtype).index_add_(0, torch.arange(3000) % 7, x), (torch.randn(3000),)),
    "scatter_add": (lambda x: torch.zeros(7, dtype=x.dtype).scatter_add(0, torch.arange(3000) % 7, x), (torch.randn(3000),)),
    "index_put accumulate": (
        lambda x: torch.zeros(7, dtype=x.dtype).index_put((torch.arange(700) % 7,), x, accumulate=True),
        (torch.randn(700),),
    ),
    "embedding gradient": (
        lambda w, g: torch.autograd.grad(F.embedding(torch.arange(600) % 5, w.requires_grad_()), w, g)[0],
        (torch.randn(5, 8), torch.randn(600, 8)),
    ),
    "fft": (lambda x: torch.fft.rfft(x).abs(), (torch.randn(10, 256),)),
    "solve": (torch.linalg.solve, (torch.randn(30, 30), torch.randn(30, 4))),
    "norm": (lambda x: torch.linalg.vector_norm(x, dim=1), (torch.randn(40, 200),)),
    "addmm": (torch.addmm, (torch.randn(20, 30), torch.randn(20, 80), torch.randn(80, 30))),
    "baddbmm": (torch.baddbmm, (torch.randn(3, 20, 30), torch.randn(3, 20, 80), torch.randn(3, 80, 30))),
    "dot": (torch.dot, (torch.randn(500), torch.randn(500))),
    "outer sum": (torch.addr, (torch.randn(4, 5), torch.randn(4), torch.randn(5))),
    "linspace": (lambda x: x + torch.linspace(0, 1, 500), (torch.zeros(500),)),
    "sigmoid": (torch.sigmoid, (torch.randn(2000),)),
    "cross_entropy": (lambda x: F.cross_entropy(x, torch.arange(50) % 10, reduction="none"), (torch.randn(50, 10),)),
    "foreach": (lambda x: torch.stack(torch._foreach_mul([x, x * 3], 1.7)), (torch.randn(300),)),
    "conv backward": (
        lambda x, w: torch.autograd.grad(F.conv2d(x.requires_grad_(), w).pow(2).sum(), x)[0],
        (torch.randn(2, 3, 12, 12), torch.randn(4, 3, 3, 3)),
    ),
    "erf of a matmul in place": (lambda a, b: torch.mm(a, b).erf_().mul_(2), (torch.randn(20, 20), torch.randn(20, 20))),
    "complex product": (lambda x: torch.view_as_real(torch.view_as_complex(x) * (1.3 - 0.4j)), (torch.randn(500, 2),)),
    "unknown op": (lambda x: torch.special.entr(x), (torch.rand(300) + 0.1,)),
}


@pytest.mark.parametrize("name", OPS)
def test_pytorchs_own_float32_is_within_its_noise(name):
    function, inputs = OPS[name]
    case = Case(function, function, inputs)
    noise = noise_of(case)
    assert noise.method == "ops of expected"
    found = residual_of(case.native("expected").outputs[0].numbers().astype(np.float64), noise.leaves[""])
    assert found.rms_in_noise < 3.0
    assert noise.leaves[""].spread.max() > 0


def test_tf32_rounds_only_the_inputs_of_products():
    a, b = torch.randn(30, 200), torch.randn(200, 30)
    declared = noise_of(Case(torch.matmul, torch.matmul, (a, b), declared="tf32")).leaves[""].spread
    plain = noise_of(Case(torch.matmul, torch.matmul, (a, b))).leaves[""].spread
    assert np.median(declared / plain) > 100
    sums = [noise_of(Case(torch.exp, torch.exp, (a,), declared=name)).leaves[""].spread for name in ("tf32", "float32")]
    assert np.median(sums[0] / sums[1]) == pytest.approx(1.0, rel=0.2)


def test_sixteen_bit_sums_accumulate_in_float32_unless_told_otherwise():
    fine, coarse = OpError(FORMATS["float16"]), OpError(FORMATS["float16"], coarse_sums=True)
    assert fine.sum_u == math.ldexp(ROUNDING_RMS, -24)
    assert coarse.sum_u == math.ldexp(ROUNDING_RMS, -11)
    assert OpError(FORMATS["float64"]).sum_u == math.ldexp(ROUNDING_RMS, -53)


@pytest.mark.parametrize(("name", "loses"), [("float32", True), ("bfloat16", False)])
def test_a_fast_matrix_product_loses_in_its_sums_and_not_where_it_is_stored(name, loses):
    a, b = torch.randn(30, 200).double(), torch.randn(200, 30).double()
    plain, fast = (OpError(FORMATS[name], product_loss=loss).product(torch.mm, "mm", (a, b), {}, a @ b) for loss in (1.0, 32.0))
    assert bool(((fast / plain).median() > 10) == loses)
    x, w = torch.randn(2, 3, 9, 9).double(), torch.randn(4, 3, 3, 3).double()
    args = (x, w, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
    result = torch.ops.aten.convolution.default(*args)
    plain, fast = (
        OpError(FORMATS[name], product_loss=loss).product(torch.ops.aten.convolution.default, "convolution", args, {}, result)
        for loss in (1.0, 32.0)
    )
    assert (fast / plain).median() > 10


def test_sums_by_tensor_counts_and_without_accumulation():
    result, squares = torch.ones(2).double(), torch.ones(2).double()
    counted = OpError(FORMATS["float32"]).chain(result.clone(), squares.clone(), torch.tensor([1.0, 100.0]).double())
    plain = OpError(FORMATS["float32"]).chain(result.clone(), squares.clone(), 100)
    assert counted[1] == pytest.approx(plain[1].item())
    data = OpError(FORMATS["float32"], accumulate=False).chain(result.clone(), squares.clone(), 10**6)
    assert data[0] == pytest.approx(math.sqrt(2) * ROUNDING_RMS * 2**-24)


def test_every_formula_has_the_value_of_its_op():
    x = torch.randn(4, 6, dtype=torch.float64)
    masked = x.clone()
    masked[1], masked[2, 3] = -torch.inf, -torch.inf
    aten = torch.ops.aten
    safe = []
    if hasattr(aten, "_safe_softmax"):  # since PyTorch 2.5
        safe = [(aten._safe_softmax.default, given) for given in ((masked, 1), (masked.float(), -1, torch.float64), (x[:0], 1))]
    for call, arguments in [
        (aten.var.correction, (x, [1])),
        (aten.std.correction, (x, None)),
        (aten.var_mean.correction, (x, [0])),
        (aten.sigmoid.default, (x,)),
        (aten._softmax.default, (x, 1, False)),
        *safe,
        (aten.native_layer_norm.default, (x, [6], x[0], x[1], 1e-5)),
    ]:
        formula = decomposed(call, call._schema.name.split("::")[1])
        ours, theirs = formula(*arguments), call(*arguments)
        pairs = zip(ours, theirs) if isinstance(theirs, tuple) else [(ours, theirs)]
        for left, right in pairs:
            assert torch.allclose(left, right, rtol=1e-13, atol=1e-14), call
    by_tanh = decomposed(aten.gelu.default, "gelu")(x)
    assert torch.allclose(by_tanh, aten.gelu(x, approximate="tanh"), rtol=1e-13, atol=1e-14)
    assert decomposed(aten.mm.default, "mm") is None
    assert decomposed(aten._softmax.default, "_softmax")(torch.zeros(0, 3), 1).shape == (0, 3)


def test_the_rule_of_gelu_is_that_of_its_steps():
    """One rule for five steps: the same spread as sampling the formula step by step, within what 64 samples estimate (1 / sqrt(128) = 9 %)."""
    x = torch.linspace(-5, 5, 801)
    by_rule, by_steps = (
        noise_of(Case(torch.nn.functional.gelu, function, (x,)), samples=64).leaves[""].spread
        for function in (torch.nn.functional.gelu, lambda x: 0.5 * x * (1.0 + torch.erf(x * 2**-0.5)))
    )
    ratios = by_rule[x.numpy() != 0] / by_steps[x.numpy() != 0]
    assert 0.9 < float(np.median(ratios)) < 1.1
    assert ratios.min() > 0.5
    assert ratios.max() < 2.0


def test_in_place_and_composite_ops_are_sampled_like_their_formulas():
    """A sigmoid in place was once applied to a moved copy, and its result lost."""
    x = torch.randn(200)

    def in_place(x):
        y = x * 1.0
        y.sigmoid_()
        return y

    found, plain = (noise_of(Case(function, function, (x,)), samples=32).leaves[""] for function in (in_place, torch.sigmoid))
    assert np.allclose(found.reference, plain.reference, rtol=1e-12)
    assert 0.7 < float(np.median(found.spread / plain.spread)) < 1.6
    with torch.inference_mode():
        case = Case(lambda x: torch.softmax(x, -1), lambda x: torch.softmax(x, -1), (torch.randn(4, 9),))
        assert not any(name.startswith("unknown") for name in noise_of(case).ops)


def test_places_counted_in_floating_point_are_not_moved_to_the_neighbour():
    """The textbook formula of grid_sample adds 1 to a whole number and converts it to an index: noise made it the index before."""
    torch.manual_seed(0)
    image, grid = torch.randn(1, 3, 16, 16), torch.rand(1, 8, 8, 2) * 2 - 1

    def sampled(image, grid):
        return torch.nn.functional.grid_sample(image, grid, align_corners=False)

    found = noise_of(Case(sampled, sampled, (image, grid))).leaves[""]
    # Rounding of the grid (16 pixels a side) moves a result by a few unit roundoffs times the steps between pixels.
    assert float(np.sqrt((found.spread**2).mean())) < 100 * 2.0**-24


@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("dims", [1, 2, 3])
def test_resizing_carries_the_rounding_of_its_places(dims, align):
    """Weights come from places that are counted in float32: far from the corner they are wrong by many units, whatever the data."""
    torch.manual_seed(dims)
    mode = ("linear", "bilinear", "trilinear")[dims - 1]
    image = torch.randn(1, 3, *(28, 15, 9)[:dims])

    def resized(image):
        return torch.nn.functional.interpolate(image, size=(61, 22, 13)[:dims], mode=mode, align_corners=align)

    for gradients in (False, True):
        case = Case(resized, resized, (image.clone().requires_grad_(gradients),), gradients=gradients)
        for path, found in noise_of(case, samples=32).leaves.items():
            (native,) = (leaf for leaf in case.native("expected").outputs if leaf.path == path)
            scaled = scaled_error(native.float64() - found.reference, found.spread)
            assert 0.2 < float(np.sqrt((scaled**2).mean())) < 2.0, path
            assert np.abs(scaled).max() < 8.0, path


def test_places_that_no_format_rounds_carry_nothing():
    image = torch.randn(2, 8, 16, 16)

    def doubled(image):
        return torch.nn.functional.interpolate(image, scale_factor=2, mode="bilinear")

    found = noise_of(Case(doubled, doubled, (image,))).leaves[""]
    assert float(np.sqrt((found.spread**2).mean() / (found.reference**2).mean())) < 2.0 * 2.0**-24
