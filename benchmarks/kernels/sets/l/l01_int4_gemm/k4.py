import torch


def custom_kernel(data):
    x, qweight, scales, zeros = data
    M, K = x.shape
    N = qweight.shape[1]
    G = K // scales.shape[0]
    split = 4
    chunk = (K + split - 1) // split
    parts = []
    for k0 in range(0, K, chunk):
        kk = torch.arange(k0, min(k0 + chunk, K), device=x.device)
        q = (qweight[kk // 2].to(torch.int32) >> ((kk & 1) * 4).unsqueeze(1)) & 15
        grp = kk // G
        w = (q - zeros[grp].to(torch.int32)).to(torch.float32) * scales[grp].to(torch.float32)
        parts.append(x[:, kk].to(torch.float32) @ w)
    acc = parts[0]
    for p in parts[1:]:
        acc = acc + p
    return acc.to(torch.float16)
