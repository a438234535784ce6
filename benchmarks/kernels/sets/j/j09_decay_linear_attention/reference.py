import torch


def generate_input(b: int, h: int, t: int, dk: int, dv: int, decay: float, init: int, seed: int):
    gen = torch.Generator().manual_seed(seed)
    q = torch.randn(b, h, t, dk, generator=gen)
    k = torch.randn(b, h, t, dk, generator=gen)
    v = torch.randn(b, h, t, dv, generator=gen)
    g = -decay * torch.rand(b, h, t, generator=gen)
    h0 = torch.randn(b, h, dk, dv, generator=gen) * init
    return q, k, v, g, h0


def ref_kernel(data):
    """
    Linear attention with a scalar log decay per step (g <= 0):
        S_t = exp(g_t) S_{t-1} + k_t v_t^T,   o_t = dk^-0.5 q_t S_t
    returns all o (b, h, t, dv) and the last state. Inference only.
    """
    q, k, v, g, h0 = data
    scale = q.shape[-1] ** -0.5
    S = h0.clone()
    out = []
    for i in range(q.shape[2]):
        S = S * g[:, :, i, None, None].exp() + k[:, :, i, :, None] * v[:, :, i, None, :]
        out.append(torch.einsum("bhk,bhkv->bhv", q[:, :, i] * scale, S))
    return torch.stack(out, dim=2), S
