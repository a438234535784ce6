"""Per-beam candidates carry (parent, token) packed into one int32, so that the merge sorts a single payload."""
import torch


def custom_kernel(data):
    logits, scores, done, eos, block_eos, temperature = data
    B, K, V = logits.shape
    lp = torch.log_softmax(logits / temperature, -1)
    if block_eos:
        lp[..., eos] = float("-inf")
    lp = lp.masked_fill(done[..., None], float("-inf"))
    lp[..., eos] = lp[..., eos].masked_fill(done, 0.0)
    cand = (scores[..., None] + lp).view(B, K * V)
    payload = (torch.arange(K, dtype=torch.int32)[:, None] << 16 | torch.arange(V, dtype=torch.int32)).view(-1)
    val, order = torch.sort(cand, dim=1, descending=True, stable=True)
    chosen = payload[order[:, :K]]
    return val[:, :K].contiguous(), (chosen >> 16).long(), (chosen & 0xFFFF).long()
