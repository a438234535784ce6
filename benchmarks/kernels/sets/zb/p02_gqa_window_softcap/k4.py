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
        qg = q.float().reshape(B, Hkv, Hq // Hkv, T, D)
        s = torch.einsum("bhgtd,bhsd->bhgts", qg, k.float())
        s = s.mul_(D ** -0.5 / self.softcap).tanh_().mul_(self.softcap)
        e = s.exp_()
        rel = torch.arange(S - T, S, device=q.device)[:, None] - torch.arange(S, device=q.device)[None, :]
        e = e * ((rel >= 0) & (rel < self.window))
        num = torch.einsum("bhgts,bhsd->bhgtd", e, v.float())
        out = num / e.sum(-1, keepdim=True)
        return out.reshape(B, Hq, T, D).to(q.dtype)
