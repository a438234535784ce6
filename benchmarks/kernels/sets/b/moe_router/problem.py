import torch
import torch.nn as nn


class Model(nn.Module):
    """Top-k routing of a mixture of experts; inference only (no gradients).

    x: float32 (tokens, hidden), finite, may hold all-zero rows (padding).
    Returns (weights float32 (tokens, top_k), experts int64 (tokens, top_k)): the softmax over
    all experts, its top_k largest in descending order; equal probabilities go to the lower
    expert index first. renormalize: the kept weights of a token are divided by their sum.
    Any hidden >= 1, 1 <= top_k <= experts; logits magnitude up to 1e4.
    """

    def __init__(self, hidden, experts, top_k=2, renormalize=True):
        super().__init__()
        self.gate = nn.Linear(hidden, experts, bias=False)
        self.top_k = top_k
        self.renormalize = renormalize

    def forward(self, x):
        probs = torch.softmax(self.gate(x), dim=-1)
        vals, idx = torch.sort(probs, dim=-1, descending=True, stable=True)
        vals, idx = vals[:, :self.top_k], idx[:, :self.top_k]
        if self.renormalize:
            vals = vals / vals.sum(dim=-1, keepdim=True)
        return vals.contiguous(), idx.contiguous()


tokens, hidden, experts = 200, 64, 16


def get_inputs():
    return [torch.randn(tokens, hidden)]


def get_init_inputs():
    return [hidden, experts]
