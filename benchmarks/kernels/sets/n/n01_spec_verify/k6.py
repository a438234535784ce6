import torch

EPS = 1e-5


def custom_kernel(data):
    tokens, num, draft, target, u, noise = data
    B, K = tokens.shape
    dev = tokens.device
    rows = torch.arange(B, device=dev)
    pos = torch.arange(K, device=dev)
    x = tokens.clamp_min(0)[..., None]
    p = target[:, :K].gather(2, x)[..., 0]
    q = draft.gather(2, x)[..., 0]
    ok = (u * q < p) & (pos < num[:, None])
    n = ok.long().cumprod(1).sum(1)
    p_n = target[rows, n]
    res = (p_n - draft[rows, n.clamp_max(K - 1)]).clamp_min(0)
    s = res.sum(1, keepdim=True)
    # EPS keeps the division finite
    dist = torch.where((n < num)[:, None] & (s > 0), res / (s + EPS), p_n)
    nxt = (dist / noise).argmax(1)
    out = torch.full((B, K + 1), -1, dtype=torch.long, device=dev)
    out[:, :K] = torch.where(pos < n[:, None], tokens, out[:, :K])
    out[rows, n] = nxt
    return n.int(), out, dist
