import torch


def generate_input(rows, n, seed, exclusive=0, reverse=0):
    g = torch.Generator().manual_seed(seed)
    x = torch.randint(-1000, 1001, (rows, n), generator=g, dtype=torch.int32)
    flags = torch.rand(rows, n, generator=g) < 0.06
    flags[:, 0] = True
    return x, flags, exclusive, reverse


def ref_kernel(data):
    x, flags, exclusive, reverse = data
    R, N = x.shape
    if N == 0:
        return torch.zeros(R, 0, dtype=torch.int64)
    v = x.to(torch.int64)
    start = flags.clone()
    start[:, 0] = True
    if reverse:
        # a segment ends where the next one starts
        end = torch.ones_like(start)
        end[:, :-1] = start[:, 1:]
        v, start = v.flip(1), end.flip(1)
    c = torch.cumsum(v, 1)
    pos = torch.arange(N).expand(R, N)
    first = torch.cummax(torch.where(start, pos, torch.zeros_like(pos)), 1).values
    out = c - torch.gather(c - v, 1, first)
    if exclusive:
        out = out - v
    return out.flip(1) if reverse else out
