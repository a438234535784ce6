import torch


def custom_kernel(data):
    """The arg max runs on packed keys (value bits above, reversed index below), which reduce with a plain max and
    resolve ties to the lowest token. Non-negative floats order like their bit patterns."""
    tokens, num, draft, target, u, noise = data
    B, K = tokens.shape
    dev = tokens.device
    rows = torch.arange(B, device=dev)
    pos = torch.arange(K, device=dev)
    x = tokens.clamp_min(0)[..., None]
    p = target[:, :K].gather(2, x)[..., 0]
    q = draft.gather(2, x)[..., 0]
    n = ((u * q < p) & (pos < num[:, None])).long().cumprod(1).sum(1)
    p_n = target[rows, n]
    res = (p_n - draft[rows, n.clamp_max(K - 1)]).clamp_min(0)
    s = res.sum(1, keepdim=True)
    use = (n < num)[:, None] & (s > 0)
    dist = torch.where(use, res / torch.where(s > 0, s, torch.ones_like(s)), p_n)
    bits = (dist / noise).float().view(torch.int32).long()
    key = (bits << 16) | (0xFFFF - torch.arange(dist.shape[1], device=dev))
    nxt = 0xFFFF - (key.amax(1) & 0xFFFF)
    out = torch.full((B, K + 1), -1, dtype=torch.long, device=dev)
    out[:, :K] = torch.where(pos < n[:, None], tokens, out[:, :K])
    out[rows, n] = nxt
    return n.int(), out, dist
