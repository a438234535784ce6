"""The stack machine in NumPy gives the bits of the compiled one."""

import dataclasses

import numpy as np
import pytest

from halfulp import compiled
from halfulp.orders import Order, by_numpy
from halfulp.orders.contraction import ExtraLeaf, einsum
from halfulp.orders.families import blocks, sequential
from halfulp.orders.replayed import replay, replay_samples
from halfulp.orders.tree import CHAIN, TERM, TOGETHER, Item, Shape, Tree

ARITHMETIC = [
    {"accumulator": "float32"}, {"accumulator": "float64"}, {"accumulator": "bfloat16"}, {"accumulator": "bfloat16", "rounding": "toward zero"},
    {"accumulator": "float32", "unfused": (1, 5)},
]  # fmt: skip


def both(monkeypatch, work):
    found = []
    for compiles in (True, False):
        monkeypatch.setattr(compiled, "pays", lambda _, compiles=compiles: compiles)
        found.append(work())
    return found


@pytest.mark.parametrize("arithmetic", ARITHMETIC, ids=str)
@pytest.mark.parametrize("fma", [True, False])
@pytest.mark.parametrize("bias", ["none", "first", "last"])
def test_products(monkeypatch, arithmetic, fma, bias):
    random = np.random.default_rng(0)
    left, right = random.standard_normal((7, 50)).astype(np.float32), random.standard_normal((50, 300)).astype(np.float32)
    left[0, 3], left[1, 4], right[:, 5], right[:, 6] = np.inf, np.nan, 1e38, 1e-30
    contraction = einsum([(7, 50), (50, 300)], ["ik", "kj"], "ij", (7, 300), (0, 1))
    inputs = [left, right]
    if bias != "none":
        contraction = dataclasses.replace(contraction, extras=(ExtraLeaf("bias", 2, (300,), (0, 1)),))
        inputs.append(random.standard_normal(300).astype(np.float32))
    trees = [sequential(50, 1, bias) if bias != "none" else blocks(50, 16)]
    if bias == "none":
        trees.append(sequential(50))
    for tree in trees:
        order = Order(tree, (("k", 50),), True, () if bias == "none" else ("bias",), fma).with_arithmetic(**arithmetic)
        some = np.array([0, 5, 6, 600, 2099])
        for positions in (None, some):
            loop, arrays = both(monkeypatch, lambda order=order, positions=positions: replay(order, contraction, inputs, positions))
            assert np.array_equal(loop.view(np.int64), arrays.view(np.int64)) or np.array_equal(loop, arrays, equal_nan=True)


@pytest.mark.parametrize("accumulator", ["float32", "float64", "bfloat16"])
@pytest.mark.parametrize("rounding", ["nearest", "toward zero"])
def test_values_added_together(monkeypatch, accumulator, rounding):
    joined = Tree((Shape(TOGETHER, (Item(TERM, 0, ((8, 1),)),)), Shape(CHAIN, (Item(0, 0, ((8, 8),)),))), 64)
    values = np.random.default_rng(1).standard_normal((40, 64)).astype(np.float32)
    order = Order(joined, (("k", 64),)).with_arithmetic(accumulator=accumulator, rounding=rounding)
    loop, arrays = both(monkeypatch, lambda: replay(order, einsum([(40, 64)], ["ik"], "i", (40,), (0,)), [values]))
    assert np.array_equal(loop, arrays)
    assert np.allclose(loop, values.sum(1), atol=0.5)


def test_samples_side_by_side(monkeypatch):
    random = np.random.default_rng(2)
    samples = [[random.standard_normal((30, 64)).astype(np.float32)] for _ in range(3)]
    order, contraction = Order(blocks(64, 16), (("k", 64),)), einsum([(30, 64)], ["ik"], "i", (30,), (0,))
    loop, arrays = both(monkeypatch, lambda: replay_samples(order, contraction, samples, np.arange(0, 30, 7)))
    assert np.array_equal(loop, arrays)


def test_large_products_are_left_to_the_compiled_machine(monkeypatch):
    asked = []
    monkeypatch.setattr(by_numpy, "run", lambda *given: asked.append("NumPy"))
    left = np.ones((200, 2000), np.float32)
    contraction = einsum([(200, 2000), (2000, 2000)], ["ik", "kj"], "ij", (200, 2000), (0, 1))
    order = Order(sequential(2000), (("k", 2000),), True, (), True)
    assert replay(order, contraction, [left, np.ones((2000, 2000), np.float32)], np.arange(20_000)).max() == 2000.0
    assert not asked
