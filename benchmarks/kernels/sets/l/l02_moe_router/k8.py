import numpy as np
import torch


def custom_kernel(data):
    logits, k = data
    x = logits.detach().cpu().numpy()
    T, E = x.shape
    cols = np.broadcast_to(np.arange(E), x.shape)
    order = np.lexsort((cols, -x), axis=-1)[:, :k]
    v = np.take_along_axis(x, order, 1).astype(np.float64)
    p = np.exp(v - v.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    counts = np.zeros(E, np.int64)
    np.add.at(counts, order.ravel(), 1)
    dev = logits.device
    return (torch.from_numpy(p.astype(np.float32)).to(dev), torch.from_numpy(np.ascontiguousarray(order)).to(dev),
            torch.from_numpy(counts).to(dev))
