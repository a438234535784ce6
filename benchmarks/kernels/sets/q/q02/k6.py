import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Quadratic (attention-like) form: decay matrix exp(L_t - L_s) inside a reset segment, in float64."""

    def __init__(self, dim):
        super().__init__()
        self.bias = nn.Parameter(torch.full((dim,), 1.0))
        self.h0 = nn.Parameter(torch.linspace(-0.5, 0.5, dim))

    def forward(self, x, g, reset):
        B, T, D = x.shape
        z = (g + self.bias).double()
        la = F.logsigmoid(z)
        L = la.cumsum(1)
        b = (1 - torch.sigmoid(z)) * x.double()
        seg = reset.long().cumsum(1)
        ok = (seg[:, :, None] == seg[:, None, :]) & torch.ones(T, T, dtype=torch.bool, device=x.device).tril()
        diff = (L[:, :, None] - L[:, None]).masked_fill(~ok[..., None], float("-inf"))
        W = diff.exp()
        h = (W * b[:, None]).sum(2)
        # entry of h0: at the first step of the segment, just before its own gate
        first = ok.to(torch.int64).argmax(dim=2)
        Lex = L - la
        start = torch.gather(Lex, 1, first[..., None].expand(B, T, D))
        h = h + torch.exp(L - start) * self.h0.double()
        h = h.to(x.dtype)
        return h, h[:, -1]
