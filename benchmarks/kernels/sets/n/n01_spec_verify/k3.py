import torch


def custom_kernel(data):
    """Treats "no draft" as a draft distribution that is zero, so that one formula serves both cases."""
    tokens, num, draft, target, u, noise = data
    B, K = tokens.shape
    V = target.shape[-1]
    dev = tokens.device
    flat_t = target.reshape(-1)
    flat_d = draft.reshape(-1)
    b = torch.arange(B, device=dev)
    k = torch.arange(K, device=dev)
    x = tokens.clamp(min=0)
    p = flat_t[(b[:, None] * (K + 1) + k) * V + x]
    q = flat_d[(b[:, None] * K + k) * V + x]
    bad = (p <= u * q) | (k >= num[:, None])
    n = torch.where(bad, k, K).amin(1)
    base = target[b, n]
    rejected = n < num
    q_n = draft[b, n.clamp(max=K - 1)] * rejected[:, None]
    res = torch.maximum(base - q_n, base.new_zeros(()))
    tot = res.sum(1, keepdim=True, dtype=torch.float64)
    dist = torch.where(rejected[:, None] & (tot > 0), (res.double() / tot).to(base.dtype), base)
    nxt = torch.argmax(dist / noise, 1)
    slots = torch.arange(K + 1, device=dev)
    padded = torch.nn.functional.pad(tokens, (0, 1), value=-1)
    out = torch.where(slots < n[:, None], padded, torch.where(slots == n[:, None], nxt[:, None], -1))
    return n.int(), out, dist
