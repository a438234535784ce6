import numpy as np
import torch


def custom_kernel(data):
    logits, bias, k, capacity = data
    x = logits.numpy()
    E = x.shape[1]
    score = x + bias.numpy()
    experts = np.argsort(-score, axis=1, kind="stable")[:, :k].astype(np.int64)
    g = np.take_along_axis(x, experts, axis=1).astype(np.float64)
    e = np.exp(g - g.max(axis=1, keepdims=True))
    weights = (e / e.sum(axis=1, keepdims=True)).astype(np.float32)
    flat = experts.reshape(-1)
    order = np.argsort(flat, kind="stable")
    load = np.bincount(flat, minlength=E)
    start = np.concatenate([[0], np.cumsum(load)[:-1]])
    place = np.empty(len(flat), dtype=np.int64)
    place[order] = np.arange(len(flat)) - start[flat[order]]
    place = place.reshape(experts.shape)
    drop = place >= capacity
    weights[drop] = 0.0
    place[drop] = -1
    return tuple(torch.from_numpy(a) for a in (experts, weights, place, load.astype(np.int64)))
