import math
import numpy as np
import torch
from numba import njit, prange


@njit(parallel=True)
def _select(logits, bias, k, experts, weights):
    T, E = logits.shape
    for t in prange(T):
        vals = np.empty(k, dtype=np.float32)
        n = 0
        for e in range(E):
            s = np.float32(logits[t, e] + bias[e])
            at = n
            while at > 0 and vals[at - 1] < s:
                at -= 1
            if at < k:
                last = n if n < k else k - 1
                for j in range(last, at, -1):
                    vals[j] = vals[j - 1]
                    experts[t, j] = experts[t, j - 1]
                vals[at] = s
                experts[t, at] = e
                if n < k:
                    n += 1
        top = -np.inf
        for j in range(k):
            top = max(top, np.float64(logits[t, experts[t, j]]))
        total = 0.0
        for j in range(k):
            total += math.exp(logits[t, experts[t, j]] - top)
        for j in range(k):
            weights[t, j] = math.exp(logits[t, experts[t, j]] - top) / total


@njit
def _queue(experts, weights, capacity, place, load):
    T, k = experts.shape
    for t in range(T):
        for j in range(k):
            e = experts[t, j]
            p = load[e]
            load[e] += 1
            if p < capacity:
                place[t, j] = p
            else:
                place[t, j] = -1
                weights[t, j] = 0.0


def custom_kernel(data):
    logits, bias, k, capacity = data
    T, E = logits.shape
    experts = np.zeros((T, k), dtype=np.int64)
    weights = np.empty((T, k), dtype=np.float32)
    place = np.empty((T, k), dtype=np.int64)
    load = np.zeros(E, dtype=np.int64)
    _select(logits.contiguous().numpy(), bias.contiguous().numpy(), k, experts, weights)
    _queue(experts, weights, capacity, place, load)
    return tuple(torch.from_numpy(a) for a in (experts, weights, place, load))
