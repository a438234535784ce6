import torch


def generate_input(segments, channels, seed):
    g = torch.Generator().manual_seed(seed)
    lens = torch.randint(16, 61, (segments,), generator=g)
    indptr = torch.zeros(segments + 1, dtype=torch.int64)
    indptr[1:] = torch.cumsum(lens, 0)
    values = torch.randn(int(indptr[-1]), channels, generator=g)
    return values, indptr


def ref_kernel(data):
    values, indptr = data
    n, c = indptr.numel() - 1, values.shape[1]
    out = torch.zeros(n, 3, c, dtype=values.dtype)
    for i in range(n):
        seg = values[int(indptr[i]): int(indptr[i + 1])]
        if seg.shape[0] == 0:
            continue
        m = seg.double().mean(0)
        out[i, 0] = m
        out[i, 1] = ((seg.double() - m) ** 2).mean(0)
        out[i, 2] = seg.amax(0)
    return out
