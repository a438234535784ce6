import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """
    Mixture of SwiGLU experts with sigmoid scores and bias-corrected top-k routing (DeepSeek-V3 style).

    The experts are chosen by score + expert_bias (the load-balancing bias); the mixing weights are the
    plain scores of the chosen experts, normalised to one and multiplied by routed_scaling. No token is dropped.
    """

    def __init__(self, hidden_size: int, ffn_size: int, num_experts: int, top_k: int, routed_scaling: float):
        super(Model, self).__init__()
        self.top_k = top_k
        self.routed_scaling = routed_scaling
        self.gate = nn.Linear(hidden_size, num_experts, bias=False)
        self.register_buffer("expert_bias", torch.zeros(num_experts))
        self.w_gate = nn.Parameter(torch.randn(num_experts, hidden_size, ffn_size) * hidden_size ** -0.5)
        self.w_up = nn.Parameter(torch.randn(num_experts, hidden_size, ffn_size) * hidden_size ** -0.5)
        self.w_down = nn.Parameter(torch.randn(num_experts, ffn_size, hidden_size) * ffn_size ** -0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """
        Args:
            x (torch.Tensor): (batch, T, hidden_size) float32.
        Returns:
            torch.Tensor: (batch, T, hidden_size).
        """
        t = x.reshape(-1, x.shape[-1])
        scores = torch.sigmoid(self.gate(t))
        chosen = torch.topk(scores + self.expert_bias, self.top_k, dim=-1).indices
        weights = scores.gather(1, chosen)
        weights = weights / (weights.sum(-1, keepdim=True) + 1e-20) * self.routed_scaling
        out = torch.zeros_like(t)
        for e in range(self.w_gate.shape[0]):
            token, slot = torch.where(chosen == e)
            h = F.silu(t[token] @ self.w_gate[e]) * (t[token] @ self.w_up[e])
            out = out.index_add(0, token, (h @ self.w_down[e]) * weights[token, slot].unsqueeze(-1))
        return out.view(x.shape)


batch_size = 2
seq_len = 48
hidden_size = 32
ffn_size = 48
num_experts = 8
top_k = 2
routed_scaling = 2.5


def get_inputs():
    return [torch.randn(batch_size, seq_len, hidden_size)]


def get_init_inputs():
    return [hidden_size, ffn_size, num_experts, top_k, routed_scaling]
