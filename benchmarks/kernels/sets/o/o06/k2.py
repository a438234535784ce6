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

    def route(self, t):
        # one tensor of biased scores serves for the choice and for the weights
        scores = torch.sigmoid(F.linear(t, self.gate.weight)) + self.expert_bias
        top, chosen = torch.topk(scores, self.top_k, dim=-1)
        top = top / (top.sum(dim=-1, keepdim=True) + 1e-20)
        return top * self.routed_scaling, chosen

    def forward(self, x):
        t = x.reshape(-1, x.size(-1))
        weights, chosen = self.route(t)
        combine = torch.zeros(t.size(0), self.w_gate.size(0), device=x.device).scatter(1, chosen, weights)
        out = torch.zeros_like(t)
        for e in range(self.w_gate.size(0)):
            rows = torch.nonzero(combine[:, e]).squeeze(-1)
            h = t.index_select(0, rows)
            h = F.silu(h @ self.w_gate[e]) * (h @ self.w_up[e])
            out = out.index_add(0, rows, (h @ self.w_down[e]) * combine[rows, e, None])
        return out.reshape(x.shape)
