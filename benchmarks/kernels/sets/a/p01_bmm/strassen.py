import torch
import torch.nn as nn


def _mm(a, b):
    acc = a.new_zeros(a.shape[0], a.shape[1], b.shape[2])
    for p in range(a.shape[2]):
        acc = acc + a[:, :, p:p + 1] * b[:, p:p + 1, :]
    return acc


class ModelNew(nn.Module):
    """One level of Strassen (7 half-size products), zero padded to even sizes."""

    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        nb, m, k = A.shape
        n = B.shape[2]
        m2, k2, n2 = (m + 1) // 2, (k + 1) // 2, (n + 1) // 2
        P = A.new_zeros(nb, 2 * m2, 2 * k2)
        Q = B.new_zeros(nb, 2 * k2, 2 * n2)
        P[:, :m, :k] = A
        Q[:, :k, :n] = B
        a11, a12, a21, a22 = P[:, :m2, :k2], P[:, :m2, k2:], P[:, m2:, :k2], P[:, m2:, k2:]
        b11, b12, b21, b22 = Q[:, :k2, :n2], Q[:, :k2, n2:], Q[:, k2:, :n2], Q[:, k2:, n2:]
        p1 = _mm(a11 + a22, b11 + b22)
        p2 = _mm(a21 + a22, b11)
        p3 = _mm(a11, b12 - b22)
        p4 = _mm(a22, b21 - b11)
        p5 = _mm(a11 + a12, b22)
        p6 = _mm(a21 - a11, b11 + b12)
        p7 = _mm(a12 - a22, b21 + b22)
        top = torch.cat([p1 + p4 - p5 + p7, p3 + p5], dim=2)
        bot = torch.cat([p2 + p4, p1 - p2 + p3 + p6], dim=2)
        return torch.cat([top, bot], dim=1)[:, :m, :n].contiguous()
