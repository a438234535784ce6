import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Stable sort, places by a running count in token order."""

    def __init__(self, n_experts, k, capacity_percent):
        super().__init__()
        self.n_experts, self.k, self.capacity_percent = n_experts, k, capacity_percent
        self.register_buffer("expert_bias", torch.zeros(n_experts))

    @torch.no_grad()
    def _balance(self, load, total):
        self.expert_bias.add_(torch.sign(total - load * self.n_experts).float(), alpha=2.0 ** -7)

    def forward(self, logits):
        T, E = logits.shape
        capacity = -(-T * self.k * self.capacity_percent // (100 * E))
        biased = logits.detach() + self.expert_bias
        expert = biased.argsort(dim=1, descending=True, stable=True)[:, :self.k].contiguous()
        weight = torch.softmax(logits.gather(1, expert), dim=1)
        flat = expert.t().reshape(-1)
        hot = torch.nn.functional.one_hot(flat, E)
        slot = (hot.cumsum(0).gather(1, flat[:, None]) - 1).reshape(self.k, T).t()
        keep = slot < capacity
        self._balance(hot.sum(0), T * self.k)
        return weight * keep, expert, torch.where(keep, slot, torch.full_like(slot, -1))
