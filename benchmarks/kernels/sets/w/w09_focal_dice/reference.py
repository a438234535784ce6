"""Segmentation loss: focal cross-entropy plus soft Dice, with ignored pixels.

logits: (B, C, H, W), float32, any strides, any magnitude up to 1e3.  target: (B, H, W), int64, a class
0 .. C-1 or 255 (ignored pixel; there may be none, some or only such pixels).

With lp the log-softmax over the classes at the true class and p = exp(lp), the focal part is the
mean over the valid pixels of -(1 - p)^gamma * lp (0 when there is no valid pixel; gamma >= 1).
The Dice part is, over all valid pixels of the batch and for each class,
1 - (2 * sum(prob * onehot) + smooth) / (sum(prob) + sum(onehot) + smooth), averaged over the C classes.
The result is focal + dice_weight * dice, a scalar.  The gradient with respect to
logits is needed.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, gamma=2.0, dice_weight=0.5, smooth=1.0):
        super().__init__()
        self.gamma, self.dice_weight, self.smooth = gamma, dice_weight, smooth

    def forward(self, logits, target):
        C = logits.shape[1]
        valid = target != 255
        t = torch.where(valid, target, 0)
        v = valid.to(logits.dtype)
        logp = F.log_softmax(logits, dim=1)
        lp = logp.gather(1, t.unsqueeze(1)).squeeze(1)
        focal = -((-torch.expm1(lp)) ** self.gamma) * lp
        focal = (focal * v).sum() / v.sum().clamp(min=1)
        p = logp.exp() * v.unsqueeze(1)
        onehot = F.one_hot(t, C).permute(0, 3, 1, 2).to(logits.dtype) * v.unsqueeze(1)
        inter = (p * onehot).sum((0, 2, 3))
        card = (p + onehot).sum((0, 2, 3))
        dice = (1 - (2 * inter + self.smooth) / (card + self.smooth)).mean()
        return focal + self.dice_weight * dice


def get_inputs():
    return [torch.randn(2, 5, 24, 24), torch.randint(0, 5, (2, 24, 24))]


def get_init_inputs():
    return []
