import math

import numpy as np
import pytest

from halfulp.errors import InputError
from halfulp.orders import Order, Tree
from halfulp.orders.description import describe_positions
from halfulp.orders.families import blocks, family_of, lanes, pairwise, sequential

K = (("k", 2048),)


def product(tree, **changes):
    return Order(tree, K, True, ("bias",) if tree.extras else (), True).with_arithmetic(**changes)


@pytest.mark.parametrize(
    ("order", "words"),
    [
        (product(blocks(2048, 192)), "chains of 192 (the last 128) over k with FMA, partial sums added left to right"),
        (
            product(blocks(2048, 192, 1, "after the first block")),
            "chains of 192 (the last 128) over k with FMA, partial sums added left to right, bias after the first block",
        ),
        (product(blocks(2048, 128, 1, "last")), "chains of 128 over k with FMA, partial sums added left to right, bias last"),
        (product(sequential(2048), fma=False), "one chain over k (2,048 terms), products rounded first"),
        (product(sequential(2048, 1, "first")), "one chain over k (2,048 terms) with FMA, bias first"),
        (Order(pairwise(1024), (("k", 1024),)), "pairwise over k (1,024 terms)"),
        (Order(lanes(1024, 8), (("k", 1024),)), "8 interleaved lanes added in turn, each a chain of 128 terms 8 apart over k"),
        (
            Order(sequential(50), (("k", 50),), accumulator="float64"),
            "one chain over k (50 terms), summed in float64 and rounded to float32 at the end",
        ),
        (
            Order(sequential(50), (("k", 50),), scale=("divide", 50.0)),
            "one chain over k (50 terms), then a division by 50",
        ),
        (
            Order(Tree.from_nodes(3, 0, [(0, 1, 2)]), (("k", 3),)),
            "all 3 values in one operation over k, up to 3 values added in one operation",
        ),
        (
            Order(Tree.from_nodes(4, 0, [(3, 2), (4, 1), (5, 0)]), (("k", 4),)),
            "one chain over k (4 terms, in an order other than their storage order)",
        ),
    ],
)
def test_words(order, words):
    assert order.describe() == words


def test_only_neighbors_are_pairwise():
    interleaved = Tree.from_nodes(8, 0, [(0, 1), (2, 3), (4, 5), (6, 7), (8, 10), (9, 11), (12, 13)])
    assert interleaved != pairwise(8)
    assert "pairwise" not in Order(interleaved, (("k", 8),)).describe()


def test_a_walk_over_several_axes_names_them():
    axes = (("c", 3), ("ky", 2), ("kx", 2))
    chain = [(0, 4), (12, 8)]
    node = 13
    for place in (1, 5, 9, 2, 6, 10, 3, 7, 11):
        chain.append((node, place))
        node += 1
    order = Order(Tree.from_nodes(12, 0, chain), axes, True, (), True)
    assert order.describe() == "one chain over c and ky and kx (12 terms, c fastest, then kx, then ky) with FMA"
    assert "kx fastest, then ky, then c" in Order(sequential(12), axes, True, (), True).describe()


