import torch


def actual(a, b):
    a, b = a.clone(), b.clone()
    n = a.shape[0]
    for k in range(n - 1):
        f = a[k + 1:, k:k + 1] / a[k, k]
        a[k + 1:] = a[k + 1:] - f * a[k]
        b[k + 1:] = b[k + 1:] - f * b[k]
    x = torch.zeros_like(b)
    for k in range(n - 1, -1, -1):
        x[k] = (b[k] - a[k, k + 1:] @ x[k + 1:]) / a[k, k]
    return x


def expected(a, b):
    return torch.linalg.solve(a, b)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    a = torch.randn(8, 8, generator=g) + 8.0 * torch.eye(8)
    return (a, torch.randn(8, 3, generator=g))
