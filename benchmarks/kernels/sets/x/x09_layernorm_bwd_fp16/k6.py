import torch


def custom_kernel(data):
    dy, x, weight, eps = data
    xf, d = x.double(), dy.double()
    mean = xf.mean(1, keepdim=True)
    xc = xf - mean
    rstd = 1.0 / (torch.sqrt(xc.square().mean(1, keepdim=True)) + eps)
    xhat = xc * rstd
    wdy = d * weight.double()
    c1 = (wdy * xhat).mean(1, keepdim=True)
    c2 = wdy.mean(1, keepdim=True)
    return (rstd * (wdy - xhat * c1 - c2)).half(), (d * xhat).sum(0).float(), d.sum(0).float()
