"""RMSprop, Adagrad, Adadelta and Adafactor: rates made of averages of squared gradients.

Hinton, lecture 6e; Duchi, Hazan and Singer, Adaptive subgradient methods; Zeiler, Adadelta, algorithm 1; Shazeer and Stern, Adafactor,
algorithms 4 and 5. TensorFlow's RMSprop adds eps under the root, starts averages at 1 in version 1, and has the rate inside of the momentum buffer.
"""

from __future__ import annotations

import torch

from .reading import Family, Reading, Update, chosen, decays

_RMSPROP = (
    chosen("RMSprop epsilon", "eps added under the square root", "epsilon inside"),
    chosen("RMSprop epsilon", "no eps", "no epsilon"),
    *decays("decay coupled"),
    chosen("centered", "the squared average gradient not subtracted (not centered)", "not centered"),
    chosen("centered", "the squared average gradient subtracted (centered)", "centered"),
    chosen("centered", "the average gradient from before this step subtracted (centered)", "stale mean"),
    chosen("start of the average", "the average of squares started at 1", "starts at one"),
    chosen("start of the average", "the average of squares started at the first square", "starts at first"),
    chosen("start of the average", "bias correction applied to the average of squares", "corrected"),
    chosen("stale average", "the average of squares from before this step", "stale average"),
    chosen("RMSprop average", "alpha and 1 - alpha exchanged", "exchanged"),
    chosen("RMSprop momentum", "the learning rate inside the momentum buffer", "rate inside"),
    chosen("RMSprop momentum", "momentum of the gradient before it is divided by the root of the average", "momentum of gradient"),
    chosen("RMSprop momentum", "momentum as an average, momentum * buffer + (1 - momentum) * update", "averaged"),
    chosen("RMSprop momentum", "Nesterov's momentum", "nesterov"),
    chosen("RMSprop momentum", "the momentum buffer from before this step", "stale buffer"),
    chosen("RMSprop momentum", "no momentum", "no momentum"),
    *(Reading("RMSprop average", f"alpha = {alpha:g}", given={"alpha": alpha}) for alpha in (0.9, 0.95, 0.99, 0.999)),
)
_ADAGRAD = (
    chosen("Adagrad epsilon", "eps added under the square root", "epsilon inside"),
    chosen("Adagrad epsilon", "no eps", "no epsilon"),
    *decays("decay coupled"),
    *(
        Reading("start of the accumulator", f"the accumulator started at {start:g}", given={"start": start})
        for start in (0.0, 0.01, 0.1, 1.0)
    ),
    chosen("stale accumulator", "the accumulator from before this step", "stale"),
    chosen("rate decay", "no decay of the rate", "no rate decay"),
    chosen("rate decay", "the rate decayed one step earlier (1 + step * lr_decay)", "rate decays early"),
    chosen("rate decay", "the rate decayed by powers, (1 - lr_decay)^(step - 1)", "rate decays by powers"),
    chosen("accumulator", "the accumulator of the gradient without weight decay", "of plain gradient"),
)
_ADADELTA = (
    chosen("Adadelta epsilon", "eps added outside of the square roots", "epsilon outside"),
    chosen("Adadelta epsilon", "eps in the average of gradients only", "epsilon of gradients"),
    chosen("Adadelta epsilon", "eps in the average of updates only", "epsilon of updates"),
    *decays("decay coupled"),
    chosen("average of updates", "the average of updates from after this step", "later updates"),
    chosen("average of updates", "the average of updates times the learning rate", "scaled updates"),
    chosen("stale average", "the average of squared gradients from before this step", "stale average"),
    chosen("Adadelta rate", "no learning rate", "no rate"),
    chosen("Adadelta average", "rho and 1 - rho exchanged", "exchanged"),
    *(Reading("Adadelta average", f"rho = {rho:g}", given={"rho": rho}) for rho in (0.9, 0.95, 0.99)),
)
_ADAFACTOR = (
    *decays("decay decoupled"),
    *(
        Reading("Adafactor decay", f"the decay of the second moment with the exponent {power:g}", given={"beta2_decay": power})
        for power in (-0.8, -0.5, -1.0)
    ),
    chosen("Adafactor decay", "the decay of the second moment one step later", "decay later"),
    chosen("Adafactor clipping", "no clipping of the update", "not clipped"),
    chosen("Adafactor clipping", "updates below the threshold scaled up to it too", "always clipped"),
    chosen("Adafactor clipping", "the norm of the update, not its root mean square", "norm clipped"),
    chosen("Adafactor scale", "no scaling by the parameter", "not scaled"),
    chosen("Adafactor scale", "the norm of the parameter, not its root mean square", "norm scaled"),
    chosen("Adafactor scale", "no relative step (the rate alone)", "no relative step"),
    chosen("Adafactor factors", "the mean of the row factors left out", "no mean of row factors"),
    chosen("Adafactor factors", "the full second moment kept, not factored into rows and columns", "whole"),
    chosen("Adafactor factors", "sums in place of means along rows and columns", "sums"),
    chosen("Adafactor epsilon", "eps added to the squared gradient (as in the paper)", "epsilon added"),
)


