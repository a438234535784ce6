import torch
import torch.nn as nn

NUMEL = 1000
LR = 1e-3
BETA1 = 0.9
BETA2 = 0.999
EPS = 1e-8
WEIGHT_DECAY = 0.01
MAX_NORM = 1.0


class Model(nn.Module):
    """One AdamW step with gradient-norm clipping, as a stateful module (no autograd: runs under no_grad).

    forward(grad): float32 (numel,), any stride; finite values have |g| <= 1e6; NaN and infinities may occur.
    numel >= 1; 0 < lr <= 1; 0 <= beta < 1; eps > 0; weight_decay >= 0; max_norm > 0.
    State: parameter w, buffers exp_avg, exp_avg_sq, step (all in the state_dict; a run can be resumed from it).
      norm = ||grad||_2; if it is not finite the call changes nothing and returns (copy of w, norm)
      g = grad * min(1, max_norm / (norm + 1e-6))
      m = beta1 exp_avg + (1 - beta1) g,  v = beta2 exp_avg_sq + (1 - beta2) g^2,  t = step + 1
      new_w = w (1 - lr weight_decay) - lr * (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps)
    Training mode stores m, v, t and new_w in the state. Eval mode is a preview and changes no state.
    Returns (new_w, norm); new_w is a tensor of its own, later calls do not change it. grad is left as it was.
    """

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
        norm = torch.linalg.vector_norm(grad)
        if not torch.isfinite(norm):
            return self.w.clone(), norm
        g = grad * (self.max_norm / (norm + 1e-6)).clamp(max=1.0)
        m = self.beta1 * self.exp_avg + (1 - self.beta1) * g
        v = self.beta2 * self.exp_avg_sq + (1 - self.beta2) * g * g
        t = int(self.step) + 1
        mh = m / (1 - self.beta1**t)
        vh = v / (1 - self.beta2**t)
        new_w = self.w * (1 - self.lr * self.weight_decay) - self.lr * mh / (vh.sqrt() + self.eps)
        if self.training:
            self.exp_avg.copy_(m)
            self.exp_avg_sq.copy_(v)
            self.step.fill_(t)
            self.w.copy_(new_w)
        return new_w, norm


def get_inputs():
    return [torch.randn(NUMEL)]


def get_init_inputs():
    return [NUMEL, LR, BETA1, BETA2, EPS, WEIGHT_DECAY, MAX_NORM]
