import torch


def custom_kernel(data):
    q, k, v, sinks, window = data
    B, HQ, S, D = q.shape
    HK = k.shape[1]
    rep = HQ // HK
    BM, BN = 24, 20
    qf = q.float().view(B, HK, rep, S, D) * D ** -0.5
    kf = k.float().unsqueeze(2)
    vf = v.float().unsqueeze(2)
    out = torch.empty(B, HK, rep, S, D, dtype=q.dtype, device=q.device)
    sink = sinks.float().view(1, HK, rep, 1)
    for i0 in range(0, S, BM):
        i1 = min(i0 + BM, S)
        qi = qf[..., i0:i1, :]
        m = sink.expand(B, HK, rep, i1 - i0).clone()
        l = (m > float("-inf")).float()
        acc = torch.zeros_like(qi)
        i = torch.arange(i0, i1, device=q.device)[:, None]
        for j0 in range(max(0, i0 - window + 1), i1, BN):
            j1 = min(j0 + BN, i1)
            j = torch.arange(j0, j1, device=q.device)[None, :]
            s = qi @ kf[..., j0:j1, :].transpose(-1, -2)
            s = s.masked_fill((j > i) | (i - j >= window), float("-inf"))
            m2 = torch.maximum(m, s.amax(-1))
            base = m2.masked_fill(m2 == float("-inf"), 0.0)
            p = torch.exp(s - base.unsqueeze(-1))
            c = torch.exp(m - base)
            l = l * c + p.sum(-1)
            acc = acc * c.unsqueeze(-1) + p @ vf[..., j0:j1, :]
            m = m2
        out[..., i0:i1, :] = (acc / l.unsqueeze(-1)).to(q.dtype)
    return out.view(B, HQ, S, D)
