import torch
import torch.nn as nn

SM_SCALE = 0.17677669529663687


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, q, k, v):
        S = q.shape[-2]
        rows = []
        for i in range(0, S, 32):
            hi = min(i + 32, S)
            s = q[..., i:hi, :] @ k[..., :hi, :].transpose(-1, -2) * SM_SCALE
            vis = torch.arange(hi)[None, :] <= torch.arange(i, hi)[:, None]
            s = s.masked_fill(~vis, float("-inf"))
            p = torch.exp(s - s.amax(dim=-1, keepdim=True))
            rows.append((p @ v[..., :hi, :]) / p.sum(dim=-1, keepdim=True))
        return torch.cat(rows, dim=-2)
