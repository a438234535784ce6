import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfulp.errors import InputError
from halfulp.orders import Order, Tree
from halfulp.orders.families import blocks, candidates, cascade, lanes, numpy_pairwise, pairwise, sequential
from halfulp.orders.replayed import evaluate
from halfulp.orders.tree import TOGETHER


@st.composite
def additions(draw, most=24):
    """A random tree: terms, extra leaves, and the additions in an order in which they can be done."""
    terms, extras = draw(st.integers(1, most)), draw(st.integers(0, 2))
    left = list(range(terms + extras))
    children = []
    while len(left) > 1:
        count = draw(st.integers(2, min(len(left), 2 if draw(st.integers(0, 5)) else 5)))
        members = [left.pop(draw(st.integers(0, len(left) - 1))) for _ in range(count)]
        children.append(tuple(members))
        left.append(terms + extras + len(children) - 1)
    return terms, extras, children


def nested(terms, extras, children):
    """The tree as nested frozensets: equal exactly when trees are equal up to commutativity."""
    values = [("leaf", place) for place in range(terms + extras)]
    for members in children:
        values.append(frozenset(values[member] for member in members))
    return values[-1]


@given(additions())
def test_a_tree_keeps_every_addition(case):
    terms, extras, children = case
    tree = Tree.from_nodes(terms, extras, children)
    tree.validate()
    assert nested(terms, extras, tree.nodes()) == nested(*case)
    assert Tree.from_dict(tree.to_dict()) == tree
    assert Tree.from_nodes(terms, extras, tree.nodes()) == tree


@given(additions(), st.randoms(use_true_random=False))
def test_equality_and_hash_ignore_commutativity_alone(case, random):
    terms, extras, children = case
    swapped = [tuple(random.sample(members, len(members))) for members in children]
    assert Tree.from_nodes(terms, extras, swapped) == Tree.from_nodes(*case)
    assert Tree.from_nodes(terms, extras, swapped).hash == Tree.from_nodes(*case).hash


def test_two_extras_added_to_each_other_have_no_order():
    either = [Tree.from_nodes(7, 2, [(0, 1), (2, 3), (4, 9), extras, (5, 6), (10, 11), (12, 13), (14, 15)]) for extras in ((7, 8), (8, 7))]
    assert either[0] == either[1] and either[0].hash == either[1].hash


@given(additions(8), additions(8))
def test_different_trees_have_different_hashes(one, two):
    first, second = Tree.from_nodes(*one), Tree.from_nodes(*two)
    same = one[:2] == two[:2] and nested(*one) == nested(*two)
    assert (first == second) is same
    assert (first.hash == second.hash) is same


@given(additions())
def test_evaluation_follows_the_additions(case):
    terms, extras, children = case
    tree = Tree.from_nodes(*case)
    values = np.random.default_rng(0).standard_normal((5, terms + extras)).astype(np.float32 if tree.widest == 2 else np.float64)
    partial = [values[:, place] for place in range(terms + extras)]
    for members in children:
        total = partial[members[0]]
        for member in members[1:]:
            total = total + partial[member]
        partial.append(total)
    if tree.widest == 2:
        assert np.array_equal(evaluate(tree, values), partial[-1])
    else:  # added together exactly and rounded once: the sum in any order to a few units
        np.testing.assert_allclose(evaluate(tree, values), partial[-1], rtol=0, atol=terms * 2.0**-50)


@given(additions(), st.data())
def test_restricting_is_adding_zeros(case, data):
    terms, extras, children = case
    tree = Tree.from_nodes(*case)
    if tree.widest > 2:
        return_trees = [child for child in children if len(child) > 2]
        assert return_trees
        children = [child for child in children if len(child) == 2]
        tree = sequential(terms)
        extras = 0
    kept = np.array(sorted(data.draw(st.sets(st.integers(0, terms - 1), min_size=1))))
    values = np.zeros((3, terms + extras), np.float32)
    values[:, kept] = np.random.default_rng(1).standard_normal((3, len(kept))).astype(np.float32)
    inner = tree.restricted(kept)
    beside = np.concatenate((values[:, kept], values[:, terms:]), 1)
    assert np.array_equal(evaluate(tree, values), evaluate(inner, np.ascontiguousarray(beside)))


