"""SGD and Muon: what momentum is and when it is used.

Sutskever and others, On the importance of initialization and momentum, for Nesterov's; PyTorch applies the rate afterwards, theirs stands inside the
buffer. Jordan and others, Muon: an optimizer for hidden layers.
"""

from __future__ import annotations

import torch

from .reading import Family, Reading, Update, chosen, decays

MOMENTA = (0.0, 0.5, 0.8, 0.9, 0.95, 0.99)
"""Usual momenta."""


_SGD = (
    *decays("decay coupled"),
    chosen("SGD momentum", "dampening = momentum", "dampened"),
    chosen("SGD momentum", "the first step dampened too", "first step dampened"),
    chosen("SGD momentum", "an average, momentum * buffer + (1 - momentum) * gradient, from the first step on", "dampened", "first step dampened"),
    chosen("SGD momentum", "no dampening", "undampened"),
    chosen("SGD momentum", "Nesterov's momentum", "nesterov"),
    chosen("SGD momentum", "plain momentum", "plain"),
    chosen("SGD momentum", "the learning rate inside the momentum buffer", "rate inside"),
    chosen("SGD momentum", "the momentum buffer from before this step", "stale"),
    chosen("SGD momentum", "Nesterov's momentum with the buffer from before this step", "nesterov", "stale"),
    *(Reading("SGD momentum", f"momentum = {momentum:g}", given={"momentum": momentum}) for momentum in MOMENTA),
)  # fmt: skip
_MUON = (
    *decays("decay decoupled"),
    chosen("Muon momentum", "plain momentum", "plain"),
    chosen("Muon momentum", "Nesterov's momentum", "nesterov"),
    chosen("Muon momentum", "a sum, momentum * buffer + gradient", "summed"),
    chosen("Muon momentum", "the momentum buffer from before this step", "stale"),
    chosen("Muon scale", "no scaling by the shape of the matrix", "not scaled"),
    chosen("Muon scale", "0.2 * sqrt(max(rows, columns)) as the scale", "like AdamW"),
    chosen("Muon scale", "sqrt(rows / columns) without the lower limit of 1 inside the root", "scaled down too"),
    chosen("Muon scale", "max(1, rows / columns) without its square root", "no root"),
    chosen("Muon iteration", "one fewer Newton-Schulz step", "one fewer"),
    chosen("Muon iteration", "one more Newton-Schulz step", "one more"),
    chosen("Muon iteration", "the iteration in float32 instead of bfloat16", "in float32"),
    chosen("Muon iteration", "wide matrices transposed, not tall ones", "not transposed"),
    chosen("Muon iteration", "the coefficients (2, -1.5, 0.5)", "classical"),
    *(Reading("Muon momentum", f"momentum = {momentum:g}", given={"momentum": momentum}) for momentum in MOMENTA),
)


def _sgd(update: Update) -> None:
    gradient, rate, momentum = update.decayed(decoupled=False), float(update["lr"]), update["momentum"]
    if not momentum:
        update.move(gradient, rate)
        return
    dampening = momentum if update.has("dampened") else 0.0 if update.has("undampened") else update["dampening"]
    before = update.state.get("momentum_buffer")
    inside = rate if update.has("rate inside") else 1.0
    if before is None:
        buffer = gradient * (inside * (1 - dampening if update.has("first step dampened") else 1.0))
    else:
        buffer = before * momentum + gradient * (inside * (1 - dampening))
    update.state["momentum_buffer"] = buffer.clone()
    used = before if update.has("stale") and before is not None else buffer
    if (update["nesterov"] or update.has("nesterov")) and not update.has("plain"):
        used = gradient * inside + momentum * used
    update.move(used, 1.0 if update.has("rate inside") else rate)


def _orthogonal(update: Update, matrix: torch.Tensor) -> torch.Tensor:
    """Newton and Schulz's iteration towards the nearest matrix with orthonormal rows, as PyTorch has it."""
    a, b, c = (2.0, -1.5, 0.5) if update.has("classical") else update["ns_coefficients"]
    is_tall = matrix.shape[0] > matrix.shape[1]
    turns = is_tall != update.has("not transposed")
    x = matrix if update.has("in float32") else matrix.bfloat16()
    x = x.T if turns else x
    x = x / x.norm().clamp(min=update["eps"])
    for _ in range(update["ns_steps"] + update.has("one more") - update.has("one fewer")):
        gram = x @ x.T
        x = torch.addmm(x, torch.addmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return (x.T if turns else x).to(matrix.dtype)


def _muon(update: Update) -> None:
    momentum, rate = update["momentum"], float(update["lr"])
    buffer = update.buffer("momentum_buffer")
    before = buffer.clone()
    if update.has("summed"):
        buffer.mul_(momentum).add_(update.plain)
    else:
        buffer.lerp_(update.plain, 1 - momentum)
    used = before if update.has("stale") else buffer
    if (update["nesterov"] or update.has("nesterov")) and not update.has("plain"):
        used = update.plain + momentum * used if update.has("summed") else update.plain.lerp(used, momentum)
    direction = _orthogonal(update, used)
    # Decay is coupled nowhere in Muon: what it adds would be lost in the iteration.
    gradient = update.decayed(decoupled=True)
    rows, columns = update.parameter.shape[:2]
    own = update["adjust_lr_fn"]
    if update.has("not scaled"):
        scale = 1.0
    elif update.has("like AdamW") or own == "match_rms_adamw":
        scale = 0.2 * max(rows, columns) ** 0.5
    elif update.has("scaled down too"):
        scale = (rows / columns) ** 0.5
    else:
        scale = max(1.0, rows / columns) ** (1.0 if update.has("no root") else 0.5) if own in (None, "original") else 1.0
    update.move(direction if gradient is update.plain else direction + (gradient - update.plain), rate * scale)


SGD = Family((torch.optim.SGD,), _sgd, _SGD)
MUON = Family((torch.optim.Muon,), _muon, _MUON) if hasattr(torch.optim, "Muon") else None
"""PyTorch has Muon since 2.9."""
