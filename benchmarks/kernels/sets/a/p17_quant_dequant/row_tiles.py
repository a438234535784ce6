import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    @torch.no_grad()
    def forward(self, x):
        n = x.shape[-1]
        flat = x.reshape(-1, n)
        out = torch.empty_like(flat)
        for i in range(0, flat.shape[0], 24):
            t = flat[i:i + 24]
            hi = t.amax(dim=1, keepdim=True)
            lo = t.amin(dim=1, keepdim=True)
            s = torch.maximum(hi, -lo) / 127.0
            s.clamp_(min=1e-8)
            buf = torch.empty_like(t)
            torch.div(t, s, out=buf)
            buf.round_().clamp_(-127, 127)
            torch.mul(buf, s, out=out[i:i + 24])
        return out.view(x.shape)
