import torch
import torch.nn.functional as F


# parallel scan of pairs (a, b): h -> a * h + b, in log2(length) steps
def custom_kernel(data):
    u, delta, A, B, C, D, reset, h0, softplus = data
    dt = F.softplus(delta) if softplus else delta
    a = torch.exp(dt[..., None] * A)
    a = a * (~reset)[:, :, None, None]
    b = (dt * u)[..., None] * B[:, :, None, :]
    if h0 is not None:
        b = b.clone()
        b[:, 0] += a[:, 0] * h0
    step = 1
    while step < u.shape[1]:
        b = torch.cat([b[:, :step], b[:, step:] + a[:, step:] * b[:, :-step]], 1)
        a = torch.cat([a[:, :step], a[:, step:] * a[:, :-step]], 1)
        step *= 2
    y = torch.einsum("btdn,btn->btd", b, C) + u * D
    return y, b[:, -1].contiguous()
