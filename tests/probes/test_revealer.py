"""Orders are revealed, described and proved: PyTorch's and NumPy's own, and orders written here on purpose."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from benchmarks.verdicts.rewrites import onednn

import halfulp
from halfulp.documents import restored
from halfulp.errors import InputError, RunError
from halfulp.floats import fma32
from halfulp.orders import Order
from halfulp.orders.families import blocks, lanes, pairwise, sequential
from halfulp.orders.replayed import evaluate
from halfulp.probes.stored import StoredOrders
from halfulp.reports.text.orders import order_text


def fresh(inputs, seed=99):
    """Other values of the same shapes, dtypes and layouts."""
    generator = torch.Generator().manual_seed(seed)
    made = []
    for tensor in inputs:
        if isinstance(tensor, torch.Tensor):
            other = torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype)
            made.append(other.copy_(torch.randn(tensor.shape, generator=generator)))
        else:
            made.append(np.random.default_rng(seed).standard_normal(tensor.shape).astype(tensor.dtype))
    return tuple(made)


def assert_proved(function, inputs, *, everywhere=True):
    """The order is proved, and replaying and running the emitted program give the function's bits on inputs that the proof didn't see."""
    found = halfulp.order(function, inputs, everywhere=everywhere)
    assert found.is_proved, found.describe()
    program = {}
    if found.contraction.kind != "table" and found.contraction.terms * found.contraction.positions < 1 << 21:
        exec(found.emit(), program)
    for seed in (1, 2):
        values = fresh(inputs, seed)
        result = function(*values)
        wanted = (
            (result.float() if result.dtype in (torch.bfloat16, torch.float16) else result).numpy()
            if isinstance(result, torch.Tensor)
            else result
        )
        replayed = found.replay(values)
        assert np.array_equal(replayed, wanted)
        assert replayed.shape == np.shape(wanted)
        if program:
            held = [
                value.float().numpy() if isinstance(value, torch.Tensor) and value.element_size() < 4 else np.asarray(value)
                for value in values
            ]
            assert np.array_equal(program["replay"](*held), wanted)
    return found


def r(*shape, dtype=torch.float32):
    return torch.randn(*shape).to(dtype)


def n(*shape, dtype=np.float32):
    return np.random.default_rng(0).standard_normal(shape).astype(dtype)


SUMS = [(5, 7), (33, 20), (1, 1000), (64, 257), (3, 4099)]


@pytest.mark.parametrize("shape", SUMS)
@pytest.mark.parametrize("axis", [0, 1, None])
def test_sums(shape, axis):
    assert_proved(lambda x: x.sum() if axis is None else x.sum(axis), (r(*shape),))
    assert_proved(lambda x: x.sum(axis), (n(*shape),))


PRODUCTS = [(3, 5, 4), (17, 300, 41), (32, 2048, 64), (1, 513, 100), (5, 777, 3), (64, 100, 64)]


@pytest.mark.parametrize("shape", PRODUCTS)
def test_products(shape):
    rows, terms, columns = shape
    x, w, b = r(rows, terms), r(columns, terms), r(columns)
    assert_proved(torch.matmul, (x, r(terms, columns)))
    assert_proved(F.linear, (x, w))
    assert_proved(F.linear, (x, w, b))
    assert_proved(lambda x, w, b: x @ w.T + b, (x, w, b))
    assert_proved(torch.addmm, (r(rows, columns), x, r(terms, columns)))
    assert_proved(torch.bmm, (r(3, rows, terms), r(3, terms, columns)))
    assert_proved(lambda x, w: x @ w, (n(rows, terms), n(terms, columns)))


CONV1D = [((2, 16, 64), (8, 16, 5), {}), ((1, 3, 50), (7, 3, 3), {"stride": 2}), ((3, 4, 31), (4, 1, 4), {"groups": 4, "padding": 2})]
CONV1D += [((1, 8, 40), (6, 8, 3), {"dilation": 3, "padding": 1}), ((2, 5, 17), (9, 5, 1), {})]
CONV2D = [
    ((1, 16, 14, 14), (8, 16, 5, 5), {"padding": 2}),
    ((2, 3, 9, 11), (5, 3, 3, 3), {"stride": 2}),
    ((1, 6, 8, 8), (6, 1, 3, 3), {"groups": 6}),
]
CONV2D += [((3, 8, 15, 17), (6, 4, 3, 3), {"stride": 2, "dilation": 2, "groups": 2, "padding": 1}), ((1, 64, 7, 7), (32, 64, 1, 1), {})]
TRANSPOSED = [((2, 16, 20), (16, 8, 6), {"stride": 2, "padding": 2}), ((1, 3, 9), (3, 5, 3), {}), ((1, 4, 7), (4, 2, 2), {"stride": 3})]
TRANSPOSED += [
    ((2, 4, 11), (4, 1, 3), {"groups": 4, "output_padding": 1, "stride": 2}),
    ((1, 6, 8), (6, 6, 5), {"dilation": 2, "padding": 1}),
]


@pytest.mark.parametrize(("x", "w", "options"), CONV1D)
def test_conv1d(x, w, options):
    assert_proved(lambda x, w: F.conv1d(x, w, **options), (r(*x), r(*w)))
    assert_proved(lambda x, w, b: F.conv1d(x, w, b, **options), (r(*x), r(*w), r(w[0])))


@pytest.mark.parametrize(("x", "w", "options"), CONV2D)
@pytest.mark.parametrize("is_on", [True, False])
def test_conv2d(x, w, options, is_on):
    def convolved(x, w, b):
        with onednn(is_on):
            return F.conv2d(x, w, b, **options)

    assert_proved(convolved, (r(*x), r(*w), r(w[0])))


@pytest.mark.parametrize(("x", "w", "options"), TRANSPOSED)
def test_conv_transpose1d(x, w, options):
    assert_proved(lambda x, w: F.conv_transpose1d(x, w, **options), (r(*x), r(*w)))


@pytest.mark.parametrize(
    ("function", "inputs"),
    [
        (lambda x, w: F.conv3d(x, w, padding=1), (r(1, 3, 5, 6, 7), r(4, 3, 3, 3, 3))),
        (lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1), (r(1, 4, 6, 5), r(4, 3, 3, 3))),
        (lambda x: x.mean(1), (r(20, 33),)),
        (lambda x: x.mean((1, 2)), (r(4, 5, 6),)),
        (torch.dot, (r(301), r(301))),
        (lambda q, k: torch.einsum("bhqd,bhkd->bhqk", q, k), (r(2, 3, 8, 16), r(2, 3, 9, 16))),
        (lambda q, k: q @ k.T * 0.125, (r(6, 40), r(7, 40))),
        (lambda x: x.cumsum(1), (r(3, 50),)),
        (lambda x, w: (x * w).sum(-1), (r(5, 30), r(30))),
        (lambda x: torch.stack([x.diagonal(place).sum() for place in range(3)]), (r(9, 8),)),
        (lambda x, w: x @ w, (r(33, 20).T, r(33, 20))),
        (lambda x, w: F.conv2d(x, w), (r(2, 8, 9, 9).to(memory_format=torch.channels_last), r(4, 8, 3, 3))),
        (lambda x: x.sum(1, keepdim=True), (r(6, 40),)),
        (lambda x, w: (x @ w).T, (r(6, 40), r(40, 5))),
        (lambda x, w: x @ w, (r(5, 300, dtype=torch.float64), r(300, 7, dtype=torch.float64))),
        (lambda x: x.sum(1), (r(20, 500, dtype=torch.bfloat16),)),
        (lambda x: x.sum(1), (r(20, 500, dtype=torch.float16),)),
        (F.linear, (r(1, 1024, dtype=torch.bfloat16), r(64, 1024, dtype=torch.bfloat16))),
        (F.linear, (r(16, 512, dtype=torch.bfloat16), r(40, 512, dtype=torch.bfloat16), r(40, dtype=torch.bfloat16))),
        (lambda x, w, b: x @ w.T + b, (r(16, 512, dtype=torch.bfloat16), r(40, 512, dtype=torch.bfloat16), r(40, dtype=torch.bfloat16))),
        (F.linear, (r(16, 300, dtype=torch.float16), r(40, 300, dtype=torch.float16), r(40, dtype=torch.float16))),
        (lambda x: x.sum(1), (r(5, 1),)),
        (lambda x: x.sum(), (r(1),)),
        (lambda x: x.sum(0), (r(1, 9),)),
        (lambda x: x.sum(), (r(2, 2, 2, 2, 2, 2, 2),)),
        (lambda x: x.sum(1), (r(40, 50)[:, ::2],)),
        (lambda x: x.sum(1), (n(40, 50)[:, ::-2],)),
        (lambda x, w: F.conv2d(x, w, stride=2), (r(1, 8, 9, 9, dtype=torch.float64), r(4, 8, 1, 1, dtype=torch.float64))),
        (torch.matmul, (r(64, 64, dtype=torch.float64), r(64, 64, dtype=torch.float64))),
        (lambda x: x.mean(1), (r(20, 500, dtype=torch.bfloat16),)),
        (lambda x: x.sum() * (1 / 100), (r(100),)),
        (lambda x: x.sum() / 10, (r(30),)),
    ],
)
def test_other_forms(function, inputs):
    assert_proved(function, inputs)


def test_modules_have_their_parameters_as_inputs():
    module = torch.nn.Conv1d(4, 6, 3, padding=1)
    found = halfulp.order(module, (r(2, 4, 20),))
    assert found.is_proved
    assert found.order.extras == ("bias",)


def written(tree, *, fma=None):
    """A function that adds in a given order: its tree is known."""
    if fma is None:
        return lambda x: evaluate(tree, np.ascontiguousarray(x))

    def product(x, w):
        values = [x[:, :1] * w[:1]]
        total = values[0]
        for k in range(1, x.shape[1]):
            one, two = np.broadcast_arrays(x[:, k : k + 1], w[k : k + 1])
            total = fma32(one, two, total) if fma else total + one * two
        return total

    return product


@pytest.mark.parametrize("tree", [sequential(60), blocks(100, 16), lanes(64, 8), pairwise(37), lanes(50, 4, "pairwise")])
@pytest.mark.parametrize("rows", [1, 20])
def test_written_orders_are_found(tree, rows):
    assert halfulp.order(written(tree), (n(rows, tree.terms),)).order.tree == tree


def test_a_random_tree_is_found_at_all_parallelisms():
    random = np.random.default_rng(5)
    from halfulp.orders import Tree

    left, children = list(range(90)), []
    while len(left) > 1:
        members = tuple(left.pop(random.integers(len(left))) for _ in range(2))
        children.append(members)
        left.append(90 + len(children) - 1)
    tree = Tree.from_nodes(90, 0, children)
    for rows in (1, 3, 200):
        assert halfulp.order(written(tree), (n(rows, 90),)).order.tree == tree


def groups_of_four(x, w):
    """As a kernel for products with one row adds (Intel's library): even and odd terms apart, each second product rounded, the first fused onto it."""
    total = np.zeros((x.shape[0], w.shape[1]), np.float32)
    for k in range(0, x.shape[1], 4):
        pairs = [fma32(x[:, i, None], w[None, i], x[:, i + 2, None] * w[None, i + 2]) for i in (k, k + 1)]
        total = pairs[0] + pairs[1] if k == 0 else total + (pairs[0] + pairs[1])
    return total


@pytest.mark.parametrize("terms", [4, 8, 20])
def test_a_product_may_be_fused_onto_the_next_one(terms):
    inputs = (n(3, terms), n(terms, 5))
    assert_proved(groups_of_four, inputs)
    order = halfulp.order(groups_of_four, inputs).order
    assert order.fma is True and order.unfused == tuple(k for k in range(terms) if k % 4 > 1)
    assert order.fused_onto_rounded() == {k: k - 2 for k in order.unfused}
    assert Order.from_json(order.to_json()) == order


@pytest.mark.parametrize("fma", [True, False])
def test_fma_is_told(fma):
    found = halfulp.order(written(sequential(20), fma=fma), (n(4, 20), n(20, 6)))
    assert found.order.fma is fma
    assert found.is_proved


def test_the_accumulator_is_told():
    found = halfulp.order(lambda x: np.cumsum(x.astype(np.float64), 1)[:, -1].astype(np.float32), (n(4, 30),))
    assert found.order.accumulator == "float64"
    assert found.is_proved
    assert halfulp.order(lambda x: x.sum(1), (r(4, 30, dtype=torch.bfloat16),)).order.accumulator == "float32"


def test_a_mean_divides_or_multiplies():
    divided = halfulp.order(lambda x: np.add.accumulate(x, 1)[:, -1] / np.float32(30), (n(50, 30),))
    multiplied = halfulp.order(lambda x: np.add.accumulate(x, 1)[:, -1] * np.float32(1 / 30), (n(50, 30),))
    assert divided.order.scale == ("divide", 30.0)
    assert multiplied.order.scale[0] == "multiply"
    assert divided.is_proved
    assert multiplied.is_proved


SCALED = (0.3, 0.7, -1.9, 2.0, 1.0)


@pytest.mark.parametrize(("alpha", "beta"), [(a, b) for a in SCALED for b in SCALED])
@pytest.mark.parametrize("fused", [True, False])
def test_a_scaled_product_plus_a_scaled_bias(alpha, beta, fused):
    product = written(sequential(20), fma=True)

    def scaled(x, w, b):
        total = product(x, w) * np.float32(alpha)
        return fma32(b, np.float32(beta), total) if fused else total + b * np.float32(beta)

    order = assert_proved(scaled, (n(6, 20), n(20, 7), n(7))).order
    assert order.tree.without_extras() == sequential(20)
    if beta != 1.0 and alpha != 1.0:
        assert order.extra_factors == pytest.approx((beta,))
        assert order.fused_extras is fused or beta in (2.0, -2.0)  # a product with a power of two is exact
    assert Order.from_json(order.to_json()) == order


def scales_an_operand_first(dtype):
    """Whether products of one term are round(round(alpha * a) * b), and not round(alpha * round(a * b)), as on processors of AMD."""
    a, b = r(40, 1, dtype=dtype), r(1, 6, dtype=dtype)
    found = torch.addmm(torch.zeros(6, dtype=dtype), a, b, alpha=0.3, beta=0.0)
    return torch.equal(found, (0.3 * a) * b) and not torch.equal(found, 0.3 * (a * b))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("bias", [(6,), (5, 6)])
def test_addmm_with_alpha_and_beta(dtype, bias):
    inputs = (r(*bias, dtype=dtype), r(5, 9, dtype=dtype), r(9, 6, dtype=dtype))

    def scaled(c, a, b):
        return torch.addmm(c, a, b, alpha=0.3, beta=0.7)

    if scales_an_operand_first(dtype) and not halfulp.order(scaled, inputs).is_proved:
        pytest.skip("MKL on this processor rounds alpha * a before it multiplies, which the probes can't see: rightly not proved")
    found = assert_proved(scaled, inputs)
    assert "0.7 times bias" in found.order.describe()
    assert "0.3" in found.order.describe()


def test_two_orders_with_other_factors_are_told_apart():
    inputs = (n(6), n(5, 9), n(9, 6))
    one = halfulp.order(lambda c, a, b: 0.3 * (a @ b) + 0.7 * c, inputs).order
    other = halfulp.order(lambda c, a, b: 0.3 * (a @ b) + 0.6 * c, inputs).order
    assert "bias times 0.7 instead of 0.6" in one.diff(other)


def test_two_orders_in_one_result():
    def halves(x):
        return np.concatenate((np.add.accumulate(x[:10], 1)[:, -1], np.add.accumulate(x[10:, ::-1], 1)[:, -1]))

    found = halfulp.order(halves, (n(20, 40),))
    assert sorted(len(each.positions) for each in found.classes) == [10, 10]
    assert found.is_proved
    values = n(20, 40) * 3
    assert np.array_equal(found.replay(values), halves(values))
    program = {}
    exec(found.emit(["x"]), program)
    assert np.array_equal(program["replay"](values), halves(values))
    assert "10 of 20 outputs (" in found.describe()


def kahan(x):
    total, lost = np.zeros(len(x), np.float32), np.zeros(len(x), np.float32)
    for k in range(x.shape[1]):
        y = x[:, k] - lost
        t = total + y
        lost = (t - total) - y
        total = t
    return total


def neumaier(x):
    total, lost = np.zeros(len(x), np.float32), np.zeros(len(x), np.float32)
    for column in x.T:
        t = total + column
        lost = lost + np.where(np.abs(total) >= np.abs(column), (total - t) + column, (column - t) + total)
        total = t
    return total + lost


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (kahan, "Kahan's compensated summation"),
        (lambda x: kahan(x[:, ::-1]), "Kahan's compensated summation from the last term to the first"),
        (lambda x: kahan(x) / np.float32(x.shape[1]), "Kahan's compensated summation"),
        (neumaier, "Neumaier's compensated summation"),
        (lambda x: np.array([math.fsum(row) for row in x], np.float32), "exact summation rounded once"),
        (lambda x: np.array([math.fsum(np.sort(row)) for row in x], np.float32), "exact summation rounded once"),
    ],
)
def test_a_compensated_sum_is_named_as_what_it_is(function, name):
    found = halfulp.order(function, (n(8, 40),))
    names = (
        found.describe()
        .removeprefix("not a tree of additions, but ")
        .removeprefix("one of these, which these inputs don't tell apart: ")
        .split("; ")
    )
    assert name in names and not found.is_proved
    assert ("Kahan's compensated summation" in names) is (name == "Kahan's compensated summation")
    assert found.proof.startswith("Recognized on ") and "bit for bit" in found.proof
    with pytest.raises(InputError, match="Kahan|Neumaier|exact"):
        found.emit()
    with pytest.raises(InputError, match="no order"):
        _ = found.order


