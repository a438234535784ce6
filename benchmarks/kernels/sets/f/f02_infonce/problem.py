import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Symmetric InfoNCE (CLIP) loss with a learnable log-scale, scale capped at 100."""

    def __init__(self, temperature):
        super().__init__()
        self.logit_scale = nn.Parameter(torch.tensor(math.log(1.0 / temperature)))

    def forward(self, a, b):
        a = F.normalize(a, dim=-1)
        b = F.normalize(b, dim=-1)
        scale = self.logit_scale.exp().clamp(max=100.0)
        logits = scale * (a @ b.t())
        target = torch.arange(a.shape[0], device=a.device)
        return 0.5 * (F.cross_entropy(logits, target) + F.cross_entropy(logits.t(), target))


PAIRS = 64
DIM = 48
TEMPERATURE = 0.07


def get_inputs():
    return [torch.randn(PAIRS, DIM), torch.randn(PAIRS, DIM)]


def get_init_inputs():
    return [TEMPERATURE]
