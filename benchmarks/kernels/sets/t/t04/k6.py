"""Beam step with torch.topk over the flattened candidates."""
import torch


def custom_kernel(data):
    logits, scores, done, eos, block_eos, temperature = data
    B, K, V = logits.shape
    lp = torch.log_softmax(logits / temperature, -1)
    if block_eos:
        lp[..., eos] = float("-inf")
    lp = lp.masked_fill(done[..., None], float("-inf"))
    lp[..., eos] = lp[..., eos].masked_fill(done, 0.0)
    val, idx = torch.topk((scores[..., None] + lp).view(B, K * V), K, dim=1, largest=True, sorted=True)
    return val, idx // V, idx % V
