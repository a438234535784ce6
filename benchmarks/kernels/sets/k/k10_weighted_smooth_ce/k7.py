import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Positions flattened to rows of a contiguous matrix before the loss."""

    def __init__(self, num_classes, label_smoothing=0.1, ignore_index=-100):
        super().__init__()
        self.label_smoothing, self.ignore_index = label_smoothing, ignore_index
        self.register_buffer("class_weight", torch.ones(num_classes, dtype=torch.float64))

    def forward(self, logits, target):
        rows = logits.movedim(1, -1).reshape(-1, logits.shape[1])
        return F.cross_entropy(rows, target.reshape(-1), self.class_weight,
                               ignore_index=self.ignore_index,
                               label_smoothing=self.label_smoothing)
