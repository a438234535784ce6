import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, vocab, dim, segments):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.segments = segments

    @torch.no_grad()
    def forward(self, token, segment, scale):
        w = self.emb.weight
        out = torch.empty(self.segments, w.shape[1])
        seen = set()
        for i, s in enumerate(segment.tolist()):
            r = w[token[i]] * scale[i]
            if s in seen:
                out[s] += r
            else:
                out[s] = r
                seen.add(s)
        return out
