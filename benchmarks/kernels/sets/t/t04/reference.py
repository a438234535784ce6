import torch


def generate_input(batch, beams, vocab, seed, finished=0, block_eos=0, temperature=1.0):
    g = torch.Generator().manual_seed(seed)
    logits = torch.randn(batch, beams, vocab, generator=g) * 3
    scores = -torch.rand(batch, beams, generator=g) * 4
    done = torch.zeros(batch, beams, dtype=torch.bool)
    if finished:
        done = torch.rand(batch, beams, generator=g) < 0.35
    return logits, scores, done, vocab - 2, block_eos, temperature


def ref_kernel(data):
    logits, scores, done, eos, block_eos, temperature = data
    B, K, V = logits.shape
    logp = torch.log_softmax(logits / temperature, dim=-1)
    if block_eos:
        logp[:, :, eos] = float("-inf")
    only_eos = torch.full((V,), float("-inf"), dtype=logp.dtype)
    only_eos[eos] = 0.0
    logp = torch.where(done[:, :, None], only_eos, logp)
    cand = (scores[:, :, None] + logp).reshape(B, K * V)
    val, idx = torch.sort(cand, dim=1, descending=True, stable=True)
    val, idx = val[:, :K], idx[:, :K]
    return val, idx // V, idx % V
