"""K rounds of arg-max over the flattened candidates; chosen ones are excluded by a separate mask."""
import torch


def custom_kernel(data):
    logits, scores, done, eos, block_eos, temperature = data
    B, K, V = logits.shape
    lp = torch.log_softmax(logits.double() / temperature, -1)
    tok = torch.arange(V)
    if block_eos:
        lp = torch.where(tok == eos, float("-inf"), lp)
    fin = torch.where(tok == eos, 0.0, float("-inf")).double()
    cand = scores.double()[..., None] + torch.where(done[..., None], fin, lp)
    cand = cand.view(B, K * V)
    taken = torch.zeros(B, K * V, dtype=torch.bool)
    flat = torch.arange(K * V)
    vals, idxs = [], []
    for _ in range(K):
        best = cand.masked_fill(taken, float("-inf")).amax(1, keepdim=True)
        pick = torch.where((cand == best) & ~taken, flat, K * V).amin(1)
        vals.append(best[:, 0])
        idxs.append(pick)
        taken[torch.arange(B), pick] = True
    idx = torch.stack(idxs, 1)
    return torch.stack(vals, 1).float(), torch.div(idx, V, rounding_mode="floor"), idx.remainder(V)
