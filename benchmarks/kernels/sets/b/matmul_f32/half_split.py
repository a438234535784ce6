import torch


def _split(x):
    hi = x.half()
    lo = (x - hi.float()).half()
    return hi.float(), lo.float()


def custom_kernel(data):
    """Tensor-core style: each float32 operand as a pair of halves, three products, float32 sums."""
    a, b = data
    M, K = a.shape
    N = b.shape[1]
    ah, al = _split(a)
    bh, bl = _split(b)
    c = torch.zeros(M, N)
    BK = 64
    for k0 in range(0, K, BK):
        s = slice(k0, k0 + BK)
        c += ah[:, s] @ bh[s] + (ah[:, s] @ bl[s] + al[:, s] @ bh[s])
    return c
