"""`check` and `locate` are asked of the same pairs: what one rejects the other does not accept. Every pair once contradicted."""

import pytest
import torch
import torch.nn.functional as F
from benchmarks.agreement import OPS, pairs

import halfulp
from halfulp.verdicts.evidence.measured import measured_excess

U = {"float64": 2.0**-53, "float32": 2.0**-24, "bfloat16": 2.0**-8, "float16": 2.0**-11}
REJECTED = (halfulp.Verdict.MISTAKE, halfulp.Verdict.UNSTABLE, halfulp.Verdict.UNDECIDED, halfulp.Verdict.REDUCED_PRECISION)


def given(dtype, *shape, count=1, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return tuple(torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype) for _ in range(count))


@pytest.mark.parametrize("op", ["vector_norm", "gelu", "silu", "log_softmax", "cdist", "mse_loss", "addcmul"])
@pytest.mark.parametrize("factor", [2.0, 8.0])
def test_outputs_that_differ_are_never_identical(op, factor):
    """A factor after the last op made 64 of 64 outputs differ, and locate said "same bits": the product had no counterpart."""
    inputs = given(torch.float32, 16, 24, count=2)
    origin = halfulp.locate(lambda x, y: OPS[op](x, y) * (1 + factor * U["float32"]), OPS[op], inputs)
    assert origin.verdict is not halfulp.Verdict.IDENTICAL
    assert "same bits." not in str(origin)


@pytest.mark.parametrize("op", ["hypot", "lgamma", "erfc", "logaddexp", "xlogy", "cdist", "atan2"])
def test_ops_without_a_formula_are_judged_in_their_own_format(op):
    """Inputs were moved by u of float32 whatever the format: 2**29 too forgiving in float64."""
    inputs = given(torch.float64, 16, 24, count=2)
    actual, expected = (lambda x, y: OPS[op](x, y) * (1 + 1e-9)), OPS[op]
    assert halfulp.check(actual, expected, inputs).verdict is halfulp.Verdict.MISTAKE
    assert halfulp.locate(actual, expected, inputs).verdict in REJECTED


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (lambda x, y: torch.log(torch.exp(x) + torch.exp(y)), torch.logaddexp),
        (lambda x, y: torch.sqrt(x * x + y * y), torch.hypot),
        (lambda x, y: 1 - torch.erf(x), lambda x, y: torch.erfc(x)),
    ],
)
def test_honest_forms_in_sixteen_bits_are_not_accused(actual, expected, dtype):
    """In sixteen bits float32's u was 2**-13 too strict, and a sentence said "nothing adds more: 2.8e+04 of its limit"."""
    x, y = given(dtype, 400, count=2)
    inputs = (x.abs() * 0.5, y.abs() * 0.5)
    assert halfulp.check(actual, expected, inputs).acceptable
    assert halfulp.locate(actual, expected, inputs).verdict is halfulp.Verdict.ROUNDING


@pytest.mark.parametrize("name", sorted(U))
@pytest.mark.parametrize(
    "spelled",
    [
        (lambda x: x.pow(2), lambda x: x * x),
        (lambda x: x**0.5, torch.sqrt),
        (lambda x: x**-1, torch.reciprocal),
        (lambda x: x**3, lambda x: x * x * x),
    ],
)
def test_the_noise_is_that_of_the_mathematics_and_not_of_the_spelling(spelled, name):
    """pow(2) had 22.6 times the noise of x * x."""
    from halfulp.cases import Case
    from halfulp.noise import noise_of

    x = given(getattr(torch, name), 200)[0].abs() + 0.1
    spreads = [noise_of(Case(f, f, (x,)), samples=200).leaves[""].spread for f in spelled]
    ratio = float((spreads[0] ** 2).mean() / (spreads[1] ** 2).mean()) ** 0.5
    assert 0.6 < ratio < 1.1  # a cube of two rounded products has the root of two


