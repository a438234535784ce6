import torch

BLOCK = 1024


def custom_kernel(data):
    """Blocks are scanned where they are, then written out with the carry."""
    n = data.numel()
    out = torch.empty(n, dtype=torch.float32)
    carry = 0.0
    for lo in range(0, n, BLOCK):
        t = data[lo:lo + BLOCK]
        wide = t.double()
        total = wide.sum().item()
        d = 1
        while d < wide.numel():
            nxt = wide.clone()
            nxt[d:] += wide[:-d]
            wide = nxt
            d *= 2
        out[lo:lo + BLOCK] = (wide + carry).float()
        t.copy_(wide)
        carry += total
    return out
