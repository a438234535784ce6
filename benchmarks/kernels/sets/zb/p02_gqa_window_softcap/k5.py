import math
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, window: int, softcap: float):
        super().__init__()
        self.window = window
        self.softcap = softcap

    def forward(self, q, k, v):
        B, Hq, T, D = q.shape
        Hkv, S = k.shape[1], k.shape[2]
        g, w = Hq // Hkv, self.window
        off = S - T
        qf = q.float().reshape(B, Hkv, g, T, D) * (1.0 / math.sqrt(D))
        kf, vf = k.float(), v.float()
        blk = max(16, min(w, 64))
        pieces = []
        for lo in range(0, T, blk):
            hi = min(lo + blk, T)
            k0 = max(0, off + lo - w + 1)
            k1 = off + hi
            s = torch.einsum("bhgtd,bhsd->bhgts", qf[:, :, :, lo:hi], kf[:, :, k0:k1])
            s = self.softcap * torch.tanh(s / self.softcap)
            rel = torch.arange(off + lo, off + hi)[:, None] - torch.arange(k0, k1)[None, :]
            s.masked_fill_((rel < 0) | (rel >= w), float("-inf"))
            pieces.append(torch.einsum("bhgts,bhsd->bhgtd", s.softmax(-1), vf[:, :, k0:k1]))
        return torch.cat(pieces, dim=3).reshape(B, Hq, T, D).to(q.dtype)
