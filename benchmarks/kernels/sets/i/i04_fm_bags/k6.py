import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Bag sums as differences of one running sum over all ids: no scatter, no loop."""

    def __init__(self, num_ids, dim, n_fields, n_dense):
        super().__init__()
        self.n_fields = n_fields
        self.emb = nn.EmbeddingBag(num_ids, dim, mode="mean", padding_idx=0, include_last_offset=True)
        self.lin = nn.EmbeddingBag(num_ids, 1, mode="mean", padding_idx=0, include_last_offset=True)
        self.dense_w = nn.Parameter(torch.randn(n_dense) * 0.1)
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, ids, offsets, dense):
        B = dense.shape[0]
        w = torch.cat((self.emb.weight, self.lin.weight), 1)
        live = (ids != 0).to(w.dtype).unsqueeze(1)
        rows = torch.cat((w[ids] * live, live), 1)
        run = F.pad(rows.cumsum(0), (0, 0, 1, 0))
        seg = run[offsets[1:]] - run[offsets[:-1]]
        m = (seg[:, :-1] / seg[:, -1:].clamp(min=1)).view(B, self.n_fields, -1)
        v = m[..., :-1]
        second = 0.5 * (v.sum(1) ** 2 - (v ** 2).sum(1)).sum(-1)
        return m[..., -1].sum(1) + second + dense @ self.dense_w + self.bias
