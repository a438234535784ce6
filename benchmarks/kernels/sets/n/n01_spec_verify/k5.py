import torch


def custom_kernel(data):
    """Fully vectorised. The bonus distribution is the last row of target_probs."""
    tokens, num, draft, target, u, noise = data
    B, K = tokens.shape
    dev = tokens.device
    pos = torch.arange(K, device=dev)
    x = tokens.clamp_min(0)[..., None]
    p = torch.gather(target[:, :K], 2, x)[..., 0]
    q = torch.gather(draft, 2, x)[..., 0]
    ok = (u * q < p) & (pos < num[:, None])
    n = torch.cumprod(ok.to(torch.int64), 1).sum(1)
    rows = torch.arange(B, device=dev)
    rejected = (n < num)[:, None]
    ni = n.clamp_max(K - 1)
    res = (target[rows, ni] - draft[rows, ni]).clamp_min(0)
    tot = res.sum(1, keepdim=True)
    recovered = torch.where(tot > 0, res / tot.clamp_min(torch.finfo(res.dtype).tiny), target[rows, ni])
    dist = torch.where(rejected, recovered, target[:, -1])
    nxt = (dist / noise).argmax(1)
    out = torch.cat([torch.where(pos < n[:, None], tokens, -1), tokens.new_full((B, 1), -1)], 1)
    out.scatter_(1, n[:, None], nxt[:, None])
    return n.int(), out, dist
