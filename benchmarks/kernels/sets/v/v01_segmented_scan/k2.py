import torch


# Hillis-Steele scan over (flag, value) pairs, log2(cols) steps.
def custom_kernel(data):
    values, starts, exclusive, reverse = data
    v = values.to(torch.int64)
    f = starts
    if reverse:
        ends = torch.ones_like(starts)
        ends[:, :-1] = starts[:, 1:]
        v, f = v.flip(1), ends.flip(1)
    acc, flag = v.clone(), f.clone()
    d = 1
    while d < v.shape[1]:
        na, nf = acc.clone(), flag.clone()
        na[:, d:] += torch.where(flag[:, d:], torch.zeros_like(acc[:, :-d]), acc[:, :-d])
        nf[:, d:] |= flag[:, :-d]
        acc, flag = na, nf
        d *= 2
    if exclusive:
        acc = acc - v
    return acc.flip(1) if reverse else acc
