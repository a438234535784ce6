import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _adamw(g_ptr, gstride, w_ptr, m_ptr, v_ptr, w_out, m_out, v_out, coef_ptr, numel, b1, omb1, b2, omb2, step_size, rc2,
           decay, eps, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    k = i < numel
    coef = tl.load(coef_ptr)
    g = tl.load(g_ptr + i * gstride, mask=k, other=0.0) * coef
    w = tl.load(w_ptr + i, mask=k, other=0.0)
    m = tl.load(m_ptr + i, mask=k, other=0.0) * b1 + omb1 * g
    v = tl.load(v_ptr + i, mask=k, other=0.0) * b2 + omb2 * g * g
    w = w * decay - step_size * m / (tl.sqrt(v) * rc2 + eps)
    tl.store(w_out + i, w, mask=k)
    tl.store(m_out + i, m, mask=k)
    tl.store(v_out + i, v, mask=k)


class ModelNew(nn.Module):
    """One elementwise Triton kernel per step; the clip coefficient is read from device memory."""

    def __init__(self, numel, lr, beta1, beta2, eps, weight_decay, max_norm):
        super().__init__()
        self.lr, self.beta1, self.beta2 = lr, beta1, beta2
        self.eps, self.weight_decay, self.max_norm = eps, weight_decay, max_norm
        self.w = nn.Parameter(torch.randn(numel))
        self.register_buffer("exp_avg", torch.zeros(numel))
        self.register_buffer("exp_avg_sq", torch.zeros(numel))
        self.register_buffer("step", torch.zeros(()))

    @torch.no_grad()
    def forward(self, grad):
        norm = grad.norm()
        if not torch.isfinite(norm):
            return self.w.clone(), norm
        coef = torch.clamp(self.max_norm / (norm + 1e-6), max=1.0)
        n = grad.numel()
        t = int(self.step.item()) + 1
        new = torch.empty_like(self.w)
        m = self.exp_avg if self.training else torch.empty_like(self.exp_avg)
        v = self.exp_avg_sq if self.training else torch.empty_like(self.exp_avg_sq)
        _adamw[(triton.cdiv(n, 256),)](
            grad, grad.stride(0), self.w, self.exp_avg, self.exp_avg_sq, new, m, v, coef, n,
            self.beta1, 1 - self.beta1, self.beta2, 1 - self.beta2,
            self.lr / (1 - self.beta1**t), (1 - self.beta2**t) ** -0.5, 1 - self.lr * self.weight_decay, self.eps,
            BLOCK=256)
        if self.training:
            self.step.fill_(t)
            self.w.copy_(new)
        return new, norm
