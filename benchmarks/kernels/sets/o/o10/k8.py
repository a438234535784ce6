import torch
import torch.nn as nn
import numpy as np
from numba import njit


@njit
def _filter(x, out, temperature, k, top_p):
    B, V = x.shape
    for b in range(B):
        order = np.argsort(-x[b], kind="mergesort")  # stable
        top = np.float64(x[b, order[0]])
        total = 0.0
        for r in range(k):
            total += np.exp((np.float64(x[b, order[r]]) - top) / temperature)
        mass = 0.0
        kept = 0
        for r in range(k):
            if r > 0 and not mass < top_p * total:
                break
            mass += np.exp((np.float64(x[b, order[r]]) - top) / temperature)
            kept += 1
        for r in range(kept):
            out[b, order[r]] = np.exp((np.float64(x[b, order[r]]) - top) / temperature) / mass


class ModelNew(nn.Module):
    """Row by row in a compiled loop: one sort, then a scan that stops where the nucleus is full."""

    def __init__(self, temperature: float, top_k: int, top_p: float):
        super().__init__()
        self.temperature = temperature
        self.top_k = top_k
        self.top_p = top_p

    @torch.no_grad()
    def forward(self, logits):
        x = logits.detach().contiguous().numpy()
        out = np.zeros_like(x)
        k = x.shape[1] if self.top_k <= 0 else min(self.top_k, x.shape[1])
        _filter(x, out, self.temperature, k, self.top_p)
        return torch.from_numpy(out)
