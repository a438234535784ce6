import torch


def custom_kernel(data):
    """Each section as a parallel prefix of affine maps (Hillis-Steele over time): z_t = M z_{t-1} + f_t.

    M is constant, so at distance d the map is M^d, and only the offsets are scanned."""
    x, sos, zi = data
    c = sos.double()
    v = x.double()
    T = x.shape[1]
    zf = torch.empty(zi.shape, dtype=torch.float64, device=x.device)
    for s in range(c.shape[0]):
        b0, b1, b2, a0, a1, a2 = c[s]
        b0, b1, b2, a1, a2 = b0 / a0, b1 / a0, b2 / a0, a1 / a0, a2 / a0
        M = torch.stack([torch.stack([-a1, torch.ones_like(a1)]), torch.stack([-a2, torch.zeros_like(a2)])])
        G = torch.stack([b1 - a1 * b0, b2 - a2 * b0])
        f = v[..., None] * G                                   # [B, T, 2]
        z0 = zi[:, s].double()
        f[:, 0] += z0 @ M.T
        d, Md = 1, M
        while d < T:
            f = torch.cat([f[:, :d], f[:, d:] + f[:, :-d] @ Md.T], 1)
            Md = Md @ Md
            d *= 2
        before = torch.cat([z0[:, None], f[:, :-1]], 1)
        v = b0 * v + before[..., 0]
        zf[:, s] = f[:, -1]
    return v.to(x.dtype), zf.to(x.dtype)
