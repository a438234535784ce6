"""Beam step: masks are applied once to the joint candidate table, then a stable sort."""
import torch


def custom_kernel(data):
    logits, scores, done, eos, block_eos, temperature = data
    B, K, V = logits.shape
    ninf = float("-inf")
    lp = torch.log_softmax(torch.where(done[..., None], 0.0, logits) / temperature, -1)
    cand = torch.where(done[..., None], ninf, scores[..., None] + lp)
    cand[..., eos] = torch.where(done, scores, cand[..., eos])
    if block_eos:
        cand[..., eos] = ninf
    val, idx = torch.sort(cand.view(B, K * V), dim=1, descending=True, stable=True)
    idx = idx[:, :K]
    return val[:, :K].contiguous(), idx // V, idx % V
