import numpy as np
import torch


def custom_kernel(data):
    values, offsets = data
    v = values.detach().cpu().numpy()
    o = offsets.cpu().numpy()
    starts = o[:-1]
    lengths = np.diff(o)
    total = np.add.reduceat(v.astype(np.float64), starts, axis=0)
    high = np.maximum.reduceat(v, starts, axis=0)
    mean = total / np.maximum(lengths, 1)[:, None]
    return (torch.from_numpy(mean.astype(np.float32)).to(values.device),
            torch.from_numpy(np.ascontiguousarray(high)).to(values.device))
