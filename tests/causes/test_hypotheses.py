"""The catalog of known causes: complete, its algorithms right, and each planted cause found as the first one."""

import functools
import math
import re

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F

import halfulp
from halfulp.backends.knobs import NotApplicable
from halfulp.cases import Case
from halfulp.causes.calls import Call, watched, with_replaced
from halfulp.causes.direct import REPORTS
from halfulp.causes.hypotheses import (
    ARITHMETIC,
    CATALOG,
    FORMULA,
    MEMORY,
    SETTING,
    Around,
    input_variations,
    named,
    optimizers,
    stored_parameters,
)
from halfulp.causes.hypotheses.activation import _inner, _outer
from halfulp.causes.hypotheses.algorithm import POINTS, _by_fourier, _transforms, winograd
from halfulp.causes.hypotheses.arithmetic import rounded
from halfulp.causes.hypotheses.optimizers import FAMILIES
from halfulp.causes.trial import suggestions

DOUBLE = 2.0**-53
SINGLE = 2.0**-24
KINDS = (FORMULA, ARITHMETIC, MEMORY, SETTING)

# The catalog as data


@pytest.mark.parametrize("record", CATALOG, ids=lambda each: each.name)
def test_every_record_is_complete(record):
    assert all(isinstance(each, str) and each for each in (record.name, record.looks_like, record.experiment, record.remedy))
    assert record.kind in KINDS
    assert isinstance(record.reports, tuple) and all(isinstance(report, str) and report for report in record.reports)
    assert all(isinstance(call, str) and call.isidentifier() for call in record.calls)
    assert record.together or record.alone
    assert not record.errs or record.kind == ARITHMETIC  # a change that loses digits is one of arithmetic


@pytest.mark.parametrize("record", CATALOG, ids=lambda each: each.name)
def test_what_is_printed_of_a_remedy_has_no_braces_left_but_those_of_code(record):
    printed = record.remedy.replace("{detail}", "D").replace("{place}", "P").replace("{module}", "M")
    assert "{{" not in printed and "}}" not in printed
    assert not set(re.findall(r"\{(\w*)\}", printed))


@pytest.mark.parametrize("record", CATALOG, ids=lambda each: each.name)
def test_a_record_concerns_the_calls_that_it_names(record):
    names = ("layer_norm", "conv2d", "softmax", "cross_entropy", "nothing of the kind")
    for name in names:
        call = Call(0, name, "", "", len, (), {})
        assert record.concerns(call) is (not record.calls or name in record.calls)


def test_records_of_one_name_are_told_by_what_they_look_like():
    assert len({(each.name, each.looks_like, each.experiment) for each in CATALOG}) == len(CATALOG)
    assert [each.name for each in named("GELU form")] == ["GELU form"] and named("nothing") == []


REQUIRED = (
    "layer epsilon", "GELU form", "variance estimator", "BatchNorm momentum", "training mode", "dropout", "align_corners", "antialias",
    "padding mode", "ceil mode", "count_include_pad", "flipped kernel", "transposed weight", "missing bias", "doubled bias", "gate order",
    "GRU form", "RoPE layout", "causal mask alignment", "attention scale", "softcap", "softmax axis", "flatten order", "channel order",
    "input scale", "Adam epsilon", "weight decay", "loss reduction", "label smoothing", "overlapping memory", "uninitialized memory",
    "integer division", "float64 constants", "bfloat16 storage", "float16 storage", "bfloat16 accumulator", "float16 accumulator", "TF32",
    "subnormals flushed", "one-pass variance", "missing maximum subtraction", "Winograd", "FFT",
)  # fmt: skip


def summed_in(name):
    """A sum by hand whose partial sums are rounded to 16 bits."""

    def run(x):
        total = torch.zeros_like(x[:, 0])
        for column in x.unbind(1):
            total = (total + column).to(getattr(torch, name)).float()
        return total

    return run


def suggested(function, *inputs):
    return {trial.name for own in suggestions(Case(function, function, inputs)) for trial in own.trials}


@functools.cache
def all_names():
    names = {each.name for each in CATALOG} | set(REPORTS)
    names |= {variation.name for variation in input_variations([torch.randn(2, 3, 8, 8), torch.randn(4, 4)])}
    names |= {each.name for each in (*stored_parameters(), *optimizers({kind for family in FAMILIES for kind in family.kinds}))}
    x = torch.randn(4, 12)
    names |= suggested(lambda q: torch.softmax(q @ q.transpose(-1, -2) * 0.3, -1) @ q, x)
    names |= suggested(summed_in("bfloat16"), x) | suggested(summed_in("float16"), x)
    names |= suggested(nn.LSTM(12, 3), x)
    return names


@pytest.mark.parametrize("name", REQUIRED)
def test_what_is_known_to_go_wrong_has_a_name(name):
    assert name in all_names()


