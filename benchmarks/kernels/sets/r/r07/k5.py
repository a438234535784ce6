import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Probability-domain recursion: exp(transitions) is formed once and each step is a
    plain matrix product, rescaled by the running maximum."""

    def __init__(self, num_tags: int):
        super().__init__()
        self.transitions = nn.Parameter(torch.randn(num_tags, num_tags) * 0.3)
        self.start = nn.Parameter(torch.randn(num_tags) * 0.3)
        self.end = nn.Parameter(torch.randn(num_tags) * 0.3)

    def forward(self, emissions, tags, mask):
        B, T, K = emissions.shape
        em = emissions.masked_fill(~mask[..., None], 0.0)
        tg = tags.masked_fill(~mask, 0)
        P = self.transitions.exp()
        alpha = self.start + em[:, 0]
        score = self.start[tg[:, 0]] + em[:, 0].gather(1, tg[:, :1])[:, 0]
        for t in range(1, T):
            m = alpha.amax(1, keepdim=True)
            nxt = torch.log((alpha - m).exp() @ P) + m + em[:, t]
            on = mask[:, t]
            alpha = torch.where(on[:, None], nxt, alpha)
            inc = self.transitions[tg[:, t - 1], tg[:, t]] + em[:, t].gather(1, tg[:, t:t + 1])[:, 0]
            score = score + torch.where(on, inc, torch.zeros_like(inc))
        last = tg.gather(1, mask.sum(1, keepdim=True) - 1)[:, 0]
        return (torch.logsumexp(alpha + self.end, 1) - score - self.end[last]).mean()
