import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, vocab, dim, segments):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.segments = segments

    def forward(self, token, segment, scale):
        w = self.emb.weight
        out = []
        for s in range(self.segments):
            members = torch.nonzero(segment == s).flatten()
            rows = w[token[members]] * scale[members][:, None]
            out.append(rows.sum(dim=0))
        return torch.stack(out)
