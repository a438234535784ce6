import math
import torch
import torch.nn as nn
import torch.nn.functional as F

CHUNK = 100


class ModelNew(nn.Module):
    def __init__(self, gamma=2.0, dice_weight=0.5, smooth=1.0):
        super().__init__()
        self.gamma, self.dice_weight, self.smooth = gamma, dice_weight, smooth

    def forward(self, logits, target):
        B, C, H, W = logits.shape
        z = logits.permute(0, 2, 3, 1).reshape(-1, C)
        t = target.reshape(-1)
        fsum = torch.zeros((), dtype=torch.float64, device=z.device)
        inter = torch.zeros(C, dtype=torch.float64, device=z.device)
        card = torch.zeros_like(inter)
        n = 0
        for i in range(0, t.numel(), CHUNK):
            tc = t[i:i + CHUNK]
            ok = tc != 255
            zc, tc = z[i:i + CHUNK][ok].double(), tc[ok]
            lg = torch.log_softmax(zc, 1)
            lp = torch.take_along_dim(lg, tc[:, None], 1)[:, 0]
            fsum = fsum - ((-torch.expm1(lp)).pow(self.gamma) * lp).sum()
            p = lg.exp()
            inter = inter.index_add(0, tc, torch.take_along_dim(p, tc[:, None], 1)[:, 0])
            card = card + p.sum(0) + F.one_hot(tc, C).sum(0)
            n += tc.numel()
        dice = (1 - (2 * inter + self.smooth) / (card + self.smooth)).mean()
        return (fsum / max(n, 1) + self.dice_weight * dice).to(logits.dtype)
