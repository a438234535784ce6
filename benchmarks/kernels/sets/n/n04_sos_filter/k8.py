import torch


def custom_kernel(data):
    x, sos, zi = data
    b = sos[:, :3] / sos[:, 3:4]
    a = sos[:, 4:] / sos[:, 3:4]
    v = x
    z1, z2 = zi[..., 0], zi[..., 1]
    for s in range(sos.shape[0]):
        y = torch.empty_like(x)
        p, q = z1[:, s], z2[:, s]
        for t in range(x.shape[1]):
            u = v[:, t]
            w = torch.addcmul(p, b[s, 0], u)
            torch.sub(b[s, 1] * u + q, a[s, 0] * w, out=p)
            torch.sub(b[s, 2] * u, a[s, 1] * w, out=q)
            y[:, t] = w
        v = y
    return v, torch.stack([z1, z2], -1)
