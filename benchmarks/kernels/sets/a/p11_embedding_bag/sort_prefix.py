import numpy as np
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, vocab, dim, segments):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.segments = segments

    def forward(self, token, segment, scale):
        w = self.emb.weight.detach().numpy().astype(np.float64)
        seg = segment.numpy()
        order = np.argsort(seg, kind="stable")
        rows = w[token.numpy()[order]] * scale.detach().numpy().astype(np.float64)[order][:, None]
        prefix = np.zeros((rows.shape[0] + 1, rows.shape[1]))
        np.cumsum(rows, axis=0, out=prefix[1:])
        ends = np.searchsorted(seg[order], np.arange(self.segments), side="right")
        starts = np.searchsorted(seg[order], np.arange(self.segments), side="left")
        return torch.from_numpy((prefix[ends] - prefix[starts]).astype(np.float32))
