"""Values that go to a solution's process come back as they were, and lie in memory as they did."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from halfulp.errors import InputError
from halfulp.kernels.solutions.packing import pack, unpack

NUMBERS = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text(max_size=5)
TREES = st.recursive(
    NUMBERS | st.just(torch.float16),
    lambda part: (
        st.lists(part, max_size=3) | st.tuples(part, part) | st.dictionaries(st.text(max_size=3) | st.integers(0, 9), part, max_size=3)
    ),
    max_leaves=8,
)


@given(TREES)
def test_what_has_no_tensors_comes_back_equal(tree):
    tensors = []
    assert unpack(pack(tree, tensors), tensors) == tree and not tensors


@pytest.mark.parametrize(
    "tensor",
    [
        torch.arange(12.0).reshape(3, 4),
        torch.arange(12.0).reshape(3, 4).T,
        torch.arange(24.0).reshape(4, 6)[1:, ::2],
        torch.arange(3.0).expand(4, 3),
        torch.randn(2, 3, 4, 5).contiguous(memory_format=torch.channels_last),
        torch.arange(5),
        torch.tensor([True, False]),
        torch.zeros(0, 3),
        torch.ones(3, requires_grad=True),
    ],
    ids=["plain", "transposed", "strided", "expanded", "channels-last", "integers", "flags", "empty", "leaf"],
)
def test_a_tensor_keeps_its_layout(tensor):
    tensors = []
    back = unpack(pack(tensor, tensors), [each.contiguous() for each in tensors])
    assert torch.equal(back, tensor) and back.dtype == tensor.dtype
    assert back.stride() == tensor.stride() or not tensor.numel()
    assert back.storage_offset() == tensor.storage_offset() and back.requires_grad == tensor.requires_grad


def test_arrays_and_numbers_of_numpy():
    tensors = []
    back = unpack(pack((np.arange(3.0), np.float32(2.0), 1j), tensors), tensors)
    assert np.array_equal(back[0], np.arange(3.0)) and back[1:] == (2.0, 1j)


def test_anything_else_is_refused():
    with pytest.raises(InputError, match="Got object among the arguments"):
        pack([object()], [])
