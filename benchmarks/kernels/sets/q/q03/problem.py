import torch
import torch.nn as nn
import torch.nn.functional as F

TOKENS = 64
DIM = 16
HIDDEN = 24
EXPERTS = 8
TOP_K = 2


class Model(nn.Module):
    """Dropless top-k mixture of experts with a load-balance loss.

    forward(x, valid):
      x      float32, (N, dim), finite; N >= 1 is arbitrary
      valid  bool, (N,), any pattern (also all True or all False)
    1 <= top_k <= num_experts. The router logits of a token are pairwise distinct. Any routing may occur: all
    tokens may choose the same expert, and an expert may get no token.
      p = softmax(x @ gate^T); the top_k experts of a token get its top_k probabilities, renormalised to sum 1
      y = sum over those experts of weight * (gelu(x @ w1[e] + b1[e]) @ w2[e])     (exact, erf-based gelu)
    Rows of y whose token is not valid are zero.
      aux = num_experts * sum_e f_e P_e,  f_e the share of the (valid token, slot) pairs that went to expert e,
      P_e the mean of p[:, e] over the valid tokens; aux = 0 if no token is valid.
    Returns (y (N, dim), aux (scalar)). Differentiable in x and in all parameters (f_e counts as a constant).
    """

    def __init__(self, dim, hidden, num_experts, top_k):
        super().__init__()
        self.num_experts = num_experts
        self.top_k = top_k
        self.gate = nn.Parameter(torch.randn(num_experts, dim) / dim**0.5)
        self.w1 = nn.Parameter(torch.randn(num_experts, dim, hidden) / dim**0.5)
        self.b1 = nn.Parameter(torch.zeros(num_experts, hidden))
        self.w2 = nn.Parameter(torch.randn(num_experts, hidden, dim) / hidden**0.5)

    def forward(self, x, valid):
        E, k = self.num_experts, self.top_k
        p = torch.softmax(x @ self.gate.t(), dim=-1)
        top, idx = p.topk(k, dim=-1)
        w = top / top.sum(-1, keepdim=True)
        w = w * valid[:, None]
        y = torch.zeros_like(x)
        for e in range(E):
            we = (w * (idx == e)).sum(-1, keepdim=True)
            h = F.gelu(x @ self.w1[e] + self.b1[e])
            y = y + we * (h @ self.w2[e])
        n = valid.sum()
        if n == 0:
            return y, (p * 0).sum()
        f = torch.bincount(idx[valid].flatten(), minlength=E).to(x.dtype) / (n * k)
        aux = E * (f * p[valid].mean(0)).sum()
        return y, aux


def get_inputs():
    return [torch.randn(TOKENS, DIM), torch.ones(TOKENS, dtype=torch.bool)]


def get_init_inputs():
    return [DIM, HIDDEN, EXPERTS, TOP_K]
