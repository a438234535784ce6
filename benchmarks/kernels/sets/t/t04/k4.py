"""Beam step: every beam contributes its own best K candidates (stable order), then a small stable merge."""
import torch


def custom_kernel(data):
    logits, scores, done, eos, block_eos, temperature = data
    B, K, V = logits.shape
    z = logits * (1.0 / temperature)
    z = z - z.amax(-1, keepdim=True)
    lp = z - z.exp().sum(-1, keepdim=True).log()
    if block_eos:
        lp = lp.index_fill(2, torch.tensor([eos]), float("-inf"))
    lp = lp.masked_fill(done[..., None], float("-inf"))
    lp[..., eos] = torch.where(done, 0.0, lp[..., eos])
    cand = lp + scores[..., None]
    k = min(K, V)
    v1, t1 = torch.sort(cand, dim=-1, descending=True, stable=True)
    v1, t1 = v1[..., :k].reshape(B, -1), t1[..., :k].reshape(B, -1)
    par = torch.arange(K).repeat_interleave(k).expand(B, -1)
    v2, o = torch.sort(v1, dim=-1, descending=True, stable=True)
    o = o[:, :K]
    return v2[:, :K].clone(), par.gather(1, o), t1.gather(1, o)
