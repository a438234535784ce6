import math
import torch
import torch.nn as nn
import torch.nn.functional as F




class ModelNew(nn.Module):
    def __init__(self, in_ch, out_ch, k, groups):
        super().__init__()
        self.conv = nn.Conv2d(in_ch, out_ch, k, groups=groups, bias=True)
        self.bn = nn.BatchNorm2d(out_ch)

    def forward(self, x):
        c = self.conv
        B, Ci, H, W = x.shape
        G, k, Co = c.groups, c.kernel_size[0], c.out_channels
        xp = x.reshape(B, G, Ci // G, H, W)
        H, W = H - k + 1, W - k + 1
        wt = c.weight.view(G, Co // G, Ci // G, k, k)
        acc = c.bias.view(1, G, Co // G, 1, 1).expand(B, G, Co // G, H, W)
        for i in range(k):
            for j in range(k):
                acc = acc + torch.einsum("bgchw,goc->bgohw", xp[..., i:i + H, j:j + W], wt[..., i, j])
        y = self.bn(acc.reshape(B, Co, H, W))
        return y * torch.special.ndtr(y)
