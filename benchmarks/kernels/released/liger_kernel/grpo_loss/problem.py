"""The loss of group-relative policy optimization, by token."""

import torch
from torch import nn

BATCH, LENGTH, CLASSES = 3, 6, 200


class Model(nn.Module):
    def forward(self, logits, old, other, chosen, advantages):
        old, other, advantages = old.detach(), other.detach(), advantages.detach()
        each = torch.log_softmax(logits[:, :-1] / 0.9, -1).gather(-1, chosen[..., None])[..., 0]
        ratio = (each - old).exp()
        gain = torch.minimum(ratio * advantages[:, None], ratio.clamp(0.8, 1.4) * advantages[:, None])
        far = (other - each).exp() - (other - each) - 1
        return 0.04 * far - gain


def get_inputs():
    logits = torch.randn(BATCH, LENGTH + 1, CLASSES)
    chosen = torch.randint(0, CLASSES, (BATCH, LENGTH))
    now = torch.log_softmax(logits[:, :-1] / 0.9, -1).gather(-1, chosen[..., None])[..., 0]
    old, other = now + 0.3 * torch.randn(BATCH, LENGTH), now + 0.3 * torch.randn(BATCH, LENGTH)
    return [logits, old, other, chosen, torch.randn(BATCH)]


def get_init_inputs():
    return []
