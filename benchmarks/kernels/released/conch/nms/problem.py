"""Boxes that no better box covers by more than half."""

import torch
from torch import nn

BOXES = 60


def boxes():
    corner = 10 * torch.rand(BOXES, 2)
    return torch.cat((corner, corner + 1 + 4 * torch.rand(BOXES, 2)), -1)


class Model(nn.Module):
    def forward(self, boxes, scores):
        order = scores.argsort(descending=True, stable=True)
        boxes = boxes[order]
        areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
        least, most = torch.maximum(boxes[:, None, :2], boxes[None, :, :2]), torch.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
        common = (most - least).clamp(min=0).prod(-1)
        shares = common / (areas[:, None] + areas[None] - common)
        kept = torch.ones(len(boxes), dtype=torch.bool)
        for number in range(len(boxes)):
            if kept[number]:
                kept[number + 1 :] &= ~(shares[number, number + 1 :] > 0.5)
        return order[kept]


def get_inputs():
    return [boxes(), torch.rand(BOXES)]


def get_init_inputs():
    return []
