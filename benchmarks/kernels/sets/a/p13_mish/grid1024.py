import torch
import torch.nn as nn

BLOCK = 1024


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    @torch.no_grad()
    def forward(self, x):
        flat = x.contiguous().view(-1)
        out = torch.empty_like(flat)
        for pid in range(flat.numel() // BLOCK):
            sl = slice(pid * BLOCK, (pid + 1) * BLOCK)
            t = flat[sl]
            sp = torch.clamp(t, min=0) + torch.log1p(torch.exp(-t.abs()))
            out[sl] = t * torch.tanh(sp)
        return out.view(x.shape)
