import torch
import triton
import triton.language as tl


@triton.jit
def _ce(x_ptr, t_ptr, loss_ptr, lse_ptr, V, stride, ignore, smoothing, softcap, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    t = tl.load(t_ptr + row)
    x_ptr += row * stride
    m = -float("inf")
    z = 0.0
    total = 0.0
    xt = 0.0
    for j in range(0, V, BLOCK):
        c = j + tl.arange(0, BLOCK)
        inside = c < V
        x = tl.load(x_ptr + c, mask=inside, other=0.0).to(tl.float32)
        if softcap > 0:
            x = softcap * (2.0 * tl.sigmoid(2.0 * x / softcap) - 1.0)
        total += tl.sum(x, 0)
        xt += tl.sum(tl.where(c == t, x, 0.0), 0)
        x = x
        m_new = tl.maximum(m, tl.max(x, 0))
        z = z * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new), 0)
        m = m_new
    lse = m + tl.log(z)
    loss = (1.0 - smoothing) * (lse - xt) + smoothing * (lse - total / V)
    loss = tl.where(t == ignore, 0.0, loss)
    tl.store(loss_ptr + row, loss)
    tl.store(lse_ptr + row, lse)


def custom_kernel(data):
    logits, target, ignore_index, smoothing, softcap, reduction = data
    rows, V = logits.shape
    loss = torch.empty(rows, dtype=torch.float32, device=logits.device)
    lse = torch.empty_like(loss)
    _ce[(rows,)](logits, target, loss, lse, V, logits.stride(0), ignore_index, smoothing, softcap, BLOCK=128)
    if reduction == "sum":
        loss = loss.sum()
    elif reduction == "mean":
        loss = loss.sum() / (target != ignore_index).sum().clamp(min=1)
    return loss, lse
