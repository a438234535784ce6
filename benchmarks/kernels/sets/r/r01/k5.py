import torch


def custom_kernel(data):
    """Batched gather + additive mask; everything stays in two einsums."""
    q, kc, vc, bt, sl, scale = data
    B, H, D = q.shape
    NB, BS, HKV, _ = kc.shape
    idx = bt.long().clamp(0, NB - 1)
    k = kc[idx].reshape(B, -1, HKV, D)
    v = vc[idx].reshape(B, -1, HKV, D)
    T = k.shape[1]
    qg = q.reshape(B, HKV, H // HKV, D)
    s = torch.einsum("bngd,btnd->bngt", qg, k) * scale
    dead = torch.arange(T, device=q.device)[None, :] >= sl[:, None]
    s = s.masked_fill(dead[:, None, None, :], float("-inf"))
    p = torch.nan_to_num(torch.softmax(s, dim=-1))
    return torch.einsum("bngt,btnd->bngd", p, v).reshape(B, H, D)
