import torch
import torch.nn as nn


class Model(nn.Module):
    """Causal grouped-query attention, bfloat16 in and out, float32 inside. Inference only.

    Queries are the last T of S positions (T <= S): query i sees keys j <= i + S - T.
    Query head h reads key/value head h // (Hq // Hkv).
    """

    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    @torch.no_grad()
    def forward(self, q, k, v):
        T, S = q.shape[2], k.shape[2]
        rep = q.shape[1] // k.shape[1]
        kf = k.float().repeat_interleave(rep, dim=1)
        vf = v.float().repeat_interleave(rep, dim=1)
        s = q.float() @ kf.transpose(-1, -2) * self.scale
        keep = torch.ones(T, S, dtype=torch.bool).tril(S - T)
        s = s.masked_fill(~keep, float('-inf'))
        return (torch.softmax(s, dim=-1) @ vf).to(q.dtype)


B = 2
HQ = 4
HKV = 2
T = 16
S = 16
D = 16
SCALE = 0.25


def get_inputs():
    return [torch.randn(B, HQ, T, D).bfloat16(), torch.randn(B, HKV, S, D).bfloat16(),
            torch.randn(B, HKV, S, D).bfloat16()]


def get_init_inputs():
    return [SCALE]
