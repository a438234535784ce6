"""What the pages under docs/found say of released kernels, by calls of the kernels alone: no judgement is made here.

    python -m benchmarks.kernels.released.by_hand

Runs in Triton's interpreter, as halfulp prepares it: the same calls on a GPU need no more than the packages.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

PREPARED = "HALFULP_BY_HAND"


def cross_entropy() -> None:
    """Liger-Kernel: without gradients, logits of targets that don't count become zero."""
    import torch
    from liger_kernel.transformers import functional

    logits, target = torch.randn(4, 6), torch.tensor([1, -100, 2, 3])
    given = logits.clone()
    functional.liger_cross_entropy(logits, target)
    print(
        f"rows of logits that changed: {[row for row in range(4) if not torch.equal(logits[row], given[row])]}, now all zero: {not logits[1].any()}"
    )


def frozen_trunk() -> None:
    """Liger-Kernel: where the input of the last layer needs no gradient, its weight and bias get none."""
    import torch
    from liger_kernel.transformers import functional

    x, target = torch.randn(4, 6), torch.tensor([1, 0, 2, 3])
    weight, bias = torch.randn(5, 6, requires_grad=True), torch.randn(5, requires_grad=True)
    for frozen in (False, True):
        for reduction in ("mean", "none"):
            with torch.enable_grad():
                loss = functional.liger_fused_linear_cross_entropy(
                    x.clone().requires_grad_(not frozen), weight, target, bias, reduction=reduction
                )
                found = torch.autograd.grad(loss.sum(), (weight, bias), allow_unused=True)
                exact = torch.autograd.grad(
                    torch.nn.functional.cross_entropy(x @ weight.T + bias, target, reduction=reduction).sum(), (weight, bias)
                )
            errors = ["none" if one is None else f"{float((one - other).abs().max()):.1e}" for one, other in zip(found, exact)]
            print(
                f"input {'frozen' if frozen else 'trained'}, reduction {reduction}: largest errors of the gradients of weight and bias: {', '.join(errors)}"
            )


def group_norm() -> None:
    """Liger-Kernel: the variance is the mean of squares less the square of the mean."""
    import torch
    from liger_kernel.transformers.group_norm import LigerGroupNorm

    print("mean of the inputs, largest error of Liger-Kernel, and of PyTorch:")
    for mean in (0, 10, 100, 1000):
        x = torch.randn(4, 12, 50) + mean
        exact = torch.nn.functional.group_norm(x.double(), 3, eps=1e-6)
        errors = [
            float((y - exact).abs().max()) for y in (LigerGroupNorm(12, 3)(x).detach(), torch.nn.functional.group_norm(x, 3, eps=1e-6))
        ]
        print(f"  {mean:5}  {errors[0]:.1e}  {errors[1]:.1e}")


def cross_entropy_far_from_zero() -> None:
    """Liger-Kernel: a loss is the difference of two numbers as large as the logits."""
    import torch
    from liger_kernel.transformers.fused_ce_tvd import LigerFusedCETVDLoss

    print("mean of the logits, largest relative error of Liger-Kernel's losses, and of PyTorch's:")
    for mean in (0, 100, 1000, 10000):
        logits, target = torch.randn(24, 300) + mean, torch.randint(0, 300, (24,))
        exact = torch.nn.functional.cross_entropy(logits.double(), target, reduction="none")
        losses = LigerFusedCETVDLoss()(logits, logits, target)[0], torch.nn.functional.cross_entropy(logits, target, reduction="none")
        print(f"  {mean:6}  {'  '.join(f'{float(((loss - exact) / exact).abs().max()):.1e}' for loss in losses)}")


def llama4_rope() -> None:
    """Liger-Kernel: all sequences of a batch are turned as the first is, and queries are written to."""
    import torch
    from liger_kernel.transformers.llama4_rope import liger_llama4_text_rotary_pos_emb

    angles = torch.stack([torch.arange(5.0), torch.arange(5.0) + 3])[..., None] * torch.ones(8)
    turns = torch.polar(torch.ones_like(angles), angles)
    query, key = torch.randn(2, 5, 2, 16), torch.randn(2, 5, 2, 16)
    wanted = torch.view_as_real(torch.view_as_complex(query.reshape(2, 5, 2, 8, 2)) * turns[:, :, None]).flatten(3)
    given = query.clone()
    turned, _ = liger_llama4_text_rotary_pos_emb(query, key, turns)
    errors = (turned - wanted).abs().amax((1, 2, 3)).tolist()
    print(
        f"largest error of each sequence: {', '.join(f'{error:.1e}' for error in errors)}; queries were written to: {not torch.equal(query, given)}"
    )


