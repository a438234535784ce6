import torch


def generate_input(rows: int, cols: int, every: int, magnitude: int, exclusive: bool, reverse: bool, seed: int):
    gen = torch.Generator().manual_seed(seed)
    values = torch.randint(-magnitude, magnitude + 1, (rows, cols), generator=gen, dtype=torch.int64).to(torch.int32)
    starts = torch.rand((rows, cols), generator=gen) < 1.0 / every
    return values, starts, exclusive, reverse


def ref_kernel(data):
    values, starts, exclusive, reverse = data
    rows, cols = values.shape
    v = values.long()
    s = starts.clone()
    s[:, 0] = True
    total = v.cumsum(1)
    before = total - v
    index = torch.arange(cols).expand(rows, cols)
    if reverse:
        nxt = torch.where(s, index, cols)
        nxt = torch.cat([nxt[:, 1:], torch.full((rows, 1), cols)], 1)
        last = nxt.flip(1).cummin(1).values.flip(1) - 1
        out = total.gather(1, last) - before
    else:
        first = torch.where(s, index, 0).cummax(1).values
        out = total - before.gather(1, first)
    if exclusive:
        out = out - v
    return out
