import torch


def _mul(a, b):  # unsigned 32-bit product in halves
    return (a * (b & 0xFFFF) + (((a * (b >> 16)) & 0xFFFF) << 16)) & 0xFFFFFFFF


def custom_kernel(data):
    x, residual, p, key, offset = data
    n = x.numel()
    k = torch.tensor(key & 0x7FFFFFFF, dtype=torch.int32).long()
    c = torch.arange(n) + offset
    lo, hi = c & 0xFFFFFFFF, c >> 32
    h = k ^ _mul(hi, 0x9E3779B9)
    h = (_mul(lo, 0x85EBCA6B) + h) & 0xFFFFFFFF
    h = h ^ (h >> 16)
    h = _mul(h, 0x85EBCA6B)
    h = h ^ (h >> 13)
    h = _mul(h, 0xC2B2AE35)
    h = h ^ (h >> 16)
    keep = h >= int(p * 2 ** 32)
    out = torch.where(keep.view(x.shape), x.float() / (1 - p), 0.0) + residual.float()
    pad = torch.nn.functional.pad(keep, (0, -n % 32)).view(-1, 32).long()
    mask = (pad << torch.arange(32)).sum(1).to(torch.int32)
    return out.to(x.dtype), mask
