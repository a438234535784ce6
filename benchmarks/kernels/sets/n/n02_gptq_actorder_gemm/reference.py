import torch


def generate_input(m, n, k, group_size, act_order=0, seed=0):
    g = torch.Generator().manual_seed(seed)
    G = k // group_size
    x = torch.randn(m, k, generator=g)
    q = torch.randint(0, 16, (k, n), generator=g)
    z = torch.randint(4, 12, (G, n), generator=g)
    scales = torch.rand(G, n, generator=g) * 0.02 + 0.005
    g_idx = torch.arange(k) // group_size
    if act_order:
        g_idx = g_idx[torch.randperm(k, generator=g)]
    sh = torch.arange(8) * 4
    qweight = (q.view(k // 8, 8, n) << sh[None, :, None]).sum(1)
    qzeros = (z.view(G, n // 8, 8) << sh).sum(2)
    to32 = lambda t: torch.where(t >= 2**31, t - 2**32, t).to(torch.int32)
    return x, to32(qweight), to32(qzeros), scales, g_idx.to(torch.int32)


def ref_kernel(data):
    x, qweight, qzeros, scales, g_idx = data
    dev = x.device
    K, N = x.shape[1], scales.shape[1]
    sh = torch.arange(8, device=dev, dtype=torch.int32) * 4
    q = ((qweight[:, None, :] >> sh[None, :, None]) & 15).reshape(K, N)
    z = ((qzeros[:, :, None] >> sh) & 15).reshape(scales.shape[0], N) + 1
    gi = g_idx.long()
    w = (q - z[gi]).to(x.dtype) * scales[gi].to(x.dtype)
    return x @ w