def _rmsprop(update: Update) -> None:
    gradient, step, rate = update.decayed(decoupled=False), update.count(), float(update["lr"])
    alpha, momentum = update["alpha"], 0.0 if update.has("no momentum") else update["momentum"]
    if update.has("exchanged"):
        alpha = 1 - alpha
    squares = update.buffer("square_avg", 1.0 if update.has("starts at one") else 0.0)
    before = squares.clone()
    if update.has("starts at first") and step == 1:
        squares.copy_(gradient * gradient)
    else:
        squares.mul_(alpha).addcmul_(gradient, gradient, value=1 - alpha)
    used = before if update.has("stale average") else squares / (1 - alpha**step) if update.has("corrected") else squares
    if (update["centered"] or update.has("centered")) and not update.has("not centered"):
        mean = update.buffer("grad_avg")
        old = mean.clone()
        mean.lerp_(gradient, 1 - alpha)
        subtracted = old if update.has("stale mean") else mean
        used = used - subtracted * subtracted
    epsilon = 0.0 if update.has("no epsilon") else update["eps"]
    root = (used + epsilon).sqrt() if update.has("epsilon inside") else used.sqrt() + epsilon
    if not momentum:
        update.move(gradient / root, rate)
        return
    buffer = update.buffer("momentum_buffer")
    old_buffer = buffer.clone()
    entering = gradient if update.has("momentum of gradient") else gradient / root
    entering = entering * (rate if update.has("rate inside") else 1 - momentum if update.has("averaged") else 1.0)
    buffer.mul_(momentum).add_(entering)
    taken = old_buffer if update.has("stale buffer") else buffer
    taken = entering + momentum * taken if update.has("nesterov") else taken
    taken = taken / root if update.has("momentum of gradient") else taken
    update.move(taken, 1.0 if update.has("rate inside") else rate)


def _adagrad(update: Update) -> None:
    gradient, step = update.decayed(decoupled=False), update.count()
    own = float(update["initial_accumulator_value"])
    total = update.buffer("sum", own)
    if step == 1:
        total.add_(update.given("start", own) - own)
    before = total.clone()
    squared = update.plain if update.has("of plain gradient") else gradient
    total.addcmul_(squared, squared)
    used = before if update.has("stale") else total
    epsilon = 0.0 if update.has("no epsilon") else update["eps"]
    root = (used + epsilon).sqrt() if update.has("epsilon inside") else used.sqrt() + epsilon
    decay, rate = update["lr_decay"], float(update["lr"])
    if update.has("rate decays by powers"):
        rate *= (1 - decay) ** (step - 1)
    elif not update.has("no rate decay"):
        rate /= 1 + (step if update.has("rate decays early") else step - 1) * decay
    update.move(gradient / root, rate)


def _adadelta(update: Update) -> None:
    gradient, rho, epsilon = update.decayed(decoupled=False), update["rho"], update["eps"]
    if update.has("exchanged"):
        rho = 1 - rho
    squares, updates = update.buffer("square_avg"), update.buffer("acc_delta")
    old_squares = squares.clone()
    squares.mul_(rho).addcmul_(gradient, gradient, value=1 - rho)
    used = old_squares if update.has("stale average") else squares
    of_updates = updates
    if update.has("later updates"):
        delta = gradient * (updates + epsilon).sqrt() / (used + epsilon).sqrt()
        of_updates = updates * rho + (1 - rho) * delta * delta
    if update.has("epsilon outside"):
        delta = gradient * (of_updates.sqrt() + epsilon) / (used.sqrt() + epsilon)
    else:
        above = 0.0 if update.has("epsilon of gradients") else epsilon
        below = 0.0 if update.has("epsilon of updates") else epsilon
        delta = gradient * (of_updates + above).sqrt() / (used + below).sqrt()
    rate = 1.0 if update.has("no rate") else float(update["lr"])
    averaged = delta * rate if update.has("scaled updates") else delta
    updates.mul_(rho).addcmul_(averaged, averaged, value=1 - rho)
    update.move(delta, rate)


def _adafactor(update: Update) -> None:
    parameter, step, rate = update.parameter, update.count(), float(update["lr"])
    first_epsilon, second_epsilon = update["eps"]
    first_epsilon = torch.finfo(parameter.dtype).eps if first_epsilon is None else first_epsilon
    scale = float(parameter.norm())
    gradient = update.decayed(decoupled=True)
    relative = rate if update.has("no relative step") else min(rate, 1 / step**0.5)
    size = scale if update.has("norm scaled") else scale / parameter.numel() ** 0.5
    alpha = (1.0 if update.has("not scaled") else max(second_epsilon, size)) * relative
    weight = (step + 1 if update.has("decay later") else step) ** update["beta2_decay"]
    squared = gradient * gradient + (first_epsilon if update.has("epsilon added") else 0.0)
    if gradient.dim() > 1 and not update.has("whole"):
        row, column = squared.mean(-1, keepdim=True), squared.mean(-2, keepdim=True)
        if update.has("sums"):
            row, column = row * gradient.shape[-1], column * gradient.shape[-2]
        rows = update.buffer("row_var", like=row).lerp_(row, weight)
        columns = update.buffer("col_var", like=column).lerp_(column, weight)
        estimate = rows @ columns
        if not update.has("no mean of row factors"):
            estimate = estimate / rows.mean(-2, keepdim=True).clamp(min=first_epsilon)
    else:
        estimate = update.buffer("variance").lerp_(squared, weight)
    direction = gradient * estimate.clamp(min=first_epsilon**2).rsqrt()
    size = float(direction.norm()) / (1.0 if update.has("norm clipped") else direction.numel() ** 0.5) / update["d"]
    divisor = 1.0 if update.has("not clipped") else size if update.has("always clipped") else max(1.0, size)
    update.move(direction, alpha / divisor)


RMSPROP = Family((torch.optim.RMSprop,), _rmsprop, _RMSPROP)
ADAGRAD = Family((torch.optim.Adagrad,), _adagrad, _ADAGRAD)
ADADELTA = Family((torch.optim.Adadelta,), _adadelta, _ADADELTA)
ADAFACTOR = Family((torch.optim.Adafactor,), _adafactor, _ADAFACTOR) if hasattr(torch.optim, "Adafactor") else None
"""PyTorch has Adafactor since 2.5."""
