import torch


def generate_input(segments: int, mean_len: int, heads: int, mask_pct: int, seed: int):
    gen = torch.Generator().manual_seed(seed)
    lens = torch.randint(0, 2 * mean_len + 1, (segments,), generator=gen)
    lens[-1] = mean_len
    offsets = torch.zeros(segments + 1, dtype=torch.int64)
    offsets[1:] = torch.cumsum(lens, 0)
    n = int(offsets[-1])
    scores = torch.randn(n, heads, generator=gen) * 3
    if mask_pct:
        drop = torch.rand(n, heads, generator=gen) < mask_pct / 100.0
        drop[offsets[:-1][lens > 0]] = False
        scores = scores.masked_fill(drop, float("-inf"))
    return scores, offsets


def ref_kernel(data):
    scores, offsets = data
    out = torch.zeros_like(scores)
    off = offsets.tolist()
    for lo, hi in zip(off[:-1], off[1:]):
        if hi == lo:
            continue
        seg = scores[lo:hi]
        m = seg.amax(0, keepdim=True)
        m = torch.where(torch.isinf(m), torch.zeros_like(m), m)
        e = torch.exp(seg - m)
        s = e.sum(0, keepdim=True)
        out[lo:hi] = torch.where(s > 0, e / s, torch.zeros_like(e))
    return out


def check_implementation(data, output):
    expected = ref_kernel(data)
    if output.shape != expected.shape or output.dtype != expected.dtype:
        return "shape or dtype mismatch"
    if not torch.allclose(output, expected, rtol=1e-4, atol=1e-6):
        return f"max abs diff {(output - expected).abs().max().item()}"
    return ""
