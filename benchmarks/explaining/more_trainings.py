"""56 further pairs out of training code, by another author: optimizers, schedules, losses, ported by hand with one planted mistake, two, or none.

Written without sight of halfulp, after its optimizers were written out; scored by the words that the author expected (`by_words`).
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from .registry import Fresh, entering

PAIRS: list[Fresh] = []


pair = entering(PAIRS)


def _rng(seed, salt):
    return torch.Generator().manual_seed(7919 * seed + salt)


def _n(g, *shape, scale=1.0):
    return torch.randn(*shape, generator=g) * scale


def _ints(g, low, high, *shape):
    return torch.randint(low, high, shape, generator=g)


def _follow(build, w, grads, schedule=None):
    """Drive a torch optimizer with a stack of given gradients."""
    p = w.detach().clone().requires_grad_(True)
    opt = build([p])
    sched = schedule(opt) if schedule is not None else None
    for i in range(grads.shape[0]):
        p.grad = grads[i].detach().clone()
        opt.step()
        if sched is not None and i + 1 < grads.shape[0]:
            sched.step()
    return p.detach()


# ------------------------------------------------------------------ optimizers


@pair(
    "sgd_dampening_first",
    "optimizers",
    "the first step also dampens the gradient: the buffer starts from zeros and gets (1 - dampening) * g, "
    "where torch seeds the buffer with the undamped gradient",
    words=("dampen", "first step", "first gradient", "initial buffer"),
)
def _(seed):
    g = _rng(seed, 1)
    w0, grads = _n(g, 6, 5), _n(g, 7, 6, 5)

    def expected(w, gs):
        return _follow(lambda ps: torch.optim.SGD(ps, lr=0.1, momentum=0.8, dampening=0.4), w, gs)

    class Heavy:
        def __init__(self, like):
            self.vel = torch.zeros_like(like)

        def push(self, grad):
            self.vel = 0.8 * self.vel + (1.0 - 0.4) * grad
            return self.vel

    def actual(w, gs):
        ball = Heavy(w)
        theta = w
        for grad in gs.unbind(0):
            theta = theta - 0.1 * ball.push(grad)
        return theta

    return actual, expected, (w0, grads)


@pair(
    "sgd_nesterov_old_trace",
    "optimizers",
    "the Nesterov look-ahead uses the momentum buffer from before its update, which makes it plain momentum",
    words=("nesterov", "lookahead", "look-ahead", "plain momentum", "before its update", "stale", "previous"),
)
def _(seed):
    g = _rng(seed, 2)
    w0, grads = _n(g, 5, 4), _n(g, 8, 5, 4)

    def expected(w, gs):
        return _follow(lambda ps: torch.optim.SGD(ps, lr=0.05, momentum=0.9, nesterov=True), w, gs)

    def actual(params, updates):
        decay, rate = 0.9, 0.05
        trace = torch.zeros_like(params)
        for g_t in updates:
            new_trace = g_t + decay * trace
            direction = g_t + decay * trace
            trace = new_trace
            params = params + direction * (-rate)
        return params

    return actual, expected, (w0, grads)


@pair(
    "adam_eps_in_root",
    "optimizers",
    "epsilon is added inside the square root",
    words=("epsilon", " eps", "1e-3", "0.001", "inside the sq", "inside the root"),
)
def _(seed):
    g = _rng(seed, 3)
    x, y = _n(g, 16, 4), _n(g, 16, 1)
    a, b = _n(g, 4, 8, scale=0.5), _n(g, 8, 1, scale=0.5)

    def objective(x, y, a, b):
        return ((torch.tanh(x @ a) @ b - y) ** 2).mean()

    def expected(x, y, a, b):
        with torch.enable_grad():
            ps = [a.detach().clone().requires_grad_(), b.detach().clone().requires_grad_()]
            opt = torch.optim.Adam(ps, lr=0.05, betas=(0.9, 0.99), eps=1e-3)
            for _ in range(6):
                opt.zero_grad()
                objective(x, y, *ps).backward()
                opt.step()
        return ps[0].detach(), ps[1].detach()

    def actual(x, y, a, b):
        state = {"a": a.detach(), "b": b.detach()}
        mu = {k: torch.zeros_like(v) for k, v in state.items()}
        nu = {k: torch.zeros_like(v) for k, v in state.items()}
        for count in range(1, 7):
            with torch.enable_grad():
                leaves = {k: v.clone().requires_grad_() for k, v in state.items()}
                loss = objective(x, y, leaves["a"], leaves["b"])
                got = torch.autograd.grad(loss, list(leaves.values()))
            for (k, v), grad in zip(list(state.items()), got):
                mu[k] = mu[k] + (grad - mu[k]) * 0.1
                nu[k] = nu[k] + (grad.square() - nu[k]) * 0.01
                mu_hat = mu[k] / (1 - 0.9**count)
                nu_hat = nu[k] / (1 - 0.99**count)
                state[k] = v - 0.05 * mu_hat / torch.sqrt(nu_hat + 1e-3)
        return state["a"], state["b"]

    return actual, expected, (x, y, a, b)


@pair(
    "adamw_coupled",
    "optimizers",
    "weight decay is added to the gradient (coupled, L2) instead of being decoupled",
    words=("weight decay", "weight_decay", "weight-decay", "coupled", "l2"),
)
def _(seed):
    g = _rng(seed, 4)
    w0, grads = _n(g, 4, 6), _n(g, 8, 4, 6)

    def expected(w, gs):
        return _follow(lambda ps: torch.optim.AdamW(ps, lr=0.03, betas=(0.9, 0.98), weight_decay=0.2), w, gs)

    def actual(w, gs):
        m, s, var = torch.zeros_like(w), torch.zeros_like(w), w.clone()
        b1t = b2t = 1.0
        for raw in gs:
            b1t, b2t = b1t * 0.9, b2t * 0.98
            d = raw + 0.2 * var
            m.mul_(0.9).add_(d, alpha=0.1)
            s.mul_(0.98).addcmul_(d, d, value=0.02)
            var.sub_(0.03 * (m / (1 - b1t)) / ((s / (1 - b2t)).sqrt() + 1e-8))
        return var

    return actual, expected, (w0, grads)


@pair(
    "amsgrad_max_of_corrected",
    "optimizers",
    "the running maximum is taken over the bias-corrected second moment instead of the raw one",
    words=("max", "amsgrad"),
)
def _(seed):
    g = _rng(seed, 5)
    w0, grads = _n(g, 5, 5), _n(g, 9, 5, 5)

    def expected(w, gs):
        return _follow(lambda ps: torch.optim.Adam(ps, lr=0.05, betas=(0.9, 0.95), amsgrad=True), w, gs)

    def actual(w, gs):
        first, second, top = (torch.zeros_like(w) for _ in range(3))
        for k in range(len(gs)):
            t = k + 1
            first = 0.9 * first + 0.1 * gs[k]
            second = 0.95 * second + 0.05 * gs[k] ** 2
            top = torch.maximum(top, second / (1 - 0.95**t))
            w = w - 0.05 * (first / (1 - 0.9**t)) / (torch.sqrt(top) + 1e-8)
        return w

    return actual, expected, (w0, grads)


@pair(
    "rmsprop_rate_in_momentum",
    "optimizers",
    "the learning rate is folded into the momentum buffer, so a decaying schedule weighs old updates by old rates",
    words=("learning rate", "schedule", "folded", "inside the momentum", "into the momentum", "lr inside", "velocity"),
)
def _(seed):
    g = _rng(seed, 6)
    w0, grads = _n(g, 6, 4), _n(g, 8, 6, 4)

    def expected(w, gs):
        return _follow(
            lambda ps: torch.optim.RMSprop(ps, lr=0.05, alpha=0.9, eps=1e-6, momentum=0.9),
            w,
            gs,
            lambda o: torch.optim.lr_scheduler.ExponentialLR(o, gamma=0.7),
        )

    def actual(var, gs):
        ms = torch.zeros_like(var)
        mom = torch.zeros_like(var)
        rate = 0.05
        for grad in gs:
            ms = 0.9 * ms + 0.1 * grad * grad
            mom = 0.9 * mom + rate * grad / (ms.sqrt() + 1e-6)
            var = var - mom
            rate *= 0.7
        return var

    return actual, expected, (w0, grads)


@pair(
    "rmsprop_not_centered",
    "optimizers",
    "the squared mean gradient is not subtracted: the port ignores centered=True",
    words=("center", "centre", "mean gradient", "variance", "grad_avg"),
)
def _(seed):
    g = _rng(seed, 7)
    w0, grads = _n(g, 20), _n(g, 8, 20) + 1.0

    def expected(w, gs):
        return _follow(lambda ps: torch.optim.RMSprop(ps, lr=0.02, alpha=0.8, eps=1e-4, centered=True), w, gs)

    def actual(w, gs):
        def step(carry, grad):
            w, nu = carry
            nu = nu + 0.2 * (grad**2 - nu)
            denom = nu.sqrt() + 1e-4
            return w - 0.02 * (grad / denom), nu

        carry = (w, torch.zeros_like(w))
        for grad in gs:
            carry = step(carry, grad)
        return carry[0]

    return actual, expected, (w0, grads)


@pair(
    "adagrad_decay_step",
    "optimizers",
    "the learning-rate decay counts from step 1 instead of 0 (off by one)",
    words=("off by one", "off-by-one", "lr_decay", "rate decay", "step - 1", "step-1", "it - 1", "one step"),
)
def _(seed):
    g = _rng(seed, 8)
    w0, grads = _n(g, 3, 7), _n(g, 6, 3, 7)

    def expected(w, gs):
        return _follow(lambda ps: torch.optim.Adagrad(ps, lr=0.2, lr_decay=0.25, initial_accumulator_value=0.1, eps=1e-7), w, gs)

    def actual(w, gs):
        hist = torch.full_like(w, 0.1)
        for it, grad in enumerate(gs, start=1):
            hist = hist + grad.pow(2)
            scaled = grad / (hist.sqrt() + 1e-7)
            w = w - (0.2 / (1.0 + it * 0.25)) * scaled
        return w

    return actual, expected, (w0, grads)


@pair(
    "adadelta_accumulates_scaled",
    "optimizers",
    "the accumulator of squared updates takes the update after it was multiplied by the learning rate",
    words=("learning rate", "scaled", "acc_delta", "accumulat", "0.4"),
)
def _(seed):
    g = _rng(seed, 9)
    w0, grads = _n(g, 6, 4, scale=0.3), _n(g, 12, 6, 4)

    def expected(w, gs):
        return _follow(lambda ps: torch.optim.Adadelta(ps, lr=0.4, rho=0.8, eps=1e-3), w, gs)

    def actual(w, gs):
        eg = torch.zeros_like(w)
        ex = torch.zeros_like(w)
        for grad in gs:
            eg = 0.8 * eg + 0.2 * grad**2
            dx = -0.4 * (torch.sqrt(ex + 1e-3) / torch.sqrt(eg + 1e-3)) * grad
            ex = 0.8 * ex + 0.2 * dx**2
            w = w + dx
        return w

    return actual, expected, (w0, grads)


@pair("adamax_no_correction", "optimizers", "the first moment's bias correction 1 - beta1**t is missing", words=("bias",))
def _(seed):
    g = _rng(seed, 10)
    w0, grads = _n(g, 4, 4), _n(g, 6, 4, 4)

    def expected(w, gs):
        return _follow(lambda ps: torch.optim.Adamax(ps, lr=0.02, betas=(0.9, 0.99), eps=1e-8), w, gs)

    def actual(w, gs):
        avg, peak = torch.zeros_like(w), torch.zeros_like(w)
        for t in range(1, gs.shape[0] + 1):
            grad = gs[t - 1]
            avg = torch.lerp(avg, grad, 0.1)
            peak = torch.max(0.99 * peak, grad.abs() + 1e-8)
            w = w - 0.02 * avg / peak
        return w

    return actual, expected, (w0, grads)


@pair(
    "nadam_power_for_product",
    "optimizers",
    "the momentum is corrected by powers of beta1 instead of the running product of the scheduled momenta",
    words=("product", "mu_prod", "beta1**", "beta1^", "beta_1", "scheduled", "momentum cache", "momentum schedule", "bias"),
)
def _(seed):
    g = _rng(seed, 11)
    w0, grads = _n(g, 5, 3), _n(g, 7, 5, 3)

    def expected(w, gs):
        return _follow(lambda ps: torch.optim.NAdam(ps, lr=0.03, betas=(0.9, 0.99), eps=1e-8), w, gs)

    def actual(w, gs):
        m, v = torch.zeros_like(w), torch.zeros_like(w)
        cache = 1.0
        for t, grad in enumerate(gs, 1):
            u_t = 0.9 * (1.0 - 0.5 * 0.96 ** (t * 0.004))
            u_next = 0.9 * (1.0 - 0.5 * 0.96 ** ((t + 1) * 0.004))
            cache = cache * 0.9
            m = 0.9 * m + 0.1 * grad
            v = 0.99 * v + 0.01 * grad * grad
            m_bar = u_next * m / (1 - cache * u_next) + (1 - u_t) * grad / (1 - cache)
            w = w - 0.03 * m_bar / (torch.sqrt(v / (1 - 0.99**t)) + 1e-8)
        return w

    return actual, expected, (w0, grads)


@pair(
    "radam_threshold_four",
    "optimizers",
    "the rectified branch starts at rho_t > 4 as in the paper instead of rho_t > 5",
    words=("threshold", "> 5", ">5", "> 4", ">4", "rho", "rectif", "cutoff"),
)
def _(seed):
    g = _rng(seed, 12)
    w0, grads = _n(g, 5, 4), _n(g, 8, 5, 4)

    def expected(w, gs):
        return _follow(lambda ps: torch.optim.RAdam(ps, lr=0.05, betas=(0.9, 0.999), eps=1e-8), w, gs)

    def actual(w, gs):
        b1, b2 = 0.9, 0.999
        ro_inf = 2 / (1 - b2) - 1
        mu, nu = torch.zeros_like(w), torch.zeros_like(w)
        for count, grad in enumerate(gs, 1):
            mu = b1 * mu + (1 - b1) * grad
            nu = b2 * nu + (1 - b2) * grad**2
            b2t = b2**count
            ro = ro_inf - 2 * count * b2t / (1 - b2t)
            mu_hat = mu / (1 - b1**count)
            if ro > 4.0:
                r = math.sqrt((ro - 4) * (ro - 2) * ro_inf / ((ro_inf - 4) * (ro_inf - 2) * ro))
                w = w - 0.05 * r * mu_hat * math.sqrt(1 - b2t) / (nu.sqrt() + 1e-8)
            else:
                w = w - 0.05 * mu_hat
        return w

    return actual, expected, (w0, grads)


@pair(
    "adafactor_no_parameter_scale",
    "optimizers",
    "the step is not scaled by the RMS of the parameter (max(eps2, RMS(w)))",
    words=(
        "rms of",
        "rms(",
        "root mean sq",
        "root-mean-sq",
        "parameter scale",
        "parameter_scale",
        "scale_parameter",
        "relative step",
        "size of the param",
        "norm of the param",
    ),
)
def _(seed):
    g = _rng(seed, 13)
    w0, grads = _n(g, 6, 8, scale=0.4), _n(g, 6, 6, 8)

    def expected(w, gs):
        return _follow(lambda ps: torch.optim.Adafactor(ps, lr=0.1, beta2_decay=-0.8, weight_decay=0.0), w, gs)

    def actual(w, gs):
        tiny = torch.finfo(w.dtype).eps
        rows, cols = w.new_zeros(w.shape[0]), w.new_zeros(w.shape[1])
        for t, grad in enumerate(gs, start=1):
            keep = 1.0 - t**-0.8
            sq = grad * grad
            rows = keep * rows + (1 - keep) * sq.mean(dim=1)
            cols = keep * cols + (1 - keep) * sq.mean(dim=0)
            vhat = torch.outer(rows / rows.mean().clamp(min=tiny), cols)
            u = grad * vhat.clamp(min=tiny * tiny).rsqrt()
            u = u / torch.clamp(u.square().mean().sqrt(), min=1.0)
            step_size = min(0.1, 1.0 / math.sqrt(t))
            w = w - step_size * u
        return w

    return actual, expected, (w0, grads)


@pair(
    "lion_betas_swapped",
    "optimizers",
    "beta1 and beta2 are swapped between the sign update and the momentum",
    words=("beta", "swap", "b1", "0.99", "b2"),
)
def _(seed):
    g = _rng(seed, 14)
    w0, grads = _n(g, 8, 6), _n(g, 8, 8, 6)

    def expected(w, gs):
        p = w.clone()
        exp_avg = torch.zeros_like(w)
        for grad in gs:
            p.mul_(1 - 0.02 * 0.1)
            update = exp_avg.clone().mul_(0.9).add(grad, alpha=0.1).sign_()
            p.add_(update, alpha=-0.02)
            exp_avg.mul_(0.99).add_(grad, alpha=0.01)
        return p

    def actual(w, gs):
        def lion(params, mu, grad, b1=0.99, b2=0.9, rate=0.02, wd=0.1):
            direction = torch.sign(b1 * mu + (1.0 - b1) * grad)
            mu = b2 * mu + (1.0 - b2) * grad
            return params - rate * (direction + wd * params), mu

        mu = torch.zeros_like(w)
        for grad in gs:
            w, mu = lion(w, mu, grad)
        return w

    return actual, expected, (w0, grads)


@pair(
    "lamb_ratio_before_decay",
    "optimizers",
    "the trust ratio divides by the norm of the Adam update before weight decay is added to it",
    words=("trust", "norm of", "norm(", "update norm", "before weight decay"),
)
def _(seed):
    g = _rng(seed, 15)
    w0, grads = _n(g, 6, 5), _n(g, 6, 6, 5)

    def expected(w, gs):
        p, m, v = w.clone(), torch.zeros_like(w), torch.zeros_like(w)
        for t, grad in enumerate(gs, 1):
            m.mul_(0.9).add_(grad, alpha=0.1)
            v.mul_(0.99).addcmul_(grad, grad, value=0.01)
            update = (m / (1 - 0.9**t)) / ((v / (1 - 0.99**t)).sqrt() + 1e-6)
            update = update + 0.3 * p
            p = p - 0.02 * (p.norm() / update.norm()) * update
        return p

    def actual(w, gs):
        mean, sq = torch.zeros_like(w), torch.zeros_like(w)
        c1, c2 = 1.0, 1.0
        for grad in gs:
            c1, c2 = c1 * 0.9, c2 * 0.99
            mean = mean + 0.1 * (grad - mean)
            sq = sq + 0.01 * (grad.square() - sq)
            r = mean / (1 - c1) / (torch.sqrt(sq / (1 - c2)) + 1e-6)
            full = r + 0.3 * w
            phi = torch.linalg.vector_norm(w) / torch.linalg.vector_norm(r)
            w = w - 0.02 * phi * full
        return w

    return actual, expected, (w0, grads)


@pair(
    "muon_aspect_inverted",
    "optimizers",
    "the scale for the matrix's shape takes columns over rows: sqrt(max(1, cols/rows)) instead of sqrt(max(1, rows/cols))",
    words=("rows", "cols", "columns", "aspect", "fan", "transpos", "max(1"),
)
def _(seed):
    g = _rng(seed, 16)
    w0, grads = _n(g, 12, 4), _n(g, 4, 12, 4)

    def expected(w, gs):
        def orthogonal(G):
            X = G / (G.norm() + 1e-7)
            tall = X.size(0) > X.size(1)
            X = X.T if tall else X
            for _ in range(5):
                A = X @ X.T
                X = 3.4445 * X + (-4.7750 * A + 2.0315 * A @ A) @ X
            return X.T if tall else X

        p, buf = w.clone(), torch.zeros_like(w)
        for grad in gs:
            buf.lerp_(grad, 1 - 0.95)
            update = orthogonal(grad.lerp(buf, 0.95))
            p = p - 0.05 * max(1, w.size(0) / w.size(1)) ** 0.5 * update
        return p

    def actual(w, gs):
        a, b, c = 3.4445, -4.7750, 2.0315

        def zeropower(M):
            Y = M / (torch.sqrt((M * M).sum()) + 1e-7)
            for _ in range(5):
                gram = Y.T @ Y
                poly = b * gram + c * (gram @ gram)
                Y = a * Y + Y @ poly
            return Y

        n_out, n_in = w.shape
        mom = torch.zeros_like(w)
        for grad in gs:
            mom = 0.95 * mom + 0.05 * grad
            o = zeropower(0.05 * grad + 0.95 * mom)
            w = w - 0.05 * math.sqrt(max(1.0, n_in / n_out)) * o
        return w

    return actual, expected, (w0, grads)


@pair(
    "ema_from_zero",
    "optimizers",
    "the average of the weights starts from zeros (undebiased) instead of from the initial weights",
    words=("zero", "initial", "starts", "debias"),
)
def _(seed):
    g = _rng(seed, 17)
    w0, grads = _n(g, 5, 6), _n(g, 9, 5, 6)

    def expected(w, gs):
        p = w.detach().clone().requires_grad_(True)
        opt = torch.optim.SGD([p], lr=0.05)
        shadow = w.detach().clone()
        for grad in gs:
            p.grad = grad.clone()
            opt.step()
            shadow.mul_(0.9).add_(p.detach(), alpha=0.1)
        return shadow

    def actual(w, gs):
        averaged = torch.zeros_like(w)
        for grad in gs:
            w = w - 0.05 * grad
            averaged = averaged - (1 - 0.9) * (averaged - w)
        return averaged

    return actual, expected, (w0, grads)


@pair(
    "clip_each_tensor",
    "optimizers",
    "gradients are clipped by each tensor's own norm instead of the global norm over all of them",
    words=(
        "global",
        "per-tensor",
        "per tensor",
        "per-param",
        "per param",
        "each tensor",
        "each param",
        "own norm",
        "joint",
        "separate",
        "total norm",
        "total_norm",
    ),
)
def _(seed):
    g = _rng(seed, 18)
    x, y = _n(g, 12, 5), _n(g, 12, 2, scale=2.0)
    w, b = _n(g, 5, 2), _n(g, 2)

    def expected(x, y, w, b):
        with torch.enable_grad():
            w_, b_ = w.detach().clone().requires_grad_(), b.detach().clone().requires_grad_()
            opt = torch.optim.SGD([w_, b_], lr=0.2)
            for _ in range(5):
                opt.zero_grad()
                F.mse_loss(x @ w_ + b_, y).backward()
                torch.nn.utils.clip_grad_norm_([w_, b_], max_norm=0.5)
                opt.step()
        return w_.detach(), b_.detach()

    def actual(x, y, w, b):
        count = y.numel()
        for _ in range(5):
            err = x @ w + b - y
            grads = [2.0 / count * (x.T @ err), 2.0 / count * err.sum(0)]
            clipped = []
            for gr in grads:
                size = torch.sqrt((gr * gr).sum())
                clipped.append(gr * torch.clamp(0.5 / (size + 1e-6), max=1.0))
            w, b = w - 0.2 * clipped[0], b - 0.2 * clipped[1]
        return w, b

    return actual, expected, (x, y, w, b)


@pair(
    "accumulation_sum",
    "optimizers",
    "the accumulated gradient is the sum over the micro-batches, not divided by their number",
    words=("gradient accum", "accumulated gradient", "accumulation steps", "divid", "micro", "/ 4", "number of"),
)
def _(seed):
    g = _rng(seed, 19)
    x, y, w = _n(g, 3, 16, 4), _n(g, 3, 16), _n(g, 4)

    def expected(x, y, w):
        with torch.enable_grad():
            p = w.detach().clone().requires_grad_()
            opt = torch.optim.SGD([p], lr=0.02, momentum=0.9)
            for xb, yb in zip(x, y):
                opt.zero_grad()
                for xm, ym in zip(xb.chunk(4), yb.chunk(4)):
                    (F.mse_loss(xm @ p, ym) / 4).backward()
                opt.step()
        return p.detach()

    def actual(x, y, w):
        velocity = torch.zeros_like(w)
        for xb, yb in zip(x, y):
            bank = torch.zeros_like(w)
            for k in range(0, 16, 4):
                with torch.enable_grad():
                    leaf = w.detach().clone().requires_grad_()
                    loss = ((xb[k : k + 4] * leaf).sum(-1) - yb[k : k + 4]).pow(2).mean()
                    (grad,) = torch.autograd.grad(loss, leaf)
                bank = bank + grad
            velocity = 0.9 * velocity + bank
            w = w - 0.02 * velocity
        return w.detach()

    return actual, expected, (x, y, w)


@pair(
    "cosine_progress_with_warmup",
    "optimizers",
    "the cosine's progress is t / total, without taking the warm-up steps out: (t - warmup) / (total - warmup)",
    words=("progress", "warm"),
)
def _(seed):
    g = _rng(seed, 20)
    w0, grads = _n(g, 24), _n(g, 12, 24)

    def expected(w, gs):
        def factor(t):
            if t < 4:
                return (t + 1) / 4
            return 0.5 * (1 + math.cos(math.pi * (t - 4) / (12 - 4)))

        return _follow(lambda ps: torch.optim.SGD(ps, lr=0.1, momentum=0.5), w, gs, lambda o: torch.optim.lr_scheduler.LambdaLR(o, factor))

    def actual(w, gs):
        peak, warm, total = 0.1, 4, 12
        rates = []
        for it in range(total):
            if it < warm:
                rates.append(peak * (it + 1) / warm)
            else:
                done = it / total
                rates.append(peak * (1 + math.cos(math.pi * done)) / 2)
        acc = torch.zeros_like(w)
        for rate, grad in zip(rates, gs):
            acc = acc * 0.5 + grad
            w = w - rate * acc
        return w

    return actual, expected, (w0, grads)


# ---------------------------------------------------------------------- losses


@pair(
    "ce_smoothing_others",
    "losses",
    "label smoothing spreads eps over the K - 1 other classes instead of over all K",
    words=("smooth", "k-1", "k - 1", "num_classes - 1", "other classes"),
    scalar=True,
)
def _(seed):
    g = _rng(seed, 21)
    logits, y = _n(g, 20, 5), _ints(g, 0, 5, 20)

    def expected(logits):
        return F.cross_entropy(logits, y, label_smoothing=0.2)

    def actual(logits):
        k = logits.shape[-1]
        hot = F.one_hot(y, k).to(logits.dtype)
        soft = hot * (1 - 0.2) + (1 - hot) * (0.2 / (k - 1))
        logp = logits - torch.logsumexp(logits, -1, keepdim=True)
        return -(soft * logp).sum(-1).sum() / logits.shape[0]

    return actual, expected, (logits,)


@pair(
    "ce_ignored_counted",
    "losses",
    "positions with ignore_index are clamped to class 0 but their loss is not masked out of the sum",
    words=("ignor", "mask", "pad", "-100"),
    scalar=True,
)
def _(seed):
    g = _rng(seed, 22)
    logits, y = _n(g, 24, 6), _ints(g, 0, 6, 24)
    y[::4] = -100

    def expected(logits):
        return F.cross_entropy(logits, y, ignore_index=-100)

    def actual(scores):
        valid = y != -100
        safe = y.clamp(min=0)
        top = scores.max(dim=1, keepdim=True).values
        norm = (scores - top).exp().sum(1).log() + top.squeeze(1)
        nll = norm - scores.gather(1, safe[:, None]).squeeze(1)
        return nll.sum() / valid.sum()

    return actual, expected, (logits,)


@pair(
    "ce_weights_plain_mean",
    "losses",
    "the weighted loss is divided by the number of samples instead of the sum of the targets' weights",
    words=("sum of the weights", "sum of weights", "weight sum", "total weight", "weights", "normali", "denominator"),
    scalar=True,
)
def _(seed):
    g = _rng(seed, 23)
    logits, y = _n(g, 18, 4), _ints(g, 0, 4, 18)
    weight = torch.rand(4, generator=g) * 2 + 0.3

    def expected(logits, weight):
        return F.cross_entropy(logits, y, weight=weight)

    def actual(logits, class_weight):
        probs = torch.softmax(logits, dim=-1)
        total = 0.0
        for i in range(logits.shape[0]):
            c = int(y[i])
            total = total - class_weight[c] * torch.log(probs[i, c])
        return total / logits.shape[0]

    return actual, expected, (logits, weight)


@pair(
    "bce_weight_on_negatives",
    "losses",
    "pos_weight multiplies the negative term instead of the positive one",
    words=("pos_weight", "positive", "negative"),
    scalar=True,
)
def _(seed):
    g = _rng(seed, 24)
    z = _n(g, 16, 3)
    t = (torch.rand(16, 3, generator=g) < 0.3).float()
    pw = torch.tensor([2.0, 3.0, 5.0])

    def expected(z, t, pw):
        return F.binary_cross_entropy_with_logits(z, t, pos_weight=pw)

    def actual(logits, labels, weight):
        on = F.softplus(-logits)
        off = F.softplus(logits)
        each = labels * on + weight * (1 - labels) * off
        return each.mean()

    return actual, expected, (z, t, pw)


@pair(
    "focal_alpha_everywhere",
    "losses",
    "alpha weighs positives and negatives alike: negatives should get 1 - alpha",
    words=("alpha",),
    scalar=True,
)
def _(seed):
    g = _rng(seed, 25)
    z = _n(g, 10, 4, scale=1.5)
    t = (torch.rand(10, 4, generator=g) < 0.3).float()

    def expected(z, t):
        p = torch.sigmoid(z)
        ce = F.binary_cross_entropy_with_logits(z, t, reduction="none")
        p_t = p * t + (1 - p) * (1 - t)
        alpha_t = 0.25 * t + (1 - 0.25) * (1 - t)
        return (alpha_t * ce * (1 - p_t) ** 2).mean()

    def actual(logits, labels):
        signed = torch.where(labels > 0.5, logits, -logits)
        log_pt = F.logsigmoid(signed)
        modulate = torch.exp(2.0 * F.logsigmoid(-signed))
        return torch.mean(-0.25 * modulate * log_pt)

    return actual, expected, (z, t)


@pair(
    "kl_reversed",
    "losses",
    "the divergence is computed in the other direction, KL(q || p) instead of KL(p || q)",
    words=("direction", "swap", "revers", "kl(q", "forward kl", "order of"),
    scalar=True,
)
def _(seed):
    g = _rng(seed, 26)
    a, b = _n(g, 12, 7), _n(g, 12, 7)

    def expected(student, teacher):
        return F.kl_div(F.log_softmax(student, -1), F.softmax(teacher, -1), reduction="batchmean")

    def actual(student, teacher):
        log_q = student - student.logsumexp(-1, keepdim=True)
        log_p = teacher - teacher.logsumexp(-1, keepdim=True)
        return torch.einsum("nk,nk->", log_q.exp(), log_q - log_p) / student.shape[0]

    return actual, expected, (a, b)


@pair(
    "smooth_l1_as_huber",
    "losses",
    "the Huber form is used where smooth L1 divides by beta: the result is off by the factor beta",
    words=("beta", "huber", "delta", "divid"),
    scalar=True,
)
def _(seed):
    g = _rng(seed, 27)
    a, b = _n(g, 14, 3), _n(g, 14, 3)

    def expected(a, b):
        return F.smooth_l1_loss(a, b, beta=0.4)

    def actual(pred, truth):
        r = (truth - pred).abs()
        quad = torch.clamp(r, max=0.4)
        return (0.5 * quad * quad + 0.4 * (r - quad)).mean()

    return actual, expected, (a, b)


@pair(
    "triplet_squared",
    "losses",
    "squared distances are compared; the square root is missing",
    words=("squar", "sqrt", "root", "euclid"),
    scalar=True,
)
def _(seed):
    g = _rng(seed, 28)
    a = _n(g, 16, 6)
    p, n = a + _n(g, 16, 6, scale=0.7), a + _n(g, 16, 6, scale=0.8)

    def expected(a, p, n):
        return F.triplet_margin_loss(a, p, n, margin=1.0, eps=0.0)

    def actual(anchor, pos, neg):
        d_ap = ((anchor - pos) ** 2).sum(dim=1)
        d_an = ((anchor - neg) ** 2).sum(dim=1)
        return torch.relu(1.0 + d_ap - d_an).mean()

    return actual, expected, (a, p, n)


@pair(
    "clip_one_direction",
    "losses",
    "only the image-to-text cross entropy is taken; the text-to-image half (over the columns) is missing",
    words=(
        "symmetr",
        "text-to-image",
        "text to image",
        "transpos",
        "one direction",
        "both direction",
        "column",
        "image-to-text",
        "other direction",
    ),
    scalar=True,
)
def _(seed):
    g = _rng(seed, 29)
    a, b = _n(g, 8, 10), _n(g, 8, 10)
    a, b = a + 0.5 * b, b + 1.2 * a.mean(0)
    a[::2] += 1.0

    def expected(image, text):
        i, t = F.normalize(image, dim=-1), F.normalize(text, dim=-1)
        logits = i @ t.T / 0.2
        y = torch.arange(len(i))
        return 0.5 * (F.cross_entropy(logits, y) + F.cross_entropy(logits.T, y))

    def actual(u, v):
        u = u * u.square().sum(1, keepdim=True).rsqrt()
        v = v * v.square().sum(1, keepdim=True).rsqrt()
        sims = 5.0 * torch.einsum("id,jd->ij", u, v)
        rows = sims.logsumexp(dim=1) - sims.diagonal()
        return rows.mean()

    return actual, expected, (a, b)


@pair(
    "dice_squared_denominator",
    "losses",
    "the denominator sums squares (the V-Net form, p^2 + t^2) instead of the plain p + t",
    words=("squar", "p^2", "p**2", "v-net", "denominator"),
    scalar=True,
)
def _(seed):
    g = _rng(seed, 30)
    z = _n(g, 4, 6, 6)
    t = (torch.rand(4, 6, 6, generator=g) < 0.4).float()

    def expected(z, t):
        p = torch.sigmoid(z).flatten(1)
        q = t.flatten(1)
        inter = (p * q).sum(1)
        return (1 - (2 * inter + 1) / (p.sum(1) + q.sum(1) + 1)).mean()

    def actual(logits, truth):
        prob = 1 / (1 + torch.exp(-logits))
        both = torch.einsum("nhw,nhw->n", prob, truth)
        size = torch.einsum("nhw,nhw->n", prob, prob) + torch.einsum("nhw,nhw->n", truth, truth)
        score = (both + both + 1.0) / (size + 1.0)
        return 1.0 - score.mean()

    return actual, expected, (z, t)


@pair(
    "ctc_blank_last",
    "losses",
    "the last class serves as the blank (TensorFlow's convention) instead of class 0",
    words=("blank",),
    scalar=True,
)
def _(seed):
    g = _rng(seed, 31)
    z = _n(g, 9, 3, 6)
    y = _ints(g, 1, 5, 3, 3)

    def expected(z):
        lens, sizes = torch.full((3,), 9), torch.full((3,), 3)
        return F.ctc_loss(F.log_softmax(z, -1), y, lens, sizes, blank=0, reduction="mean")

    def actual(z):
        steps, batch, classes = z.shape
        logp = z - z.logsumexp(-1, keepdim=True)
        blank = classes - 1
        ext = torch.full((batch, 7), blank)
        ext[:, 1::2] = y
        floor = torch.full((batch, 2), -1e4, dtype=z.dtype)
        skip = torch.zeros(batch, 7, dtype=torch.bool)
        skip[:, 3::2] = ext[:, 3::2] != ext[:, 1:-2:2]
        emit = logp[0].gather(1, ext)
        alpha = torch.cat([emit[:, :2], torch.full((batch, 5), -1e4, dtype=z.dtype)], dim=1)
        for t in range(1, steps):
            one = torch.cat([floor[:, :1], alpha[:, :-1]], dim=1)
            two = torch.where(skip, torch.cat([floor, alpha[:, :-2]], dim=1), torch.full_like(alpha, -1e4))
            alpha = torch.stack([alpha, one, two]).logsumexp(0) + logp[t].gather(1, ext)
        nll = -torch.logaddexp(alpha[:, -1], alpha[:, -2])
        return (nll / 3).mean()

    return actual, expected, (z,)


@pair(
    "gaussian_nll_half",
    "losses",
    "the factor 0.5 is missing on the log-variance term",
    words=("0.5", "half", "log var", "log-var", "log(var", "logvar", "log term", "1/2"),
    scalar=True,
)
def _(seed):
    g = _rng(seed, 32)
    mu, x = _n(g, 12, 3), _n(g, 12, 3)
    var = torch.rand(12, 3, generator=g) * 2 + 0.2

    def expected(mu, x, var):
        return F.gaussian_nll_loss(mu, x, var, full=False)

    def actual(loc, value, variance):
        z = (value - loc) / variance.sqrt()
        return torch.mean(torch.log(variance) + 0.5 * z * z)

    return actual, expected, (mu, x, var)


@pair(
    "ppo_min_of_negated",
    "losses",
    "the two negated surrogates are combined with the minimum instead of the maximum (the optimistic one wins)",
    words=("minimum", "maximum", "torch.min", "torch.max", "min(", "max(", "pessimis", "optimis"),
    scalar=True,
)
def _(seed):
    g = _rng(seed, 33)
    new, old, adv = _n(g, 40, scale=0.5) - 1, _n(g, 40, scale=0.5) - 1, _n(g, 40)

    def expected(new, old, adv):
        ratio = torch.exp(new - old)
        return -torch.min(ratio * adv, torch.clamp(ratio, 0.8, 1.2) * adv).mean()

    def actual(logp, behaviour, advantage):
        ratio = logp.exp() / behaviour.exp()
        pg1 = -advantage * ratio
        pg2 = -advantage * ratio.clamp(1 - 0.2, 1 + 0.2)
        return torch.minimum(pg1, pg2).mean()

    return actual, expected, (new, old, adv)


@pair(
    "gae_bootstraps_through_done",
    "losses",
    "the next state's value is not masked by done in the TD error: it bootstraps across the end of an episode",
    words=("done", "termin", "bootstrap", "episode", "mask"),
)
def _(seed):
    g = _rng(seed, 34)
    r, v, last = _n(g, 12, 3), _n(g, 12, 3), _n(g, 3)
    d = (torch.rand(12, 3, generator=g) < 0.25).float()
    d[4, 0] = 1.0

    def expected(r, v, d, last):
        adv = torch.zeros_like(r)
        run = torch.zeros_like(last)
        for t in reversed(range(r.shape[0])):
            nxt = last if t == r.shape[0] - 1 else v[t + 1]
            delta = r[t] + 0.99 * nxt * (1 - d[t]) - v[t]
            run = delta + 0.99 * 0.95 * (1 - d[t]) * run
            adv[t] = run
        return adv

    def actual(rewards, values, dones, tail):
        ahead = torch.cat([values[1:], tail[None]], dim=0)
        live = 1.0 - dones
        td = rewards + 0.99 * ahead - values
        out, carry = [], torch.zeros_like(tail)
        for i in range(rewards.shape[0] - 1, -1, -1):
            carry = td[i] + (0.99 * 0.95) * live[i] * carry
            out.insert(0, carry)
        return torch.stack(out)

    return actual, expected, (r, v, d, last)


@pair(
    "batch_norm_biased_running",
    "losses",
    "the running variance is updated with the biased batch variance; torch uses the unbiased one (n - 1)",
    words=("unbiased", "biased", "bessel", "n-1", "n - 1", "correction", "n/(n"),
)
def _(seed):
    g = _rng(seed, 35)
    x, gamma, beta = _n(g, 4, 8, 5) * 1.5 + 0.4, _n(g, 5), _n(g, 5)

    def expected(x, gamma, beta):
        mean, var = torch.zeros_like(gamma), torch.ones_like(gamma)
        outs = [F.batch_norm(xb, mean, var, gamma, beta, training=True, momentum=0.2, eps=1e-5) for xb in x]
        return torch.stack(outs), mean, var

    def actual(batches, scale, offset):
        ema_mean, ema_var = torch.zeros_like(scale), torch.ones_like(scale)
        ys = []
        for xb in batches:
            mu = xb.mean(0)
            s2 = (xb - mu).square().mean(0)
            ys.append((xb - mu) / torch.sqrt(s2 + 1e-5) * scale + offset)
            ema_mean = 0.8 * ema_mean + 0.2 * mu
            ema_var = 0.8 * ema_var + 0.2 * s2
        return torch.stack(ys), ema_mean, ema_var

    return actual, expected, (x, gamma, beta)


@pair(
    "simsiam_no_stop",
    "losses",
    "the target projection is not detached: the stop-gradient is missing",
    words=("detach", "stop-grad", "stop_grad", "stop grad", "stopgrad", "no_grad"),
    scalar=True,
    gradients=True,
)
def _(seed):
    g = _rng(seed, 36)
    x1, x2, w, h = _n(g, 10, 5), _n(g, 10, 5), _n(g, 5, 6), _n(g, 6, 6)

    def expected(x1, x2, w, h):
        z1, z2 = x1 @ w, x2 @ w
        p1, p2 = z1 @ h, z2 @ h
        return -0.5 * (F.cosine_similarity(p1, z2.detach(), dim=-1).mean() + F.cosine_similarity(p2, z1.detach(), dim=-1).mean())

    def actual(x1, x2, w, h):
        def unit(a):
            return a / a.pow(2).sum(1, keepdim=True).sqrt()

        def distance(pred, target):
            frozen = unit(target)
            return -(unit(pred) * frozen).sum(1).mean()

        z1, z2 = torch.mm(x1, w), torch.mm(x2, w)
        return (distance(z1.mm(h), z2) + distance(z2.mm(h), z1)) / 2

    return actual, expected, (x1, x2, w, h)


@pair(
    "masked_mean_of_means",
    "losses",
    "the loss is averaged per sequence and then over sequences, instead of over all unmasked tokens at once",
    words=(
        "per-sequence",
        "per sequence",
        "each sequence",
        "token",
        "mean of means",
        "sequences",
        "per-row",
        "per row",
        "per-sample",
        "per sample",
    ),
    scalar=True,
)
def _(seed):
    g = _rng(seed, 37)
    a, b = _n(g, 5, 9), _n(g, 5, 9)
    lengths = torch.tensor([9, 2, 5, 1, 7])
    keep = torch.arange(9)[None] < lengths[:, None]

    def expected(a, b):
        m = keep.to(a.dtype)
        return ((a - b) ** 2 * m).sum() / m.sum()

    def actual(guess, label):
        gone = torch.logical_not(keep)
        err = (guess - label).square().masked_fill(gone, 0.0)
        per = err.sum(dim=1) / keep.sum(dim=1)
        return per.mean()

    return actual, expected, (a, b)


@pair(
    "spectral_sigma_frozen",
    "losses",
    "sigma is computed under no_grad, so no gradient flows through the normalisation",
    words=("sigma", "detach", "no_grad", "no grad", "spectral"),
    scalar=True,
    gradients=True,
)
def _(seed):
    g = _rng(seed, 38)
    w, x, u0 = _n(g, 6, 5), _n(g, 8, 5), _n(g, 6)

    def expected(w, x, u0):
        with torch.no_grad():
            u = F.normalize(u0, dim=0)
            for _ in range(3):
                v = F.normalize(w.T @ u, dim=0)
                u = F.normalize(w @ v, dim=0)
        sigma = torch.dot(u, w @ v)
        return torch.tanh(x @ (w / sigma).T).square().mean() + 0.0 * u0.sum()

    def actual(kernel, x, start):
        with torch.no_grad():
            left = start / start.norm()
            for _ in range(3):
                right = kernel.T.mv(left)
                right = right / right.norm()
                left = kernel.mv(right)
                left = left / left.norm()
            top = (left[:, None] * kernel * right[None, :]).sum()
        y = torch.tanh(torch.einsum("bi,oi->bo", x, kernel) / top)
        return (y * y).mean() + 0.0 * start.sum()

    return actual, expected, (w, x, u0)


@pair(
    "gradient_penalty_first_order",
    "losses",
    "the gradient in the penalty is taken without create_graph, so the penalty does not train the critic",
    words=("create_graph", "second-order", "second order", "double back", "double-back", "detach", "higher-order", "through the penalty"),
    scalar=True,
    gradients=True,
)
def _(seed):
    g = _rng(seed, 39)
    real, fake = _n(g, 8, 4), _n(g, 8, 4) + 0.5
    w1, w2 = _n(g, 4, 6), _n(g, 6, 1)

    def critic(x, w1, w2):
        return torch.tanh(x @ w1) @ w2

    def expected(real, fake, w1, w2):
        with torch.enable_grad():
            eps = torch.linspace(0.1, 0.9, 8, dtype=real.dtype)[:, None]
            mid = (eps * real.detach() + (1 - eps) * fake.detach()).requires_grad_()
            (slope,) = torch.autograd.grad(critic(mid, w1, w2).sum(), mid, create_graph=True)
            penalty = ((slope.norm(2, dim=1) - 1) ** 2).mean()
            return critic(fake, w1, w2).mean() - critic(real, w1, w2).mean() + 10 * penalty

    def actual(real, fake, w1, w2):
        with torch.enable_grad():
            mix = torch.linspace(0.1, 0.9, 8, dtype=real.dtype).unsqueeze(1)
            point = torch.lerp(fake.detach(), real.detach(), mix).requires_grad_()
            score = critic(point, w1, w2)
            slope = torch.autograd.grad(score, point, grad_outputs=torch.ones_like(score))[0]
            lengths = slope.square().sum(1).sqrt()
            gp = (lengths * lengths - 2 * lengths + 1).mean()
            both = critic(torch.cat([real, fake]), w1, w2)
            return both[8:].mean() - both[:8].mean() + 10.0 * gp

    return actual, expected, (real, fake, w1, w2)


@pair(
    "weight_norm_axis",
    "losses",
    "the norm of v is taken along the wrong axis (down the columns instead of per output row)",
    words=("axis", "dim=", "dimension", "rows", "per row", "per output", "column"),
)
def _(seed):
    g = _rng(seed, 40)
    v, gain, x = _n(g, 5, 7), torch.rand(5, 1, generator=g) + 0.5, _n(g, 6, 7)

    def expected(v, gain, x):
        return F.linear(x, torch._weight_norm(v, gain, 0))

    def actual(direction, gain, x):
        length = direction.pow(2).sum(dim=0, keepdim=True).sqrt()
        kernel = (gain * direction / length).T
        return x @ kernel

    return actual, expected, (v, gain, x)


# --------------------------------------------------------------------- doubles


@pair(
    "onecycle_linear_and_floor",
    "optimizers",
    "the one-cycle schedule anneals linearly instead of by cosine; and its final rate is max_lr / final_div "
    "instead of initial_lr / final_div",
    kind="double",
    words=(
        ("linear", "cosine", "anneal"),
        ("final_", "final rate", "final lr", "final learn", "final div", "min_lr", "minimum", "end rate", "initial_lr", "floor"),
    ),
)
def _(seed):
    g = _rng(seed, 51)
    w0, grads = _n(g, 20), _n(g, 14, 20)

    def expected(w, gs):
        return _follow(
            lambda ps: torch.optim.SGD(ps, lr=0.1),
            w,
            gs,
            lambda o: torch.optim.lr_scheduler.OneCycleLR(
                o, max_lr=0.4, total_steps=14, pct_start=0.3, div_factor=10, final_div_factor=4, cycle_momentum=False
            ),
        )

    def actual(w, gs):
        def ramp(a, b, frac):
            return a + (b - a) * frac

        n, top = 14, 0.4
        bottom = top / 10
        floor = top / 4
        turn = 0.3 * n - 1
        for i in range(n):
            if i <= turn:
                rate = ramp(bottom, top, i / turn)
            else:
                rate = ramp(top, floor, (i - turn) / (n - 1 - turn))
            w = w - rate * gs[i]
        return w

    return actual, expected, (w0, grads)


@pair(
    "polynomial_end_and_late_clip",
    "optimizers",
    "the polynomial schedule decays to zero instead of to its end rate; and the clipping by value is applied to "
    "the momentum instead of the gradient",
    kind="double",
    words=(("end rate", "end_", "end lr", "end learn", "end value", "polynomial", "schedule", "floor"), ("clip", "clamp")),
)
def _(seed):
    g = _rng(seed, 52)
    w0, grads = _n(g, 5, 5), _n(g, 8, 5, 5)

    def expected(w, gs):
        p = w.detach().clone().requires_grad_(True)
        opt = torch.optim.SGD([p], lr=0.1, momentum=0.8)
        for t, grad in enumerate(gs):
            opt.param_groups[0]["lr"] = (0.1 - 0.03) * (1 - t / 8) ** 2 + 0.03
            p.grad = grad.clone()
            torch.nn.utils.clip_grad_value_([p], 0.6)
            opt.step()
        return p.detach()

    def actual(w, gs):
        buf = torch.zeros_like(w)
        total = gs.shape[0]
        for k in range(total):
            left = (total - k) / total
            rate = 0.1 * left * left
            grad = gs[k]
            buf = (0.8 * buf + grad).clamp(-0.6, 0.6)
            w = w - rate * buf
        return w

    return actual, expected, (w0, grads)


@pair(
    "step_early_and_beta2",
    "optimizers",
    "the step schedule drops one step early; and beta2 is 0.95 instead of 0.999",
    kind="double",
    words=(
        ("step early", "off by one", "off-by-one", "step too", "step_size", "schedule", "t + 1", "t+1"),
        ("beta2", "0.95", "beta_2", "second moment", "b2"),
    ),
)
def _(seed):
    g = _rng(seed, 53)
    w0 = _n(g, 4, 5)
    grads = _n(g, 12, 4, 5) * (0.75 ** torch.arange(12.0)).reshape(12, 1, 1)

    def expected(w, gs):
        return _follow(lambda ps: torch.optim.Adam(ps, lr=0.1), w, gs, lambda o: torch.optim.lr_scheduler.StepLR(o, step_size=3, gamma=0.6))

    def actual(w, gs):
        mean = torch.zeros_like(w)
        power = torch.zeros_like(w)
        b1, b2 = 0.9, 0.95
        for it in range(gs.shape[0]):
            rate = 0.1 * 0.6 ** ((it + 1) // 3)
            mean = b1 * mean + (1 - b1) * gs[it]
            power = b2 * power + (1 - b2) * gs[it].square()
            top = mean / (1 - b1 ** (it + 1))
            low = (power / (1 - b2 ** (it + 1))).sqrt() + 1e-8
            w = w - rate * top / low
        return w

    return actual, expected, (w0, grads)


@pair(
    "adamw_decay_and_early_ema",
    "optimizers",
    "weight decay is not multiplied by the learning rate; and the average of the weights takes them from before the step",
    kind="double",
    words=(
        ("weight decay", "weight_decay", "wd", "decoupled"),
        (
            "ema ",
            "weight average",
            "average of the w",
            "averaged w",
            "before the step",
            "before its update",
            "shadow",
            "stale",
            "old weights",
        ),
    ),
)
def _(seed):
    g = _rng(seed, 54)
    x, y, w = _n(g, 20, 4), _n(g, 20), _n(g, 4)

    def expected(x, y, w):
        with torch.enable_grad():
            p = w.detach().clone().requires_grad_()
            opt = torch.optim.AdamW([p], lr=0.1, betas=(0.9, 0.99), weight_decay=0.05)
            ema = w.detach().clone()
            for _ in range(6):
                opt.zero_grad()
                F.mse_loss(x @ p, y).backward()
                opt.step()
                ema.mul_(0.7).add_(p.detach(), alpha=0.3)
        return p.detach(), ema

    def actual(x, y, w):
        m, v, shadow = torch.zeros_like(w), torch.zeros_like(w), w
        for t in range(1, 7):
            grad = 2 * x.T @ (x @ w - y) / y.shape[0]
            m = 0.9 * m + 0.1 * grad
            v = 0.99 * v + 0.01 * grad * grad
            step = (m / (1 - 0.9**t)) / (torch.sqrt(v / (1 - 0.99**t)) + 1e-8)
            fresh = w - 0.1 * step - 0.05 * w
            shadow = 0.7 * shadow + 0.3 * w
            w = fresh
        return w, shadow

    return actual, expected, (x, y, w)


@pair(
    "dpo_mean_and_beta",
    "losses",
    "log-probabilities are averaged over the tokens instead of summed; and beta multiplies only the policy's "
    "log-ratio, not the reference's",
    kind="double",
    words=(
        ("averag", "mean over", "mean instead", "length", "summed", "sum over", "number of tokens"),
        ("beta", "ref_", "reference log", "reference's log"),
    ),
    scalar=True,
)
def _(seed):
    g = _rng(seed, 55)
    toks = [-torch.rand(6, 7, generator=g) * 2 for _ in range(4)]
    keep_w = torch.arange(7)[None] < _ints(g, 2, 8, 6, 1)
    keep_l = torch.arange(7)[None] < _ints(g, 2, 8, 6, 1)

    def expected(pw, pl, rw, rl):
        mw, ml = keep_w.to(pw.dtype), keep_l.to(pw.dtype)
        policy = (pw * mw).sum(-1) - (pl * ml).sum(-1)
        ref = (rw * mw).sum(-1) - (rl * ml).sum(-1)
        return -F.logsigmoid(0.3 * (policy - ref)).mean()

    def actual(chosen, rejected, ref_chosen, ref_rejected):
        def seq(lp, keep):
            return torch.where(keep, lp, torch.zeros_like(lp)).sum(1) / keep.sum(1)

        ours = seq(chosen, keep_w) - seq(rejected, keep_l)
        theirs = seq(ref_chosen, keep_w) - seq(ref_rejected, keep_l)
        gap = 0.3 * ours - theirs
        return torch.log1p(torch.exp(-gap)).mean()

    return actual, expected, tuple(toks)


@pair(
    "distill_scale_and_reduction",
    "losses",
    "the factor T squared is missing; and the divergence is averaged over every element (mean) instead of over the batch (batchmean)",
    kind="double",
    words=(
        ("t**2", "t^2", "t²", "temperature", "t*t", "squared"),
        ("batchmean", "reduction", "every element", "all elements", "classes", "batch size"),
    ),
    scalar=True,
)
def _(seed):
    g = _rng(seed, 56)
    s, t = _n(g, 10, 4, scale=2.0), _n(g, 10, 4, scale=2.0)
    y = _ints(g, 0, 4, 10)

    def expected(s, t):
        soft = F.kl_div(F.log_softmax(s / 3, -1), F.softmax(t / 3, -1), reduction="batchmean") * 3**2
        return 0.7 * soft + 0.3 * F.cross_entropy(s, y)

    def actual(student, teacher):
        tau = 3.0
        ls = torch.log_softmax(student / tau, dim=1)
        lt = torch.log_softmax(teacher / tau, dim=1)
        soft = (lt.exp() * (lt - ls)).mean()
        hard = -torch.log_softmax(student, dim=1)[torch.arange(10), y].mean()
        return hard + 0.7 * (soft - hard)

    return actual, expected, (s, t)


@pair(
    "moe_factor_and_z_order",
    "losses",
    "the balance loss lacks the factor number of experts; and the z-loss squares the mean of the logsumexp instead of averaging its square",
    kind="double",
    words=(("expert",), ("squar", "z-loss", "z_loss", "z loss", "logsumexp")),
    scalar=True,
)
def _(seed):
    g = _rng(seed, 57)
    z = _n(g, 32, 6, scale=1.5)

    def expected(z):
        p = F.softmax(z, dim=-1)
        hot = F.one_hot(p.argmax(-1), 6).to(z.dtype)
        balance = 6 * (hot.mean(0) * p.mean(0)).sum()
        return balance + 0.1 * torch.logsumexp(z, -1).square().mean()

    def actual(router):
        lse = router.logsumexp(dim=1)
        gates = torch.exp(router - lse[:, None])
        load = torch.bincount(router.argmax(dim=1), minlength=6).to(router.dtype) / router.shape[0]
        aux = torch.dot(load, gates.mean(dim=0))
        return aux + 0.1 * lse.mean() ** 2

    return actual, expected, (z,)


@pair(
    "mixup_swap_and_dropout_scale",
    "losses",
    "dropout does not rescale the kept units by 1 / (1 - p); and the two labels' losses are weighed with lambda and 1 - lambda swapped",
    kind="double",
    words=(("dropout", "rescal", "1 - p", "1-p", "keep prob", "inverted"), ("lambda", " lam ", "mixup", "swap")),
    scalar=True,
)
def _(seed):
    g = _rng(seed, 58)
    x, w1, w2 = _n(g, 12, 5), _n(g, 5, 8), _n(g, 8, 4)
    y, order = _ints(g, 0, 4, 12), torch.arange(12).roll(3)
    kept = torch.rand(12, 8, generator=g) >= 0.3

    def expected(x, w1, w2):
        mixed = 0.7 * x + (1 - 0.7) * x[order]
        h = F.relu(mixed @ w1) * kept.to(x.dtype) / (1 - 0.3)
        logits = h @ w2
        return 0.7 * F.cross_entropy(logits, y) + (1 - 0.7) * F.cross_entropy(logits, y[order])

    def actual(inputs, w1, w2):
        lam = 0.7
        blend = torch.lerp(inputs[order], inputs, lam)
        hidden = torch.where(kept, torch.clamp(blend @ w1, min=0), torch.zeros((), dtype=inputs.dtype))
        logp = torch.log_softmax(hidden @ w2, dim=-1)
        idx = torch.arange(len(y))
        return -((1 - lam) * logp[idx, y] + lam * logp[idx, y[order]]).mean()

    return actual, expected, (x, w1, w2)


# --------------------------------------------------------------------- honest


@pair("adam_efficient_form", "optimizers", "none: the paper's efficient order, lr_t with a rescaled epsilon", kind="honest")
def _(seed):
    g = _rng(seed, 61)
    w0, grads = _n(g, 6, 5), _n(g, 10, 6, 5)

    def expected(w, gs):
        return _follow(lambda ps: torch.optim.Adam(ps, lr=0.02, betas=(0.9, 0.99), eps=1e-6), w, gs)

    def actual(w, gs):
        m, v = torch.zeros_like(w), torch.zeros_like(w)
        for t, grad in enumerate(gs, 1):
            m = m + (grad - m) * 0.1
            v = v + (grad * grad - v) * 0.01
            root = math.sqrt(1 - 0.99**t)
            alpha = 0.02 * root / (1 - 0.9**t)
            w = w - alpha * m / (v.sqrt() + 1e-6 * root)
        return w

    return actual, expected, (w0, grads)


@pair(
    "nesterov_keras_form",
    "optimizers",
    "none: Keras keeps the learning rate in the velocity, which is equal for a constant rate",
    kind="honest",
)
def _(seed):
    g = _rng(seed, 62)
    w0, grads = _n(g, 6, 5), _n(g, 10, 6, 5)

    def expected(w, gs):
        return _follow(lambda ps: torch.optim.SGD(ps, lr=0.03, momentum=0.9, nesterov=True, weight_decay=0.01), w, gs)

    def actual(w, gs):
        velocity = torch.zeros_like(w)
        for grad in gs:
            grad = grad + 0.01 * w
            velocity = 0.9 * velocity - 0.03 * grad
            w = w + (0.9 * velocity - 0.03 * grad)
        return w

    return actual, expected, (w0, grads)


@pair(
    "cosine_half_angle",
    "optimizers",
    "none: the cosine schedule in closed form as a squared half-angle, with a centered RMSprop",
    kind="honest",
)
def _(seed):
    g = _rng(seed, 63)
    w0, grads = _n(g, 24), _n(g, 10, 24)

    def expected(w, gs):
        return _follow(
            lambda ps: torch.optim.RMSprop(ps, lr=0.05, alpha=0.9, eps=1e-3, centered=True),
            w,
            gs,
            lambda o: torch.optim.lr_scheduler.CosineAnnealingLR(o, T_max=10, eta_min=0.01),
        )

    def actual(w, gs):
        sq, avg = torch.zeros_like(w), torch.zeros_like(w)
        for k, grad in enumerate(gs):
            rate = 0.01 + 0.04 * math.cos(math.pi * k / 20) ** 2
            sq = sq + 0.1 * (grad.square() - sq)
            avg = avg + 0.1 * (grad - avg)
            w = w - rate * (grad / ((sq - avg.square()).sqrt() + 1e-3))
        return w

    return actual, expected, (w0, grads)


@pair(
    "ce_by_hand",
    "losses",
    "none: weighted cross entropy with ignored targets and label smoothing, sample by sample",
    kind="honest",
    scalar=True,
)
def _(seed):
    g = _rng(seed, 64)
    z, y = _n(g, 15, 5), _ints(g, 0, 5, 15)
    y[2], y[9] = -100, -100
    weight = torch.rand(5, generator=g) + 0.5

    def expected(z, weight):
        return F.cross_entropy(z, y, weight=weight, ignore_index=-100, label_smoothing=0.1)

    def actual(logits, cw):
        top, bottom = torch.zeros_like(cw[0]), torch.zeros_like(cw[0])
        for row, c in zip(logits, y.tolist()):
            if c == -100:
                continue
            peak = row.max()
            logp = row - peak - torch.log(torch.exp(row - peak).sum())
            top = top - 0.9 * cw[c] * logp[c] - 0.1 / 5 * torch.dot(cw, logp)
            bottom = bottom + cw[c]
        return top / bottom

    return actual, expected, (z, weight)


@pair("cosine_embedding_by_hand", "losses", "none: cosine embedding loss from normalised vectors", kind="honest", scalar=True)
def _(seed):
    g = _rng(seed, 65)
    a, b = _n(g, 20, 6), _n(g, 20, 6)
    sign = torch.ones(20)
    sign[::2] = -1

    def expected(a, b, sign):
        return F.cosine_embedding_loss(a, b, sign, margin=0.1)

    def actual(a, b, sign):
        ua = a / (a.square().sum(1, keepdim=True) + 1e-12).sqrt()
        ub = b / (b.square().sum(1, keepdim=True) + 1e-12).sqrt()
        c = torch.einsum("nd,nd->n", ua, ub)
        pull = (1 + sign) / 2 * (1 - c)
        push = (1 - sign) / 2 * torch.relu(c - 0.1)
        return (pull + push).sum() / a.shape[0]

    return actual, expected, (a, b, sign)


@pair("gae_as_matrix", "losses", "none: the advantages as a product with a triangular matrix of discounts", kind="honest")
def _(seed):
    g = _rng(seed, 66)
    r, v = _n(g, 14, 3), _n(g, 15, 3)

    def expected(r, v):
        adv, run = torch.zeros_like(r), torch.zeros_like(r[0])
        for t in reversed(range(14)):
            run = r[t] + 0.99 * v[t + 1] - v[t] + 0.99 * 0.95 * run
            adv[t] = run
        return adv

    def actual(reward, value):
        td = reward - value[:-1] + 0.99 * value[1:]
        i = torch.arange(14, dtype=reward.dtype)
        gap = i[None, :] - i[:, None]
        weights = torch.where(gap >= 0, (0.99 * 0.95) ** gap.clamp(min=0), torch.zeros_like(gap))
        return weights @ td

    return actual, expected, (r, v)


@pair("batch_norm_folded", "losses", "none: batch norm folded into one scale and shift, with unbiased running variance", kind="honest")
def _(seed):
    g = _rng(seed, 67)
    x, gamma, beta = _n(g, 3, 10, 4) + 0.2, _n(g, 4), _n(g, 4)

    def expected(x, gamma, beta):
        mean, var = torch.zeros_like(gamma), torch.ones_like(gamma)
        outs = [F.batch_norm(xb, mean, var, gamma, beta, training=True, momentum=0.1) for xb in x]
        return torch.stack(outs), mean, var

    def actual(x, gamma, beta):
        run_m, run_v = torch.zeros_like(gamma), torch.ones_like(gamma)
        ys = []
        for k in range(x.shape[0]):
            n = x.shape[1]
            mu = x[k].sum(0) / n
            ss = (x[k] - mu).square().sum(0)
            slope = gamma * torch.rsqrt(ss / n + 1e-5)
            ys.append(x[k] * slope + (beta - mu * slope))
            run_m = run_m - 0.1 * (run_m - mu)
            run_v = run_v - 0.1 * (run_v - ss / (n - 1))
        return torch.stack(ys), run_m, run_v

    return actual, expected, (x, gamma, beta)


@pair("perplexity_in_bits", "losses", "none: perplexity as two to the power of the mean bits per token", kind="honest", scalar=True)
def _(seed):
    g = _rng(seed, 68)
    z, y = _n(g, 4, 10, 8), _ints(g, 0, 8, 4, 10)

    def expected(z):
        return torch.exp(F.cross_entropy(z[:, :-1].reshape(-1, 8), y[:, 1:].reshape(-1)))

    def actual(logits):
        ahead = y.roll(-1, dims=1)
        p = torch.softmax(logits, dim=-1).gather(2, ahead[..., None])[..., 0]
        bits = -torch.log2(p[:, :-1])
        return 2.0 ** (bits.sum() / bits.numel())

    return actual, expected, (z,)
