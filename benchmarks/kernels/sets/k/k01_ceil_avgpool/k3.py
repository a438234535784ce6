import torch
import torch.nn as nn
import torch.nn.functional as F


def _extent(n, k, s, p):
    o = -(-(n + 2 * p - k) // s) + 1
    if (o - 1) * s >= n + p:
        o -= 1
    return o


def _counts(n, o, k, s, p, with_pad):
    out = []
    for i in range(o):
        lo = i * s - p
        hi = min(lo + k, n + p)
        if not with_pad:
            lo, hi = max(lo, 0), min(hi, n)
        out.append(hi - lo)
    return out


class ModelNew(nn.Module):
    """One strided slice per window offset, accumulated in place of the window loop."""

    def __init__(self, kernel_size, stride, padding, count_include_pad=True):
        super().__init__()
        self.k, self.s, self.p, self.inc = kernel_size, stride, padding, count_include_pad

    def forward(self, x):
        k, s, p = self.k, self.s, self.p
        H, W = x.shape[-2:]
        oh, ow = _extent(H, k, s, p), _extent(W, k, s, p)
        eh = max(0, (oh - 1) * s + k - H - p)
        ew = max(0, (ow - 1) * s + k - W - p)
        xp = F.pad(x, (p, ew, p, eh))
        acc = None
        for dy in range(k):
            for dx in range(k):
                t = xp[..., dy:dy + (oh - 1) * s + 1:s, dx:dx + (ow - 1) * s + 1:s]
                acc = t if acc is None else acc + t
        ch = torch.tensor(_counts(H, oh, k, s, p, self.inc), dtype=x.dtype, device=x.device)
        cw = torch.tensor(_counts(W, ow, k, s, p, self.inc), dtype=x.dtype, device=x.device)
        return acc / (ch[:, None] * cw[None, :])
