"""The ops mean what PyTorch's functions mean, are drawn alike whatever the process is set to, and NumPy computes each within a proved bound."""

import copy
import io
import math
import pickle

import pytest
import torch
from torch import nn
from torch.utils._pytree import tree_flatten

from halfulp.backends.adapters.with_numpy import FUNCTIONS
from halfulp.backends.ops import OPS, OpModule, Size, op_named
from halfulp.backends.registry import adapter_named
from halfulp.errors import InputError
from halfulp.floats import gamma

NUMPY = adapter_named("numpy")
CASES = [(name, place) for name in OPS for place in range(3)]
EVERY_CASE = pytest.mark.parametrize(("name", "place"), CASES, ids=[f"{name}-{OPS[name].sizes[place]}" for name, place in CASES])


def leaves(result):
    return tree_flatten(result)[0]


def lifted(tensor):
    return tensor.detach().double() if tensor.is_floating_point() else tensor


def exact(module, activations):
    """PyTorch's own result in float64: what is rounded there is 2^-29 of float32's."""
    wide = OpModule(module.op, {name: lifted(weight) for name, weight in zip(module.op.weights, module.weights)}, module.attributes)
    return leaves(wide(*map(lifted, activations)))


# --- Bounds. First-order error analysis of the textbook formula, sums in any order (Higham, Accuracy and Stability, 2nd ed., 3.1, 3.5).
# --- Each gives the largest absolute error for every element of the exact result. ---

SECOND_ORDER = 1.01
"""Products of two rounding errors: below u times the first-order bound, itself below 1 % here (gamma(65536) is 0.4 %)."""

ELEMENTARY_U = 8.0
"""exp, log, tanh: at most 4 ulps, which is 8 u (NumPy's own tests of its SIMD loops, test_umath_accuracy.py; measured 3.9 u)."""
LOGISTIC_U = ELEMENTARY_U + 2.0  # 1 / (1 + exp(-x)): and two roundings


def _product(terms):
    """|result - exact| <= gamma(n + 1) sum |a| |b|: the op on absolute values gives the sum."""

    def bound(op, given, weights, attributes, results, u):
        return [gamma(terms(given, weights) + 2, u) * op.function(*map(abs, given), *map(abs, weights), **attributes)]

    return bound


def _relative(count):
    return lambda op, given, weights, attributes, results, u: [count * u * abs(results[0])]


def _sum_of(terms, total):
    return lambda op, given, weights, attributes, results, u: [gamma(terms(given, attributes), u) * total(*given, **attributes)]


def _exactly(op, given, weights, attributes, results, u):
    return [torch.zeros_like(result) for result in results]


def _powers(x, u, error=0.0):
    """Relative error of exp(x - max) / sum: the exponents' error, absolute; theirs of the elementary function; the sum."""
    spread = x.amax(-1, keepdim=True) - x.amin(-1, keepdim=True)
    return 2 * (spread * u + error + ELEMENTARY_U * u) + gamma(x.shape[-1] + 1, u)


def _softmax(op, given, weights, attributes, results, u):
    return [results[0] * _powers(given[0], u)]


def _log_softmax(op, given, weights, attributes, results, u):
    x = given[0]
    moved = x - x.amax(-1, keepdim=True)
    return [u * abs(moved) + _powers(x, u) + ELEMENTARY_U * u * math.log(x.shape[-1]) + u * abs(results[0])]


def _attention(op, given, weights, attributes, results, u):
    query, key, value = given
    scale = query.shape[-1] ** -0.5
    scores = query @ key.mT * scale
    error = gamma(query.shape[-1] + 3, u) * scale * (abs(query) @ abs(key).mT)
    relative = _powers(scores, u, error.amax(-1, keepdim=True)) + gamma(key.shape[-2] + 1, u)
    return [relative * (torch.softmax(scores, -1) @ abs(value))]


def _normalized(x, scale, result, layer_eps, u):
    """(x - mean) / root: the mean's error is gamma(n) mean |x|, which enters once as it is and once squared in the variance."""
    count = x.shape[-1]
    variance = x.var(-1, correction=0, keepdim=True) + layer_eps
    shift = gamma(count, u) * abs(x).mean(-1, keepdim=True) / variance.sqrt()
    centered = abs(x - x.mean(-1, keepdim=True)) / variance.sqrt()
    return abs(scale) * (shift + centered * (0.5 * (gamma(count + 6, u) + shift**2) + 4 * u)) + u * abs(result)


def _layer_norm(op, given, weights, attributes, results, u):
    return [_normalized(given[0], weights[0], results[0], attributes["layer_eps"], u)]


