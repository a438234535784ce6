import torch


def generate_input(rows: int, vocab: int, pad: int, dtype: str, scale: float, shift: float, ignore_index: int,
                   ignored: float, smoothing: float, softcap: float, reduction: str, seed: int):
    gen = torch.Generator().manual_seed(seed)
    store = torch.randn(rows, vocab + pad, generator=gen) * scale + shift
    logits = store.to(getattr(torch, dtype))[:, :vocab]
    target = torch.randint(0, vocab, (rows,), generator=gen)
    target[torch.rand(rows, generator=gen) < ignored] = ignore_index
    return logits, target, ignore_index, smoothing, softcap, reduction


def ref_kernel(data):
    logits, target, ignore_index, smoothing, softcap, reduction = data
    x = logits.double()
    if softcap > 0:
        x = softcap * torch.tanh(x / softcap)
    lse = torch.logsumexp(x, 1)
    live = target != ignore_index
    xt = x.gather(1, torch.where(live, target, 0)[:, None]).squeeze(1)
    loss = (1 - smoothing) * (lse - xt) + smoothing * (lse - x.mean(1))
    loss = torch.where(live, loss, 0.0)
    if reduction == "sum":
        loss = loss.sum()
    elif reduction == "mean":
        loss = loss.sum() / max(int(live.sum()), 1)
    return loss.float(), lse.float()
