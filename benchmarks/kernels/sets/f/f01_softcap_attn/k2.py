import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """The cap bounds the logits, so the cap itself serves as the softmax shift."""

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
        q, k, v = self.qkv(x).view(B, T, 3, H, hd).permute(2, 0, 3, 1, 4)
        cap = float(self.softcap)
        s = torch.tanh((q @ k.transpose(-1, -2)) * (hd ** -0.5 / cap))
        e = torch.exp(cap * s - cap)
        keep = (torch.arange(T, device=x.device)[None, :] < lengths[:, None]).to(e.dtype)
        e = e * keep[:, None, None, :]
        y = (e @ v) / e.sum(-1, keepdim=True)
        return self.out(y.transpose(1, 2).reshape(B, T, D))
