import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Library resize with antialias; the unchanged size is copied."""

    def __init__(self):
        super().__init__()

    def forward(self, x, out_h, out_w):
        if (out_h, out_w) == tuple(x.shape[2:]):
            return x.clone()
        return F.interpolate(x, size=(out_h, out_w), mode="bilinear",
                             align_corners=False, antialias=True)
