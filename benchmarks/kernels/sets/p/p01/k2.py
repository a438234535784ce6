"""Hamming NN with 64-bit XOR + SWAR popcount (8 bytes per op instead of 1)."""
import torch


def _popcount64(x):
    x = x - ((x >> 1) & 0x5555555555555555)
    x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F
    return (x * 0x0101010101010101) >> 56


def custom_kernel(data):
    queries, database, valid = data
    nbytes = queries.shape[1]
    n = database.shape[0]
    words = max(nbytes // 8, 1)
    if nbytes >= 8:
        qw = queries[:, : words * 8].contiguous().view(torch.int64)
        dw = database[:, : words * 8].contiguous().view(torch.int64)
    else:
        shift = torch.arange(nbytes, device=queries.device) * 8
        qw = (queries.long() << shift).sum(1, keepdim=True)
        dw = (database.long() << shift).sum(1, keepdim=True)

    sentinel = 8 * nbytes + 1
    out_d, out_i = [], []
    for qs in qw.split(8):
        d = torch.zeros((qs.shape[0], n), dtype=torch.int64, device=queries.device)
        for w in range(words):
            d += _popcount64(qs[:, w, None] ^ dw[None, :, w])
        d.masked_fill_(~valid, sentinel)
        key = d * n + torch.arange(n, device=d.device)
        k = key.amin(1)
        out_d.append(k // n)
        out_i.append(k % n)
    dist = torch.cat(out_d)
    idx = torch.cat(out_i)
    idx = torch.where(dist == sentinel, torch.full_like(idx, -1), idx)
    return dist.to(torch.int32), idx.to(torch.int32)
