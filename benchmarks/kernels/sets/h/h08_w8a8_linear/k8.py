import torch


def custom_kernel(data):
    x, zero, w, sx, sw, bias = data
    wi = w.to(torch.int32)
    acc = torch.matmul(x.to(torch.int32), wi.t())
    acc = acc - torch.outer(zero.to(torch.int32), wi.sum(dim=1, dtype=torch.int32))
    return torch.addcmul(bias, acc.float() * sx[:, None], sw[None, :])
