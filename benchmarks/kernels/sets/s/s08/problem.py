"""Language-model loss: cross entropy with label smoothing and z-loss.

logits (N, V) float32, float16 or bfloat16 with any strides, |logit| <= 1e4, N and V >= 1
arbitrary (small vocabularies of a few tags as well as large ones). target (N,) int64
holds class ids or ignore_index. ignore_index is any integer; it may be a proper class id
(e.g. the padding token 0), and rows with that target are then left out.

For a counted row, with lse = logsumexp(logits):
    (1 - eps) * (lse - logit[target]) + eps * (lse - mean over all V of logit) + z_coef * lse^2
The loss is the float32 mean over the counted rows, computed in float32; with no row
counted it is 0 with zero gradients. Gradients with respect to the logits are taken, and
the loss may be scaled or combined with others before backward. The inputs belong to the
caller and keep their values.
"""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, ignore_index=-100, label_smoothing=0.1, z_coef=1e-4):
        super().__init__()
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        self.z_coef = z_coef

    def forward(self, logits, target):
        logits = logits.float()
        counted = target != self.ignore_index
        safe = torch.where(counted, target, torch.zeros_like(target))
        lse = torch.logsumexp(logits, dim=1)
        nll = lse - logits.gather(1, safe[:, None]).squeeze(1)
        smooth = lse - logits.mean(dim=1)
        eps = self.label_smoothing
        row = (1 - eps) * nll + eps * smooth + self.z_coef * lse * lse
        row = torch.where(counted, row, torch.zeros_like(row))
        return row.sum() / counted.sum().clamp(min=1)


tokens = 64
vocab = 500


def get_inputs():
    target = torch.randint(0, vocab, (tokens,))
    target[torch.rand(tokens) < 0.2] = -100
    return [torch.randn(tokens, vocab), target]


def get_init_inputs():
    return []
