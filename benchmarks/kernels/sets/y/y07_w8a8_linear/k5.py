import torch


def custom_kernel(data):
    x, w, w_scale, bias = data
    amax = x.abs().amax(1, keepdim=True)
    s = torch.where(amax == 0, 1.0, amax / 127)
    q = torch.floor(x / s + 0.5)                          # round to nearest
    acc = torch.zeros(x.shape[0], w.shape[0], dtype=torch.int64, device=x.device)
    for k in range(0, x.shape[1], 512):
        acc += (q[:, k:k + 512] @ w[:, k:k + 512].float().t()).long()
    return acc.float() * s * w_scale + bias
