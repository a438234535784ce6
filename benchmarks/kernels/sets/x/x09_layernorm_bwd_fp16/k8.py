import torch


def custom_kernel(data):
    """Other grouping: dx = rstd * (wdy - c2) - (x - mean) * rstd^3 * mean(wdy * (x - mean))."""
    dy, x, weight, eps = data
    M, N = x.shape
    xf = x.float()
    base = xf[:, :1]
    xs = xf - base                                  # exact shift towards zero for near constant rows
    xc = (xs.double() - xs.double().mean(1, keepdim=True)).float()
    var = (xc * xc).mean(1, keepdim=True)
    rstd = torch.rsqrt(var + eps)
    ones = torch.ones(1, M)
    d = dy.float()
    wdy = d * weight
    p = (wdy * (xc * rstd)).mean(1, keepdim=True)
    dx = rstd * (wdy - wdy.mean(1, keepdim=True)) - xc * (rstd * rstd * p)
    dw = (ones @ (d * (xc * rstd))).squeeze(0)
    db = (ones @ d).squeeze(0)
    return dx.half(), dw, db
