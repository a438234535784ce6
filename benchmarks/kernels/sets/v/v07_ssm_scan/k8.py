import numpy as np
import torch


# backwards: y_t collects its sources s = t, t-1, ... while the decay matters; no recurrence over states
def custom_kernel(data):
    u, delta, A, B, C, D, reset, h0, softplus = data
    un, dt, An, Bn, Cn, Dn = (t.numpy().astype(np.float64) for t in (u, delta, A, B, C, D))
    rs = reset.numpy()
    if softplus:
        dt = np.logaddexp(0.0, dt)
    nb, L, dim = un.shape
    src = (dt * un)[..., None] * Bn[:, :, None, :]
    log_a = dt[..., None] * An
    y = un * Dn
    last = np.zeros((nb, dim, An.shape[1]))
    for b in range(nb):
        for t in range(L):
            acc = np.zeros_like(last[b])
            logd = np.zeros_like(acc)
            s = t
            while True:
                acc += np.exp(logd) * src[b, s]
                logd = logd + log_a[b, s]
                if rs[b, s] or s == 0 or logd.max() < -60:
                    break
                s -= 1
            if s == 0 and not rs[b, 0] and h0 is not None:
                acc += np.exp(logd) * h0[b].numpy()
            y[b, t] += (acc * Cn[b, t]).sum(1)
            if t == L - 1:
                last[b] = acc
    return torch.from_numpy(y).float(), torch.from_numpy(last).float()
