import torch


def custom_kernel(data):
    """chunks of 32 steps, batched matmuls"""
    q, k, v, g, h0 = data
    T = q.shape[2]
    S = h0
    q = q * q.shape[-1] ** -0.5
    outs = []
    for s in range(0, T, 32):
        qc, kc, vc, gc = q[:, :, s:s + 32], k[:, :, s:s + 32], v[:, :, s:s + 32], g[:, :, s:s + 32]
        n = gc.shape[-1]
        # decay from j to i as a sum over (j, i], never a ratio of large exponentials
        steps = gc[..., :, None].expand(*gc.shape, n)
        below = torch.ones(n, n, dtype=torch.bool, device=q.device).tril(-1)
        seg = torch.where(below, steps, torch.zeros_like(steps)).cumsum(-2)
        lower = torch.ones(n, n, dtype=torch.bool, device=q.device).tril()
        decay = torch.where(lower, seg.exp(), torch.zeros_like(seg))
        cum = gc.cumsum(-1)
        outs.append(((qc @ kc.transpose(-1, -2)) * decay) @ vc + (qc * cum.exp()[..., None]) @ S)
        S = S * cum[..., -1, None, None].exp() + (kc * decay[..., -1, :, None]).transpose(-1, -2) @ vc
    return torch.cat(outs, dim=2), S
