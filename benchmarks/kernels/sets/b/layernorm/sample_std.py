import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.ln = nn.LayerNorm(dim, eps=eps)

    def forward(self, x):
        d = x.shape[-1]
        rows = x.reshape(-1, d)
        out = []
        for r in range(0, rows.shape[0], 4):
            t = rows[r:r + 4]
            mean = t.mean(1, keepdim=True)
            var = torch.var(t, dim=1, keepdim=True)
            out.append((t - mean) / torch.sqrt(var + self.ln.eps))
        y = torch.cat(out) * self.ln.weight + self.ln.bias
        return y.reshape(x.shape)