@pytest.mark.parametrize("precision", ["float64", "float32", "bfloat16"])
def test_a_slice_of_the_grid_is_without_contradiction(precision):
    """All of it: `python -m benchmarks.agreement`."""
    chosen = {name: OPS[name] for name in ("hypot", "erfc", "vector_norm", "prod", "pow 2", "sigmoid", "lerp", "normalize", "avg_pool2d")}
    for pair in pairs(chosen, (precision,)):
        assert not pair.contradicts and not pair.is_falsely_identical, (pair.op, pair.factor, pair.check.verdict, pair.locate.verdict)


def test_attention_without_gradients_has_the_noise_of_its_softmax():
    """PyTorch's own parts of an op ran outside of the sampling: attention had the noise of its products alone, and none in inference mode."""
    from halfulp.cases import Case
    from halfulp.noise import noise_of

    q = torch.randn(2, 4, 16, 8)

    def plain(q):
        return F.scaled_dot_product_attention(q, q, q)

    def inference(q):
        with torch.inference_mode():
            return plain(q)

    kinds = [noise_of(Case(f, f, (q,))).ops for f in (plain, inference)]
    assert kinds[0] == kinds[1]
    assert kinds[0]["elementwise"] >= 4 and kinds[0]["sum"] == 1


def written_attention(q, k, v, scale=0.25):
    return (q @ k.transpose(-1, -2) * scale).softmax(-1) @ v


INFERENCE = {
    "attention, wrong axis": (lambda q, k, v: (q @ k.transpose(-1, -2) / 4).softmax(-2) @ v, F.scaled_dot_product_attention, (2, 24, 16)),
    "attention, wrong scale": (lambda q, k, v: written_attention(q, k, v, 0.26), F.scaled_dot_product_attention, (2, 24, 16)),
    "layer norm, wrong eps": (lambda x, _, __: F.layer_norm(x, (16,), eps=0.1), lambda x, _, __: F.layer_norm(x, (16,)), (30, 16)),
    "convolution, flipped": (
        lambda x, w, _: F.conv1d(x[:, None], w[:3, None, :5].flip(-1)),
        lambda x, w, _: F.conv1d(x[:, None], w[:3, None, :5]),
        (8, 32),
    ),
    "einsum, scaled": (lambda x, y, _: torch.einsum("ij,kj->ik", x, y) * 1.001, lambda x, y, _: torch.einsum("ij,kj->ik", x, y), (8, 16)),
}


@pytest.mark.parametrize("name", INFERENCE)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_faults_in_inference_mode_are_located(name, dtype):
    """Composite ops came whole, could not be replayed, and were taken as `actual` recorded them: nobody was blamed."""
    actual, expected, shape = INFERENCE[name]
    inputs = given(dtype, *shape, count=3)
    origin = halfulp.locate(torch.inference_mode()(actual), torch.inference_mode()(expected), inputs)
    assert origin.verdict is halfulp.Verdict.MISTAKE


def test_honest_attention_in_inference_mode_is_judged_and_accepted():
    inputs = given(torch.float32, 2, 24, 16, count=3)
    origin = halfulp.locate(torch.inference_mode()(written_attention), torch.inference_mode()(F.scaled_dot_product_attention), inputs)
    assert origin.acceptable
    assert not any("not recomputed" in note for note in origin.notes) and not any(point.counterpart == "given" for point in origin.walk)


