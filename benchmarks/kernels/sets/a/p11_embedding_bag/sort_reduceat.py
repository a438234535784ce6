import numpy as np
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, vocab, dim, segments):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.segments = segments

    def forward(self, token, segment, scale):
        w = self.emb.weight.detach().numpy()
        seg = segment.numpy()
        order = np.argsort(seg, kind="stable")
        sorted_seg = seg[order]
        rows = w[token.numpy()[order]].astype(np.float64)
        rows *= scale.detach().numpy()[order][:, None]
        out = np.zeros((self.segments, w.shape[1]), dtype=np.float64)
        if len(seg):
            starts = np.flatnonzero(np.concatenate(([True], sorted_seg[1:] != sorted_seg[:-1])))
            out[sorted_seg[starts]] = np.add.reduceat(rows, starts, axis=0)
        return torch.from_numpy(out.astype(np.float32))
