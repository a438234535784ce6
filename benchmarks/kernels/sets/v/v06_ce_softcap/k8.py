import torch
import triton
import triton.language as tl


# vocabulary split over programs; partial (max, sum of exp, sum) merged on the host
@triton.jit
def _part(x_ptr, m_ptr, z_ptr, s_ptr, V, stride, softcap, PARTS, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    p = tl.program_id(1)
    c = p * BLOCK + tl.arange(0, BLOCK)
    ok = c < V
    x = tl.load(x_ptr + row * stride + c, mask=ok, other=0.0).to(tl.float32)
    if softcap > 0:
        e2 = tl.exp(-2.0 * tl.abs(x) / softcap)
        th = (1.0 - e2) / (1.0 + e2)
        x = softcap * tl.where(x < 0, -th, th)
    m = tl.max(tl.where(ok, x, float("-inf")), 0)
    z = tl.sum(tl.where(ok, tl.exp(x - m), 0.0), 0)
    o = row * PARTS + p
    tl.store(m_ptr + o, m)
    tl.store(z_ptr + o, z)
    tl.store(s_ptr + o, tl.sum(tl.where(ok, x, 0.0), 0))


def custom_kernel(data):
    logits, target, ignore_index, smoothing, softcap, reduction = data
    rows, V = logits.shape
    parts = triton.cdiv(V, 64)
    buf = torch.empty((3, rows, parts), dtype=torch.float32, device=logits.device)
    _part[(rows, parts)](logits, buf[0], buf[1], buf[2], V, logits.stride(0), softcap, parts, BLOCK=64)
    lse = torch.logsumexp(buf[0] + torch.log(buf[1]), 1)
    mean = buf[2].sum(1) / V
    live = target != ignore_index
    xt = logits.gather(1, torch.where(live, target, 0)[:, None]).squeeze(1).float()
    if softcap > 0:
        xt = softcap * torch.tanh(xt / softcap)
    loss = torch.where(live, lse - torch.lerp(xt, mean, smoothing), 0.0)
    if reduction != "none":
        loss = loss.sum()
        if reduction == "mean":
            loss = loss / live.sum().clamp(min=1)
    return loss, lse
