import torch

TABLE = torch.tensor([1.0, 0.5, 0.25, 0.125], dtype=torch.float64)


def actual(x, i):
    y = (x * TABLE).float()
    return y + i * 0.5


def expected(x, i):
    return x * TABLE.float() + i.float() / 2


def inputs(seed):
    torch.manual_seed(seed)
    return torch.randn(8, 4), torch.tensor([1, 2, 3, 2**24 + 1])
