import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, vocab, dim, segments):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.segments = segments

    @torch.no_grad()
    def forward(self, token, segment, scale):
        rows = self.emb.weight[token] * scale[:, None]
        out = torch.zeros(self.segments, rows.shape[1])
        for i in range(0, token.shape[0], 128):
            out[segment[i:i + 128]] += rows[i:i + 128]
        return out
