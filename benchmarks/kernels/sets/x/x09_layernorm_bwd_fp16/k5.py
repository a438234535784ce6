import torch

_pool = {}


def _get(name, shape, dtype):
    key = (name, tuple(shape), dtype)
    if key not in _pool:
        _pool[key] = torch.empty(shape, dtype=dtype)
    return _pool[key]


def custom_kernel(data):
    dy, x, weight, eps = data
    M, N = x.shape
    dx = _get("dx", (M, N), torch.float16)
    dw = _get("dw", (N,), torch.float32)
    db = _get("db", (N,), torch.float32)
    xf, d = x.double(), dy.double()
    xc = xf - xf.mean(1, keepdim=True)
    rstd = torch.rsqrt(xc.square().mean(1, keepdim=True) + eps)
    xhat = xc * rstd
    wdy = d * weight
    dx.copy_(rstd * (wdy - xhat * (wdy * xhat).mean(1, keepdim=True) - wdy.mean(1, keepdim=True)))
    dw.copy_((d * xhat).sum(0))
    db.copy_(d.sum(0))
    return dx, dw, db
