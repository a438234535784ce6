import torch


def custom_kernel(data):
    a, b, sa, sb = data
    M, K = a.shape
    N = b.shape[0]
    kb = sa.shape[1]
    nb = sb.shape[0]
    bk = -(-K // kb)                 # elements per scale along K
    bn = -(-N // nb)
    ea = sa.repeat_interleave(bk, dim=1)[:, :K]
    eb = sb.repeat_interleave(bn, dim=0)[:N].repeat_interleave(bk, dim=1)[:, :K]
    return (a.float() * ea) @ (b.float() * eb).t()