def test_a_name_that_is_not_known_is_missing():
    assert "no such cause" not in all_names() and len(REQUIRED) == len(set(REQUIRED)) == 43


def test_every_cause_but_those_of_settings_and_memory_is_planted_here():
    """What is required and isn't planted below is planted where it is found: from the verdict, with gradients, in fresh processes."""
    elsewhere = {"dropout", "overlapping memory", "uninitialized memory"}
    assert {name for name, *_ in PLANTED.values()} >= set(REQUIRED) - elsewhere


# Fast convolutions


def convolution(x, weight, bias, padding):
    return (F.conv1d if x.dim() == 3 else F.conv2d)(x, weight, bias, padding=padding)


def call_of(x, weight, bias, padding):
    return Call(0, f"conv{x.dim() - 2}d", "", "", F.conv1d if x.dim() == 3 else F.conv2d, (x, weight, bias), {"padding": padding})


@st.composite
def problems(draw, kernel=None):
    """A convolution with stride 1 of random shape in float64."""
    dims = draw(st.sampled_from((1, 2)))
    sizes = [draw(st.integers(1, 4)) if kernel is None else kernel for _ in range(dims)]
    padding = tuple(draw(st.integers(0, 2)) for _ in range(dims))
    shape = [draw(st.integers(max(1, size - 2 * pad), 14)) for size, pad in zip(sizes, padding)]
    batch, channels, filters = (draw(st.integers(1, 3)) for _ in range(3))
    make = torch.Generator().manual_seed(draw(st.integers(0, 2**20)))
    normal = lambda *shape: torch.randn(*shape, generator=make, dtype=torch.float64)
    bias = normal(filters) if draw(st.booleans()) else None
    one = draw(st.booleans())
    return (
        normal(batch, channels, *shape),
        normal(filters, channels, *sizes),
        bias,
        padding[0] if one and len(set(padding)) == 1 else padding,
    )


def winograd_bound(x, weight, bias, padding, tile, unit):
    """|error| <= (roundings in a chain + those of inverting the transform) u |A|^T [(|G| |g|) (|B| |d|)], Higham, section 3.1."""
    dims, points = x.dim() - 2, tile + 2
    a, g, b = (each.abs() for each in _transforms(tile))
    whole = torch.tensor([[point**power for power in range(points)] for point in POINTS[tile]] + [[0.0] * (points - 1) + [1.0]]).double()
    spread = (b.t() @ whole.abs() @ b.t()).t()  # linalg.inv errs by 3 n u |V^-1| |V| |V^-1| (Higham, section 14.1), in float64

    def magnitude(transform):
        names = winograd.__globals__
        original = names["_transforms"]
        names["_transforms"] = lambda _: (a, g, transform)
        try:
            return winograd(call_of(*(None if each is None else each.double().abs() for each in (x, weight, bias)), padding), tile)
        finally:
            names["_transforms"] = original

    chain = 3 * dims * points + x.shape[1] + 2
    return chain * unit * magnitude(b) + 3 * dims * points * DOUBLE * magnitude(spread)


@pytest.mark.parametrize("tile", POINTS)
@settings(max_examples=40)
@given(problem=problems(kernel=3))
def test_winograds_algorithm_computes_the_convolution(tile, problem):
    direct = convolution(*problem)
    fast = winograd(call_of(*problem), tile)
    assert fast.shape == direct.shape and fast.dtype == torch.float64
    # The direct sum errs by less than the fast one's bound.
    assert ((fast - direct).abs() <= 2 * winograd_bound(*problem, tile, DOUBLE)).all()


@pytest.mark.parametrize("tile", POINTS)
def test_the_bound_for_winograds_algorithm_tells_a_wrong_one(tile):
    x, weight = torch.randn(2, 3, 12, 12).double(), torch.randn(4, 3, 3, 3).double()
    bound = 2 * winograd_bound(x, weight, None, 0, tile, DOUBLE)
    assert bound.median() < 1e-5  # results are of size 5
    assert not ((winograd(call_of(x, weight.flip(-1), None, 0), tile) - F.conv2d(x, weight)).abs() <= bound).all()


@settings(max_examples=60)
@given(problem=problems())
def test_a_convolution_by_fourier_transforms_computes_the_convolution(problem):
    x, weight, bias, _ = problem
    direct, fast = convolution(*problem), _by_fourier(call_of(*problem))
    assert fast.shape == direct.shape
    # An FFT errs by 4 u per level relative to the norm (Higham, section 24.1); three of them, a product and a sum over channels.
    points = math.prod(x.shape[2 + axis] + 2 * 2 for axis in range(x.dim() - 2))
    bound = DOUBLE * (12 * math.log2(points) + 4 * x.shape[1] + 4) * x.norm() * weight.norm()
    assert ((fast - direct).abs() <= bound + (0 if bias is None else 2 * DOUBLE * (bias.abs().max() + direct.abs()))).all()


