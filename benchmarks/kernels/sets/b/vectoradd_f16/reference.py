"""Element-wise sum of two float16 vectors.

data: (A, B), two contiguous float16 tensors of shape (size,), size >= 1, any values.
Result: a new float16 tensor C of shape (size,), C[i] = A[i] + B[i], correctly rounded
to float16 (subnormals kept, overflow gives +-inf, inf and NaN propagate).
The inputs are left as they are and the result shares no memory with them.
"""
import torch


def generate_input(size, seed):
    gen = torch.Generator()
    gen.manual_seed(seed)
    A = torch.randn(size, generator=gen).to(torch.float16)
    B = torch.randn(size, generator=gen).to(torch.float16)
    return A, B


def ref_kernel(data):
    A, B = data
    return A + B
