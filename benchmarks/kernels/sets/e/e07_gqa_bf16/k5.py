import torch
import torch.nn as nn

BK = 2


class ModelNew(nn.Module):
    """Online softmax over narrow key blocks with running rescale."""

    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    @torch.no_grad()
    def forward(self, q, k, v):
        B, Hq, T, D = q.shape
        Hkv, S = k.shape[1], k.shape[2]
        G = Hq // Hkv
        qg = q.float().view(B, Hkv, G, T, D) * self.scale
        kf = k.float().unsqueeze(2)
        vf = v.float().unsqueeze(2)
        row = torch.arange(T).unsqueeze(1) + (S - T)
        m = torch.full((B, Hkv, G, T, 1), float('-inf'))
        l = torch.zeros(B, Hkv, G, T, 1)
        acc = torch.zeros(B, Hkv, G, T, D, dtype=torch.bfloat16)
        for s in range(0, S, BK):
            e = min(s + BK, S)
            sc = qg @ kf[..., s:e, :].transpose(-1, -2)
            sc = sc.masked_fill(torch.arange(s, e) > row, float('-inf'))
            mn = torch.maximum(m, sc.amax(-1, keepdim=True))
            p = torch.exp(sc - mn)
            a = torch.exp(m - mn)
            l = l * a + p.sum(-1, keepdim=True)
            acc = (acc * a + p @ vf[..., s:e, :]).to(torch.bfloat16)
            m = mn
        return (acc / l).reshape(B, Hq, T, D).to(q.dtype)
