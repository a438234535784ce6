"""Ragged attention pooling: softmax-weighted mean of the rows of each segment.

x (N, D) float32, score (N, H) float32, offsets (B + 1,) int32 or int64, non-decreasing,
0 <= offsets[0], offsets[B] <= N. Segment b owns rows offsets[b] .. offsets[b + 1] - 1.
Rows before offsets[0] or from offsets[B] on belong to no segment and must not matter
(they get zero gradient). Segments may be empty. N, D, H, B >= 1 are arbitrary.

Scores are finite with magnitude up to 1e4, or -inf for a masked-out row; x is finite.
Where a segment is empty, or a head has only -inf scores in it, the pooled row is zero,
and the gradients from it are zero too.
Returns (B, H, D). Gradients with respect to x and score are taken.
"""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, score, offsets):
        out = []
        bounds = offsets.tolist()
        for lo, hi in zip(bounds[:-1], bounds[1:]):
            if hi == lo:
                out.append(x.new_zeros(score.shape[1], x.shape[1]))
                continue
            s = score[lo:hi]
            m = s.detach().amax(0)
            m = torch.where(torch.isneginf(m), torch.zeros_like(m), m)
            e = torch.exp(s - m)
            den = e.sum(0)
            w = e / torch.where(den == 0, torch.ones_like(den), den)
            out.append(w.t() @ x[lo:hi])
        return torch.stack(out)


segments = 24
heads = 4
dim = 32


def get_inputs():
    lengths = torch.randint(1, 40, (segments,))
    offsets = torch.cat([torch.zeros(1, dtype=torch.int64), lengths.cumsum(0)])
    n = int(offsets[-1])
    return [torch.randn(n, dim), torch.randn(n, heads), offsets]


def get_init_inputs():
    return []
