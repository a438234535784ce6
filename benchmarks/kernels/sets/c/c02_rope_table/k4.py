import numpy as np
import torch
import torch.nn as nn

TOK = 40


def _rope_kernel(x, cos, sin, half):
    out = x.copy()
    n = x.shape[0]
    for s in range(0, n, TOK):
        e = min(n, s + TOK)
        a = x[s:e, :, :half].astype(np.float64)
        b = x[s:e, :, half:2 * half].astype(np.float64)
        c = cos[s:e, None, :]
        d = sin[s:e, None, :]
        out[s:e, :, :half] = a * c - b * d
        out[s:e, :, half:2 * half] = b * c + a * d
    return out


class ModelNew(nn.Module):
    def __init__(self, rotary_dim, max_pos, base):
        super().__init__()
        self.rotary_dim = rotary_dim
        inv = 1.0 / (base ** (torch.arange(0, rotary_dim, 2).float() / rotary_dim))
        ang = torch.outer(torch.arange(max_pos).float(), inv)
        self.register_buffer("cos_table", ang.cos())
        self.register_buffer("sin_table", ang.sin())

    @torch.no_grad()
    def forward(self, q, k, positions):
        p = positions.reshape(-1).numpy()
        c = self.cos_table.double().numpy()[p]
        s = self.sin_table.double().numpy()[p]
        half = self.rotary_dim // 2
        res = []
        for x in (q, k):
            flat = x.detach().reshape(-1, x.shape[2], x.shape[3]).numpy()
            res.append(torch.from_numpy(_rope_kernel(flat, c, s, half)).view(x.shape))
        return res[0], res[1]
