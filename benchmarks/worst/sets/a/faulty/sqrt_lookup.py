import torch


N = 512


def actual(x):
    m, e = torch.frexp(x)
    odd = e % 2
    m = torch.where(odd == 1, m * 0.5, m)
    half = torch.div(e + odd, 2, rounding_mode="floor")
    # m in [0.25, 1): work on [0.5, 1) and scale back
    low = m < 0.5
    m = torch.where(low, m * 2.0, m)
    t = (m - 0.5) * (2 * N)
    i = t.floor().long().clamp(0, N - 1)
    nodes = torch.sqrt(0.5 + torch.arange(N, dtype=x.dtype) / (2 * N))
    lo = nodes[i]
    hi = nodes[(i + 1).clamp(max=N - 1)]
    r = lo + (hi - lo) * (t - i)
    r = torch.where(low, r * 0.7071067811865476, r)
    return torch.ldexp(r, half)


def expected(x):
    return torch.sqrt(x)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(40, generator=g).abs() + 0.01,)
