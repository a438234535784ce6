import torch


def custom_kernel(data):
    """Two tokens per step (rank-2 update), odd tail as single step."""
    q, k, v, g, beta, h0 = data
    B, H, T, Dk = q.shape
    sc = Dk ** -0.5
    S = h0.to(torch.float64)
    o = torch.empty_like(v)
    dot = lambda a, b: (a * b).sum(-1, keepdim=True)
    vm = lambda x, M: torch.matmul(x.unsqueeze(-2), M).squeeze(-2)
    t = 0
    while t < T:
        k1, q1, v1 = k[:, :, t].double(), q[:, :, t].double(), v[:, :, t].double()
        a1, b1 = g[:, :, t, None].double().exp(), beta[:, :, t, None].double()
        if t + 1 == T:
            S = S * a1[..., None]
            u = b1 * (v1 - vm(k1, S))
            S = S + k1.unsqueeze(-1) * u.unsqueeze(-2)
            o[:, :, t] = (vm(q1, S) * sc).float()
            break
        k2, q2, v2 = k[:, :, t + 1].double(), q[:, :, t + 1].double(), v[:, :, t + 1].double()
        a2, b2 = g[:, :, t + 1, None].double().exp(), beta[:, :, t + 1, None].double()
        u1 = b1 * (v1 - a1 * vm(k1, S))
        u2 = b2 * (v2 - a2 * (a1 * vm(k2, S) + dot(k2, k1) * u1))
        o[:, :, t] = ((a1 * vm(q1, S) + dot(q1, k1) * u1) * sc).float()
        o[:, :, t + 1] = ((a1 * a2 * vm(q2, S) + a2 * dot(q2, k1) * u1 + dot(q2, k2) * u2) * sc).float()
        S = S * (a1 * a2)[..., None] + k1.unsqueeze(-1) * (a2 * u1).unsqueeze(-2) + k2.unsqueeze(-1) * u2.unsqueeze(-2)
        t += 2
    return o, S.float()
