import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """One sort gives both the chosen experts and the values for their softmax."""

    def __init__(self, n_experts, k, capacity_percent):
        super().__init__()
        self.n_experts, self.k, self.capacity_percent = n_experts, k, capacity_percent
        self.register_buffer("expert_bias", torch.zeros(n_experts))

    def forward(self, logits):
        T, E = logits.shape
        capacity = -(-T * self.k * self.capacity_percent // (100 * E))
        values, order = torch.sort(logits + self.expert_bias, dim=1, descending=True, stable=True)
        expert = order[:, :self.k].contiguous()
        weight = torch.softmax(values[:, :self.k], dim=1)
        flat = expert.t().reshape(-1)
        hot = torch.nn.functional.one_hot(flat, E)
        slot = (hot.cumsum(0).gather(1, flat[:, None]) - 1).reshape(self.k, T).t()
        keep = slot < capacity
        if self.training:
            self.expert_bias += 2.0 ** -7 * torch.sign(T * self.k - hot.sum(0) * E)
        return weight * keep, expert, torch.where(keep, slot, torch.full_like(slot, -1))
