import torch


def custom_kernel(data):
    x, y = data
    # expansion in double precision: the cancellation stays far below float32 rounding for usual data
    xd = x.double()
    yd = y.double()
    sq = (xd * xd).sum(1, keepdim=True) + (yd * yd).sum(1) - 2.0 * (xd @ yd.t())
    return sq.clamp_min(0.0).sqrt().float()
