import torch


def custom_kernel(data):
    """Gather all pages, one masked dense soft max for the whole batch."""
    q, kc, vc, table, lens, sinks = data
    B, H, D = q.shape
    P, S, HK, _ = kc.shape
    W = table.shape[1]
    t = table.long().clamp(0, P - 1)
    k = kc[t].reshape(B, W * S, HK, D)
    v = vc[t].reshape(B, W * S, HK, D)
    qg = q.view(B, HK, H // HK, D)
    s = torch.einsum("bgrd,bngd->bgrn", qg, k) * D ** -0.5
    valid = torch.arange(W * S)[None] < lens[:, None]
    s = s.masked_fill(~valid[:, None, None, :], float("-inf"))
    sk = sinks.view(1, HK, H // HK, 1)
    m = torch.maximum(s.amax(-1, keepdim=True), sk)
    e = torch.exp(s - m)
    p = e / (e.sum(-1, keepdim=True) + torch.exp(sk - m))
    return torch.einsum("bgrn,bngd->bgrd", p, v).reshape(B, H, D)
