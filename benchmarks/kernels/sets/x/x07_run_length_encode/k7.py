import itertools
import torch


def custom_kernel(data):
    n = data.numel()
    pairs = [(v, sum(1 for _ in grp)) for v, grp in itertools.groupby(data.tolist())]
    r = len(pairs)
    pad = [0] * (n - r)
    values = torch.tensor([p[0] for p in pairs] + pad, dtype=torch.int64)
    counts = torch.tensor([p[1] for p in pairs] + pad, dtype=torch.int64)
    return values, counts, torch.tensor(r)
