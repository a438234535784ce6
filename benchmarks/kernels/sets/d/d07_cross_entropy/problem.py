import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """
    Mean cross entropy with label smoothing; targets equal to `ignore_index` do not count.
    """

    def __init__(self, ignore_index: int, label_smoothing: float):
        super(Model, self).__init__()
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """
        Args:
            logits: float32 tensor (n, classes).
            target: int64 tensor (n,), class numbers or ignore_index.
        Returns:
            float32 tensor with no dimensions.
        """
        return F.cross_entropy(
            logits, target, ignore_index=self.ignore_index, label_smoothing=self.label_smoothing
        )


n = 256
classes = 500


def get_inputs():
    target = torch.randint(0, classes, (n,))
    target[::16] = -100
    return [torch.randn(n, classes), target]


def get_init_inputs():
    return [-100, 0.1]
