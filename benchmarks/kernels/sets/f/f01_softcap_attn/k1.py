import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Flash-style streaming softmax over key tiles."""

    BLOCK = 16

    def __init__(self, dim, n_heads, softcap):
        super().__init__()
        self.n_heads = n_heads
        self.softcap = softcap
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.out = nn.Linear(dim, dim)

    def forward(self, x, lengths):
        B, T, D = x.shape
        H = self.n_heads
        hd = D // H
        w = self.qkv.weight.view(3, H, hd, D)
        q, k, v = torch.einsum("btd,ched->cbhte", x, w)
        q = q * (hd ** -0.5)
        m = x.new_full((B, H, T, 1), float("-inf"))
        l = x.new_zeros((B, H, T, 1))
        acc = x.new_zeros((B, H, T, hd))
        lens = lengths.view(B, 1, 1, 1)
        for s0 in range(0, T, self.BLOCK):
            s1 = min(s0 + self.BLOCK, T)
            s = torch.matmul(q, k[:, :, s0:s1].transpose(-1, -2))
            s = torch.tanh(s / self.softcap) * self.softcap
            idx = torch.arange(s0, s1, device=x.device).view(1, 1, 1, -1)
            s = torch.where(idx < lens, s, torch.full_like(s, float("-inf")))
            bm = s.detach().amax(-1, keepdim=True)
            nm = torch.maximum(m, bm)
            p = torch.exp(s - nm)
            c = torch.exp(m - nm)
            l = l * c + p.sum(-1, keepdim=True)
            acc = acc * c + p @ v[:, :, s0:s1]
            m = nm
        y = (acc / l).permute(0, 2, 1, 3).reshape(B, T, D)
        return self.out(y)
