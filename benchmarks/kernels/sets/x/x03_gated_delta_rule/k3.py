import torch


def custom_kernel(data):
    q, k, v, g, beta, h0 = data
    B, H, T, Dk = q.shape
    scale = 1.0 / Dk ** 0.5
    o = []
    state = h0
    for t in range(T):
        kt = k[:, :, t].unsqueeze(-1)
        qt = q[:, :, t].unsqueeze(-2) * scale
        state.mul_(torch.exp(g[:, :, t])[..., None, None])
        delta = (v[:, :, t].unsqueeze(-2) - kt.transpose(-1, -2) @ state) * beta[:, :, t, None, None]
        state.add_(kt @ delta)
        o.append((qt @ state).squeeze(-2))
    return torch.stack(o, dim=2), state
