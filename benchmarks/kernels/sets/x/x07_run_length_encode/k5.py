import torch


def custom_kernel(data):
    x = data
    n = x.numel()
    values = x.new_zeros(n)
    counts = x.new_zeros(n)
    if n == 0:
        return values, counts, torch.tensor(0)
    # x[0] ^ ~0 differs from x[0] in every bit, so the first entry always opens a run
    left = torch.cat([(~x[:1]), x[:-1]])
    head = (x ^ left) != 0
    start = head.nonzero().squeeze(1)
    r = start.numel()
    nxt = torch.cat([start[1:], torch.tensor([n])])
    values[:r] = x[start]
    counts[:r] = nxt - start
    return values, counts, torch.tensor(r)
