import torch


def generate_input(n: int, bins: int, low: float, high: float, seed: int):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(n, generator=gen)
    weights = torch.randint(0, 100, (n,), generator=gen)
    edges = torch.linspace(low, high, bins + 1, dtype=torch.float32)
    return x, weights, edges


def ref_kernel(data):
    """Weighted histogram with integer weights and explicit bin edges.

    data = (x, weights, edges)
      x        float32 [N], any values, NaN and +-inf included; N >= 0; any stride
      weights  int64 [N], 0 <= w <= 2**40 and sum of all weights < 2**62; the weights matter exactly
      edges    float32 [K + 1], finite, strictly increasing, K >= 1, contiguous, in general NOT evenly spaced
    Bin j counts edges[j] <= x < edges[j + 1]; the last bin also includes x == edges[K]. Anything
    else (below, above, NaN) is dropped. x equal to an edge is compared exactly.
    Result: int64 [K], new memory, exact. No input may be changed. The same tensors may be refilled
    in place with new numbers between calls.
    """
    x, weights, edges = data
    K = edges.numel() - 1
    inside = (x >= edges[0]) & (x <= edges[-1])
    xi, wi = x[inside], weights[inside]
    b = torch.searchsorted(edges, xi.contiguous(), right=True) - 1
    b = b.clamp(max=K - 1)
    return torch.zeros(K, dtype=torch.int64).index_add_(0, b, wi)
