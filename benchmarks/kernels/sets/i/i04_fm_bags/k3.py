import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """One EmbeddingBag lookup for both tables; explicit field pairs."""

    def __init__(self, num_ids, dim, n_fields, n_dense):
        super().__init__()
        self.n_fields = n_fields
        self.emb = nn.EmbeddingBag(num_ids, dim, mode="mean", padding_idx=0, include_last_offset=True)
        self.lin = nn.EmbeddingBag(num_ids, 1, mode="mean", padding_idx=0, include_last_offset=True)
        self.dense_w = nn.Parameter(torch.randn(n_dense) * 0.1)
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, ids, offsets, dense):
        w = torch.cat((self.emb.weight, self.lin.weight), 1)
        bags = F.embedding_bag(ids, w, offsets, mode="mean", padding_idx=0, include_last_offset=True)
        bags = bags.view(dense.shape[0], self.n_fields, -1)
        v = bags[..., :-1]
        gram = v @ v.transpose(1, 2)
        i, j = torch.triu_indices(self.n_fields, self.n_fields, 1, device=ids.device)
        return gram[:, i, j].sum(1) + bags[..., -1].sum(1) + torch.mv(dense, self.dense_w)
