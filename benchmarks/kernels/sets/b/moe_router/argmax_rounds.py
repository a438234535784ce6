import torch
import torch.nn as nn

TOKENS = 32


class ModelNew(nn.Module):
    """top_k rounds of argmax per block of tokens; taken experts go to -inf."""

    def __init__(self, hidden, experts, top_k=2, renormalize=True):
        super().__init__()
        self.gate = nn.Linear(hidden, experts, bias=False)
        self.top_k = top_k
        self.renormalize = renormalize

    @torch.no_grad()
    def forward(self, x):
        n, K = x.shape[0], self.top_k
        E = self.gate.weight.shape[0]
        weights = torch.empty(n, K)
        index = torch.empty(n, K, dtype=torch.int64)
        lane = torch.arange(E)
        for t0 in range(0, n, TOKENS):
            t = x[t0:t0 + TOKENS]
            logits = t @ self.gate.weight.t()
            e = torch.exp(logits - logits.amax(1, keepdim=True))
            p = e / e.sum(1, keepdim=True)
            left = p.clone()
            for k in range(K):
                best = left.amax(1, keepdim=True)
                pick = torch.where(left == best, lane, E).amin(1)
                index[t0:t0 + TOKENS, k] = pick
                weights[t0:t0 + TOKENS, k] = best[:, 0]
                left.scatter_(1, pick[:, None], float("-inf"))
        if self.renormalize:
            weights = weights / weights.sum(1, keepdim=True)
        return weights, index
