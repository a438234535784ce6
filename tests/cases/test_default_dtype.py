"""Lifted runs have another default dtype, and nobody else has."""

import threading

import numpy as np
import pytest
import torch

import halfulp
from halfulp.cases.precision_modes import DefaultDtype, Retyping
from halfulp.floats import FLOAT32

MADE = {
    "zeros": lambda: torch.zeros(3),
    "ones": lambda: torch.ones(2, 2),
    "full": lambda: torch.full((2,), 0.1),
    "rand": lambda: torch.rand(3),
    "randn": lambda: torch.randn(3),
    "normal": lambda: torch.normal(0.0, 1.0, (2,)),
    "eye": lambda: torch.eye(2),
    "linspace": lambda: torch.linspace(0, 1, 7),
    "logspace": lambda: torch.logspace(0, 1, 7),
    "arange": lambda: torch.arange(0.0, 1.0, 0.1),
    "tensor": lambda: torch.tensor([0.1, 0.2]),
    "tensor of lists": lambda: torch.tensor([[0.1], [0.2]], requires_grad=True),
    "as_tensor": lambda: torch.as_tensor(0.1),
    "scalar_tensor": lambda: torch.scalar_tensor(0.1),
    "window": lambda: torch.hann_window(9),
    "window in Python": lambda: torch.signal.windows.cosine(9),
    "integers divided": lambda: torch.arange(1, 4) / 3,
    "integers times": lambda: torch.arange(1, 4) * 0.1,
    "reflected": lambda: 0.1 * torch.arange(1, 4),
    "root of integers": lambda: torch.arange(1, 4).sqrt(),
    "sine of booleans": lambda: torch.tensor([True, False]).sin(),
    "choice of numbers": lambda: torch.where(torch.tensor([True, False]), 0.1, 0.2),
    "power": lambda: torch.arange(1, 4) ** 0.5,
    "named": lambda: torch.zeros(2, dtype=torch.float32) + 0.1,
    "asked for": lambda: torch.zeros(2, dtype=torch.get_default_dtype()) + 0.1,
    "positional encoding": lambda: torch.exp(torch.arange(0, 8, 2) * (-np.log(10000.0) / 8)),
    "empty": lambda: torch.empty(3).fill_(0.1),
    "complex": lambda: torch.tensor(0.1 + 0.2j).real,
}
KEPT = {
    "integers": lambda: torch.arange(3),
    "integers of numbers": lambda: torch.tensor([1, 2]),
    "whole numbers": lambda: torch.full((2,), 1),
    "booleans": lambda: torch.tensor([True]),
    "comparisons": lambda: torch.arange(3) > 1,
    "draws of integers": lambda: torch.randint(0, 5, (3,)),
    "permutations": lambda: torch.randperm(4),
    "coarser than declared": lambda: torch.zeros(2, dtype=torch.float16),
    "the same bits": lambda: torch.arange(3, dtype=torch.int32).view(torch.int32),
}


def lifted():
    return Retyping(frozenset([torch.float32]), torch.float64)


@pytest.mark.parametrize("name", MADE)
def test_what_is_made_is_lifted_to_the_last_bit(name):
    """The same numbers as under the process-wide switch, which this replaces."""
    torch.manual_seed(0)
    with lifted():
        found = MADE[name]()
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float64)
    try:
        wanted = MADE[name]()
    finally:
        torch.set_default_dtype(torch.float32)
    assert found.dtype == torch.float64
    if name != "named":
        assert torch.equal(found, wanted.double())


@pytest.mark.parametrize("name", KEPT)
def test_what_has_a_dtype_of_its_own_keeps_it(name):
    with lifted():
        found = KEPT[name]()
    assert found.dtype == KEPT[name]().dtype


def test_bits_that_are_read_as_another_dtype_stay():
    bits = torch.tensor([0x3DCCCCCD], dtype=torch.int32)
    with DefaultDtype({torch.float32: torch.float64}):
        found = bits.view(torch.float32)
    assert float(found) == float(np.float32(0.1))


def test_other_threads_see_none_of_it():
    seen = []
    with lifted():
        thread = threading.Thread(target=lambda: seen.append((torch.get_default_dtype(), torch.zeros(1).dtype, torch.tensor(0.1).dtype)))
        thread.start()
        thread.join()
    assert seen == [(torch.float32,) * 3]
    assert torch.get_default_dtype() == torch.float32 and torch.zeros(1).dtype == torch.float32


def test_a_bfloat16_default_is_made_by_lowering():
    with Retyping(frozenset([torch.float32]), torch.bfloat16):
        assert torch.zeros(2).dtype == torch.bfloat16 and (torch.arange(3) / 2).dtype == torch.bfloat16


def test_functions_that_make_constants_are_judged_as_before():
    def encoded(x):
        place = torch.arange(x.shape[0]).unsqueeze(1)
        rates = torch.exp(torch.arange(0, x.shape[1], 2) * (-np.log(10000.0) / x.shape[1]))
        return x + torch.cat([torch.sin(place * rates), torch.cos(place * rates)], 1)

    def doubled(x):
        return encoded(x.double()).to(x.dtype)

    result = halfulp.check(doubled, encoded, (torch.randn(16, 32),))
    assert result.acceptable, result
    assert FLOAT32.name == result.declared
