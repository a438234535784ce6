"""Hamming NN: |a ^ b| = |a| + |b| - 2|a & b| with an AND-GEMM, then a packed-key reduction."""
import torch


def _bits(codes):
    sh = torch.arange(8, device=codes.device, dtype=torch.uint8)
    return ((codes[:, :, None] >> sh) & 1).flatten(1).float()


def custom_kernel(data):
    queries, database, valid = data
    n, nbytes = database.shape
    a = _bits(queries)
    b = _bits(database)
    both = a @ b.t()
    d = a.sum(1, keepdim=True) + b.sum(1)[None] - 2.0 * both
    d = d.to(torch.int32)
    d.masked_fill_(~valid[None], 8 * nbytes + 1)
    best = d.amin(dim=1)
    # first position where the row attains its minimum
    hit = (d == best[:, None]).to(torch.uint8)
    idx = hit.argmax(dim=1)
    return best, idx.to(torch.int32)
