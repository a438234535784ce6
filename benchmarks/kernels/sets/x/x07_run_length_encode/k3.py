import torch

BLOCK = 256


def custom_kernel(data):
    """Two levels: each block of 256 is encoded on its own, then neighbours are merged."""
    x = data
    n = x.numel()
    vals, lens = [], []
    for lo in range(0, n, BLOCK):
        blk = x[lo:lo + BLOCK]
        head = torch.ones(blk.numel(), dtype=torch.bool)
        head[1:] = blk[1:] != blk[:-1]
        pos = head.nonzero().squeeze(1)
        end = torch.cat([pos[1:], torch.tensor([blk.numel()])])
        ln = (end - pos).to(torch.uint8)           # run inside a block, fits in a byte
        for v, c in zip(blk[pos].tolist(), ln.tolist()):
            if vals and vals[-1] == v:
                lens[-1] += c
            else:
                vals.append(v)
                lens.append(c)
    r = len(vals)
    values = torch.zeros(n, dtype=torch.int64)
    counts = torch.zeros(n, dtype=torch.int64)
    values[:r] = torch.tensor(vals, dtype=torch.int64)
    counts[:r] = torch.tensor(lens, dtype=torch.int64)
    return values, counts, torch.tensor(r)
