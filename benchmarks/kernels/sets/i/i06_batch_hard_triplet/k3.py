import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Identity mask as one broadcast comparison of float labels (vectorises well)."""

    def __init__(self, margin):
        super().__init__()
        self.margin = margin

    def forward(self, emb, labels):
        dist = torch.cdist(emb, emb, compute_mode="donot_use_mm_for_euclid_dist")
        same = (labels.float()[:, None] - labels.float()[None]).abs() < 0.5
        bad = torch.finfo(dist.dtype).max
        mask_p = same & ~torch.eye(emb.shape[0], dtype=torch.bool, device=emb.device)
        hard_p = torch.where(mask_p, dist, -bad).amax(1)
        hard_n = torch.where(same, bad, dist).amin(1)
        valid = mask_p.any(1) & (~same).any(1)
        loss = (hard_p - hard_n + self.margin).clamp_min(0)
        loss = torch.where(valid, loss, torch.zeros_like(loss))
        return loss.sum() / valid.sum().clamp(min=1)
