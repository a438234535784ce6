import math

import torch
import torch.nn as nn

BLK = 16


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, q, k, v):
        S, D = q.shape[-2:]
        scale = 1.0 / math.sqrt(D)
        nblk = S // BLK
        out = torch.zeros(q.shape[:-1] + (v.shape[-1],))
        tri = torch.triu(torch.ones(BLK, BLK, dtype=torch.bool), 1)
        for bi in range(nblk):
            qi = q[..., bi * BLK:(bi + 1) * BLK, :]
            scores = []
            for bj in range(bi + 1):
                s = qi @ k[..., bj * BLK:(bj + 1) * BLK, :].transpose(-1, -2) * scale
                if bj == bi:
                    s = s.masked_fill(tri, float("-inf"))
                scores.append(s)
            s = torch.cat(scores, dim=-1)
            p = torch.exp(s - s.amax(-1, keepdim=True))
            o = p @ v[..., :(bi + 1) * BLK, :] / p.sum(-1, keepdim=True)
            out[..., bi * BLK:(bi + 1) * BLK, :] = o
        return out
