import torch
# data is a tuple: (a, b, a_scale, b_scale)
G = 32


def generate_input(m, n, k, seed):
    gen = torch.Generator().manual_seed(seed)
    kb, nb = -(-k // G), -(-n // G)
    a = torch.randint(-127, 128, (m, k), generator=gen, dtype=torch.int8)
    b = torch.randint(-127, 128, (n, k), generator=gen, dtype=torch.int8)
    a_scale = (torch.rand(m, kb, generator=gen) + 0.5) / 127
    b_scale = (torch.rand(nb, kb, generator=gen) + 0.5) / 127
    return a, b, a_scale, b_scale


def ref_kernel(data):
    a, b, a_scale, b_scale = data
    M, K = a.shape
    N = b.shape[0]
    ka = torch.arange(K) // G
    nb = torch.arange(N) // G
    af = a.double() * a_scale.double()[:, ka]
    bf = b.double() * b_scale.double()[nb][:, ka]
    return (af @ bf.t()).float()


def check_implementation(data, output):
    ref = ref_kernel(data)
    if output.shape != ref.shape or not torch.allclose(output.float(), ref, rtol=1e-2, atol=1e-2):
        return False, "output differs"
    return True, ""
