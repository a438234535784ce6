import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, scale=None):
        super().__init__()
        self.scale = scale

    CHUNK = 16

    def forward(self, q, k, v, g, h0):
        scale = q.shape[-1] ** -0.5 if self.scale is None else self.scale
        T = q.shape[1]
        s = h0.double()
        out = torch.empty(v.shape, dtype=v.dtype)
        for a in range(0, T, self.CHUNK):
            qc, kc, vc = (x[:, a:a + self.CHUNK].transpose(1, 2).double() for x in (q, k, v))
            cum = g[:, a:a + self.CHUNK].transpose(1, 2).double().cumsum(-1)
            n = cum.shape[-1]
            diff = cum[..., :, None] - cum[..., None, :]
            lower = torch.ones(n, n, dtype=torch.bool).tril()
            decay = torch.where(lower, diff, torch.full_like(diff, float("-inf"))).exp()
            inner = ((qc @ kc.transpose(-1, -2)) * decay) @ vc
            inter = (qc * cum[..., None].exp()) @ s
            out[:, a:a + n] = ((inner + inter) * scale).transpose(1, 2).float()
            last = cum[..., -1:]
            s = s * last[..., None].exp() + (kc * (last - cum).exp()[..., None]).transpose(-1, -2) @ vc
        return out, s.float()
