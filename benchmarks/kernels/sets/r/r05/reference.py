import torch


def generate_input(rows, n, lo, span, nbins, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.randint(lo, lo + span, (rows, n), generator=g)
    far = torch.rand(rows, n, generator=g) < 0.1
    sign = torch.where(torch.rand(rows, n, generator=g) < 0.5, -1, 1)
    x = torch.where(far, x + sign * 2 * span, x).to(torch.int32)
    w = torch.randn(rows, n, generator=g)
    return x, w, lo, lo + span, nbins


def ref_kernel(data):
    x, w, lo, hi, nbins = data
    d = x.long() - lo
    keep = (d >= 0) & (d <= hi - lo)
    b = torch.div(d.clamp(0, hi - lo) * nbins, hi - lo, rounding_mode="floor").clamp(max=nbins - 1)
    out = torch.zeros(x.shape[0], nbins, dtype=torch.float64)
    out.scatter_add_(1, b, torch.where(keep, w, torch.zeros_like(w)).double())
    return out.float()
