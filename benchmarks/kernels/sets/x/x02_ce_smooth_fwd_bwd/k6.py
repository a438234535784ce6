import torch

BLOCK = 192


def custom_kernel(data):
    """Online soft max over vocabulary tiles (running max, sum and shifted sum of x), then one pass for grad."""
    logits, target, ignore_index, smoothing = data
    N, V = logits.shape
    m = logits[:, 0].clone()
    acc = torch.zeros(N, dtype=torch.float64)     # sum exp(x - m)
    dev = torch.zeros(N, dtype=torch.float64)     # sum (x - m)
    cnt = 0
    for lo in range(0, V, BLOCK):
        tile = logits[:, lo:min(lo + BLOCK, V)]
        nm = torch.maximum(m, tile.amax(1))
        shift = (m.double() - nm.double())
        acc = acc * shift.exp() + (tile - nm[:, None]).exp().sum(1, dtype=torch.float64)
        dev = dev + cnt * shift + (tile.double() - nm.double()[:, None]).sum(1)
        cnt += tile.shape[1]
        m = nm
    valid = target != ignore_index
    n = int(valid.sum())
    safe = torch.where(valid, target, 0)
    lz = acc.log()
    xt = logits.gather(1, safe[:, None])[:, 0].double() - m.double()
    row = (1 - smoothing) * (lz - xt) + smoothing * (lz - dev / V)
    if n == 0:
        return torch.zeros((), dtype=torch.float32), torch.zeros(N, V)
    loss = (row[valid].sum() / n).float()
    grad = torch.empty(N, V)
    c = (valid.double() / n).float()[:, None]
    for lo in range(0, V, BLOCK):
        hi = min(lo + BLOCK, V)
        p = (logits[:, lo:hi] - m[:, None]).exp() / acc.float()[:, None]
        p = p - smoothing / V
        hit = safe[:, None] == torch.arange(lo, hi)[None]
        grad[:, lo:hi] = (p - hit * (1 - smoothing)) * c
    return loss, grad
