import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, b, sa, za, sb, zb = data
    k = a.shape[1]
    raw = torch.mm(a.long(), b.long().t())
    ra = a.sum(dim=1, dtype=torch.int64)
    rb = b.sum(dim=1, dtype=torch.int64)
    za = za.long()
    zb = zb.long()
    acc = raw - torch.outer(za, rb) - torch.outer(ra, zb) + k * torch.outer(za, zb)
    return torch.outer(sa, sb) * acc.float()
