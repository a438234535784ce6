import numpy as np
import torch
import torch.nn as nn
from numba import njit


@njit
def _slope(a, b):
    if a > 0.0 and b > 0.0:
        return min(a, b)
    if a < 0.0 and b < 0.0:
        return max(a, b)
    return 0.0


@njit
def _flux(c, um, u0, u1, u2):
    """Flux through the face between u0 and u1."""
    if c >= 0.0:
        return c * (u0 + 0.5 * (1.0 - c) * _slope(u0 - um, u1 - u0))
    return c * (u1 - 0.5 * (1.0 + c) * _slope(u1 - u0, u2 - u1))


@njit
def _run(bufs, c, steps):
    B, N = bufs.shape[1:]
    cur = 0
    for _ in range(steps):
        src, dst = bufs[cur], bufs[1 - cur]
        for b in range(B):
            u = src[b]
            prev = _flux(c[N - 1], u[N - 2], u[N - 1], u[0], u[1])
            for i in range(N):
                f = _flux(c[i], u[i - 1], u[i], u[(i + 1) % N], u[(i + 2) % N])
                dst[b, i] = u[i] - (f - prev)
                prev = f
        cur = 1 - cur
    return cur

class ModelNew(nn.Module):
    """Ping-pong buffers, every face flux computed once."""

    def __init__(self, ratio, n_steps):
        super().__init__()
        self.ratio, self.n_steps = ratio, n_steps

    @torch.no_grad()
    def forward(self, u, vel):
        bufs = np.empty((2,) + tuple(u.shape), np.float32)
        bufs[0] = u.detach().cpu().numpy()
        c = vel.detach().cpu().numpy().astype(np.float32) * self.ratio
        cur = _run(bufs, c, self.n_steps)
        return torch.from_numpy(bufs[cur].copy()).to(u)
