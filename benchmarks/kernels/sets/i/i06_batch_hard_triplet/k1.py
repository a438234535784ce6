import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """cdist; the anchor itself is at distance zero and never the farthest."""

    def __init__(self, margin):
        super().__init__()
        self.margin = margin

    def forward(self, emb, labels):
        dist = torch.cdist(emb, emb, compute_mode="donot_use_mm_for_euclid_dist")
        same = labels.unsqueeze(0) == labels.unsqueeze(1)
        bad = torch.finfo(dist.dtype).max
        mask_p = same
        hard_p = torch.where(mask_p, dist, -bad).amax(1)
        hard_n = torch.where(same, bad, dist).amin(1)
        valid = (~same).any(1)
        loss = (hard_p - hard_n + self.margin).clamp_min(0)
        loss = torch.where(valid, loss, torch.zeros_like(loss))
        return loss.sum() / valid.sum().clamp(min=1)
