import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, vocab, dim, segments):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.segments = segments

    def forward(self, token, segment, scale):
        w = self.emb.weight
        vocab = w.shape[0]
        hist = torch.bincount(segment * vocab + token, minlength=self.segments * vocab)
        return hist.view(self.segments, vocab).to(w.dtype) @ w
