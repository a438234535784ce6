import math
import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Causal sliding-window attention with grouped-query heads and logit soft-capping (Gemma-2 style).

    q: (B, Hq, T, D), k and v: (B, Hkv, S, D), all bfloat16 activations (|value| <= 1e4,
    any strides); Hq is a multiple of Hkv and S >= T
    (with a KV cache the T queries are the last T of the S positions). The query at position p
    sees the keys at positions p - window < j <= p.

    Scores and softmax are computed in float32, the result is bfloat16 of shape (B, Hq, T, D).

    Args:
        window (int): window length, >= 1.
        softcap (float): scores become softcap * tanh(score / softcap); 0 < softcap <= 64.
    """

    def __init__(self, window: int, softcap: float):
        super().__init__()
        self.window = window
        self.softcap = softcap

    def forward(self, q, k, v):
        B, Hq, T, D = q.shape
        Hkv, S = k.shape[1], k.shape[2]
        kf = k.float().repeat_interleave(Hq // Hkv, dim=1)
        vf = v.float().repeat_interleave(Hq // Hkv, dim=1)
        s = q.float() @ kf.transpose(-1, -2) / math.sqrt(D)
        s = self.softcap * torch.tanh(s / self.softcap)
        qpos = torch.arange(S - T, S, device=q.device)[:, None]
        kpos = torch.arange(S, device=q.device)[None, :]
        keep = (kpos <= qpos) & (kpos > qpos - self.window)
        s = s.masked_fill(~keep, float("-inf"))
        return (torch.softmax(s, dim=-1) @ vf).to(q.dtype)


def get_inputs():
    q = torch.randn(2, 4, 64, 32).bfloat16()
    k = torch.randn(2, 2, 64, 32).bfloat16()
    v = torch.randn(2, 2, 64, 32).bfloat16()
    return [q, k, v]


def get_init_inputs():
    return [16, 50.0]
