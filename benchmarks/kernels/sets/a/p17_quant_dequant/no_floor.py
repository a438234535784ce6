import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    @torch.no_grad()
    def forward(self, x):
        n = x.shape[-1]
        flat = x.reshape(-1, n)
        rows = []
        for i in range(0, flat.shape[0], 16):
            t = flat[i:i + 16]
            scale = t.abs().amax(dim=1, keepdim=True) / 127.0
            rows.append(torch.round(t / scale).clamp(-127, 127) * scale)
        return torch.cat(rows).reshape(x.shape)
