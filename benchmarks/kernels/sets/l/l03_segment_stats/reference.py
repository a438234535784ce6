import torch


def generate_input(segments, d, max_len, seed):
    g = torch.Generator().manual_seed(seed)
    lengths = torch.randint(8, max_len + 1, (segments,), generator=g)
    offsets = torch.zeros(segments + 1, dtype=torch.int64)
    offsets[1:] = torch.cumsum(lengths, 0)
    values = torch.randn(int(offsets[-1]), d, generator=g)
    return values, offsets


def ref_kernel(data):
    values, offsets = data
    n, d = offsets.numel() - 1, values.shape[1]
    mean = torch.zeros(n, d, dtype=values.dtype, device=values.device)
    high = torch.full((n, d), float("-inf"), dtype=values.dtype, device=values.device)
    for i in range(n):
        a, b = int(offsets[i]), int(offsets[i + 1])
        if b > a:
            mean[i] = values[a:b].mean(0)
            high[i] = values[a:b].amax(0)
    return mean, high
