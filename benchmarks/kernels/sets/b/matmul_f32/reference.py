"""C = A @ B.

data: (A, B); A float32 (m, k), B float32 (k, n), contiguous, any m, n, k >= 1,
finite values with magnitude up to 1e15.
Result: a new contiguous float32 tensor (m, n), as accurate as a float32 matmul.
"""
import torch


def generate_input(m, n, k, seed):
    gen = torch.Generator()
    gen.manual_seed(seed)
    A = torch.randn(m, k, generator=gen)
    B = torch.randn(k, n, generator=gen)
    return A, B


def ref_kernel(data):
    A, B = data
    return A @ B
