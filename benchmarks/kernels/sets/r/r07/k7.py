import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Mask arithmetic instead of selects: every update is blended with a 0/1 weight."""

    def __init__(self, num_tags: int):
        super().__init__()
        self.transitions = nn.Parameter(torch.randn(num_tags, num_tags) * 0.3)
        self.start = nn.Parameter(torch.randn(num_tags) * 0.3)
        self.end = nn.Parameter(torch.randn(num_tags) * 0.3)

    def forward(self, emissions, tags, mask):
        B, T, K = emissions.shape
        w = mask.to(emissions.dtype)
        tg = tags.clamp(0, K - 1)
        gold = emissions.gather(2, tg[..., None])[..., 0]
        score = (gold * w).sum(1) + self.start[tg[:, 0]]
        score = score + (self.transitions[tg[:, :-1], tg[:, 1:]] * w[:, 1:]).sum(1)
        alpha = self.start + emissions[:, 0]
        for t in range(1, T):
            nxt = torch.logsumexp(alpha[:, :, None] + self.transitions, 1) + emissions[:, t]
            wt = w[:, t:t + 1]
            alpha = wt * nxt + (1.0 - wt) * alpha
        last = tg.gather(1, mask.sum(1, keepdim=True) - 1)[:, 0]
        return (torch.logsumexp(alpha + self.end, 1) - score - self.end[last]).mean()