def _group_norm(op, given, weights, attributes, results, u):
    x, groups = given[0], attributes["groups"]
    scale = weights[0].reshape(-1, 1, 1).expand(x.shape[1:])
    parts = [each.reshape(x.shape[0], groups, -1) for each in (x, scale.expand_as(x), results[0])]
    return [_normalized(parts[0], parts[1], parts[2], attributes["layer_eps"], u).reshape(x.shape)]


def _rms_norm(op, given, weights, attributes, results, u):
    return [abs(results[0]) * (0.5 * gamma(given[0].shape[-1] + 3, u) + 3 * u)]


def _batch_norm(op, given, weights, attributes, results, u):
    bias = weights[3].reshape(-1, 1, 1)
    return [6 * u * abs(results[0] - bias) + u * abs(results[0])]


def _folded_batch_norm(op, given, weights, attributes, results, u):
    # PyTorch's: x times weight / root, plus bias - mean weight / root. Both products can be larger than their sum.
    mean, variance, weight, bias = (each.reshape(-1, 1, 1) for each in weights)
    return [6 * u * ((abs(given[0]) + abs(mean)) * abs(weight) / (variance + attributes["layer_eps"]).sqrt() + abs(bias))]


def _gelu(op, given, weights, attributes, results, u):
    # x / 2 (1 + erf(x root)): the argument is off by 2 u, which moves erf by at most 2 u max |z erf'(z)| < u; two more roundings below 3 u.
    return [2 * u * abs(given[0]) + 2 * u * abs(results[0])]


def _gelu_tanh(op, given, weights, attributes, results, u):
    # The cubic is off by 7 u, which moves tanh by at most 7 u max |z tanh'(z)| < 3.2 u; tanh itself by 8 u; 1 + tanh rounds to 2 u.
    return [7 * u * abs(given[0]) + 2 * u * abs(results[0])]


def _var(op, given, weights, attributes, results, u):
    x = given[0]
    shift = (gamma(x.shape[-1], u) * abs(x).mean(-1)) ** 2
    return [gamma(x.shape[-1] + 5, u) * (results[0] + shift) + shift]


def _interpolate(op, given, weights, attributes, results, u):
    # A place is off by 3 u times the length; between two neighbors the result changes by at most their difference for each whole step.
    x = given[0]
    steps = sum(6 * u * max(x.shape[axis], length) * 2 for axis, length in zip((2, 3), attributes["size"]))
    return [(steps + gamma(8, u)) * abs(x).amax() * torch.ones_like(results[0])]


def _gates(x, hidden, weight_ih, weight_hh, bias_ih, bias_hh, u):
    size = abs(x) @ abs(weight_ih).T + abs(bias_ih) + abs(hidden) @ abs(weight_hh).T + abs(bias_hh)
    return gamma(x.shape[1] + hidden.shape[1] + 3, u) * size


def _lstm_cell(op, given, weights, attributes, results, u):
    # Slopes: the logistic function's is at most 1/4, tanh's at most 1.
    x, hidden, cell = given
    into, forget, candidate, out = _gates(x, hidden, *weights, u).chunk(4, 1)
    kept = abs(cell) * (forget / 4 + LOGISTIC_U * u) + into / 4 + LOGISTIC_U * u + candidate + ELEMENTARY_U * u + 2 * u * (abs(cell) + 1)
    return [out / 4 + LOGISTIC_U * u + kept + ELEMENTARY_U * u + u, kept]


def _gru_cell(op, given, weights, attributes, results, u):
    x, hidden = given
    reset, update, candidate = _gates(x, hidden, *weights, u).chunk(3, 1)
    of_hidden = abs(hidden @ weights[1].T + weights[3]).chunk(3, 1)[2]
    new = (
        candidate
        + of_hidden * (reset / 4 + (LOGISTIC_U + 2) * u)
        + abs(x @ weights[0].T + weights[2]).chunk(3, 1)[2] * u
        + ELEMENTARY_U * u
    )
    return [new + (1 + abs(hidden)) * (update / 4 + (LOGISTIC_U + 3) * u)]


def _kernel(given, weights):
    return math.prod(weights[0].shape) // min(weights[0].shape[:2]) + 1  # at least channels times places, for both kinds of convolution


