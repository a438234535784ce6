import torch
import torch.nn as nn


class Model(nn.Module):
    """Nucleus (top-p) filtering with one p per row, returning the renormalised probabilities.

    Tokens are ranked by logit, equal logits by lower index first. A token stays when the total
    probability of those ranked before it is at most p; the first always stays. Used in sampling: no gradient.
    """

    def __init__(self):
        super().__init__()

    @torch.no_grad()
    def forward(self, logits, p):
        vals, order = torch.sort(logits, dim=1, descending=True, stable=True)
        probs = torch.softmax(vals, dim=1)
        before = torch.cumsum(probs, dim=1) - probs
        keep = before <= p[:, None]
        keep[:, 0] = True
        kept = torch.where(keep, probs, torch.zeros_like(probs))
        kept = kept / kept.sum(1, keepdim=True)
        return torch.zeros_like(logits).scatter(1, order, kept)


B = 5
V = 100
SHARP = 3.0


def get_inputs():
    return [torch.randn(B, V) * SHARP, torch.rand(B) * 0.5 + 0.4]


def get_init_inputs():
    return []
