import torch


def custom_kernel(data):
    """Single batched gather of all logical slots, masked softmax in double precision."""
    q, kc, vc, bt, sl, scale = data
    B, H, D = q.shape
    NB, BS, HKV, _ = kc.shape
    T = bt.shape[1] * BS
    t = torch.arange(T, device=q.device)
    valid = t[None, :] < sl[:, None].long()
    phys = bt.long().gather(1, (t // BS)[None, :].expand(B, T))
    slot = torch.where(valid, phys * BS + t % BS, torch.zeros_like(phys))
    vm = valid[:, :, None, None]
    k = kc.reshape(NB * BS, HKV, D)[slot].masked_fill(~vm, 0).double()
    v = vc.reshape(NB * BS, HKV, D)[slot].masked_fill(~vm, 0).double()
    qg = q.double().reshape(B, HKV, H // HKV, D)
    s = torch.einsum("bngd,btnd->bngt", qg, k) * scale
    m = valid[:, None, None, :]
    s = s.masked_fill(~m, float("-inf"))
    mx = s.amax(-1, keepdim=True)
    mx = torch.where(torch.isfinite(mx), mx, torch.zeros_like(mx))
    p = torch.exp(s - mx)
    den = p.sum(-1, keepdim=True)
    o = torch.einsum("bngt,btnd->bngd", p, v) / torch.where(den > 0, den, torch.ones_like(den))
    return o.reshape(B, H, D).float()
