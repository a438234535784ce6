import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Factorisation machine over multi-valued fields (click prediction), logits out.

    ids: (N,) concatenated ids of all bags, 0 is the padding id; offsets: (B * F + 1,) start of
    every bag and the end of the last; bag b * F + f belongs to field f of sample b. A bag may be
    empty. Dense features (B, D) enter linearly. Training: gradients to all parameters and dense.
    """

    def __init__(self, num_ids, dim, n_fields, n_dense):
        super().__init__()
        self.n_fields = n_fields
        self.emb = nn.EmbeddingBag(num_ids, dim, mode="mean", padding_idx=0, include_last_offset=True)
        self.lin = nn.EmbeddingBag(num_ids, 1, mode="mean", padding_idx=0, include_last_offset=True)
        self.dense_w = nn.Parameter(torch.randn(n_dense) * 0.1)
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, ids, offsets, dense):
        v = self.emb(ids, offsets).view(dense.shape[0], self.n_fields, -1)
        first = self.lin(ids, offsets).view(dense.shape[0], self.n_fields).sum(1)
        second = 0.5 * (v.sum(1).square() - v.square().sum(1)).sum(-1)
        return first + second + dense @ self.dense_w + self.bias


B = 32
F_FIELDS = 6
NUM_IDS = 2000
DIM = 16
N_DENSE = 8
MAX_BAG = 6


def get_inputs():
    sizes = torch.randint(1, MAX_BAG + 1, (B * F_FIELDS,))
    offsets = F.pad(sizes.cumsum(0), (1, 0))
    ids = torch.randint(1, NUM_IDS, (int(offsets[-1]),))
    return [ids, offsets, torch.rand(B, N_DENSE)]


def get_init_inputs():
    return [NUM_IDS, DIM, F_FIELDS, N_DENSE]
