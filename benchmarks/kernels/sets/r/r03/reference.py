import torch


def generate_input(m, n, k, group_size, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(m, k, generator=g)
    qweight = torch.randint(-2**31, 2**31, (k // 8, n), generator=g).to(torch.int32)
    groups = k // group_size
    qzeros = torch.randint(-2**31, 2**31, (groups, n // 8), generator=g).to(torch.int32)
    scales = torch.rand(groups, n, generator=g) * 0.02 + 0.005
    return x, qweight, qzeros, scales, group_size


def ref_kernel(data):
    x, qweight, qzeros, scales, group_size = data
    shifts = torch.arange(0, 32, 4, dtype=torch.int32)
    k, n = qweight.shape[0] * 8, qweight.shape[1]
    q = ((qweight[:, None, :] >> shifts[None, :, None]) & 0xF).reshape(k, n)
    z = ((qzeros[:, :, None] >> shifts[None, None, :]) & 0xF).reshape(-1, n)
    g = torch.arange(k) // group_size
    w = (q - z[g]).float() * scales[g]
    return (x.double() @ w.double()).float()