def test_winograds_error_in_float32_grows_with_the_tile():
    x, weight = torch.randn(4, 16, 30, 30), torch.randn(16, 16, 3, 3)
    exact = F.conv2d(x.double(), weight.double())
    error = {tile: float((winograd(call_of(x, weight, None, 0), tile).double() - exact).square().mean().sqrt()) for tile in POINTS}
    direct = float((F.conv2d(x, weight).double() - exact).square().mean().sqrt())
    assert direct < error[4]
    for smaller, larger in ((2, 4), (4, 6), (6, 8)):
        assert 1.5 * error[smaller] < error[larger]
    assert error[6] > 5 * direct  # "one digit less"


def test_only_plain_convolutions_are_computed_by_winograd_and_fourier():
    x, weight = torch.randn(2, 4, 9, 9), torch.randn(4, 4, 3, 3)
    (fast,), (fourier,) = named("Winograd"), named("FFT")
    call = lambda **keywords: Call(0, "conv2d", "", "", F.conv2d, (x, weight), keywords)
    assert len(list(fast.vary(call(padding=1)))) == len(POINTS) and len(list(fourier.vary(call()))) == 1
    for keywords in ({"stride": 2}, {"dilation": 2}, {"groups": 2}, {"stride": (1, 2)}):
        assert not list(fast.vary(call(**keywords))) and not list(fourier.vary(call(**keywords)))
    assert not list(fast.vary(Call(0, "conv2d", "", "", F.conv2d, (x, torch.randn(4, 4, 5, 5)), {})))


# Rounding to other formats


def tf32_of(value):
    """The nearest number of 11 significant bits with float32's exponents, ties to even: by float64 arithmetic, which is exact here."""
    value = np.asarray(value, dtype=np.float64)
    _, exponent = np.frexp(value)
    step = np.ldexp(1.0, np.maximum(exponent - 11, -149 + 13))
    found = np.rint(value / step) * step
    return np.where(np.abs(found) >= 2.0**128, np.copysign(np.inf, value), found)


@pytest.mark.parametrize("exponent", range(255))
def test_rounding_to_tf32_is_right_for_every_exponent(exponent):
    generator = np.random.default_rng(exponent)
    lowest = generator.integers(0, 1 << 23, 500)
    ties = (generator.integers(0, 1 << 10, 100) << 13) + (1 << 12)
    mantissas = np.concatenate(
        [lowest, ties, ties + 1, ties - 1, [0, 1, (1 << 23) - 1, ((1 << 10) - 1) << 13, (((1 << 10) - 1) << 13) + (1 << 12)]]
    )
    stored = np.concatenate([mantissas + (exponent << 23), mantissas + (exponent << 23) - (1 << 31)]).astype(np.int64).astype(np.uint32)
    values = stored.view(np.float32)
    found = rounded(torch.from_numpy(values), "TF32").numpy()
    assert np.array_equal(found.astype(np.float64), tf32_of(values))
    assert np.array_equal(np.signbit(found), np.signbit(values))


def test_special_values_survive_a_coarser_format():
    for name in ("TF32", "bfloat16", "float16"):
        found = rounded(torch.tensor([math.inf, -math.inf, math.nan, -math.nan, 0.0, -0.0, 1.0]), name)
        assert found[0] == math.inf and found[1] == -math.inf and found[2:4].isnan().all() and found[6] == 1
        assert (found[4:6] == 0).all() and torch.signbit(found[4:6]).tolist() == [False, True]


def test_every_nan_survives_tf32():
    values = torch.tensor([0x7FFFFFFF, -1, 0x7F800001, 0x7FFFF000], dtype=torch.int32).view(torch.float32)
    assert values.isnan().all()
    assert rounded(values, "TF32").isnan().all()


@pytest.mark.parametrize("name", ["TF32", "bfloat16", "float16"])
def test_a_coarser_format_keeps_the_strides_that_choose_a_kernel(name):
    x = torch.randn(4, 6).t()
    assert rounded(x, name).stride() == x.stride()