@pytest.mark.parametrize(
    "function",
    [
        lambda x: kahan(x[:, :4]) + kahan(x[:, 4:]),
        lambda x: np.add.accumulate(np.sort(x, 1), 1)[:, -1],
        lambda x: np.array([math.fsum(row[:20]) for row in x], np.float32) + np.array([math.fsum(row[20:]) for row in x], np.float32),
    ],
)
def test_what_is_no_fixed_tree_is_said(function):
    found = halfulp.order(function, (n(8, 40),))
    assert not found.is_proved and all(item.status != "compensated" for item in found.classes)
    assert found.stored().proof.startswith(("Not proved", "Proved on")) and StoredOrders({"function": found.stored()}).exit_code in (1, 3)
    with pytest.raises(InputError, match="not proved|no order|No order|without"):
        found.emit()
    if found.classes[0].order is None:
        assert "no fixed tree of additions" in found.describe()
        with pytest.raises(InputError, match="no order"):
            _ = found.order
    else:
        assert "does not give the same bits" in found.proof


def test_what_is_not_proved_is_said_first():
    found = halfulp.order(lambda x: kahan(x[:, :4]) + kahan(x[:, 4:]), (n(8, 40),))
    lines = order_text(found.stored()).splitlines()
    assert lines[0].startswith("Not proved")
    assert all(line.startswith("The probes saw: ") for line in lines[1 : 1 + len(found.classes)]) or found.classes[0].order is None


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.add.reduceat(x, [0, 3, 11], axis=1),
        lambda x: np.stack([x[:, place::3].sum(1) for place in range(3)], 1),
        lambda x: np.convolve(x.ravel(), np.ones(5, np.float32), "valid"),
        lambda x: np.array([np.add.accumulate(np.trace(x, offset=place, dtype=x.dtype)[None])[0] for place in range(3)], np.float32),
    ],
)
def test_the_program_of_a_table_gives_every_bit(function):
    x = n(4, 17)
    found = halfulp.order(function, (x,), everywhere=True)
    if found.is_proved:
        names = {}
        exec(found.emit(), names)  # the program that the user would run
        assert np.array_equal(names["replay"](x), function(x))
    assert found.is_proved


