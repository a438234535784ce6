import math
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    BLOCK = 32

    def __init__(self, window: int, softcap: float):
        super().__init__()
        self.window = window
        self.softcap = softcap

    def forward(self, q, k, v):
        B, Hq, T, D = q.shape
        Hkv, S = k.shape[1], k.shape[2]
        g = Hq // Hkv
        qf = q.float().reshape(B, Hkv, g * T, D)
        pos = torch.arange(S - T, S, device=q.device).repeat(g)[:, None]
        m = torch.full((B, Hkv, g * T, 1), -1e30)
        l = torch.zeros(B, Hkv, g * T, 1)
        acc = torch.zeros(B, Hkv, g * T, D)
        first = max(0, S - T - self.window + 1) // self.BLOCK * self.BLOCK
        for j0 in range(first, S, self.BLOCK):
            kb = k[:, :, j0:j0 + self.BLOCK].float()
            vb = v[:, :, j0:j0 + self.BLOCK].float()
            s = torch.matmul(qf, kb.transpose(-1, -2)) * D ** -0.5
            s = self.softcap * torch.tanh(s / self.softcap)
            idx = torch.arange(j0, j0 + kb.shape[2], device=q.device)[None, :]
            keep = (idx <= pos) & (pos - idx < self.window)
            s = torch.where(keep, s, torch.tensor(float("-inf")))
            m_new = torch.maximum(m, s.amax(-1, keepdim=True))
            alpha = torch.exp(m - m_new)
            p = torch.exp(s - m_new)
            l = l * alpha + p.sum(-1, keepdim=True)
            acc = acc * alpha + p @ vb
            m = m_new
        return (acc / l).reshape(B, Hq, T, D).to(torch.bfloat16)
