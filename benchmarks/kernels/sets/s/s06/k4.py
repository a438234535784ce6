import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """k rounds of argmax with the winner struck out."""

    def __init__(self, n_experts, k, capacity_percent):
        super().__init__()
        self.n_experts, self.k, self.capacity_percent = n_experts, k, capacity_percent
        self.register_buffer("expert_bias", torch.zeros(n_experts))

    def forward(self, logits):
        T, E = logits.shape
        capacity = -(-T * self.k * self.capacity_percent // (100 * E))
        s = logits.detach() + self.expert_bias
        lane = torch.arange(E, device=logits.device)
        used = torch.zeros(E, dtype=torch.int64, device=logits.device)
        experts, slots = [], []
        for _ in range(self.k):
            best = s.amax(1, keepdim=True)
            win = torch.where(s == best, lane, E).amin(1)
            hot = lane == win[:, None]
            s = s.masked_fill(hot, float("-inf"))
            running = hot.long().cumsum(0) + used
            slots.append(running.gather(1, win[:, None]).squeeze(1) - 1)
            used = running[-1]
            experts.append(win)
        expert, slot = torch.stack(experts, 1), torch.stack(slots, 1)
        keep = slot < capacity
        z = logits.gather(1, expert)
        z = torch.exp(z - z.detach().amax(1, keepdim=True))
        weight = z / z.sum(1, keepdim=True) * keep
        if self.training:
            diff = T * self.k - used * E
            self.expert_bias.copy_(self.expert_bias + ((diff > 0).float() - (diff < 0).float()) / 128)
        return weight, expert, torch.where(keep, slot, torch.full_like(slot, -1))
