import torch


def generate_input(bags: int, slots: int, vocab: int, dim: int, seed: int):
    gen = torch.Generator()
    gen.manual_seed(seed)
    table = torch.randn(vocab, dim, generator=gen).half()
    index = torch.randint(0, vocab, (bags, slots), generator=gen)
    length = torch.randint(1, slots + 1, (bags, 1), generator=gen)
    index[torch.arange(slots).unsqueeze(0) >= length] = -1
    index = index.gather(1, torch.rand(bags, slots, generator=gen).argsort(dim=1))
    weight = torch.rand(bags, slots, generator=gen).half()
    return table, index, weight


def ref_kernel(data):
    """Weighted mean embedding bag. float16 in, float16 out, float32 accumulation.

    Slots with index < 0 are padding (they may stand anywhere); the sum is divided
    by the number of non-padding slots, and a bag without any gives zeros.
    """
    table, index, weight = data
    keep = index >= 0
    rows = table[index.clamp_min(0)].float()
    w = weight.float() * keep
    total = (rows * w.unsqueeze(-1)).sum(dim=1)
    count = keep.sum(dim=1, keepdim=True).clamp_min(1)
    return (total / count).half()
