import torch
from task import input_t, output_t

# Expert choice of a mixture-of-experts router.
# input:  (logits, bias, k): float32 (tokens, experts), float32 (experts,), int
#         A masked expert has logit -inf; every token has at least one finite logit among its k choices.
# output: (weights, index): float32 (tokens, k), int64 (tokens, k)
#         index: the k experts with the largest logits + bias, largest first;
#                of experts with equal scores the one with the lower number first.
#         weights: softmax of the chosen experts' logits (without bias).
# The inputs must not be changed.


def ref_kernel(data: input_t) -> output_t:
    logits, bias, k = data
    score = logits + bias
    index = torch.argsort(score, dim=-1, descending=True, stable=True)[:, :k]
    weights = torch.softmax(torch.gather(logits, 1, index), dim=-1)
    return weights, index


def generate_input(tokens: int, experts: int, k: int, seed: int) -> input_t:
    gen = torch.Generator(device="cpu")
    gen.manual_seed(seed)
    logits = torch.randn(tokens, experts, generator=gen, dtype=torch.float32)
    bias = torch.randn(experts, generator=gen, dtype=torch.float32) * 0.1
    return logits, bias, k


def check_implementation(data: input_t, output: output_t, rtol=1e-4, atol=1e-5):
    weights, index = ref_kernel(data)
    got_w, got_i = output
    if got_i.shape != index.shape or got_w.shape != weights.shape:
        return False, "shape mismatch"
    if not torch.equal(got_i.to(index.dtype), index):
        return False, "experts differ"
    if not torch.allclose(got_w, weights, rtol=rtol, atol=atol):
        return False, "weights differ"
    return True, "Match"
