"""int8 matmul with per-row and per-column scales and per-column zero points.

data: (A, B, scale_a, scale_b, zero_b)
  A int8 (m, k), B int8 (k, n), any values -128..127, k <= 4096
  scale_a float32 (m,), scale_b float32 (n,), in [1e-6, 1e3]
  zero_b int32 (n,), values -128..127
Result: float32 (m, n), scale_a[i] * scale_b[j] * sum_k A[i,k] * (B[k,j] - zero_b[j]),
with the sum exact.
"""
import torch


def generate_input(m, n, k, seed, zero_point=0):
    gen = torch.Generator()
    gen.manual_seed(seed)
    A = torch.randint(-127, 128, (m, k), generator=gen, dtype=torch.int8)
    B = torch.randint(-127, 128, (k, n), generator=gen, dtype=torch.int8)
    scale_a = torch.rand(m, generator=gen) * 0.02 + 0.001
    scale_b = torch.rand(n, generator=gen) * 0.02 + 0.001
    zero_b = torch.full((n,), zero_point, dtype=torch.int32)
    return A, B, scale_a, scale_b, zero_b


def ref_kernel(data):
    A, B, scale_a, scale_b, zero_b = data
    acc = A.to(torch.int32) @ (B.to(torch.int32) - zero_b)
    return acc.to(torch.float32) * scale_a[:, None] * scale_b[None, :]
