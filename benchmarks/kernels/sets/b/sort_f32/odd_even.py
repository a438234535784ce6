import torch


def custom_kernel(data):
    """Odd-even merge network with min/max compare-exchange, padded with +inf."""
    n = data.numel()
    size = 1
    while size < n:
        size *= 2
    x = torch.full((size,), float("inf"))
    x[:n] = data
    p = 1
    while p < size:
        k = p
        while k >= 1:
            i = torch.arange(size - k)
            j0 = k % p
            sel = (i >= j0) & (((i - j0) // k) % 2 == 0)
            sel &= (i // (2 * p)) == ((i + k) // (2 * p))
            a = i[sel]
            b = a + k
            lo = torch.minimum(x[a], x[b])
            hi = torch.maximum(x[a], x[b])
            x[a] = lo
            x[b] = hi
            k //= 2
        p *= 2
    return x[:n].clone()