@pytest.mark.parametrize("name", ["TF32", "bfloat16", "float16", "float32"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_coarser_format_keeps_dtype_shape_and_gradient_and_is_idempotent(name, dtype):
    x = torch.randn(4, 6, dtype=dtype).t().requires_grad_()
    once = rounded(x, name)
    assert once.dtype == dtype and once.shape == x.shape
    assert torch.equal(rounded(once, name), once)
    (gradient,) = torch.autograd.grad(once.sum(), x)
    assert torch.equal(gradient, torch.ones_like(x))


# GELU's forms


@settings(max_examples=200)
@given(values=st.lists(st.floats(-30, 30), min_size=1, max_size=20))
def test_outer_is_the_inverse_of_inner(values):
    x = torch.tensor(values, dtype=torch.float64)
    inner = _inner(x)
    slope = math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x**2)
    # Both evaluations of the cubic round some eight times: 16 u of its value, over its slope.
    assert ((_outer(inner) - x).abs() <= 16 * (DOUBLE * (inner.abs() / slope + x.abs()) + 2.0**-1074)).all()


BY_HAND = {
    "erf": (torch.erf, lambda x: 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))),
    "tanh": (torch.tanh, lambda x: 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))),
}
FORMS = {
    "GELU's exact form": F.gelu,
    "GELU's tanh form": lambda x: F.gelu(x, approximate="tanh"),
    "GELU's sigmoid form": lambda x: x * torch.sigmoid(1.702 * x),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_the_middle_of_a_gelu_by_hand_is_exchanged_for_that_of_the_other_forms(name):
    x = torch.linspace(-6, 6, 200, dtype=torch.float64)
    function, program = BY_HAND[name]
    (record,) = named("GELU form")
    variations = list(record.vary(Call(0, name, "", "", function, (x,), {})))
    assert len(variations) == 2
    for variation in variations:
        wanted = next(form for words, form in FORMS.items() if variation.detail.startswith(words))
        found = exchanged(program, name, variation.compute)(x)
        # Some ten roundings of numbers below |x|; exp in the sigmoid magnifies those of its argument, up to 1.7 * 6.
        assert ((found - wanted(x)).abs() <= 64 * DOUBLE * (1 + x.abs())).all()
        assert (found - program(x)).abs().max() > 1e-5


def exchanged(function, name, compute):
    """The function with the calls of one name exchanged."""

    def run(*inputs):
        calls = []
        watched(function, calls.append)(*inputs)
        return with_replaced(function, {call.number: compute for call in calls if call.name == name})(*inputs)

    return run


# Recurrent layers


def gru_loop(layer, x, *, before):
    """A GRU over (time, batch, features), weight by weight."""
    x = x.transpose(0, 1) if layer.batch_first else x
    last = []
    for place in range(layer.num_layers):
        found = [one_gru(layer, x, f"_l{place}{suffix}", before=before) for suffix in ("", "_reverse")[: 1 + layer.bidirectional]]
        x = torch.cat([states for states, _ in found], -1)
        last += [state for _, state in found]
    return (x.transpose(0, 1) if layer.batch_first else x), torch.stack(last)


def one_gru(layer, x, name, *, before):
    """One layer in one direction: its states, and the last of them."""
    part = lambda kind: getattr(layer, kind + name, torch.zeros(3 * layer.hidden_size, dtype=x.dtype)).chunk(3)
    (wr, wz, wn), (ur, uz, un) = part("weight_ih"), part("weight_hh")
    (br, bz, bn), (cr, cz, cn) = part("bias_ih"), part("bias_hh")
    h, states = x.new_zeros(x.shape[1], layer.hidden_size), {}
    for t in reversed(range(len(x))) if name.endswith("reverse") else range(len(x)):
        r = torch.sigmoid(F.linear(x[t], wr, br) + F.linear(h, ur, cr))
        z = torch.sigmoid(F.linear(x[t], wz, bz) + F.linear(h, uz, cz))
        inner = F.linear(r * h, un, cn) if before else r * F.linear(h, un, cn)
        n = torch.tanh(F.linear(x[t], wn, bn) + inner)
        h = states[t] = n + z * (h - n)
    return torch.stack([states[t] for t in range(len(x))]), h


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("batch_first", [True, False])
@pytest.mark.parametrize(("layers", "bidirectional"), [(1, False), (2, False), (1, True), (2, True)])
def test_a_gru_with_the_reset_gate_before_the_product_is_that_of_a_loop(bias, batch_first, layers, bidirectional):
    layer = nn.GRU(5, 4, num_layers=layers, bias=bias, batch_first=batch_first, bidirectional=bidirectional).double()
    x = torch.randn(3, 6, 5).double()
    (record,) = named("GRU form")

    def changed(call):
        (variation,) = record.vary(call)
        return variation.compute(call)

    found = exchanged(lambda x: layer(x), "gru", changed)(x)
    for one, other, plain in zip(found, gru_loop(layer, x, before=True), gru_loop(layer, x, before=False)):
        # States are below 1 and each step contracts by z or passes on: some 20 roundings for each of 6 steps and each layer.
        assert ((one - other).abs() <= 6 * layers * 40 * DOUBLE).all()
        assert (one - plain).abs().max() > 1e-3
    assert all(((one - other).abs() <= 6 * layers * 40 * DOUBLE).all() for one, other in zip(layer(x), gru_loop(layer, x, before=False)))


def test_a_gru_cell_takes_the_other_form_too():
    cell, layer = nn.GRUCell(5, 4).double(), nn.GRU(5, 4).double()
    layer.load_state_dict({f"{name}_l0": value for name, value in cell.state_dict().items()})
    x, h = torch.randn(3, 5).double(), torch.randn(3, 4).double()
    (record,) = named("GRU form")
    found = exchanged(lambda x, h: cell(x, h), "gru_cell", lambda call: next(iter(record.vary(call))).compute(call))(x, torch.zeros_like(h))
    assert ((found - gru_loop(layer, x[None], before=True)[1][0]).abs() <= 40 * DOUBLE).all()
    later = exchanged(lambda x, h: cell(x, h), "gru_cell", lambda call: next(iter(record.vary(call))).compute(call))(x, h)
    assert (later - cell(x, h)).abs().max() > 1e-3


@pytest.mark.parametrize(("kind", "count"), [(nn.LSTM, 23), (nn.GRU, 5)])
def test_every_other_order_of_gates_is_tried_and_is_that_of_permuted_weights(kind, count):
    layer, x = kind(5, 4).double(), torch.randn(3, 2, 5).double()
    name = kind.__name__.lower()
    gates = {"lstm": "ifgo", "gru": "rzn"}[name]
    (record,) = named("gate order")
    variations = []
    exchanged(lambda x: layer(x), name, lambda call: variations.extend(record.vary(call)) or call.again())(x)
    assert len({each.detail for each in variations}) == len(variations) == count
    for variation in variations:
        order = [gates.index(each) for each in variation.detail.split()[4]]
        other = kind(5, 4).double()
        parts = {key: torch.cat([value.chunk(len(gates))[each] for each in order]) for key, value in layer.state_dict().items()}
        other.load_state_dict(parts)
        found = exchanged(lambda x: layer(x), name, variation.compute)(x)[0]
        assert torch.equal(found, other(x)[0]) or ((found - other(x)[0]).abs() <= 3 * 40 * DOUBLE).all()


# Inputs and parameters


def variation_named(inputs, detail):
    return next(variation for variation in input_variations(inputs) if detail in variation.detail)


def test_inputs_are_understood_otherwise_as_the_words_say():
    image = torch.rand(2, 3, 5, 6)
    same = lambda x: x
    assert torch.equal(variation_named([image], "BGR").wrap(same)(image), image.flip(1))
    assert torch.equal(variation_named([image], "NHWC").wrap(same)(image), image.permute(0, 2, 3, 1).reshape(image.shape))
    assert torch.equal(variation_named([image], "NCHW").wrap(same)(image), image.permute(0, 3, 1, 2).reshape(image.shape))
    assert torch.equal(variation_named([image * 200], "divided by 255").wrap(same)(image), image * (1 / 255))
    assert torch.equal(variation_named([image], "multiplied by 255").wrap(same)(image), image * 255)
    square = torch.rand(4, 4)
    assert torch.equal(variation_named([square], "transposed").wrap(same)(square), square.t())
    mean, deviation = (torch.tensor(each).view(3, 1, 1) for each in ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)))
    there, back = variation_named([image], "normalized with"), variation_named([image], "without ImageNet")
    assert torch.equal(there.wrap(same)(image), (image - mean) / deviation)
    assert ((back.wrap(same)(there.wrap(same)(image)) - image).abs() <= 8 * SINGLE).all()  # four roundings of numbers below 3


