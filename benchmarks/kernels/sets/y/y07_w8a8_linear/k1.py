import torch


def custom_kernel(data):
    """float32 products in slices of K short enough to stay exact (1024 * 127 * 128 < 2^24)."""
    x, w, w_scale, bias = data
    amax = x.abs().amax(1)
    s = (amax / 127).masked_fill_(amax == 0, 1.0)
    q = torch.round(x / s[:, None])
    acc = torch.zeros(x.shape[0], w.shape[0], dtype=torch.int64, device=x.device)
    for k in range(0, x.shape[1], 1024):
        acc += (q[:, k:k + 1024] @ w[:, k:k + 1024].float().t()).long()
    return torch.addcmul(bias, acc.float() * s[:, None], w_scale)