@pytest.mark.parametrize(
    ("one", "two", "words"),
    [
        (product(blocks(2048, 192)), product(blocks(2048, 192)), "the same order"),
        (
            product(blocks(2048, 192, 1, "last")),
            product(blocks(2048, 192, 1, "after the first block")),
            "bias last instead of after the first block; otherwise the same products in the same order",
        ),
        (product(sequential(2048), fma=False), product(sequential(2048)), "products rounded first instead of FMA"),
        (product(sequential(2048), accumulator="float64"), product(sequential(2048)), "accumulator float64 instead of float32"),
        (
            product(sequential(2048, 1, "last")),
            product(sequential(2048)),
            "bias added instead of nothing; otherwise the same products in the same order",
        ),
        (Order(sequential(3)), Order(sequential(4)), "3 terms instead of 4"),
        (product(sequential(2048)), product(sequential(2048), fma=False), "products added without rounding (FMA) instead of rounded first"),
        (product(sequential(2048), unfused=(1,)), product(sequential(2048)), "1 product rounded first instead of 0"),
        (
            product(sequential(2048, 1, "last"), rounds_before_extras=True, output="bfloat16"),
            product(sequential(2048, 1, "last"), output="bfloat16"),
            "rounded to bfloat16 before the bias is added instead of after",
        ),
        (product(sequential(2048), rounds_before_extras=True), product(sequential(2048)), "the same order"),
        (
            product(sequential(2048, 1, "last"), extra_factors=(0.5,)),
            product(sequential(2048, 1, "last")),
            "bias times 0.5 instead of 1",
        ),
        (
            product(sequential(2048, 1, "last"), extra_factors=(0.5,), fused_extras=True),
            product(sequential(2048, 1, "last"), extra_factors=(0.5,)),
            "bias times its factor added without rounding (FMA) instead of rounded first",
        ),
        (
            Order(sequential(4), scale=("divide", 4.0)),
            Order(sequential(4), scale=("multiply", 0.25)),
            "scaling: a division by 4 instead of a multiplication by 0.25",
        ),
        (Order(sequential(4), scale=("divide", 4.0)), Order(sequential(4)), "scaling: a division by 4 instead of none"),
    ],
)
def test_differences_in_words(one, two, words):
    assert one.diff(two) == words


def test_another_order_of_the_terms_is_described_on_both_sides():
    words = product(blocks(2048, 192)).diff(product(blocks(2048, 512)))
    assert words.startswith("a different order of terms (chains of 192")
    assert "instead of chains of 512" in words


@pytest.mark.parametrize(
    ("positions", "shape", "words"),
    [
        ([], (4,), "0 of 4 outputs"),
        ([0], (), "1 of 1 output"),
        ([1, 2], (4,), "2 of 4 outputs (1 to 2 on axis 0)"),
        ([4, 5, 6, 7], (2, 4), "4 of 8 outputs (1 on axis 0)"),
        ([0, 5], (2, 4), "2 of 8 outputs"),
    ],
)
def test_positions_in_words(positions, shape, words):
    assert describe_positions(np.array(positions, dtype=np.int64), shape, math.prod(shape)) == words


def test_pictures():
    order = product(blocks(2048, 192, 1, "after the first block"))
    text = order.draw()
    assert "├─ 192 terms from term 0" in text
    assert "├─ bias" in text
    svg = order.draw("svg")
    assert svg.startswith("<svg")
    assert svg.endswith("</svg>")
    assert "bias" in svg
    import xml.etree.ElementTree

    xml.etree.ElementTree.fromstring(svg)
    with pytest.raises(InputError, match="text"):
        order.draw("png")


def test_two_orders_side_by_side_mark_what_only_one_has():
    import xml.etree.ElementTree

    from halfulp.orders.picture import draw_beside

    one, two = (product(blocks(2048, 192, 1, where)) for where in ("after the first block", "last"))
    drawn = draw_beside({"<actual>": one, "expected": two})
    xml.etree.ElementTree.fromstring(drawn)
    assert drawn == draw_beside({"<actual>": one, "expected": two})
    assert "&lt;actual&gt;" in drawn
    assert drawn.count("\u2190 they diverge here") in (1, 2)  # once a side at most
    assert "\u2190" not in draw_beside({"actual": one, "expected": one})


def test_family_names():
    assert family_of(product(blocks(2048, 192))) == "chains of 192, partial sums left to right with FMA, float32 sums"
    assert family_of(product(sequential(2048, 1, "last"), fma=False)) == "one chain, extra last without FMA, float32 sums"
    odd = Tree.from_nodes(5, 0, [(0, 4), (5, 2), (1, 3), (6, 7)])
    assert family_of(Order(odd)) is None
