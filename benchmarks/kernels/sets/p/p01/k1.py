"""Hamming NN: codes are widened to int64 words, SWAR popcount, database streamed in tiles."""
import torch
import torch.nn.functional as F

TILE = 512

M1 = 0x5555555555555555
M2 = 0x3333333333333333
M4 = 0x0F0F0F0F0F0F0F0F
H01 = 0x0101010101010101


def _to_words(codes):
    rem = (-codes.shape[1]) % 8
    if rem:
        codes = F.pad(codes, (0, rem))
    return codes.contiguous().view(torch.int64)


def _popcount64(x):
    x = x - ((x >> 1) & M1)
    x = (x & M2) + ((x >> 2) & M2)
    x = (x + (x >> 4)) & M4
    return (x * H01) >> 56


def custom_kernel(data):
    queries, database, valid = data
    qn, nbytes = queries.shape
    n = database.shape[0]
    qw, dw = _to_words(queries), _to_words(database)

    sentinel = 8 * nbytes + 1
    best = torch.full((qn,), sentinel, dtype=torch.int64, device=queries.device)
    arg = torch.full((qn,), -1, dtype=torch.int64, device=queries.device)
    for s in range(0, n, TILE):
        e = min(s + TILE, n)
        d = _popcount64(qw[:, None, :] ^ dw[None, s:e, :]).sum(-1)
        d.masked_fill_(~valid[None, s:e], sentinel)
        # (distance, index) packed into one key: the minimum is the lowest index of the nearest
        key = d * TILE + torch.arange(e - s, device=d.device)
        k = key.amin(dim=1)
        dist, off = k // TILE, k % TILE
        better = dist < best            # strict: earlier tiles keep ties
        best = torch.where(better, dist, best)
        arg = torch.where(better, off + s, arg)
    return best.to(torch.int32), arg.to(torch.int32)
