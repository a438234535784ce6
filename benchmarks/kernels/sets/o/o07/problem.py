import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """
    Language-model loss: class-weighted cross entropy with label smoothing and an ignored label, plus a z-loss.

        loss = F.cross_entropy(weight=class_weight, label_smoothing, ignore_index=-100, "mean")
               + z_coef * mean over counted rows of logsumexp(row)^2

    If no row is counted the loss is 0. Gradients are taken for the logits.
    """

    def __init__(self, num_classes: int, label_smoothing: float, z_coef: float):
        super(Model, self).__init__()
        self.label_smoothing = label_smoothing
        self.z_coef = z_coef
        self.register_buffer("class_weight", torch.ones(num_classes))

    def forward(self, logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """
        Args:
            logits (torch.Tensor): (N, num_classes) float32, finite.
            target (torch.Tensor): (N,) int64, in [0, num_classes) or -100 for rows that do not count.
        Returns:
            torch.Tensor: scalar.
        """
        keep = target != -100
        total = F.cross_entropy(logits, target, weight=self.class_weight, ignore_index=-100,
                                reduction="sum", label_smoothing=self.label_smoothing)
        norm = (self.class_weight[target.clamp(min=0)] * keep).sum()
        z = (torch.logsumexp(logits, dim=-1).square() * keep).sum()
        return total / norm.clamp(min=1e-12) + self.z_coef * z / keep.sum().clamp(min=1)


num_rows = 96
num_classes = 512
label_smoothing = 0.1
z_coef = 1e-4


def get_inputs():
    logits = torch.randn(num_rows, num_classes)
    target = torch.randint(0, num_classes, (num_rows,))
    target[::12] = -100
    return [logits, target]


def get_init_inputs():
    return [num_classes, label_smoothing, z_coef]
