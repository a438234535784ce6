import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """
    Sequence cross entropy in float64 with class weights (a buffer), label smoothing and an ignored
    label; logits are (N, C, T).
    """

    def __init__(self, num_classes: int, label_smoothing: float = 0.1, ignore_index: int = -100):
        super(Model, self).__init__()
        self.label_smoothing = label_smoothing
        self.ignore_index = ignore_index
        self.register_buffer("class_weight", torch.ones(num_classes, dtype=torch.float64))

    def forward(self, logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(logits, target, weight=self.class_weight,
                               ignore_index=self.ignore_index,
                               label_smoothing=self.label_smoothing)


batch_size = 16
num_classes = 50
length = 30


def get_inputs():
    logits = torch.randn(batch_size, num_classes, length, dtype=torch.float64) * 2
    target = torch.randint(0, num_classes, (batch_size, length))
    return [logits, target]


def get_init_inputs():
    return [num_classes]
