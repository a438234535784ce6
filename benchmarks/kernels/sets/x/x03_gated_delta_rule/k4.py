import numpy as np
import torch


def custom_kernel(data):
    q, k, v, g, beta, h0 = [t.numpy() for t in data]
    B, H, T, Dk = q.shape
    Dv = v.shape[-1]
    o = np.zeros((B, H, T, Dv), np.float32)
    fin = np.zeros((B, H, Dk, Dv), np.float32)
    for b in range(B):
        for h in range(H):
            S = h0[b, h].astype(np.float64)
            for t in range(T):
                kk = k[b, h, t].astype(np.float64)
                a = np.exp(np.float64(g[b, h, t]))
                bt = np.float64(beta[b, h, t])
                # S' = a (I - bt k k^T) S + bt k v^T
                S = a * (S - np.outer(kk, bt * (kk @ S))) + np.outer(bt * kk, v[b, h, t])
                o[b, h, t] = (q[b, h, t].astype(np.float64) @ S) / np.sqrt(Dk)
            fin[b, h] = S
    return torch.from_numpy(o), torch.from_numpy(fin)
