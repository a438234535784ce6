"""Hamming NN, scalar loop compiled with numba; abandons a candidate once it cannot win."""
import numpy as np
import torch
from numba import njit

_PC16 = np.array([bin(i).count("1") for i in range(1 << 16)], dtype=np.uint8)


@njit(cache=False)
def _search(q, db, valid, pc16, dist, idx):
    nq, nb = q.shape
    n = db.shape[0]
    for i in range(nq):
        best = 8 * nb + 1
        arg = -1
        for j in range(n):
            if not valid[j]:
                continue
            acc = 0
            b = 0
            while b + 1 < nb:
                w = ((q[i, b] ^ db[j, b]) << 8) | (q[i, b + 1] ^ db[j, b + 1])
                acc += pc16[w]
                b += 2
                if acc >= best:
                    break
            if b < nb and acc < best:
                acc += pc16[q[i, b] ^ db[j, b]]
            if acc < best:
                best = acc
                arg = j
        dist[i] = best
        idx[i] = arg


def custom_kernel(data):
    queries, database, valid = data
    dev = queries.device
    q = queries.cpu().numpy().astype(np.int64)
    db = database.cpu().numpy().astype(np.int64)
    dist = np.empty(q.shape[0], dtype=np.int32)
    idx = np.empty(q.shape[0], dtype=np.int32)
    _search(q, db, valid.cpu().numpy(), _PC16, dist, idx)
    return torch.from_numpy(dist).to(dev), torch.from_numpy(idx).to(dev)
