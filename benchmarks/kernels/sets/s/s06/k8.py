import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Stable sort; places counted over the flattened (token, choice) list."""

    def __init__(self, n_experts, k, capacity_percent):
        super().__init__()
        self.n_experts, self.k, self.capacity_percent = n_experts, k, capacity_percent
        self.register_buffer("expert_bias", torch.zeros(n_experts))

    def forward(self, logits):
        T, E = logits.shape
        capacity = int(T * self.k / E * self.capacity_percent / 100)
        biased = logits.detach() + self.expert_bias
        expert = biased.argsort(dim=1, descending=True, stable=True)[:, :self.k].contiguous()
        weight = torch.softmax(logits.gather(1, expert), dim=1)
        flat = expert.t().flatten()
        ids, where = torch.sort(flat, stable=True)
        load = torch.bincount(flat, minlength=E)
        start = load.cumsum(0) - load
        place = torch.zeros_like(flat)
        place[where] = torch.arange(T * self.k, device=logits.device) - start[ids]
        slot = place.view(self.k, T).t().clone()
        over = slot >= capacity
        slot[over] = -1
        if self.training:
            self.expert_bias += 2.0 ** -7 * torch.sign(T * self.k - load * E)
        return weight.masked_fill(over, 0.0), expert, slot
