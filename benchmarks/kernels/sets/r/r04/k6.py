import torch


def custom_kernel(data):
    """Acceptance on the gathered scalars; sampling by binary search in the CDF."""
    draft, pd, pt, ua, us = data
    B, K = draft.shape
    out = torch.full((B, K + 1), -1, dtype=torch.int64)
    idx = draft[..., None]
    acc = ua * pd.gather(2, idx)[..., 0] < pt[:, :K].gather(2, idx)[..., 0]
    n = acc.long().cumprod(1).sum(1).tolist()
    for b, k in enumerate(n):
        out[b, :k] = draft[b, :k]
        r = pt[b, k]
        if k < K:
            d = (r - pd[b, k]).clamp(min=0)
            if d.sum() > 0:
                r = d
        cdf = torch.cumsum(r.double(), 0)
        tok = torch.searchsorted(cdf, us[b].double() * cdf[-1])
        out[b, k] = tok.clamp(max=r.numel() - 1)
    return out