def test_a_long_table_has_no_program():
    places = np.sort(np.random.default_rng(0).permutation(3600).reshape(120, 30), 1)
    found = halfulp.order(lambda x: np.add.accumulate(x[places], 1)[:, -1], (n(3600),), everywhere=True)
    x = n(3600)
    assert found.is_proved and np.array_equal(found.replay(x), np.add.accumulate(x[places], 1)[:, -1])
    with pytest.raises(InputError, match="known only as a table"):
        found.emit()


def test_an_order_that_changes_between_runs_is_said():
    random = np.random.default_rng(0)
    found = halfulp.order(lambda x: np.add.accumulate(x[:, random.permutation(200)], 1)[:, -1], (n(30, 200),))
    assert "two runs on the same inputs give different bits" in found.describe()
    assert found.classes[0].order is None


def test_winograd_is_no_tree():
    def nnpack(x, w):
        with onednn(False):
            return F.conv2d(x, w, padding=1)

    if not torch.backends.nnpack.is_available():
        pytest.skip("this build of PyTorch has no NNPACK, whose convolutions of 16 or more images are Winograd's")
    found = halfulp.order(nnpack, (r(16, 8, 16, 16), r(8, 8, 3, 3)))
    assert not found.is_proved


@pytest.mark.parametrize(
    ("function", "inputs", "message"),
    [
        (F.gelu, (r(5, 30),), "isn't linear in input 0"),
        (lambda x: (x * x).sum(1), (r(5, 30),), "isn't linear"),
        (lambda x: x.sum(1) + 1, (r(5, 30),), "isn't zero when all its inputs are zero"),
        (lambda x: x @ torch.arange(1.0, 31.0), (r(5, 30),), r"coefficients \(1, 2 "),
        (lambda x: x.norm(dim=1), (r(5, 30),), "norms"),
        (lambda x: x.square().sum(1), (r(5, 30),), "sums of squares"),
        (lambda x: x.var(1), (r(5, 30),), "four times the result"),
        (lambda x: x.sort(1).values[:, :7].sum(1), (r(5, 30),), "depends on their values"),
        (lambda x: x.exp().sum(1), (r(5, 30),), "isn't linear"),
        (lambda x: x.logsumexp(1), (r(5, 30),), "isn't linear"),
        (lambda a, b: a.sum(1) + 2 * b.sum(1), (r(5, 30), r(5, 20)), "adds 2 parts"),
        (lambda a, b, c: (a @ b) * 0.0 + 2 * c, (r(3, 4), r(4, 5), r(5)), "Got a linear function"),
        (lambda a, b, c, d: a @ b + c @ d, (r(3, 4), r(4, 5), r(3, 6), r(6, 5)), "adds several products"),
        (lambda x: x.sum(), (torch.arange(5),), "without a floating-point array"),
        (lambda x: x.sum(1), (r(5, 0),), "adds no terms"),
        (torch.matmul, (r(4, 0), r(0, 4)), "adds no terms"),
        (lambda x: x @ x.T, (n(4, 0),), "adds no terms"),
        (lambda x: x.mul_(2).sum(1), (r(5, 7),), "overwrites input 0"),
        (lambda x: x.sum(1), (r(5, 1).expand(5, 9),), "expanded input"),
        (lambda x: x[x > 0], (r(5, 7),), "does not depend on values"),
        (lambda x: x.sum(1), (r(0, 5),), "result is empty"),
        (lambda x: x.sum(1).int(), (r(3, 5),), "one floating-point array"),
        (lambda x: (x.sum(1), x.sum(0)), (r(3, 5),), "one floating-point array"),
    ],
)
def test_bad_input_is_refused_with_a_reason(function, inputs, message):
    with pytest.raises(InputError, match=message):
        halfulp.order(function, inputs)


