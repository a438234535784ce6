"""Replay follows formats exactly: float32 and float64 in hardware, everything else by rounding after each operation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfulp import compiled
from halfulp.floats import BFLOAT16, FLOAT16, FLOAT32, fma32, round_to_format
from halfulp.orders import Order, by_numpy, kernels
from halfulp.orders.contraction import convolution, cumulative_sum, einsum
from halfulp.orders.families import blocks, sequential
from halfulp.orders.replayed import replay


@pytest.fixture(autouse=True, params=["compiled", "by NumPy"])
def _way(request, monkeypatch):
    monkeypatch.setattr(compiled, "pays", lambda _: request.param == "compiled")


def both_roundings(value, error, precision_bits, exponent_min, toward_zero):
    """What both machines round to, which is the same."""
    found = kernels.rounded(value, error, precision_bits, exponent_min, toward_zero)
    by_arrays = by_numpy.rounded(np.float64(value), np.float64(error), precision_bits, exponent_min, toward_zero=toward_zero)
    assert found == by_arrays
    return found


def matrices(rows=3, terms=40, columns=5, kind=np.float32):
    random = np.random.default_rng(7)
    return random.standard_normal((rows, terms)).astype(kind), random.standard_normal((terms, columns)).astype(kind)


def product(terms, rows=3, columns=5):
    return einsum([(rows, terms), (terms, columns)], ["ik", "kj"], "ij", (rows, columns), (0, 1))


def order(terms, fma, **changes):
    return Order(sequential(terms), (("k", terms),), True, (), fma).with_arithmetic(**changes)


@pytest.mark.parametrize("columns", [1, 5, 16, 300])
@pytest.mark.parametrize("fma", [True, False])
def test_a_product_in_a_chain(fma, columns):
    left, right = matrices(columns=columns)
    total = left[:, :1] * right[:1]
    for k in range(1, 40):
        one, two = np.broadcast_arrays(left[:, k : k + 1], right[k : k + 1])
        total = fma32(one, two, total) if fma else total + one * two
    replayed = replay(order(40, fma), product(40, 3, columns), [left, right])
    assert np.array_equal(replayed, total)
    some = np.array([0, 2 * columns, 3 * columns - 1])
    assert np.array_equal(replay(order(40, fma), product(40, 3, columns), [left, right], some), total.ravel()[some])


def test_a_part_of_the_outer_axis():
    left, right = matrices(rows=10)
    whole = product(40, 10)
    assert np.array_equal(replay(order(40, True), whole.slab(3, 7), [left, right]), replay(order(40, True), whole, [left, right])[3:7])


@pytest.mark.parametrize("target", [BFLOAT16, FLOAT16])
@pytest.mark.parametrize("fma", [True, False])
def test_a_coarse_accumulator_rounds_each_operation(target, fma):
    left, right = (round_to_format(matrix, target) for matrix in matrices())
    total = round_to_format(left[:, :1] * right[:1], target)
    for k in range(1, 40):
        term = left[:, k : k + 1] * right[k : k + 1]  # exact: 22 bits
        total = round_to_format(total + (term if fma else round_to_format(term, target)), target)
    replayed = replay(order(40, fma, accumulator=target.name, output=target.name), product(40), [left, right])
    assert np.array_equal(replayed, total)


def test_a_wide_accumulator_is_rounded_once_at_the_end():
    values = np.random.default_rng(0).standard_normal((6, 100)).astype(np.float32)
    contraction = cumulative_sum((6, 100), 1, 0)
    replayed = replay(Order(sequential(100), accumulator="float64"), contraction, [values])
    assert np.array_equal(replayed, np.cumsum(values.astype(np.float64), 1).astype(np.float32))


def test_scales_and_late_extras():
    left, right = matrices()
    bias = np.arange(5, dtype=np.float32) / 3
    from dataclasses import replace

    from halfulp.orders.contraction import ExtraLeaf

    contraction = replace(product(40), extras=(ExtraLeaf("bias", 2, (5,), (0, 1)),))
    tree = sequential(40, 1, "last")
    late = Order(tree, (("k", 40),), True, ("bias",), True, "float32", "bfloat16", rounds_before_extras=True)
    bare = replay(order(40, True), product(40), [left, right])
    expected = round_to_format(round_to_format(bare, BFLOAT16) + bias, BFLOAT16)
    assert np.array_equal(replay(late, contraction, [left, right, bias]), expected)
    divided = replay(order(40, True, scale=("divide", 7.0)), product(40), [left, right])
    assert np.array_equal(divided, (bare.astype(np.float32) / np.float32(7)).astype(np.float64))


@pytest.mark.parametrize(
    ("transposed", "stride", "dilation", "groups"), [(False, 1, 1, 1), (False, 2, 2, 2), (True, 2, 1, 1), (True, 3, 2, 2)]
)
def test_convolutions_meet_the_right_elements(transposed, stride, dilation, groups):
    import torch
    import torch.nn.functional as F

    x = torch.randint(-4, 5, (2, 4, 9, 11)).float()
    weight = torch.randint(-4, 5, (4, 3, 3, 2) if transposed else (6, 4 // groups, 3, 2)).float()
    function = F.conv_transpose2d if transposed else F.conv2d
    wanted = function(x, weight, stride=stride, padding=1, dilation=dilation, groups=groups)
    contraction = convolution(
        tuple(x.shape), tuple(weight.shape), tuple(wanted.shape), stride=(stride,) * 2, padding=(1, 1), dilation=(dilation,) * 2,
        groups=groups, transposed=transposed, arguments=(0, 1),
    )  # fmt: skip
    replayed = replay(Order(sequential(contraction.terms), contraction.axes, True), contraction, [x.numpy(), weight.numpy()])
    assert np.array_equal(replayed, wanted.numpy())  # small integers: exact in every order


def test_blocks_are_not_a_chain():
    left, right = matrices(terms=400)
    in_blocks = replay(Order(blocks(400, 128), (("k", 400),), True, (), True), product(400), [left, right])
    assert not np.array_equal(in_blocks, replay(order(400, True), product(400), [left, right]))


@given(st.floats(allow_nan=False, allow_infinity=False, width=32), st.sampled_from((FLOAT16, BFLOAT16, FLOAT32)))
def test_rounding_to_few_bits(value, target):
    rounded = round_to_format(value, target)
    if np.isfinite(rounded):
        assert both_roundings(value, 0.0, target.precision_bits, target.exponent_min, False) == rounded


@given(st.floats(1.0, 2.0, exclude_max=True), st.sampled_from((0.0, 2.0**-60, -(2.0**-60))))
def test_rounding_toward_zero_sees_what_float64_lost(value, error):
    cut = both_roundings(value, error, 8, -126, True)
    below = np.floor(value * 128) / 128
    step = 2.0**-8 if value == 1.0 else 2.0**-7
    assert cut == (below - step if error < 0 and below == value else below)


def test_ties_are_broken_by_what_float64_lost():
    tie = 1.0 + 2.0**-8
    assert both_roundings(tie, 0.0, 8, -126, False) == 1.0
    assert both_roundings(tie, 2.0**-60, 8, -126, False) == 1.0 + 2.0**-7
    assert both_roundings(1.0 + 3 * 2.0**-8, -(2.0**-60), 8, -126, False) == 1.0 + 2.0**-7
