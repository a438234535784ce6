import torch


def custom_kernel(data):
    tokens, num, draft, target, u, noise = data
    B, K = tokens.shape
    V = target.shape[-1]
    dev = tokens.device
    rows = torch.arange(B, device=dev)
    pos = torch.arange(K, device=dev)[None]
    x = tokens.clamp_min(0)[..., None]
    p = target[:, :K].gather(2, x)[..., 0]
    q = draft.gather(2, x)[..., 0]
    # reject when u > p/q, written without the division
    rej = (u * q > p) | (pos >= num[:, None])
    n = torch.where(rej.any(1), rej.long().argmax(1), torch.full((B,), K, device=dev))
    p_n = target[rows, n]
    res = (p_n - draft[rows, n.clamp_max(K - 1)]).clamp_min(0)
    s = res.sum(1, keepdim=True)
    use = (n < num)[:, None] & (s > 0)
    dist = torch.where(use, res / torch.where(s > 0, s, torch.ones_like(s)), p_n)
    nxt = (dist / noise).argmax(1)
    out = torch.full((B, K + 1), -1, dtype=torch.long, device=dev)
    out[:, :K] = torch.where(pos < n[:, None], tokens, out[:, :K])
    out[rows, n] = nxt
    return n.int(), out, dist
