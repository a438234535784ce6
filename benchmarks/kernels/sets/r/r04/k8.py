import torch


def custom_kernel(data):
    """Residual distributions are formed for all positions at once, without a temporary."""
    draft, pd, pt, ua, us = data
    B, K = draft.shape
    idx = draft[..., None]
    acc = ua * pd.gather(2, idx)[..., 0] < pt[:, :K].gather(2, idx)[..., 0]
    n = acc.long().cumprod(1).sum(1)
    same = (pt[:, :K] <= pd).all(-1)
    head = pt[:, :K]
    head.sub_(torch.where(same[..., None], torch.zeros_like(pd), pd)).clamp_(min=0)
    r = pt[torch.arange(B), n].double()
    c = r.cumsum(1)
    tok = (c > us.double()[:, None] * c[:, -1:]).long().argmax(1)
    out = torch.full((B, K + 1), -1, dtype=torch.int64)
    out[:, :K] = torch.where(torch.arange(K)[None] < n[:, None], draft, out[:, :K])
    out.scatter_(1, n[:, None], tok[:, None])
    return out