GRADIENTS = {
    "square": (lambda x: x * x.detach(), lambda x: x * x),
    "cube": (lambda x: x * x * x.detach(), lambda x: x.pow(3)),
    "silu": (lambda x: x * torch.sigmoid(x.detach()), F.silu),
    "normalize": (lambda x: x / x.detach().norm(dim=-1, keepdim=True), lambda x: F.normalize(x, dim=-1)),
    "layer norm": (
        lambda x: (x - x.detach().mean(-1, keepdim=True)) * torch.rsqrt(x.detach().var(-1, correction=0, keepdim=True) + 1e-5), lambda x: F.layer_norm(x, (16,)),
    ),
    "softmax": (lambda x: torch.exp(x) / torch.exp(x).sum(-1, keepdim=True).detach(), lambda x: torch.softmax(x, -1)),
}  # fmt: skip


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients_are_results_like_others(name):
    """A gradient of an input had no name in the trace: its difference was dropped with the op that had no counterpart."""
    actual, expected = GRADIENTS[name]
    inputs = given(torch.float32, 20, 16)
    assert halfulp.check(actual, expected, inputs, gradients=True).verdict is halfulp.Verdict.MISTAKE
    assert halfulp.locate(actual, expected, inputs, gradients=True).verdict is halfulp.Verdict.MISTAKE
    assert halfulp.locate(expected, expected, inputs, gradients=True).verdict is halfulp.Verdict.IDENTICAL


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_the_gradient_of_a_product_reads_no_unwritten_memory(dtype):
    """PyTorch takes another path for it where ops are looked at: 226 of 450 elements changed by rounding, and NaN was blamed."""
    x = 0.7 + 0.7 * given(dtype, 50, 8)[0].abs()
    for actual in (lambda x: x.log().sum(1).exp(), lambda x: x.prod(1)):
        assert halfulp.check(actual, lambda x: x.prod(1), (x,), gradients=True).acceptable


def test_memory_that_is_read_unwritten_is_still_seen():
    def reads(x):
        return x + torch.empty_like(x)

    assert halfulp.check(reads, lambda x: x + 0, given(torch.float32, 30)).verdict in (
        halfulp.Verdict.NONDETERMINISTIC,
        halfulp.Verdict.MISTAKE,
    )
    clean = halfulp.check(lambda x: x + torch.empty_like(x).fill_(0), lambda x: x + 0, given(torch.float32, 30))
    assert clean.verdict is halfulp.Verdict.IDENTICAL


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_resizing_axis_by_axis_is_honest_in_sixteen_bits(dtype):
    matrix = torch.zeros(12, 6, dtype=torch.float64)
    for row in range(12):
        source = max(0.0, (row + 0.5) / 2 - 0.5)
        low = int(source)
        matrix[row, low] += 1 - (source - low)
        matrix[row, min(low + 1, 5)] += source - low
    weights, x = matrix.to(dtype), given(dtype, 2, 3, 6, 6)[0]
    actual, expected = (lambda x: weights @ (x @ weights.T)), (lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"))
    assert halfulp.check(actual, expected, (x,)).acceptable
    assert halfulp.locate(actual, expected, (x,)).verdict is halfulp.Verdict.ROUNDING


def test_one_error_is_told_in_one_unit_by_every_command():
    """One wrong epsilon was "35 times", "4.2 times" and "27 times" in three commands."""
    (x,) = given(torch.float32, 64, 32)
    actual, expected = torch.nn.LayerNorm(32, eps=1e-6), torch.nn.LayerNorm(32, eps=1e-5)
    evidence = halfulp.check(actual, expected, (x,)).find("noise")
    by_check = measured_excess(evidence)
    origin = halfulp.locate(actual, expected, (x,))
    (point,) = (each for each in origin.walk if each.verdict is halfulp.Verdict.MISTAKE)
    # Each draws noise of its own. A spread from eight samples scatters by a quarter, the rms over many elements by less, the largest by more.
    assert point.added_in_noise == pytest.approx(by_check.in_noise, rel=0.15)
    assert 0.5 < point.excess / by_check.of_limit < 2.0
    assert (
        f"{point.added_in_noise:.3g} times (rms) what rounding causes, and {point.excess:.3g} times the limit of a correct implementation at its worst"
        in origin.because
    )
    assert str(by_check).split(",")[0].split()[0] in halfulp.check(actual, expected, (x,)).reason
    explanation = halfulp.explain(actual, expected, (x,))
    assert f"before it, the error was {by_check}." in " ".join(explanation.causes[0].evidence)
