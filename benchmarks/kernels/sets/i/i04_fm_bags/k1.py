import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Segment sums by index_add."""

    def __init__(self, num_ids, dim, n_fields, n_dense):
        super().__init__()
        self.n_fields = n_fields
        self.emb = nn.EmbeddingBag(num_ids, dim, mode="mean", padding_idx=0, include_last_offset=True)
        self.lin = nn.EmbeddingBag(num_ids, 1, mode="mean", padding_idx=0, include_last_offset=True)
        self.dense_w = nn.Parameter(torch.randn(n_dense) * 0.1)
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, ids, offsets, dense):
        B, nb = dense.shape[0], offsets.numel() - 1
        bag = torch.repeat_interleave(torch.arange(nb, device=ids.device), offsets.diff())
        w = torch.cat((self.emb.weight, self.lin.weight), 1)
        w = w * (torch.arange(w.shape[0], device=w.device) > 0).to(w.dtype)[:, None]
        rows = w.index_select(0, ids)
        tot = torch.zeros(nb, w.shape[1], dtype=w.dtype, device=w.device).index_add_(0, bag, rows)
        cnt = offsets.diff().to(w.dtype)
        m = (tot / cnt.clamp_min(1.0)[:, None]).view(B, self.n_fields, -1)
        v, first = m[..., :-1], m[..., -1].sum(1)
        s = v.sum(1)
        second = (s * s - (v * v).sum(1)).sum(-1) / 2
        return first + second + dense @ self.dense_w + self.bias
