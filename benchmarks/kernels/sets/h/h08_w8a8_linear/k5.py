import torch


def custom_kernel(data):
    x, zero, w, sx, sw, bias = data
    a = x.double().sub_(zero.double()[:, None]).mul_(sx.double()[:, None])
    b = w.double() * sw.double()[:, None]
    return torch.addmm(bias.double(), a, b.t()).float()
