import torch


def custom_kernel(data):
    """Outer product of high- and low-nibble one-hots: counts as a (16, 16) matmul per chunk."""
    acc = torch.zeros(16, 16, dtype=torch.int64)
    lanes = torch.arange(16, dtype=torch.uint8)
    step = 2048
    for lo in range(0, data.numel(), step):
        x = data[lo:lo + step]
        hi_hot = ((x >> 4).unsqueeze(1) == lanes).float()
        lo_hot = ((x & 15).unsqueeze(1) == lanes).float()
        acc += (hi_hot.t() @ lo_hot).to(torch.int64)
    return acc.reshape(256)
