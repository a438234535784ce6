from conch.ops.vision.nms import nms  # written in triton
from torch import nn


class ModelNew(nn.Module):
    def forward(self, boxes, scores):
        return nms(boxes, scores, 0.5)
