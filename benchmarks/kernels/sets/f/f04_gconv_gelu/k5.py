import torch
import torch.nn as nn
import torch.nn.functional as F

import math

import numpy as np
from numba import njit


@njit
def _conv_gelu(x, w, b, s, p, pre, out):
    N, C, H, W = x.shape
    O, CG, K, _ = w.shape
    G = C // CG
    OG = O // G
    OH, OW = out.shape[2], out.shape[3]
    for n in range(N):
        for o in range(O):
            c0 = (o // OG) * CG
            for i in range(OH):
                for j in range(OW):
                    acc = np.float64(b[o])
                    for c in range(CG):
                        for u in range(K):
                            r = i * s + u - p
                            if r < 0 or r >= H:
                                continue
                            for v in range(K):
                                q = j * s + v - p
                                if q < 0 or q >= W:
                                    continue
                                acc += np.float64(x[n, c0 + c, r, q]) * w[o, c, u, v]
                    pre[n, o, i, j] = acc
                    out[n, o, i, j] = 0.5 * acc * math.erfc(-acc * 0.7071067811865476)


class _Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, b, s, p, g):
        K = w.shape[2]
        oh = (x.shape[2] + 2 * p - K) // s + 1
        ow = (x.shape[3] + 2 * p - K) // s + 1
        out = x.new_empty((x.shape[0], w.shape[0], oh, ow))
        pre = x.new_empty(out.shape)
        _conv_gelu(x.detach().numpy(), w.detach().numpy(), b.detach().numpy(), s, p,
                   pre.numpy(), out.numpy())
        ctx.save_for_backward(x, w, pre)
        ctx.cfg = (s, p, g)
        return out

    @staticmethod
    def backward(ctx, go):
        x, w, pre = ctx.saved_tensors
        s, p, g = ctx.cfg
        pdf = torch.exp(-0.5 * pre * pre) * 0.3989422804014327
        gz = go * (0.5 * torch.special.erfc(-pre * 0.7071067811865476) + pre * pdf)
        gx = torch.nn.grad.conv2d_input(x.shape, w, gz, stride=s, padding=p, groups=g)
        gw = torch.nn.grad.conv2d_weight(x, w.shape, gz, stride=s, padding=p, groups=g)
        return gx, gw, gz.sum((0, 2, 3)), None, None, None


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, groups, stride, padding):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size,
                              stride=stride, padding=padding, groups=groups)
    def forward(self, x):
        c = self.conv
        return _Fn.apply(x, c.weight, c.bias, c.stride[0], c.padding[0], c.groups)
