import torch


def custom_kernel(data):
    """Acceptance by the ratio p/q, vocabulary processed in tiles with a running argmax.

    argmax does not change under scaling, so the normaliser is applied only when dist is written."""
    tokens, num, draft, target, u, noise = data
    B, K = tokens.shape
    V = target.shape[-1]
    dev = tokens.device
    n = torch.zeros(B, dtype=torch.long, device=dev)
    alive = torch.ones(B, dtype=torch.bool, device=dev)
    rows = torch.arange(B, device=dev)
    for i in range(K):
        x = tokens[:, i].clamp_min(0)
        ratio = target[rows, i, x] / draft[rows, i, x]      # 0/0 -> nan -> not accepted
        alive = alive & (i < num) & (u[:, i] < ratio)
        n += alive
    rejected = n < num
    TILE = 128
    best = torch.full((B,), -1.0, device=dev, dtype=target.dtype)
    arg = torch.zeros(B, dtype=torch.long, device=dev)
    best_p, arg_p = best.clone(), arg.clone()
    tot = torch.zeros(B, device=dev, dtype=torch.float64)
    dist = torch.empty(B, V, device=dev, dtype=target.dtype)
    qi = n.clamp_max(K - 1)
    for v0 in range(0, V, TILE):
        v1 = min(V, v0 + TILE)
        pt = target[rows, n, v0:v1]
        r = (pt - draft[rows, qi, v0:v1]).clamp_min(0)
        tot += r.double().sum(1)
        dist[:, v0:v1] = r
        for src, bv, bi in ((r, best, arg), (pt, best_p, arg_p)):
            m, j = (src / noise[:, v0:v1]).max(1)
            up = m > bv
            bv[up] = m[up]
            bi[up] = j[up] + v0
    use = rejected & (tot > 0)
    scale = torch.where(use, tot, torch.ones_like(tot))
    dist = torch.where(use[:, None], (dist / scale[:, None]).to(target.dtype), target[rows, n])
    out = torch.full((B, K + 1), -1, dtype=torch.long, device=dev)
    for i in range(K):
        keep = n > i
        out[keep, i] = tokens[keep, i]
    out[rows, n] = torch.where(use, arg, arg_p)
    return n.to(torch.int32), out, dist
