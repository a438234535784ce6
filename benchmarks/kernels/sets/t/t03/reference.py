import torch


def generate_input(m, n, k, group, seed, has_zero=0, has_bias=0):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(m, k, generator=g)
    qweight = torch.randint(0, 256, (n, k // 2), generator=g, dtype=torch.uint8)
    scales = torch.rand(n, k // group, generator=g) * 0.02 + 0.002
    zeros = torch.randint(0, 16, (n, k // group), generator=g, dtype=torch.uint8) if has_zero else None
    bias = torch.randn(n, generator=g) if has_bias else None
    return x, qweight, scales, zeros, bias


def ref_kernel(data):
    x, qweight, scales, zeros, bias = data
    N = qweight.shape[0]
    K = qweight.shape[1] * 2
    group = K // scales.shape[1]
    lo = (qweight & 15).to(torch.int32)
    hi = (qweight >> 4).to(torch.int32)
    q = torch.stack([lo, hi], dim=-1).reshape(N, K)
    if zeros is None:
        q = torch.where(q >= 8, q - 16, q)
    else:
        q = q - zeros.to(torch.int32).repeat_interleave(group, dim=1)
    w = q.to(x.dtype) * scales.to(x.dtype).repeat_interleave(group, dim=1)
    y = x @ w.t()
    return y if bias is None else y + bias
