"""RG-LRU style gated linear recurrence with a carried state.

    a_t = exp(log_a_t)
    h_t = a_t * h_{t-1} + sqrt(1 - a_t^2) * x_t,   h_{-1} = h0

x and log_a are (B, T, D), h0 is (B, D), all float32; T >= 1, B, D >= 1 are arbitrary
(no multiples promised), strides arbitrary. log_a lies in [-inf, -1e-8]: values next to
zero (an almost perfect memory, where 1 - a^2 is far below float32 resolution of 1)
and -inf (forget everything, a = 0) both occur. x and h0 are finite, |.| <= 1e4; h0 is
zero at the start of a sequence and otherwise the state handed on from the last piece.
Returns (h of all steps (B, T, D), last state (B, D)).
Trained through: gradients of both outputs with respect to x, log_a and h0 are taken
(those for log_a = -inf are zero).
"""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, log_a, h0):
        a = torch.exp(log_a)
        u = torch.sqrt(-torch.expm1(2.0 * log_a)) * x
        h = h0
        out = []
        for t in range(x.shape[1]):
            h = a[:, t] * h + u[:, t]
            out.append(h)
        return torch.stack(out, dim=1), h


batch = 4
length = 96
dim = 64


def get_inputs():
    x = torch.randn(batch, length, dim)
    log_a = -(0.01 + 0.19 * torch.rand(batch, length, dim))
    return [x, log_a, torch.zeros(batch, dim)]


def get_init_inputs():
    return []
