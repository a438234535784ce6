"""Auxiliary-loss-free top-k MoE router with capacity.

logits (T, E) float32, E = n_experts, T >= 1 arbitrary (up to 1e5). Logits come from a
quantised gate: every one is a multiple of 1/64 with magnitude up to 64, so equal scores
are common. Selection uses logits + expert_bias (expert_bias, a persistent buffer, always
holds multiples of 1/128 below 64 in magnitude; it may be loaded from a checkpoint): the k
largest, the lower expert index first among equals, listed in descending order.
Combine weights are the softmax, over the k chosen experts, of the logits without the bias.

Every expert takes at most capacity = ceil(T * k * capacity_percent / (100 * E)) entries.
Places are given out rank by rank: first the first choices of all tokens in token order,
then the second choices, and so on. An entry's slot is its 0-based place in its expert;
entries beyond capacity have slot -1 and weight 0 (the others are not renormalised).

In training mode each call ends by moving the bias: + 2^-7 for experts chosen less often
than the mean (dropped entries count as chosen), - 2^-7 for those chosen more often, 0 at
exactly the mean. In eval mode the bias stays.
Returns weight (T, k) float32, expert (T, k) int64, slot (T, k) int64. Gradients of the
weights with respect to the logits are taken.
"""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n_experts, k, capacity_percent):
        super().__init__()
        self.n_experts = n_experts
        self.k = k
        self.capacity_percent = capacity_percent
        self.register_buffer("expert_bias", torch.zeros(n_experts))

    def forward(self, logits):
        T, E = logits.shape
        k = self.k
        capacity = -(-T * k * self.capacity_percent // (100 * E))
        order = torch.sort(logits.detach() + self.expert_bias, dim=1, descending=True, stable=True)[1]
        expert = order[:, :k].contiguous()
        weight = torch.softmax(logits.gather(1, expert), dim=1)
        flat = expert.t().reshape(-1)
        place = (torch.nn.functional.one_hot(flat, E).cumsum(0) - 1).gather(1, flat[:, None])
        slot = place.reshape(k, T).t()
        keep = slot < capacity
        weight = weight * keep
        slot = torch.where(keep, slot, torch.full_like(slot, -1))
        if self.training:
            load = torch.bincount(flat, minlength=E)
            self.expert_bias += 2.0 ** -7 * torch.sign(T * k - load * E)
        return weight, expert, slot


tokens = 128
n_experts = 16
k = 4
capacity_percent = 200


def get_inputs():
    ranks = torch.rand(tokens, n_experts).argsort(dim=1)
    return [(ranks - n_experts // 2).float() / 4]


def get_init_inputs():
    return [n_experts, k, capacity_percent]
