import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, num_tags: int):
        super().__init__()
        self.transitions = nn.Parameter(torch.randn(num_tags, num_tags))
        self.start = nn.Parameter(torch.zeros(num_tags))
        self.end = nn.Parameter(torch.zeros(num_tags))

    @torch.no_grad()
    def forward(self, emissions, lengths):
        B, T, K = emissions.shape
        score = self.start + emissions[:, 0]
        bp = torch.empty(T, B, K, dtype=torch.int64)
        for t in range(1, T):
            cand = score.unsqueeze(2) + self.transitions
            idx = cand.argmax(dim=1)
            best = cand.gather(1, idx.unsqueeze(1)).squeeze(1)
            bp[t] = idx
            score = torch.where((t < lengths).unsqueeze(1), best + emissions[:, t], score)
        score = score + self.end
        tag = score.argmax(dim=1)
        final = score.gather(1, tag.unsqueeze(1)).squeeze(1)
        paths = torch.full((B, T), -1, dtype=torch.int64)
        for t in range(T - 1, -1, -1):
            active = t < lengths
            paths[:, t] = torch.where(active, tag, paths[:, t])
            if t > 0:
                prev = bp[t].gather(1, tag.unsqueeze(1)).squeeze(1)
                tag = torch.where(active, prev, tag)
        return paths, final