BOUNDS = {
    "linear": _product(lambda given, weights: given[0].shape[-1] + 1),
    "matmul": _product(lambda given, weights: given[0].shape[-1]), "bmm": _product(lambda given, weights: given[0].shape[-1]),
    **dict.fromkeys(("conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d"), _product(_kernel)),
    "attention": _attention, "softmax": _softmax, "log_softmax": _log_softmax, "layer_norm": _layer_norm, "rms_norm": _rms_norm,
    "batch_norm": _batch_norm, "group_norm": _group_norm, "gelu": _gelu, "gelu_tanh": _gelu_tanh, "silu": _relative(LOGISTIC_U + 1),
    "sigmoid": _relative(LOGISTIC_U), **dict.fromkeys(("tanh", "exp", "log"), _relative(ELEMENTARY_U)), "sqrt": _relative(1.0),
    "rsqrt": _relative(2.0), "erf": _relative(1.0), "var": _var, "interpolate": _interpolate, "lstm_cell": _lstm_cell, "gru_cell": _gru_cell,
    "sum": _sum_of(lambda given, attributes: given[0].shape[-1], lambda x: abs(x).sum(-1)),
    "mean": _sum_of(lambda given, attributes: given[0].shape[-1], lambda x: abs(x).mean(-1)),
    "cumsum": _sum_of(lambda given, attributes: given[0].shape[-1], lambda x: abs(x).cumsum(-1)),
    "avg_pool2d": _sum_of(
        lambda given, attributes: attributes["window"] ** 2,
        lambda x, window, stride: nn.functional.avg_pool2d(abs(x), window, stride),
    ),
    "scatter_add": _sum_of(
        lambda given, attributes: given[2].shape[-1] + 1,
        lambda x, indices, source: abs(x).scatter_add(-1, indices, abs(source)),
    ),
    **dict.fromkeys(("relu", "max_pool2d", "embedding", "gather"), _exactly),
}  # fmt: skip


OF_PYTORCH = {**BOUNDS, "batch_norm": _folded_batch_norm, "erf": _relative(4.0), "sqrt": _relative(2.0)}
"""PyTorch's in float64, where it goes by another formula, or by functions that are off by an ulp (2 u); erf by one on either side."""


def bounds(module, activations, results, u, table=BOUNDS):
    given, weights = [lifted(activation) for activation in activations], [lifted(weight) for weight in module.weights]
    return [SECOND_ORDER * each for each in table[module.op_name](module.op, given, weights, module.attributes, results, u)]


def beyond(found, results, limits):
    """Elements whose error exceeds their bound, over all results."""
    return sum(int((abs(actual.double() - true) > limit).sum()) for actual, true, limit in zip(found, results, limits))


@EVERY_CASE
def test_numpy_stays_within_the_bound_of_float32(name, place):
    for seed in range(2):
        module, activations = OPS[name].drawn(OPS[name].sizes[place], seed)
        found, results = leaves(NUMPY.implement(module)(*activations)), exact(module, activations)
        assert [each.shape for each in found] == [result.shape for result in results]
        assert {each.dtype for each in found} == {torch.float32}
        assert beyond(found, results, bounds(module, activations, results, 2.0**-24)) == 0


@EVERY_CASE
def test_numpy_stays_within_the_bound_of_float64(name, place):
    module, activations = OPS[name].drawn(OPS[name].sizes[place], dtype=torch.float64)
    found, results = leaves(NUMPY.implement(module)(*activations)), exact(module, activations)
    assert {each.dtype for each in found} == {torch.float64}
    both = (bounds(module, activations, results, 2.0**-53, table) for table in (BOUNDS, OF_PYTORCH))  # the other side is rounded as well
    limits = [mine + theirs for mine, theirs in zip(*both)]
    assert beyond(found, results, limits) == 0


@pytest.mark.parametrize("name", OPS)
def test_half_precision_is_beyond_the_bound_of_float32(name):
    """The bounds are no formality: results with 11 bits don't keep them."""
    module, activations = OPS[name].drawn(OPS[name].sizes[0])
    halved = [activation.half().float() if activation.is_floating_point() else activation for activation in activations]
    weights = {key: weight.data.half().float() for key, weight in zip(module.op.weights, module.weights)}
    found, results = leaves(NUMPY.implement(OpModule(module.op, weights, module.attributes))(*halved)), exact(module, activations)
    assert beyond(found, results, bounds(module, activations, results, 2.0**-24)) > 0


def test_every_op_has_a_function_of_numpy_and_a_bound():
    assert set(FUNCTIONS) == set(OPS) == set(BOUNDS)


# --- The table ---


@EVERY_CASE
def test_a_draw_is_the_same_every_time_and_everywhere(name, place):
    op, states = OPS[name], torch.get_rng_state()
    size = op.sizes[place]
    first = op.drawn(size, 5)
    torch.set_default_dtype(torch.float64)
    try:
        second = op.drawn(size, 5)
    finally:
        torch.set_default_dtype(torch.float32)
    other = op.drawn(size, 6)
    numbers = [[*module.weights, *activations] for module, activations in (first, second, other)]
    assert all(mine.dtype == again.dtype and torch.equal(mine, again) for mine, again in zip(*numbers[:2]))
    assert {each.dtype for each in numbers[0]} <= {torch.float32, torch.int64}
    assert not any(torch.equal(mine, another) for mine, another in zip(numbers[0], numbers[2]))
    assert torch.equal(torch.get_rng_state(), states)  # the program's own random numbers go on as before


