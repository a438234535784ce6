import torch

PAD = 2 ** 31 - 1


def custom_kernel(data):
    """Bitonic network on int32 keys, padded to a power of two with the largest key."""
    n = data.numel()
    x = torch.where(torch.isnan(data), torch.full_like(data, float("nan")).abs(), data)
    k = x.view(torch.int32)
    k = torch.where(k < 0, k ^ 0x7FFFFFFF, k)
    size = 1
    while size < n:
        size *= 2
    buf = torch.full((size,), PAD, dtype=torch.int32)
    buf[:n] = k
    i = torch.arange(size)
    span = 2
    while span <= size:
        gap = span // 2
        while gap:
            j = i ^ gap
            lo = torch.minimum(buf, buf[j])
            hi = torch.maximum(buf, buf[j])
            up = (i & span) == 0
            first = (i & gap) == 0
            buf = torch.where(up == first, lo, hi)
            gap //= 2
        span *= 2
    k = buf[:n]
    k = torch.where(k < 0, k ^ 0x7FFFFFFF, k)
    return k.contiguous().view(torch.float32).clone()