def test_only_the_argument_that_is_named_changes_and_arrays_stay_arrays():
    a, b = torch.rand(2, 4), np.random.default_rng(0).random((2, 3, 4, 5)).astype(np.float32)
    pair = lambda x, y: (x, y)
    for around in input_variations([a, b]):
        x, y = around.wrap(pair)(a, b)
        assert isinstance(y, np.ndarray) and y.dtype == np.float32
        assert torch.equal(x, a) is ("input 1" in around.detail) and np.array_equal(y, b) is ("input 0" in around.detail)


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (torch.zeros(3, dtype=torch.long), set()),
        (3.0, set()),
        ("x", set()),
        (torch.rand(5), set()),
        (torch.rand(4, 4), {"transposed weight"}),
        (torch.rand(2, 3, 4, 5), {"input scale", "channel order", "flatten order"}),
        (torch.rand(2, 4, 5, 3), {"input scale", "channel order", "flatten order"}),
        (torch.zeros(2, 3, 4, 5, dtype=torch.uint8), {"channel order", "flatten order"}),
    ],
    ids=["integers", "number", "text", "vector", "square", "channels_first", "channels_last", "bytes"],
)
def test_variations_of_an_input_suit_its_shape_and_type(value, names):
    found = list(input_variations([value]))
    assert {each.name for each in found} == names
    assert all(isinstance(each, Around) and each.kind == FORMULA and each.remedy and "{" not in each.remedy for each in found)


