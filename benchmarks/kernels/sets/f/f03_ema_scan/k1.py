import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Chunked form: a small lower-triangular kernel inside a chunk, a carry between chunks."""

    CHUNK = 16

    def __init__(self, channels):
        super().__init__()
        self.decay_logit = nn.Parameter(torch.linspace(0.5, 3.0, channels))
    def forward(self, x, h0):
        B, T, C = x.shape
        L = self.CHUNK
        log_d = F.logsigmoid(self.decay_logit)
        gain = torch.sigmoid(-self.decay_logit)
        idx = torch.arange(L, device=x.device)
        lag = (idx[:, None] - idx[None, :]).clamp_min(0).to(x.dtype)
        tri = (idx[:, None] >= idx[None, :]).to(x.dtype)
        kern = torch.exp(lag[:, :, None] * log_d) * tri[:, :, None] * gain
        carry_w = torch.exp((idx.to(x.dtype) + 1)[:, None] * log_d)
        h = h0
        out = []
        for s in range(0, T, L):
            xc = x[:, s:s + L]
            n = xc.shape[1]
            y = torch.einsum("ijc,bjc->bic", kern[:n, :n], xc) + carry_w[:n] * h[:, None, :]
            h = y[:, -1]
            out.append(y)
        return torch.cat(out, dim=1)
