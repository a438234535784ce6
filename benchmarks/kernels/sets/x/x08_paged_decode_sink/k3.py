import torch


def custom_kernel(data):
    q, kc, vc, table, lens, sinks = data
    B, H, D = q.shape
    S, HK = kc.shape[1], kc.shape[2]
    kv_of = torch.arange(H) % HK
    out = torch.zeros(B, H, D)
    for b in range(B):
        n = int(lens[b])
        if n == 0:
            continue
        pages = table[b, :(n + S - 1) // S].long()
        k = kc[pages].reshape(-1, HK, D)[:n, kv_of]
        v = vc[pages].reshape(-1, HK, D)[:n, kv_of]
        s = (k * q[b][None]).sum(-1).t() / D ** 0.5
        m = torch.maximum(s.amax(1), sinks)
        e = torch.exp(s - m[:, None])
        z = e.sum(1) + torch.exp(sinks - m)
        out[b] = torch.einsum("hn,nhd->hd", e / z[:, None], v)
    return out
