import torch
# data is a tuple: (q, k, v, g, beta, h0)


def generate_input(batch, heads, seqlen, dk, dv, seed):
    gen = torch.Generator().manual_seed(seed)
    q = torch.randn(batch, heads, seqlen, dk, generator=gen)
    k = torch.randn(batch, heads, seqlen, dk, generator=gen)
    k = k / k.norm(dim=-1, keepdim=True)
    v = 0.5 * torch.randn(batch, heads, seqlen, dv, generator=gen)
    g = -0.2 * torch.rand(batch, heads, seqlen, generator=gen)
    beta = torch.rand(batch, heads, seqlen, generator=gen)
    h0 = 0.1 * torch.randn(batch, heads, dk, dv, generator=gen)
    return q, k, v.clamp(-10, 10), g, beta, h0


def ref_kernel(data):
    q, k, v, g, beta, h0 = [t.double() for t in data]
    B, H, T, Dk = q.shape
    S = h0.clone()
    o = torch.empty(B, H, T, v.shape[-1], dtype=torch.float64)
    for t in range(T):
        S = S * g[:, :, t].exp()[..., None, None]
        pred = torch.einsum("bhkv,bhk->bhv", S, k[:, :, t])
        d = (v[:, :, t] - pred) * beta[:, :, t, None]
        S = S + k[:, :, t, :, None] * d[:, :, None, :]
        o[:, :, t] = torch.einsum("bhkv,bhk->bhv", S, q[:, :, t]) / Dk ** 0.5
    return o.float(), S.float()


def check_implementation(data, output):
    for name, a, b in zip(("o", "S"), output, ref_kernel(data)):
        if a.shape != b.shape or not torch.allclose(a.float(), b, rtol=1e-2, atol=1e-2):
            return False, name + " differs"
    return True, ""
