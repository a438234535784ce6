import torch
import torch.nn as nn


class Model(nn.Module):
    """Gated linear attention (scalar decay per head), returned with its final state.

        S_t = exp(g_t) * S_{t-1} + k_t v_t^T        (S_{-1} = h0)
        o_t = scale * q_t^T S_t

    forward(q, k, v, g, h0) -> (o, S_last)
      q, k   float32 [B, T, H, Dk]        v   float32 [B, T, H, Dv]
      g      float32 [B, T, H], the log of the decay, -100 <= g <= 0
      h0     float32 [B, H, Dk, Dv], the state to start from (not zero in general)
      o      float32 [B, T, H, Dv]        S_last   float32 [B, H, Dk, Dv]
    B, H, Dk, Dv >= 1 and T >= 1, any T (not only multiples of a chunk), T <= 4096. q, k, v, h0 are
    finite and of order one. Any strides. scale is a constructor argument; None stands for Dk ** -0.5.
    The layer keeps nothing between calls: each call starts from the h0 it is given. No input may be
    changed, and the returned state must not share memory with h0. Accuracy asked for: 1e-4 of the
    largest output; strong decay (g near -100 for many steps) and weak decay are both allowed.
    Forward only.
    """

    def __init__(self, scale=None):
        super().__init__()
        self.scale = scale

    def forward(self, q, k, v, g, h0):
        scale = self.scale if self.scale is not None else q.shape[-1] ** -0.5
        s = h0.clone()
        outs = []
        for t in range(q.shape[1]):
            s = s * torch.exp(g[:, t])[..., None, None] + k[:, t, :, :, None] * v[:, t, :, None, :]
            outs.append(torch.einsum("bhk,bhkv->bhv", q[:, t] * scale, s))
        return torch.stack(outs, dim=1), s


def get_inputs():
    B, T, H, D = 2, 64, 2, 16
    g = -0.1 * torch.rand(B, T, H)
    return [torch.randn(B, T, H, D), torch.randn(B, T, H, D), torch.randn(B, T, H, D), g,
            torch.zeros(B, H, D, D)]


def get_init_inputs():
    return []