@given(additions())
def test_depth_is_the_longest_path(case):
    terms, extras, children = case
    depth = [0] * (terms + extras)
    for members in children:
        depth.append(1 + max(depth[member] for member in members))
    assert Tree.from_nodes(*case).depth == depth[-1]


def test_trees_stay_small():
    assert len(pairwise(1 << 12).shapes) == 12
    assert len(blocks(1 << 20, 192).shapes) == 3
    assert len(numpy_pairwise(1 << 20).shapes) < 40
    assert len(cascade(1 << 16).shapes) < 10
    assert len(lanes(1 << 16, 8).shapes) == 2


def test_depths_of_families():
    assert sequential(1000).depth == 999
    assert pairwise(1024).depth == 10
    assert blocks(2048, 192).depth == 191 + 10
    assert numpy_pairwise(4096).depth == 23
    assert cascade(1024).depth == 26
    assert lanes(1024, 8).depth == 127 + 7


@pytest.mark.parametrize("terms", [1, 2, 5, 7, 8, 9, 31, 128, 129, 1000, 4097])
def test_numpys_sum_is_its_family(terms):
    values = np.random.default_rng(terms).standard_normal((50, terms)).astype(np.float32)
    assert np.array_equal(evaluate(numpy_pairwise(terms), values), values.sum(1))


@pytest.mark.parametrize("terms", [1, 3, 8, 33, 200])
def test_every_candidate_adds_each_term_once(terms):
    names = []
    for products in (False, True):
        for extras in (0, 1):
            for name, made in candidates(terms, extras, products=products):
                tree = made()
                tree.validate()
                assert (tree.terms, tree.extras) == (terms, extras), name
                names.append((products, extras, name))
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("terms", "extras", "children", "message"),
    [
        (3, 0, [(0, 1)], "leaving 2 sums"),
        (3, 0, [(0, 1), (0, 2)], "not used yet"),
        (3, 0, [(0, 1), (3, 3)], "not used yet"),
        (2, 0, [(0,)], "two or more"),
        (2, 0, [(0, 5)], "two or more"),
    ],
)
def test_what_is_no_tree_is_refused(terms, extras, children, message):
    with pytest.raises(InputError, match=message):
        Tree.from_nodes(terms, extras, children)


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"terms": 2, "extras": 0, "shapes": []},
        {"terms": 2, "extras": 0, "shapes": [["chain", [[-1, 0, [3, 1]]]]]},
        {"terms": 2, "extras": 0, "shapes": [["chain", [[-1, 0], [-1, 0]]]]},
        {"terms": 2, "extras": 0, "shapes": [["chain", [[0, 0], [-1, 0]]]]},
        {"terms": 2, "extras": 0, "shapes": [["ring", [[-1, 0, [2, 1]]]]]},
        {"terms": 2, "extras": 0, "shapes": [["chain", [[-1, 0, [10**9, 1], [10**9, 1]]]]]},
        {"terms": 2, "extras": 0, "shapes": "no"},
    ],
)
def test_a_stored_tree_that_is_none_is_refused(content):
    with pytest.raises(InputError):
        Tree.from_dict(content)


def test_an_order_survives_json_and_bad_json_is_refused():
    order = Order(blocks(100, 16, 1, "last"), (("k", 100),), True, ("bias",), True, "float32", "bfloat16", scale=("divide", 100.0))
    assert Order.from_json(order.to_json()) == order
    for text in ("no", "[]", '{"schema": 2}', '{"schema": 1}', order.to_json().replace("bfloat16", "float17")):
        with pytest.raises(InputError):
            Order.from_json(text)


def test_values_added_together_are_rounded_once():
    tree = Tree.from_nodes(3, 0, [(0, 1, 2)])
    assert tree.root.kind == TOGETHER
    assert tree.widest == 3
    assert evaluate(tree, np.array([[2.0**100, 1.0, -(2.0**100)]]))[0] == 1.0
