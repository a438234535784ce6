import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):

    def __init__(self, hidden_size: int, ffn_size: int, num_experts: int, top_k: int, routed_scaling: float):
        super().__init__()
        self.top_k = top_k
        self.routed_scaling = routed_scaling
        self.gate = nn.Linear(hidden_size, num_experts, bias=False)
        self.register_buffer("expert_bias", torch.zeros(num_experts))
        self.w_gate = nn.Parameter(torch.randn(num_experts, hidden_size, ffn_size) * hidden_size ** -0.5)
        self.w_up = nn.Parameter(torch.randn(num_experts, hidden_size, ffn_size) * hidden_size ** -0.5)
        self.w_down = nn.Parameter(torch.randn(num_experts, ffn_size, hidden_size) * ffn_size ** -0.5)

    @torch.no_grad()
    def _route(self, t):
        """Discrete choice, hence no graph."""
        scores = torch.sigmoid(self.gate(t))
        chosen = torch.topk(scores + self.expert_bias, self.top_k, dim=-1).indices
        weights = scores.gather(1, chosen)
        weights = weights / (weights.sum(-1, keepdim=True) + 1e-20) * self.routed_scaling
        return chosen, weights

    def forward(self, x):
        t = x.flatten(0, 1)
        chosen, weights = self._route(t)
        out = torch.zeros_like(t)
        for e in chosen.unique().tolist():
            token, slot = (chosen == e).nonzero(as_tuple=True)
            rows = t[token]
            h = F.silu(torch.mm(rows, self.w_gate[e])) * torch.mm(rows, self.w_up[e])
            out.index_add_(0, token, torch.mm(h, self.w_down[e]) * weights[token, slot, None])
        return out.view_as(x)