@pytest.mark.parametrize("name", OPS)
def test_an_op_says_all_of_itself(name):
    op = OPS[name]
    assert op.name == name and op_named(name) is op
    assert op.kind in {"product", "normalization", "function", "reduction", "pooling", "recurrent", "indexing", "elementary"}
    assert len(op.sizes) == 3 and op.activations
    for size in op.sizes:
        assert set(size.shapes) == {*op.activations, *op.weights}
    small, medium, _ = (sum(map(math.prod, size.shapes.values())) for size in op.sizes)
    assert small < medium
    module, activations = op.drawn(op.sizes[0])
    assert not module.training and not any(parameter.requires_grad for parameter in module.parameters())
    direct = leaves(op.function(*activations, *module.weights, **op.sizes[0].attributes))
    assert all(torch.equal(mine, theirs) for mine, theirs in zip(leaves(module(*activations)), direct, strict=True))
    assert repr(module).startswith(f"OpModule({name}" if not list(module.children()) else "OpModule(") and all(
        key in repr(module) for key in module.attributes
    )


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.float16])
def test_other_dtypes_are_the_same_numbers_rounded(dtype):
    for op in OPS.values():
        (module, activations), (other, others) = op.drawn(op.sizes[2], 1), op.drawn(op.sizes[2], 1, dtype)
        for mine, theirs in zip((*module.weights, *activations), (*other.weights, *others)):
            assert torch.equal(theirs, mine.to(dtype) if mine.is_floating_point() else mine)


@EVERY_CASE
def test_draws_keep_to_the_domain(name, place):
    """Indices that exist, arguments of logarithms and roots above zero, results that are finite."""
    op = OPS[name]
    module, activations = op.drawn(op.sizes[place], 3)
    given = dict(zip((*op.activations, *op.weights), (*activations, *module.weights)))
    if "indices" in given:
        limit = module.weights[0].shape[0] if name == "embedding" else activations[0].shape[-1]
        assert given["indices"].min() >= 0 and given["indices"].max() < limit
        assert given["indices"].unique().numel() > 1
    if name in ("log", "sqrt", "rsqrt"):
        assert (given["x"] > 0).all()
    if name == "batch_norm":
        assert (given["variance"] > 0).all()
    assert all(torch.isfinite(leaf).all() for leaf in leaves(module(*activations)))


def through_pickle(module):
    return pickle.loads(pickle.dumps(module))


def through_torch(module):
    file = io.BytesIO()
    torch.save(module, file)
    file.seek(0)
    return torch.load(file, weights_only=False)


@pytest.mark.parametrize("copied", [copy.deepcopy, through_pickle, through_torch])
@pytest.mark.parametrize("name", OPS)
def test_a_module_survives_being_copied(name, copied):
    module, activations = OPS[name].drawn(OPS[name].sizes[2])
    other = copied(module)
    assert other.op is module.op and other.attributes == module.attributes and not other.training
    assert all(torch.equal(mine, theirs) for mine, theirs in zip(leaves(module(*activations)), leaves(other(*activations)), strict=True))
    for mine, theirs in zip(module.weights, other.weights, strict=True):
        assert mine.data_ptr() != theirs.data_ptr()
    for weight in other.weights:
        weight.data.add_(1.0)
    if module.weights and name != "embedding":
        assert not torch.equal(leaves(module(*activations))[0], leaves(other(*activations))[0])  # it goes by its own weights


def test_a_size_is_said_by_its_shapes():
    assert str(OPS["linear"].sizes[0]) == "8x64 32x64 32"
    assert str(Size({"x": (), "weight": (3,)})) == "scalar 3"


@pytest.mark.parametrize(
    ("asked", "meant"), [("conv2", "conv2d"), ("Linear", "linear"), ("layernorm", "layer_norm"), ("avgpool2d", "avg_pool2d")]
)
def test_an_unknown_op_is_answered_with_the_nearest(asked, meant):
    with pytest.raises(InputError) as raised:
        op_named(asked)
    assert str(raised.value) == (
        f"Got the op {asked!r}. Needed: one of {', '.join(OPS)}. Only these are mapped to the backends. Did you mean {meant!r}? Name one of them."
    )


def test_an_op_like_no_other_gets_no_suggestion():
    with pytest.raises(InputError, match=r"mapped to the backends\. Name one of them\."):
        op_named("zzz")
