import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Row-equilibrated banded QR with Givens rotations."""

    def forward(self, dl, d, du, b):
        B, n = d.shape
        inv = 1.0 / d
        sub = dl * inv
        r0 = torch.ones_like(d)
        r1 = du * inv
        r1[:, n - 1] = 0
        r2 = torch.zeros_like(d)
        x = b * inv[..., None]
        for i in range(n - 1):
            p, q = r0[:, i].clone(), sub[:, i + 1]
            h = torch.sqrt(p * p + q * q)
            cs, sn = p / h, q / h
            u, v = r1[:, i].clone(), r0[:, i + 1].clone()
            w = r1[:, i + 1].clone()
            r0[:, i] = h
            r1[:, i] = cs * u + sn * v
            r0[:, i + 1] = cs * v - sn * u
            r2[:, i] = sn * w
            r1[:, i + 1] = cs * w
            y, z = x[:, i].clone(), x[:, i + 1].clone()
            x[:, i] = cs[:, None] * y + sn[:, None] * z
            x[:, i + 1] = cs[:, None] * z - sn[:, None] * y
        x[:, n - 1] /= r0[:, n - 1, None]
        if n > 1:
            x[:, n - 2] = (x[:, n - 2] - r1[:, n - 2, None] * x[:, n - 1]) / r0[:, n - 2, None]
        for i in range(n - 3, -1, -1):
            t = x[:, i] - r1[:, i, None] * x[:, i + 1] - r2[:, i, None] * x[:, i + 2]
            x[:, i] = t / r0[:, i, None]
        return x
