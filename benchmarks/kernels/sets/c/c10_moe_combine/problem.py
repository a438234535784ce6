import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Top-k mixture of experts with renormalised routing weights."""

    def __init__(self, dim, hidden, n_experts, top_k):
        super().__init__()
        self.top_k = top_k
        self.gate = nn.Linear(dim, n_experts, bias=False)
        self.w1 = nn.Parameter(torch.randn(n_experts, dim, hidden) * dim ** -0.5)
        self.w2 = nn.Parameter(torch.randn(n_experts, hidden, dim) * hidden ** -0.5)

    def forward(self, x):
        probs = F.softmax(self.gate(x), dim=-1)
        weight, idx = probs.topk(self.top_k, dim=-1)
        weight = weight / weight.sum(dim=-1, keepdim=True)
        out = torch.zeros_like(x)
        for e in range(self.w1.shape[0]):
            tok, slot = torch.where(idx == e)
            h = F.silu(x[tok] @ self.w1[e]) @ self.w2[e]
            out = out.index_add(0, tok, h * weight[tok, slot].unsqueeze(-1))
        return out


TOKENS = 128
DIM = 48
HIDDEN = 64
N_EXPERTS = 6
TOP_K = 2


def get_inputs():
    return [torch.randn(TOKENS, DIM)]


def get_init_inputs():
    return [DIM, HIDDEN, N_EXPERTS, TOP_K]
