import torch

BLOCK = 256


def custom_kernel(data):
    """Level 1: blocks of 256. Level 2: one block scans the block sums."""
    n = data.numel()
    nblk = (n + BLOCK - 1) // BLOCK
    x = torch.zeros(nblk * BLOCK, dtype=torch.float64)
    x[:n] = data
    x = x.view(nblk, BLOCK)
    local = torch.empty_like(x)
    acc = torch.zeros(nblk, dtype=torch.float64)
    for j in range(BLOCK):
        acc = acc + x[:, j]
        local[:, j] = acc
    sums = torch.zeros(BLOCK, dtype=torch.float64)
    m = min(nblk, BLOCK)
    sums[:m] = local[:m, -1]
    d = 1
    while d < BLOCK:
        nxt = sums.clone()
        nxt[d:] += sums[:-d]
        sums = nxt
        d *= 2
    offset = torch.zeros(nblk, dtype=torch.float64)
    offset[1:m] = sums[:m - 1]
    return (local + offset[:, None]).view(-1)[:n].float()
