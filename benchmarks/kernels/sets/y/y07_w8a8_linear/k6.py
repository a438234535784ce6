import torch


def custom_kernel(data):
    x, w, w_scale, bias = data
    s = x.abs().amax(1, keepdim=True) / 127
    q = torch.round(x / s)
    acc = q.double() @ w.double().t()                     # exact
    return acc.float() * s * w_scale + bias
