import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Ranks from pairwise comparisons; places from a stable sort of the expert ids."""

    def __init__(self, n_experts, k, capacity_percent):
        super().__init__()
        self.n_experts, self.k, self.capacity_percent = n_experts, k, capacity_percent
        self.register_buffer("expert_bias", torch.zeros(n_experts))

    def _rank(self, s):
        idx = torch.arange(s.shape[1], device=s.device)
        rank = torch.empty(s.shape, dtype=torch.int64, device=s.device)
        for e in range(s.shape[1]):
            mine = s[:, e:e + 1]
            rank[:, e] = ((s > mine) | ((s == mine) & (idx < e))).sum(1)
        return rank

    def forward(self, logits):
        T, E = logits.shape
        n = T * self.k
        capacity = -((-n * self.capacity_percent) // (100 * E))
        rank = self._rank(logits.detach() + self.expert_bias)
        inv = torch.empty_like(rank).scatter_(1, rank, torch.arange(E, device=logits.device).expand(T, E))
        expert = inv[:, :self.k].clone()
        chosen = logits.gather(1, expert)
        weight = torch.exp(chosen - torch.logsumexp(chosen, 1, keepdim=True))
        flat = expert.t().reshape(-1)
        ids, where = torch.sort(flat, stable=True)
        first = torch.searchsorted(ids, torch.arange(E, device=logits.device))
        place = torch.empty_like(flat)
        place[where] = torch.arange(n, device=logits.device) - first[ids]
        slot = place.view(self.k, T).t()
        keep = slot < capacity
        if self.training:
            load = torch.bincount(flat, minlength=E)
            self.expert_bias += torch.where(load * E < n, 2.0 ** -7, 0.0)
            self.expert_bias -= torch.where(load * E > n, 2.0 ** -7, 0.0)
        return torch.where(keep, weight, torch.zeros_like(weight)), expert, torch.where(keep, slot, -1)
