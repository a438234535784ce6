import torch

BLOCK = 512


def custom_kernel(data):
    """Reduce, scan the block sums, then scan each block from its carry."""
    n = data.numel()
    nblk = (n + BLOCK - 1) // BLOCK
    x = torch.zeros(nblk * BLOCK, dtype=torch.float64)
    x[:n] = data
    x = x.view(nblk, BLOCK)
    carry = torch.zeros(nblk, dtype=torch.float64)
    run = 0.0
    for b, s in enumerate(x.sum(1).tolist()):
        carry[b] = run
        run += s
    acc = carry
    out = torch.empty(nblk, BLOCK, dtype=torch.float64)
    for j in range(BLOCK):
        acc = acc + x[:, j]
        out[:, j] = acc
    return out.view(-1)[:n].float()
