"""Segmented scan: 32-bit cumulative sums (half the memory traffic), widened when stored."""
import torch


def custom_kernel(data):
    x, flags, exclusive, reverse = data
    R, N = x.shape
    if R * N == 0:
        return torch.zeros(R, N, dtype=torch.int64)
    head = flags.clone()
    head[:, 0] = True
    pos = torch.arange(N)
    c = torch.cumsum(x, 1, dtype=torch.int32)
    pre = c - x
    if reverse:
        nxt = torch.where(torch.cat([head[:, 1:], torch.ones_like(head[:, :1])], 1), pos, N - 1)
        last = nxt.flip(1).cummin(1).values.flip(1)
        out = c.gather(1, last) - pre
    else:
        first = torch.where(head, pos, 0).cummax(1).values
        out = c - pre.gather(1, first)
    if exclusive:
        out = out - x
    return out.to(torch.int64)
