import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Saves the temporary for the masked scores."""

    def __init__(self):
        super().__init__()

    @torch.no_grad()
    def forward(self, x, mask):
        x.add_(mask)
        m = x.amax(dim=-1, keepdim=True)
        e = torch.exp(torch.sub(x, m))
        l = e.sum(dim=-1, keepdim=True)
        return e.div_(l)