def test_parameters_in_sixteen_bits_come_back():
    model = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3)).eval()
    before = {name: each.clone() for name, each in model.state_dict().items()}
    memory = {name: each.data_ptr() for name, each in model.state_dict().items()}
    x = torch.randn(5, 4)
    for around in stored_parameters():
        dtype = getattr(torch, around.name.split()[0])
        weights = around.wrap(lambda x: [parameter.clone() for parameter in model.parameters()])(x)
        assert all(torch.equal(weight, own.to(dtype).float()) for weight, own in zip(weights, model.parameters()))
        with pytest.raises(ZeroDivisionError):
            around.wrap(lambda x: model(x) / (1 // 0))(x)
        with pytest.raises(NotApplicable):
            around.wrap(lambda x: x)(x)
    assert all(torch.equal(each, before[name]) and each.data_ptr() == memory[name] for name, each in model.state_dict().items())
    assert not torch.equal(model[0].weight, model[0].weight.bfloat16().float())


# Planted causes

PLANTED = {}


def planted(name, **options):
    """Enter a pair: `build()` gives actual, expected and inputs."""

    def enter(build):
        PLANTED[build.__name__] = (name, build, options)
        return build

    return enter


def same_but(function, *inputs, actual=(), expected=(), **keywords):
    """One function with other keywords on the two sides."""
    actual, expected = dict(actual), dict(expected)
    return (lambda *x: function(*x, **{**keywords, **actual})), (lambda *x: function(*x, **{**keywords, **expected})), inputs


@planted("layer epsilon")
def epsilon_of_a_norm():
    return same_but(F.layer_norm, 0.05 * torch.randn(8, 32), normalized_shape=(32,), actual={"eps": 1e-3})


@planted("layer epsilon")
def epsilon_that_nobody_uses():
    return same_but(F.group_norm, 0.1 * torch.randn(4, 8, 6), num_groups=2, actual={"eps": 3.7e-4})


@planted("GELU form")
def gelu():
    return same_but(F.gelu, torch.randn(16, 16), actual={"approximate": "tanh"})


@planted("variance estimator")
def estimator():
    return same_but(torch.var, torch.randn(8, 9), dim=-1, actual={"correction": 0})


@planted("BatchNorm momentum")
def momentum():
    def run(value):
        def forward(x, mean, var):
            mean, var = mean.clone(), var.clone()
            F.batch_norm(x, mean, var, training=True, momentum=value)
            return mean, var

        return forward

    return run(0.9), run(0.1), (torch.randn(12, 4), torch.zeros(4), torch.ones(4))


@planted("training mode")
def mode():
    norm, other = nn.BatchNorm1d(6).eval(), nn.BatchNorm1d(6)
    return (lambda x: other(x)), lambda x: norm(x), (1 + 2 * torch.randn(12, 6),)


@planted("align_corners")
def corners():
    return same_but(
        F.interpolate,
        torch.randn(1, 2, 5, 7),
        size=(9, 11),
        mode="bilinear",
        actual={"align_corners": True},
        expected={"align_corners": False},
    )


@planted("antialias")
def filtered():
    return same_but(F.interpolate, torch.randn(1, 2, 16, 16), size=(5, 6), mode="bilinear", expected={"antialias": True})


@planted("padding mode")
def border():
    conv, other = nn.Conv2d(2, 3, 3, padding=1), nn.Conv2d(2, 3, 3, padding=1, padding_mode="reflect")
    other.load_state_dict(conv.state_dict())
    return conv, other, (torch.randn(2, 2, 8, 9),)


@planted("ceil mode")
def ceiling():
    pool = lambda ceil: lambda x: F.max_pool2d(x, 3, 2, ceil_mode=ceil).mean((2, 3))
    return pool(True), pool(False), (torch.randn(3, 4, 8, 8),)


@planted("count_include_pad")
def counted():
    return same_but(F.avg_pool2d, torch.randn(2, 3, 8, 8), kernel_size=3, padding=1, actual={"count_include_pad": False})


@planted("flipped kernel")
def flipped():
    weight = torch.randn(3, 2, 3, 3)
    return (lambda x: F.conv2d(x, weight.flip(2, 3))), lambda x: F.conv2d(x, weight), (torch.randn(2, 2, 8, 8),)


@planted("transposed weight")
def transposed():
    weight = torch.randn(12, 12)
    return (lambda x: x @ weight), lambda x: F.linear(x, weight), (torch.randn(6, 12),)


@planted("missing bias")
def no_bias():
    weight, bias = torch.randn(5, 12), torch.randn(5)
    return (lambda x: F.linear(x, weight)), lambda x: F.linear(x, weight, bias), (torch.randn(6, 12),)


@planted("doubled bias")
def two_biases():
    weight, bias = torch.randn(5, 12), torch.randn(5)
    return (lambda x: F.linear(x, weight, bias) + bias), lambda x: F.linear(x, weight, bias), (torch.randn(6, 12),)


@planted("gate order")
def gates():
    layer, other = nn.LSTM(5, 6), nn.LSTM(5, 6)
    other.load_state_dict({key: torch.cat([value.chunk(4)[each] for each in (1, 0, 2, 3)]) for key, value in layer.state_dict().items()})
    return (lambda x: other(x)[0]), lambda x: layer(x)[0], (torch.randn(6, 3, 5),)


@planted("GRU form")
def reset():
    layer = nn.GRU(5, 6)
    return (lambda x: gru_loop(layer, x, before=True)[0]), lambda x: layer(x)[0], (torch.randn(6, 3, 5),)


@planted("RoPE layout")
def rotary():
    angles = torch.outer(torch.arange(6.0), 0.5 ** torch.arange(4.0))

    def turned(x):
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack((a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()), -1).flatten(-2)

    def halves(x):
        a, b = x.chunk(2, -1)
        return torch.cat((a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()), -1)

    return turned, halves, (torch.randn(3, 6, 8),)


@planted("causal mask alignment")
def aligned():
    mask = torch.ones(4, 7, dtype=torch.bool).tril(3)
    return (
        lambda q, k: F.scaled_dot_product_attention(q, k, k, attn_mask=mask),
        lambda q, k: F.scaled_dot_product_attention(q, k, k, is_causal=True),
        (torch.randn(2, 4, 8), torch.randn(2, 7, 8)),
    )


@planted("attention scale")
def scaled():
    return same_but(F.scaled_dot_product_attention, *(torch.randn(2, 6, 8) for _ in range(3)), actual={"scale": 0.2})


@planted("softcap")
def capped():
    attend = lambda cap: lambda q, k: torch.softmax(cap(q @ k.transpose(-1, -2) * 0.5), -1) @ k
    return attend(lambda x: x), attend(lambda x: 5 * torch.tanh(x / 5)), (2 * torch.randn(2, 6, 8), 2 * torch.randn(2, 6, 8))


@planted("softmax axis")
def axis():
    return same_but(F.softmax, torch.randn(4, 5, 6), actual={"dim": 1}, expected={"dim": 2})


@planted("flatten order")
def flattened():
    head = nn.Linear(3 * 4 * 5, 6)
    return (lambda x: head(x.permute(0, 2, 3, 1).flatten(1))), lambda x: head(x.flatten(1)), (torch.randn(3, 3, 4, 5),)


@planted("channel order")
def channels():
    conv = nn.Conv2d(3, 4, 3)
    return (lambda x: conv(x.flip(1))), lambda x: conv(x), (torch.rand(2, 3, 7, 8),)


@planted("input scale")
def bytes_of_an_image():
    conv = nn.Conv2d(3, 4, 3)
    return (lambda x: conv(x)), lambda x: conv(x / 255), (torch.randint(0, 256, (2, 3, 7, 8)).float(),)


def steps(kind, **options):
    def run(p, *gradients):
        parameter = nn.Parameter(p.clone())
        optimizer = kind([parameter], **options)
        for gradient in gradients:
            parameter.grad = gradient.clone()
            optimizer.step()
        return parameter.detach()

    return run


@planted("Adam epsilon")
def adam_epsilon():
    def actual(p, *gradients):
        m, v = torch.zeros_like(p), torch.zeros_like(p)
        for t, g in enumerate(gradients, 1):
            m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
            p = p - 1e-2 * math.sqrt(1 - 0.999**t) / (1 - 0.9**t) * m / (v.sqrt() + 1e-8)
        return p

    return actual, steps(torch.optim.Adam, lr=1e-2), (torch.randn(30), 1e-7 * torch.randn(30), 1e-7 * torch.randn(30))


@planted("weight decay")
def decay():
    options = {"lr": 1e-2, "weight_decay": 0.1}
    return steps(torch.optim.Adam, **options), steps(torch.optim.AdamW, **options), tuple(torch.randn(20) for _ in range(4))


@planted("loss reduction")
def reduction():
    target = torch.randn(6, 4)
    return (lambda x: F.mse_loss(x, target, reduction="sum")), lambda x: F.mse_loss(x, target), (torch.randn(6, 4),)


@planted("label smoothing")
def smoothing():
    labels = torch.randint(0, 7, (9,))
    return (lambda x: F.cross_entropy(x, labels, label_smoothing=0.13)), lambda x: F.cross_entropy(x, labels), (torch.randn(9, 7),)


@planted("loss formula")
def divergence():
    target = torch.softmax(torch.randn(9, 7), 1)
    return (
        (lambda x: (x.softmax(1) * (x.log_softmax(1) - target.log().to(x.dtype))).sum() / 9),
        (lambda x: F.kl_div(x.log_softmax(1), target.to(x.dtype), reduction="batchmean")),
        (torch.randn(9, 7),),
    )


@planted("norm order")
def order_of_norms():
    return (lambda x: x / torch.linalg.vector_norm(x, 2, dim=1, keepdim=True)), (
        lambda x: x / torch.linalg.vector_norm(x, 1, dim=1, keepdim=True)
    ), (torch.randn(5, 7),)  # fmt: skip


@planted("integer division")
def division():
    return same_but(
        torch.div, torch.randint(-50, 50, (40,)), torch.tensor(7), actual={"rounding_mode": "trunc"}, expected={"rounding_mode": "floor"}
    )


@planted("float64 constants")
def constants():
    table = np.random.default_rng(0).random(6)
    return (
        (lambda x: x.exp() * torch.from_numpy(table)),
        lambda x: x.exp() * torch.from_numpy(table.astype(np.float32)),
        (torch.randn(4, 6),),
    )


@planted("bfloat16 storage")
def stored_in_bfloat16():
    return (lambda x: torch.tanh(x).bfloat16().float() * 3), lambda x: torch.tanh(x) * 3, (torch.randn(8, 30),)


@planted("float16 storage")
def stored_in_float16():
    return (lambda x: torch.tanh(x).half().float() * 3), lambda x: torch.tanh(x) * 3, (torch.randn(8, 30),)


@planted("bfloat16 accumulator")
def added_in_bfloat16():
    return summed_in("bfloat16"), lambda x: x.sum(1), (torch.randn(20, 40),)


@planted("float16 accumulator")
def added_in_float16():
    return summed_in("float16"), lambda x: x.sum(1), (torch.randn(20, 40),)


def short(x):
    """Operands in TF32, in the memory that they have."""
    return torch.from_numpy(tf32_of(x.detach().numpy())).to(x.dtype)


@planted("TF32")
def short_operands():
    weight = torch.randn(60, 10)
    return (lambda x: short(x) @ short(weight.to(x.dtype))), lambda x: x @ weight.to(x.dtype), (torch.randn(8, 60),)


@planted("TF32")
def short_operands_transposed():
    weight = torch.randn(10, 60)
    return (lambda x: short(x) @ short(weight.to(x.dtype)).t()), lambda x: x @ weight.to(x.dtype).t(), (torch.randn(8, 60),)


@planted("subnormals flushed")
def flushed():
    flush = lambda x: torch.where(x.abs() < torch.finfo(torch.float32).tiny, torch.zeros_like(x), x)
    return (lambda x: flush(flush(x) * 0.5)), lambda x: x * 0.5, (1e-38 * torch.randn(8, 20),)


@planted("one-pass variance")
def one_pass():
    def actual(x):
        mean = x.mean(-1, keepdim=True)
        return (x - mean) / (x.square().mean(-1, keepdim=True) - mean.square() + 1e-5).sqrt()

    return actual, lambda x: F.layer_norm(x, (40,)), (100 + torch.randn(8, 40),)


@planted("missing maximum subtraction")
def overflowing():
    return (lambda x: x.exp() / x.exp().sum(-1, keepdim=True)), lambda x: torch.softmax(x, -1), (60 * torch.randn(8, 20),)


@planted("Winograd", declared="float32")
def winograd_of_nnpack():
    weight = torch.randn(8, 8, 3, 3)
    return (
        (lambda x: winograd(call_of(x, weight.to(x.dtype), None, 1), 8)),
        lambda x: F.conv2d(x, weight.to(x.dtype), padding=1),
        (torch.randn(2, 8, 12, 12),),
    )


@planted("FFT")
def by_transform():
    weight = torch.randn(4, 3, 5) * torch.tensor([1e4, 1.0, 1.0]).view(3, 1)
    x = torch.randn(2, 3, 60) * torch.tensor([1e-4, 1.0, 1.0]).view(3, 1)
    x[..., :20] *= 1e4
    return (lambda x: _by_fourier(call_of(x, weight.to(x.dtype), None, 0))), lambda x: F.conv1d(x, weight.to(x.dtype)), (x,)


@pytest.mark.parametrize("which", list(PLANTED))
def test_a_planted_cause_is_the_first_that_is_named(which):
    name, build, options = PLANTED[which]
    actual, expected, inputs = build()
    found = halfulp.explain(actual, expected, inputs, processes=False, **options)
    assert found.explained, [
        (experiment.name, experiment.detail, experiment.share) for experiment in found.experiments if (experiment.share or 0) > 0.01
    ]
    assert found[0].name == name, [(each.name, each.share, each.evidence) for each in found]
    assert found[0].share > 0.99
    assert (
        found[0].remedy and found[0].evidence and all(experiment.share is None or experiment.share <= 1 for experiment in found.experiments)
    )
    assert not found.result.acceptable or found[0].kind in (ARITHMETIC, SETTING)


def test_variations_are_written_for_the_calls_that_are_made():
    """A variation that always fails would never be tried: each record varies something in some planted pair."""
    varied = set()
    for _, build, _ in PLANTED.values():
        actual, expected, inputs = build()
        for own in suggestions(Case(actual, expected, inputs)):
            varied |= {each.rank for each in (*own.trials, *own.single)}
    idle = {record.name for place, record in enumerate(CATALOG) if place not in varied}
    assert idle <= {
        "dropout",
        "rounding of halves",
        "normalization axis",
        "interpolation mode",
        "negative slope",
        "cast order",
        "expanded squares",
    }
