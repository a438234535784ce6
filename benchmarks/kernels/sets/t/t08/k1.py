"""Ragged batch norm: per-sequence mean and squared deviations, merged pairwise (Chan et al.)."""
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0, dtype=torch.long))

    def forward(self, x, lengths):
        B, C, T = x.shape
        outs = []
        L = lengths.tolist()
        seqs = [x[b, :, :n] for b, n in enumerate(L) if n > 0]
        cnt = sum(L)
        if self.training and cnt > 0:
            stats = []
            for s in seqs:
                mu = s.mean(1)
                stats.append((s.shape[1], mu, ((s - mu[:, None]) ** 2).sum(1)))
            while len(stats) > 1:
                nxt = []
                for i in range(0, len(stats) - 1, 2):
                    (na, ma, qa), (nb, mb, qb) = stats[i], stats[i + 1]
                    d = mb - ma
                    nxt.append((na + nb, ma + d * (nb / (na + nb)), qa + qb + d * d * (na * nb / (na + nb))))
                if len(stats) % 2:
                    nxt.append(stats[-1])
                stats = nxt
            _, mean, m2 = stats[0]
            var = m2 / cnt
            self.num_batches_tracked += 1
            a = self.momentum if self.momentum is not None else 1.0 / self.num_batches_tracked.item()
            self.running_mean = (self.running_mean * (1 - a) + mean.detach() * a)
            self.running_var = (self.running_var * (1 - a) + m2.detach() / max(cnt - 1, 1) * a)
        else:
            mean, var = self.running_mean, self.running_var
        inv = (var + self.eps).rsqrt()
        for b, n in enumerate(L):
            y = (x[b, :, :n] - mean[:, None]) * inv[:, None] * self.weight[:, None] + self.bias[:, None]
            outs.append(torch.nn.functional.pad(y, (0, T - n)))
        return torch.stack(outs)
