import numpy as np
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Row by row in NumPy."""

    def __init__(self, min_keep=1):
        super().__init__()
        self.min_keep = min_keep

    @torch.no_grad()
    def forward(self, logits, temperature, top_k, top_p):
        x = (logits / temperature[:, None]).cpu().numpy()
        ks, ps = top_k.tolist(), top_p.tolist()
        out = np.full_like(x, -np.inf)
        counts = np.zeros(x.shape[0], dtype=np.int64)
        V = x.shape[1]
        for r in range(x.shape[0]):
            row = x[r]
            order = np.argsort(-row, kind="stable")
            k = V if ks[r] <= 0 else min(ks[r], V)
            k = max(k, min(self.min_keep, V))
            live = row[order] >= row[order[k - 1]]
            cand = order[live]
            e = np.exp(row[cand].astype(np.float64) - float(row[cand[0]]))
            prob = e / e.sum()
            if ps[r] >= 1.0:
                n = cand.size
            else:
                before = np.concatenate(([0.0], np.cumsum(prob)[:-1]))
                n = max(int((before < ps[r]).sum()), min(self.min_keep, cand.size))
            pick = cand[:n]
            out[r, pick] = row[pick]
            counts[r] = int((row[pick] > -np.inf).sum())
        return torch.from_numpy(out), torch.from_numpy(counts)
