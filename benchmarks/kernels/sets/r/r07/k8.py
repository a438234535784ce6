import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Alpha recursion with the transition matrix laid out once as [to, from] so that the
    reduction runs over the contiguous axis."""

    def __init__(self, num_tags: int):
        super().__init__()
        self.transitions = nn.Parameter(torch.randn(num_tags, num_tags) * 0.3)
        self.start = nn.Parameter(torch.randn(num_tags) * 0.3)
        self.end = nn.Parameter(torch.randn(num_tags) * 0.3)
        self._trans_t = self.transitions.detach().t().contiguous()

    def forward(self, emissions, tags, mask):
        B, T, K = emissions.shape
        em = emissions.masked_fill(~mask[..., None], 0.0)
        tg = tags.masked_fill(~mask, 0)
        alpha = self.start + em[:, 0]
        score = self.start[tg[:, 0]] + em[:, 0].gather(1, tg[:, :1])[:, 0]
        for t in range(1, T):
            on = mask[:, t]
            nxt = torch.logsumexp(alpha[:, None, :] + self._trans_t, 2) + em[:, t]
            alpha = torch.where(on[:, None], nxt, alpha)
            inc = self.transitions[tg[:, t - 1], tg[:, t]] + em[:, t].gather(1, tg[:, t:t + 1])[:, 0]
            score = score + torch.where(on, inc, torch.zeros_like(inc))
        last = tg.gather(1, mask.sum(1, keepdim=True) - 1)[:, 0]
        return (torch.logsumexp(alpha + self.end, 1) - score - self.end[last]).mean()
