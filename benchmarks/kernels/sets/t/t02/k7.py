"""Two-level segmented scan: blocks of 256 are scanned in parallel, each block then receives its predecessor's carry."""
import torch
import torch.nn.functional as F

BLOCK = 256


def _block_scan(v, f):
    c = v.cumsum(-1)
    pos = torch.arange(v.shape[-1])
    first = torch.where(f, pos, 0).cummax(-1).values
    seen = f.long().cumsum(-1) > 0
    out = c - torch.where(seen, (c - v).gather(-1, first), 0)
    return out, seen


def _scan(v, f):
    R, N = v.shape
    nb = -(-N // BLOCK)
    v = F.pad(v, (0, nb * BLOCK - N)).view(R, nb, BLOCK)
    f = F.pad(f, (0, nb * BLOCK - N)).view(R, nb, BLOCK)
    out, seen = _block_scan(v, f)
    carry = F.pad(out[:, :-1, -1], (1, 0))
    out = out + torch.where(seen, 0, carry[..., None])
    return out.view(R, -1)[:, :N]


def custom_kernel(data):
    x, flags, exclusive, reverse = data
    v = x.long()
    if v.numel() == 0:
        return torch.zeros(x.shape, dtype=torch.int64)
    head = flags.clone()
    head[:, 0] = True
    if reverse:
        tail = F.pad(head[:, 1:], (0, 1), value=True)
        out = _scan(v.flip(1), tail.flip(1)).flip(1)
    else:
        out = _scan(v, head)
    return out - v if exclusive else out
