import torch


def custom_kernel(data):
    """Bucketise against exact integer edges and reduce with a one-hot product, in slabs."""
    x, w, lo, hi, nbins = data
    B, N = x.shape
    edges = torch.tensor([lo - ((-b * (hi - lo)) // nbins) for b in range(1, nbins)], dtype=torch.int64)
    drop = (x < lo) | (x > hi)
    wv = w.masked_fill(drop, 0.0).double()
    ids = torch.bucketize(x.long(), edges, right=True) if nbins > 1 else torch.zeros(B, N, dtype=torch.int64)
    out = torch.zeros(B, nbins, dtype=torch.float64)
    step = 128
    for s in range(0, N, step):
        e = min(N, s + step)
        hot = torch.nn.functional.one_hot(ids[:, s:e], nbins).double()
        out += torch.einsum("bn,bnk->bk", wv[:, s:e], hot)
    return out.to(torch.float32)
