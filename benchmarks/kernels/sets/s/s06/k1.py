import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Selection by torch.topk on the biased scores; places by a running count."""

    def __init__(self, n_experts, k, capacity_percent):
        super().__init__()
        self.n_experts, self.k, self.capacity_percent = n_experts, k, capacity_percent
        self.register_buffer("expert_bias", torch.zeros(n_experts))

    def forward(self, logits):
        T, E = logits.shape
        capacity = (T * self.k * self.capacity_percent + 100 * E - 1) // (100 * E)
        expert = torch.topk(logits.detach() + self.expert_bias, self.k, dim=1, sorted=True).indices
        weight = logits.gather(1, expert).softmax(1)
        flat = expert.t().reshape(-1)
        hot = torch.zeros(flat.numel(), E, dtype=torch.int64, device=logits.device)
        hot.scatter_(1, flat[:, None], 1)
        slot = (hot.cumsum(0).gather(1, flat[:, None]) - 1).view(self.k, T).t()
        over = slot >= capacity
        if self.training:
            load = hot.sum(0)
            self.expert_bias.add_(torch.sign(T * self.k - load * E), alpha=2.0 ** -7)
        return weight.masked_fill(over, 0.0), expert, slot.masked_fill(over, -1)
