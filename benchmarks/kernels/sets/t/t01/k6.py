"""Online softmax over pages, vectorised over heads."""
import torch


def custom_kernel(data):
    q, kc, vc, table, lens, window, cap = data
    B, H, D = q.shape
    page, G = kc.shape[1], kc.shape[2]
    rep = H // G
    out = torch.zeros_like(q)
    for b in range(B):
        n = int(lens[b])
        lo = max(0, n - window) if window > 0 else 0
        m = torch.zeros(H, 1)
        l = torch.zeros(H, 1)
        acc = torch.zeros(H, D)
        for blk in range(lo // page, (n + page - 1) // page):
            a, e = max(lo - blk * page, 0), min(page, n - blk * page)
            pid = int(table[b, blk])
            k = kc[pid, a:e].repeat_interleave(rep, 1)
            v = vc[pid, a:e].repeat_interleave(rep, 1)
            s = torch.einsum("hd,thd->ht", q[b], k) / D ** 0.5
            if cap > 0:
                s = cap * torch.tanh(s / cap)
            m_new = torch.maximum(m, s.amax(1, keepdim=True))
            p = torch.exp(s - m_new)
            c = torch.exp(m - m_new)
            l = l * c + p.sum(1, keepdim=True)
            acc = acc * c + torch.einsum("ht,thd->hd", p, v)
            m = m_new
        if n > 0:
            out[b] = acc / l
    return out
