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

    def forward(self, x):
        D = x.shape[-1]
        t = x.reshape(-1, D)
        scores = torch.sigmoid(self.gate(t))
        chosen = torch.topk(scores + self.expert_bias, self.top_k, dim=-1).indices
        w = scores.gather(1, chosen)
        w = w / (w.sum(-1, keepdim=True) + 1e-20) * self.routed_scaling

        # sort the (token, slot) pairs by expert and run contiguous groups
        order = torch.argsort(chosen.reshape(-1), stable=True)
        token = order // self.top_k
        bounds = torch.bincount(chosen.reshape(-1), minlength=self.w_gate.shape[0]).cumsum(0).tolist()
        grouped = t[token]
        ys, lo = [], 0
        for e, hi in enumerate(bounds):
            seg = grouped[lo:hi]
            ys.append((F.silu(seg @ self.w_gate[e]) * (seg @ self.w_up[e])) @ self.w_down[e])
            lo = hi
        y = torch.cat(ys) * w.reshape(-1)[order, None]
        out = torch.zeros_like(t)
        out[token] += y
        return out.view(x.shape)
