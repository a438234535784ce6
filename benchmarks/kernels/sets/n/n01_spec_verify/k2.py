import numpy as np
import torch


def custom_kernel(data):
    tokens, num, draft, target, u, noise = data
    dev = tokens.device
    tk, nm = tokens.cpu().numpy(), num.cpu().numpy()
    q, p = draft.double().cpu().numpy(), target.double().cpu().numpy()
    uu, ns = u.double().cpu().numpy(), noise.double().cpu().numpy()
    B, K = tk.shape
    b_ix, k_ix = np.meshgrid(np.arange(B), np.arange(K), indexing="ij")
    safe = np.maximum(tk, 0)
    good = uu * q[b_ix, k_ix, safe] < p[b_ix, k_ix, safe]
    good &= k_ix < nm[:, None]
    # position of the first False, K if there is none
    n = np.concatenate([~good, np.ones((B, 1), bool)], 1).argmax(1)
    ar = np.arange(B)
    dist = p[ar, n].copy()
    rej = np.nonzero(n < nm)[0]
    r = np.maximum(p[rej, n[rej]] - q[rej, n[rej]], 0.0)
    z = r.sum(1)
    pos = z > 0
    dist[rej[pos]] = r[pos] / z[pos, None]
    nxt = (dist / ns).argmax(1)
    out = np.full((B, K + 1), -1, np.int64)
    out[:, :K] = np.where(k_ix < n[:, None], tk, -1)
    out[ar, n] = nxt
    return (torch.from_numpy(n.astype(np.int32)).to(dev), torch.from_numpy(out).to(dev),
            torch.from_numpy(dist.astype(np.float32)).to(dev))
