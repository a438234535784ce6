import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Stable sort for the choice, compact one-hot running counts for the places."""

    def __init__(self, n_experts, k, capacity_percent):
        super().__init__()
        self.n_experts, self.k, self.capacity_percent = n_experts, k, capacity_percent
        self.register_buffer("expert_bias", torch.zeros(n_experts))

    def forward(self, logits):
        T, E = logits.shape
        capacity = -(-T * self.k * self.capacity_percent // (100 * E))
        biased = logits.detach() + self.expert_bias
        expert = biased.argsort(dim=1, descending=True, stable=True)[:, :self.k]
        weight = torch.softmax(logits.gather(1, expert), dim=1)
        flat = expert.t().reshape(-1)
        hot = flat[:, None] == torch.arange(E, device=logits.device)
        counts = torch.cumsum(hot, dim=0, dtype=torch.int16)
        slot = counts.gather(1, flat[:, None]).long().view(self.k, T).t() - 1
        keep = slot < capacity
        if self.training:
            load = hot.sum(0)
            self.expert_bias += 2.0 ** -7 * (T * self.k - load * E).sign()
        return weight * keep, expert.contiguous(), slot.where(keep, torch.tensor(-1, device=slot.device))
