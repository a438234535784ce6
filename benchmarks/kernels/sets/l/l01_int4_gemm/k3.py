import torch


def custom_kernel(data):
    x, qweight, scales, zeros = data
    M, K = x.shape
    N = qweight.shape[1]
    n_groups = scales.shape[0]
    G = K // n_groups
    y = torch.zeros((M, N), dtype=torch.float16, device=x.device)
    for g in range(n_groups):
        k0, k1 = g * G, (g + 1) * G
        kk = torch.arange(k0, k1, device=x.device)
        byte = qweight[kk // 2]
        q = (byte.to(torch.int32) >> ((kk % 2) * 4)[:, None]) & 0xF
        w = (q - zeros[g].to(torch.int32)).float() * scales[g].float()
        y += (x[:, k0:k1].float() @ w).to(torch.float16)
    return y