def rope() -> None:
    """Liger-Kernel: with one head, one token, or transposed views, what is given is written to."""
    import torch
    from liger_kernel.transformers import functional

    for heads, length, is_view in ((2, 5, False), (1, 5, False), (2, 1, False), (2, 5, True)):
        query, turn = torch.randn(1, 2, length, 16), torch.randn(1, length, 16)
        key = torch.randn(1, length, heads, 16).transpose(1, 2) if is_view else torch.randn(1, heads, length, 16)
        given = key.clone()
        functional.liger_rope(query, key, turn, turn)
        words = ", a transposed view" if is_view else ""
        print(f"  {heads} key heads, {length} tokens{words}: keys were written to: {not torch.equal(key, given)}")


def multi_token_attention() -> None:
    """Liger-Kernel: what is masked counts as -1e9."""
    import torch
    from liger_kernel.transformers import functional

    scores = -2e9 * torch.ones(1, 1, 2, 2)
    weight = torch.zeros(1, 1, 3, 3)
    weight[0, 0, 1, 1] = 1.0
    print(
        f"share of the first query's only key, of 1: {float(functional.liger_multi_token_attention(scores, weight, padding=1)[0, 0, 0, 0]):g}"
    )


def int8_quant() -> None:
    """Conch: numbers are cut off, not rounded."""
    import torch
    from conch.ops.quantization.int8 import scaled_int8_quant

    x = torch.tensor([[1.9, -1.9, 0.99, -0.6]])
    print(
        f"{x[0].tolist()} become {scaled_int8_quant(x, torch.tensor([1.0]))[0][0].tolist()}; the nearest are {torch.round(x[0]).int().tolist()}"
    )
    x = torch.randn(64, 256)
    scale = x.abs().max() / 127
    found, nearest = scaled_int8_quant(x, scale[None])[0], torch.clamp(torch.round(x / scale), -128, 127)
    errors = [float((quantized.float() * scale - x).square().mean().sqrt() / scale) for quantized in (found, nearest)]
    print(f"rms error in steps of the quantization: {errors[0]:.3f}; of the nearest: {errors[1]:.3f}")


def gelu_tanh_and_mul() -> None:
    """Conch: of a tensor that is not contiguous along rows, other elements are read."""
    import torch
    from conch.ops.activation.gelu_tanh_and_mul import gelu_tanh_and_mul

    x = torch.randn(6, 8).t()
    wanted = torch.nn.functional.gelu(x[:, :3], approximate="tanh") * x[:, 3:]
    errors = [float((gelu_tanh_and_mul(given) - wanted).abs().max()) for given in (x, x.contiguous())]
    print(f"largest error on a transposed tensor: {errors[0]:.1e}; on its copy: {errors[1]:.1e}")


def logsigmoid() -> None:
    """flash-linear-attention: log(1 + exp(-x)) has no digits left where it is small."""
    import torch
    from fla.modules.activations import logsigmoid as of_fla

    print("x, log(sigmoid(x)) by flash-linear-attention, and by PyTorch:")
    for number in (1.0, 5.0, 10.0, 15.0, 17.0):
        x = torch.tensor([[number]])
        print(f"  {number:2g}  {float(of_fla(x)):.4e}  {float(torch.nn.functional.logsigmoid(x)):.4e}")


ALL: tuple[Callable[[], None], ...] = (
    cross_entropy, frozen_trunk, group_norm, cross_entropy_far_from_zero, llama4_rope, rope, multi_token_attention, int8_quant, gelu_tanh_and_mul, logsigmoid,
)  # fmt: skip


def main() -> None:
    """Run all, in Triton's Python."""
    from benchmarks.kernels.released.__main__ import installed

    if PREPARED not in os.environ:
        from halfulp.backends.workers.environments import environment_of

        path = os.pathsep.join((str(installed()), *filter(None, [os.environ.get("PYTHONPATH")]), os.getcwd()))
        variables = {**os.environ, PREPARED: "1", "TRITON_INTERPRET": "1", "PYTHONPATH": path}
        sys.exit(
            subprocess.run(
                [str(environment_of("triton").python()), "-W", "ignore", "-m", __spec__.name], env=variables, check=False
            ).returncode
        )
    import torch

    from halfulp.kernels.problems.stand_in import pretend, pretended
    from halfulp.kernels.solutions.triton_interpreter import prepare

    pretend()
    prepare()
    with pretended(), torch.no_grad():
        for shown in ALL:
            torch.manual_seed(0)
            print(f"\n{shown.__doc__}")
            shown()


if __name__ == "__main__":
    main()
