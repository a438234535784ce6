import torch

M = 0xFFFFFFFF


# int64 arithmetic: products wrap modulo 2**64, the low 32 bits are right all the same
def custom_kernel(data):
    x, residual, p, key, offset = data
    n = x.numel()
    c = torch.arange(offset, offset + n, dtype=torch.int64)
    h = key ^ (((c >> 32) * 0x9E3779B9) & M)
    h = ((c & M) * 0x85EBCA6B + h) & M
    h = h ^ (h >> 16)
    h = (h * 0x85EBCA6B) & M
    h = h ^ (h >> 13)
    h = (h * 0xC2B2AE35) & M
    h = h ^ (h >> 16)
    keep = h >= int(p * 4294967296)
    out = torch.addcdiv(residual.float(), x.float() * keep.view(x.shape), torch.tensor(1.0 - p))
    bits = torch.zeros((n + 31) // 32 * 32, dtype=torch.int64)
    bits[:n] = keep
    words = (bits.view(-1, 32) * (2 ** torch.arange(32))).sum(1)
    return out.to(x.dtype), torch.where(words > 0x7FFFFFFF, words - 2 ** 32, words).int()
