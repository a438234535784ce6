import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Reduces each run of equal segment ids."""

    def __init__(self, vocab, dim, segments):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.segments = segments

    @torch.no_grad()
    def forward(self, token, segment, scale):
        ids, counts = torch.unique_consecutive(segment, return_counts=True)
        ends = counts.cumsum(0).tolist()
        out = torch.zeros(self.segments, self.emb.weight.shape[1])
        lo = 0
        for s, hi in zip(ids.tolist(), ends):
            rows = self.emb.weight[token[lo:hi]] * scale[lo:hi, None]
            out[s] = rows.sum(0)
            lo = hi
        return out
