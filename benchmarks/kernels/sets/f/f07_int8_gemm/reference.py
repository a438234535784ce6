import torch
from task import input_t, output_t


def generate_input(m: int, n: int, k: int, seed: int) -> input_t:
    """A (m,k) int8, B (n,k) int8, per-row scales (float32) and zero points (int32) of both."""
    g = torch.Generator().manual_seed(seed)
    a = torch.randint(-128, 128, (m, k), generator=g, dtype=torch.int8)
    b = torch.randint(-128, 128, (n, k), generator=g, dtype=torch.int8)
    sa = torch.rand(m, generator=g) * 0.02 + 0.001
    sb = torch.rand(n, generator=g) * 0.02 + 0.001
    za = torch.randint(-20, 21, (m,), generator=g, dtype=torch.int32)
    zb = torch.randint(-20, 21, (n,), generator=g, dtype=torch.int32)
    return a, b, sa, za, sb, zb


def ref_kernel(data: input_t) -> output_t:
    """out[i,j] = sa[i] * sb[j] * sum_k (A[i,k]-za[i]) * (B[j,k]-zb[j]), exact integer sum."""
    a, b, sa, za, sb, zb = data
    x = a.to(torch.int64) - za.to(torch.int64)[:, None]
    y = b.to(torch.int64) - zb.to(torch.int64)[:, None]
    acc = x @ y.t()
    return acc.to(torch.float32) * (sa[:, None] * sb[None, :])


def check_implementation(data: input_t, output: output_t) -> str:
    ref = ref_kernel(data)
    return "" if torch.allclose(output, ref, rtol=1e-2, atol=1e-2) else "mismatch"