def test_other_arguments_are_checked():
    with pytest.raises(RunError, match="ZeroDivisionError"):
        halfulp.order(lambda x: 1 / 0, (r(3, 4),))
    with pytest.raises(InputError, match="draws=0"):
        halfulp.order(torch.sum, (r(3, 4),), draws=0)
    with pytest.raises(InputError, match="position"):
        halfulp.order(lambda x: x.sum(1), (r(3, 4),), position=(7,))
    found = halfulp.order(lambda x: x.sum(1), (r(3, 4),), position=1)
    assert found.classes[0].at == 1
    with pytest.raises(InputError, match="shape"):
        found.replay((r(3, 5),))


def test_more_terms_than_a_format_counts():
    found = assert_proved(lambda x: x.sum(1), (r(2, 3000, dtype=torch.bfloat16),))
    assert found.order.accumulator == "float32"


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("is_on", [True, False])
@pytest.mark.parametrize("shape", [(33, 1001, 77), (32, 2048, 512)])
def test_question_three_is_one_moved_bias(threads, is_on, shape):
    rows, terms, columns = shape
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        with onednn(is_on):
            inputs = r(rows, terms), r(columns, terms), r(columns)
            formula = assert_proved(lambda x, w, b: x @ w.T + b, inputs)
            linear = assert_proved(F.linear, inputs)
    finally:
        torch.set_num_threads(before)
    if formula.order.tree.without_extras() == linear.order.tree.without_extras() and formula.order != linear.order:
        assert formula.diff(linear).startswith("bias last instead of")
    for found in (formula, linear):
        program = {}
        exec(found.emit(["x", "w", "b"]), program)
        values = [tensor.numpy() for tensor in inputs]
        assert np.array_equal(program["replay"](*values), found.replay(inputs))


def test_results_are_plain_data():
    found = halfulp.order(F.linear, (r(8, 64), r(5, 64), r(5)))
    import json

    content = json.loads(found.to_json())
    assert content["schema"] == 1
    stored = content["orders"]["function"]
    assert stored["proved"] is True
    assert Order.from_dict(stored["classes"][0]["order"]) == found.order
    assert restored("orders", content).orders["function"] == found.stored()
    assert found.describe() in str(found)


def test_two_functions_with_equal_trees_are_still_two():
    x, w = r(9, 9), r(9, 9)
    one, two = halfulp.order(torch.matmul, (x, w)), halfulp.order(lambda x, w: x @ w.T, (x, w))
    assert one.diff(one).startswith("the same order")
    if one.order == two.order:
        assert "the two functions are not the same" in one.diff(two)


def test_impatience_is_said():
    random = np.random.default_rng(3).permutation(3000)
    with pytest.raises(InputError, match="patience_s"):
        halfulp.order(lambda x: np.add.accumulate(x[random])[-1], (n(3000),), patience_s=1e-4)
