"""Hamming NN. Distance and index share one 32-bit key so that the reduction is a single min."""
import torch

_NIB = torch.tensor([bin(i).count("1") for i in range(16)], dtype=torch.int32)
_LUT = (_NIB[:, None] + _NIB[None, :]).reshape(256)


def custom_kernel(data):
    queries, database, valid = data
    n, nbytes = database.shape
    lut = _LUT.to(queries.device)
    idx = torch.arange(n, dtype=torch.int32, device=queries.device)
    big = 8 * nbytes + 1
    keys = []
    for q in queries.split(1):
        d = torch.zeros(n, dtype=torch.int32, device=queries.device)
        for b in range(nbytes):
            d += lut[(database[:, b] ^ q[0, b]).int()]
        d = torch.where(valid, d, torch.full_like(d, big))
        keys.append(((d << 16) | idx).amin())
    keys = torch.stack(keys)
    dist = keys >> 16
    arg = keys & 0xFFFF
    none = dist == big
    arg = torch.where(none, torch.full_like(arg, -1), arg)
    return dist.to(torch.int32), arg.to(torch.int32)
