import torch

# Euclidean distance between every row of x and every row of y.
# input:  (x, y), float32, shapes (m, d) and (n, d)
# output: float32, shape (m, n)


def ref_kernel(data):
    x, y = data
    diff = x[:, None, :] - y[None, :, :]
    return torch.sqrt((diff * diff).sum(dim=-1))


def generate_input(m: int, n: int, d: int, seed: int):
    gen = torch.Generator(device="cpu")
    gen.manual_seed(seed)
    x = torch.randn(m, d, generator=gen, dtype=torch.float32).contiguous()
    y = torch.randn(n, d, generator=gen, dtype=torch.float32).contiguous()
    return x, y


def check_implementation(data, output, rtol=1e-4, atol=1e-4):
    expected = ref_kernel(data)
    if output.shape != expected.shape:
        return False, f"shape mismatch: {tuple(output.shape)} instead of {tuple(expected.shape)}"
    if output.dtype != expected.dtype:
        return False, f"dtype mismatch: {output.dtype} instead of {expected.dtype}"
    if not torch.allclose(output, expected, rtol=rtol, atol=atol):
        worst = (output - expected).abs().max().item()
        return False, f"values differ, worst {worst}"
    return True, "Match"
