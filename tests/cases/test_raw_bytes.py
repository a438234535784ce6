"""The bytes of tensors in any layout: those of the numbers in order, also where one number has a stride of its own."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from halfulp.cases.raw_bytes import raw_bytes

DTYPES = (
    torch.float64,
    torch.float32,
    torch.bfloat16,
    torch.float16,
    torch.int64,
    torch.int8,
    torch.bool,
    torch.complex64,
    torch.complex128,
)


@given(
    st.sampled_from(DTYPES), st.lists(st.integers(0, 3), min_size=1, max_size=3), st.integers(1, 3), st.booleans(), st.booleans(),
)  # fmt: skip
def test_they_are_those_of_the_numbers_in_order(dtype, shape, step, is_turned, is_conjugate):
    whole = torch.randint(0, 2, [step * length for length in shape]).to(dtype)
    if dtype.is_complex:
        whole = whole + 1j * torch.arange(whole.numel()).reshape(whole.shape).to(dtype)
    tensor = whole[tuple(slice(None, None, step) for _ in shape)]
    tensor = tensor.mT if is_turned and len(shape) > 1 else tensor
    tensor = tensor.conj() if is_conjugate else tensor
    wanted = tensor.resolve_conj().to(torch.float64) if dtype is torch.bfloat16 else tensor.resolve_conj()
    found = torch.frombuffer(bytearray(raw_bytes(tensor)), dtype=dtype).reshape(tensor.shape) if tensor.numel() else tensor
    assert torch.equal(found.to(wanted.dtype), wanted) and len(raw_bytes(tensor)) == tensor.nbytes


@pytest.mark.parametrize("value", [torch.zeros(4)[::2][:1], torch.zeros(6, 1, dtype=torch.float64)[::3][1:2], torch.tensor(1.0)])
def test_one_number_is_contiguous_whatever_its_stride(value):
    assert value.is_contiguous() and bytes(raw_bytes(value)) == value.clone().numpy().tobytes()


def test_they_are_the_memory_itself_where_that_is_contiguous():
    tensor = torch.zeros(3)
    raw_bytes(tensor)[:4] = b"\x00\x00\x80\x3f"
    assert tensor.tolist() == [1.0, 0.0, 0.0]


def test_they_are_the_numbers_of_views_with_a_sign_of_their_own():
    negated = torch.tensor([1 + 2j, 3 - 4j]).conj().imag
    assert bytes(raw_bytes(negated)) == negated.clone().numpy().tobytes() and negated.is_neg()
    eight = torch.tensor([1.0, -2.0]).to(torch.float8_e4m3fn)
    assert bytes(raw_bytes(eight)) == eight.view(torch.uint8).numpy().tobytes()
    assert len(raw_bytes(torch.ones(1).expand(3))) == 12 and bytes(raw_bytes(torch.zeros(0))) == b""
