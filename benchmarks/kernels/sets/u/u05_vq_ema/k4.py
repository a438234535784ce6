import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Tiles of tokens, distances accumulated over slices of the dimension."""

    def __init__(self, dim, num_codes, decay, eps):
        super().__init__()
        self.decay = decay
        self.eps = eps
        embed = torch.randn(num_codes, dim)
        self.register_buffer("embed", embed)
        self.register_buffer("cluster_size", torch.ones(num_codes))
        self.register_buffer("embed_sum", embed.clone())

    def forward(self, z):
        D = z.shape[-1]
        with torch.no_grad():
            flat = z.reshape(-1, D)
            K = self.embed.shape[0]
            picks = []
            for rows in flat.split(48):
                d = torch.zeros(rows.shape[0], K, dtype=torch.float64)
                for s in range(0, D, 8):
                    d += (rows[:, None, s:s + 8] - self.embed[:, s:s + 8]).double().pow(2).sum(-1)
                picks.append(torch.sort(d, dim=1, stable=True).indices[:, 0])
            idx = torch.cat(picks)
            q = self.embed[idx].view(z.shape)
            delta = q - z
            if self.training:
                order = torch.argsort(idx, stable=True)
                cnt = torch.bincount(idx, minlength=K)
                ends = cnt.cumsum(0).tolist()
                sorted_rows = flat[order]
                lo = 0
                for j, hi in enumerate(ends):
                    self.embed_sum[j] = self.decay * self.embed_sum[j] + (1 - self.decay) * sorted_rows[lo:hi].sum(0)
                    lo = hi
                self.cluster_size.copy_(self.decay * self.cluster_size + (1 - self.decay) * cnt)
                n = self.cluster_size.sum()
                size = (self.cluster_size + self.eps) / (n + K * self.eps) * n
                self.embed.copy_(self.embed_sum / size[:, None])
        return z + delta, idx.view(z.shape[:-1])
