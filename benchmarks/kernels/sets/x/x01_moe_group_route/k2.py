import numpy as np
import torch


def custom_kernel(data):
    scores, bias, n_group, topk_group, topk, scale = data
    s = scores.numpy()
    b = bias.numpy()
    T, E = s.shape
    per = E // n_group
    out_i = np.empty((T, topk), dtype=np.int32)
    out_w = np.empty((T, topk), dtype=np.float32)
    for t in range(T):
        key = s[t] + b
        gscore = []
        for g in range(n_group):
            blk = np.sort(key[g * per:(g + 1) * per])
            gscore.append(blk[-1] + blk[-2])
        groups = sorted(range(n_group), key=lambda g: (-float(gscore[g]), g))[:topk_group]
        cand = [e for g in groups for e in range(g * per, (g + 1) * per)]
        cand.sort(key=lambda e: (-float(key[e]), e))
        sel = cand[:topk]
        out_i[t] = sel
        w = s[t][sel].astype(np.float64)
        out_w[t] = scale * w / (w.sum() + 1e-20)
    return torch.from_numpy(out_i), torch.from_numpy(out_w)
