import torch


def generate_input(m, n, k, group, seed):
    g = torch.Generator().manual_seed(seed)
    x = (torch.randn(m, k, generator=g) * 0.5).to(torch.float16)
    qweight = torch.randint(0, 256, (k // 2, n), generator=g, dtype=torch.int32).to(torch.uint8)
    scales = (torch.rand(k // group, n, generator=g) * 0.04 + 0.01).to(torch.float16)
    zeros = torch.randint(0, 16, (k // group, n), generator=g, dtype=torch.int32).to(torch.uint8)
    return x, qweight, scales, zeros


def unpack(qweight):
    low = qweight & 0xF
    high = qweight >> 4
    return torch.stack((low, high), dim=1).reshape(-1, qweight.shape[1])


def ref_kernel(data):
    x, qweight, scales, zeros = data
    q = unpack(qweight).float()
    group = q.shape[0] // scales.shape[0]
    s = scales.float().repeat_interleave(group, 0)
    z = zeros.float().repeat_interleave(group, 0)
    w = (q - z) * s
    return (x.float() @ w).to(torch.float16)


def check_implementation(data, output):
    expected = ref_kernel(data)
    if output.shape != expected.shape or output.dtype != expected.dtype:
        return "shape or dtype mismatch"
    if not torch.allclose(output.float(), expected.float(), rtol=1e-2, atol=1e-2):
        return "values mismatch"
    return ""
