import torch

_tables = {}


def _table(n, rot, base):
    t = _tables.get(rot)
    if t is None or t[0].shape[0] < n:
        inv = base ** (-torch.arange(0, rot, 2).double() / rot)
        ang = torch.arange(n).double()[:, None] * inv
        t = (ang.cos().float(), ang.sin().float())
        _tables[rot] = t
    return t


def custom_kernel(data):
    x, positions, rot, base = data
    half = rot // 2
    cos, sin = _table(int(positions.max()) + 1, rot, base)
    c = cos[positions].unsqueeze(2)
    s = sin[positions].unsqueeze(2)
    lo, hi = x[..., :half].float(), x[..., half:rot].float()
    return torch.cat([(lo * c - hi * s).bfloat16(), (lo * s + hi * c).bfloat16(), x[..., rot:]], dim=-1)
