"""Token cross-entropy as used to train language models: label smoothing, ignored tokens, z-loss.

forward(logits, targets):
    logits   float32 (N, C), any N >= 1, C >= 2, finite, at most 1e4 in magnitude
    targets  int64 (N,), each in [0, C) or equal to ignore_index (ignore_index may be any integer)

For a token that is not ignored
    loss = (1 - label_smoothing) * (-log p[target]) + label_smoothing * mean_c(-log p[c])
           + z_loss * logsumexp(logits)^2
The result is the mean over the tokens that are not ignored, and 0 where all are ignored.
The loss is one term of a larger objective (it may be scaled before backward). logits are left as they are.
"""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, ignore_index, label_smoothing, z_loss):
        super().__init__()
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        self.z_loss = z_loss

    def forward(self, logits, targets):
        valid = targets != self.ignore_index
        safe = torch.where(valid, targets, torch.zeros_like(targets))
        logp = torch.log_softmax(logits, dim=-1)
        nll = -logp.gather(1, safe[:, None])[:, 0]
        smooth = -logp.mean(-1)
        loss = (1 - self.label_smoothing) * nll + self.label_smoothing * smooth
        loss = loss + self.z_loss * torch.logsumexp(logits, dim=-1) ** 2
        loss = torch.where(valid, loss, torch.zeros_like(loss))
        return loss.sum() / valid.sum().clamp(min=1)


def get_inputs():
    logits = torch.randn(64, 1000) * 2
    targets = torch.randint(0, 1000, (64,))
    targets[::7] = -100
    return [logits, targets]


def get_init_inputs():
    return [-100, 0.1, 1e-4]
