import torch


def custom_kernel(data):
    scores, offsets = data
    n, h = scores.shape
    s = offsets.numel() - 1
    seg = torch.repeat_interleave(torch.arange(s, device=scores.device), offsets.diff())
    idx = seg.unsqueeze(1).expand(n, h)
    # one shift for everything; softmax is invariant to it
    m = scores.max()
    if torch.isinf(m):
        return torch.zeros_like(scores)
    e = torch.exp(scores - m)
    denom = torch.zeros(s, h, dtype=scores.dtype, device=scores.device)
    denom.scatter_add_(0, idx, e)
    d = denom[seg]
    return torch.where(d > 0, e / d, torch.zeros_like(e))
