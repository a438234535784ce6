import torch
import torch.nn as nn

batch_size = 4
num_classes = 50
positions = 40
smoothing = 0.1
z_coef = 0.01
ignore_index = -100


class Model(nn.Module):
    """
    Label-smoothed cross entropy with a z-loss, one loss per sample.

    For a position with logits l and target y:
        loss = (1 - smoothing) * (lse - l[y]) + smoothing * (lse - mean(l)) + z_coef * lse**2
    where lse = logsumexp(l). A sample's loss is the mean over its positions whose target is not
    ignore_index; a sample with no such position has loss 0 (and zero gradient).

    Inputs:
        logits: (batch, classes, positions), float32, of either sign; a badly scaled or a very
                sure model gives logits of several hundred, up to a thousand.
        target: (batch, positions), int64, a class number or ignore_index. ignore_index may be
                negative or may be one of the class numbers.
    Returns:
        (batch,), float32. Used in training: the losses are weighted per sample outside and
        differentiated with respect to the logits.
    """

    def __init__(self, smoothing, z_coef, ignore_index):
        super().__init__()
        self.smoothing = smoothing
        self.z_coef = z_coef
        self.ignore_index = ignore_index

    def forward(self, logits, target):
        valid = target != self.ignore_index
        safe = torch.where(valid, target, 0)
        lse = torch.logsumexp(logits, dim=1)
        picked = logits.gather(1, safe[:, None]).squeeze(1)
        loss = (1 - self.smoothing) * (lse - picked)
        loss = loss + self.smoothing * (lse - logits.mean(1)) + self.z_coef * lse * lse
        loss = torch.where(valid, loss, 0.0).sum(1)
        return loss / valid.sum(1).clamp(min=1)


def get_inputs():
    logits = (torch.randn(batch_size, num_classes, positions) * 2).requires_grad_()
    target = torch.randint(0, num_classes, (batch_size, positions))
    target = torch.where(torch.rand(batch_size, positions) < 0.2, ignore_index, target)
    return [logits, target]


def get_init_inputs():
    return [smoothing, z_coef, ignore_index]
