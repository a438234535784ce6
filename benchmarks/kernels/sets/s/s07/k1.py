import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """F.interpolate, antialias switched on only when the image is reduced."""

    def __init__(self):
        super().__init__()

    def forward(self, x, out_h, out_w):
        shrink = out_h < x.shape[2] and out_w < x.shape[3]
        y = F.interpolate(x, size=(out_h, out_w), mode="bilinear",
                          align_corners=False, antialias=shrink)
        return y.clone() if y.data_ptr() == x.data_ptr() else y
