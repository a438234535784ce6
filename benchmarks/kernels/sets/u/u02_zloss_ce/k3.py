import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Compacts the positions that count, works on them in float64, adds up per sample."""

    def __init__(self, smoothing, z_coef, ignore_index):
        super().__init__()
        self.smoothing = smoothing
        self.z_coef = z_coef
        self.ignore_index = ignore_index

    def forward(self, logits, target):
        N, C, L = logits.shape
        rows, cols = torch.nonzero(target != self.ignore_index, as_tuple=True)
        l = logits.permute(0, 2, 1)[rows, cols].double()
        y = target[rows, cols]
        logp = torch.log_softmax(l, -1)
        lse = (l - logp)[:, 0] if C == 1 else torch.logsumexp(l, -1)
        nll = -logp.gather(1, y[:, None])[:, 0]
        per = (1 - self.smoothing) * nll - self.smoothing * logp.mean(-1) + self.z_coef * lse ** 2
        out = torch.zeros(N, dtype=torch.float64).index_add(0, rows, per)
        cnt = torch.bincount(rows, minlength=N).clamp(min=1)
        return (out / cnt).to(logits.dtype)
