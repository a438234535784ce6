from torch import nn

from conch.ops.vision.nms import nms  # written in triton


class ModelNew(nn.Module):
    def forward(self, boxes, scores):
        return nms(boxes, scores, 0.5)
