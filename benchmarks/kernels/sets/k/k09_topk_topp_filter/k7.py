import torch
import torch.nn as nn

BLOCK = 250


class ModelNew(nn.Module):
    """Sort-free: each token compares itself with all others to get its rank and the mass before."""

    def __init__(self, min_keep=1):
        super().__init__()
        self.min_keep = min_keep

    def _ahead(self, row, lo, hi):
        v = row[lo:hi, None]
        idx = torch.arange(row.numel(), device=row.device)
        return (row[None, :] > v) | ((row[None, :] == v) & (idx[None, :] < idx[lo:hi, None]))

    @torch.no_grad()
    def forward(self, logits, temperature, top_k, top_p):
        x = logits / temperature[:, None]
        V = x.shape[1]
        out = torch.full_like(x, float("-inf"))
        for b in range(x.shape[0]):
            row = x[b]
            k = int(top_k[b])
            k = V if k <= 0 else min(k, V)
            k = max(k, min(self.min_keep, V))
            blocks = [(i, min(i + BLOCK, V)) for i in range(0, V, BLOCK)]
            above = torch.cat([(row[None, :] > row[i:j, None]).sum(1) for i, j in blocks])
            live = above < k
            e = torch.exp(row.double() - row.max().double()).masked_fill(~live, 0.0)
            e = e / e.sum()
            for i, j in blocks:
                ahead = self._ahead(row, i, j)
                rank = ahead.sum(1)
                before = torch.where(ahead, e[None, :], 0.0).sum(1)
                keep = before < top_p[b].double()
                if float(top_p[b]) >= 1.0:
                    keep = torch.ones_like(keep)
                keep = (keep | (rank < self.min_keep)) & live[i:j]
                out[b, i:j] = torch.where(keep, row[i:j], out[b, i:j])
        return out, (out != float("-inf")).sum(1)
