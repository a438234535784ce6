"""The knobs of PyTorch, in the order in which they are tried."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import torch

from . import calls, settings
from .knob import Knob

PRODUCTS = frozenset(("products",))
CONVOLUTIONS = frozenset(("convolutions",))
EVERYTHING = frozenset(("everything",))


def _cuda() -> str:
    return "" if torch.cuda.is_available() else "no CUDA device here"


def _has(path: str) -> Callable[[], str]:
    return lambda: (
        ""
        if getattr(settings.owner_of(path), "fp32_precision", None) is not None
        else f"this version of PyTorch has no torch.backends.{path}.fp32_precision"
    )


def _attention(kind: str) -> Callable[[], AbstractContextManager[Any]]:
    def around() -> AbstractContextManager[Any]:
        from torch.nn.attention import SDPBackend, sdpa_kernel

        return sdpa_kernel(getattr(SDPBackend, kind))

    return around


def _libraries() -> Iterator[Knob]:
    yield Knob(
        "oneDNN", "oneDNN off", frozenset(("convolutions", "GELU", "recurrent layers", "16-bit products")),
        "torch.backends.mkldnn.enabled = False", around=lambda: settings.attribute("mkldnn.enabled", False),
        algorithm="3x3 convolutions of 16 or more images go to NNPACK's Winograd kernel, which loses about one digit",
        unavailable=lambda: "" if torch.backends.mkldnn.is_available() and torch.backends.mkldnn.enabled else "oneDNN is off or missing",
        reports=("pytorch/pytorch#18218", "pytorch/pytorch#163347"),
    )  # fmt: skip
    yield Knob(
        "oneDNN", "oneDNN on", frozenset(("convolutions", "GELU", "recurrent layers", "16-bit products")),
        "torch.backends.mkldnn.enabled = True", around=lambda: settings.attribute("mkldnn.enabled", True),
        unavailable=lambda: "" if torch.backends.mkldnn.is_available() and not torch.backends.mkldnn.enabled else "oneDNN is on or missing",
    )  # fmt: skip
    yield Knob(
        "NNPACK", "NNPACK off", CONVOLUTIONS, "torch.backends.nnpack.set_flags(False)", around=lambda: settings.nnpack(False),
        unavailable=lambda: "" if torch.backends.nnpack.is_available() else "no NNPACK in this build", reports=("pytorch/pytorch#55781",),
    )  # fmt: skip
    for count in dict.fromkeys((1, 2, torch.get_num_threads())):
        yield Knob(
            "threads", f"{count} thread{'s' * (count > 1)}", EVERYTHING, f"torch.set_num_threads({count})",
            around=functools.partial(settings.exchanged, torch.get_num_threads, torch.set_num_threads, count),
            unavailable=lambda count=count: "" if torch.get_num_threads() != count else "it is already set this way",
            reports=("pytorch/pytorch#88718", "pytorch/pytorch#2201", "numpy/numpy#25100"),
        )  # fmt: skip
    yield Knob(
        "deterministic algorithms", "deterministic algorithms", frozenset(("scatter", "backward", "convolutions")),
        "torch.use_deterministic_algorithms(True)", around=settings.deterministic, reports=("pytorch/pytorch#88244", "pytorch/pytorch#56521"),
    )  # fmt: skip


def _precision() -> Iterator[Knob]:
    for value in ("highest", "high", "medium"):
        yield Knob(
            "float32 matmul precision", f'torch.set_float32_matmul_precision("{value}")', PRODUCTS, f'torch.set_float32_matmul_precision("{value}")',
            around=functools.partial(settings.matmul_precision, value),
            unavailable=lambda value=value: "" if torch.get_float32_matmul_precision() != value else "it is already set this way",
            algorithm="" if value == "highest" else "matrix products may move from MKL to oneDNN; on CPUs without AMX, this changes the bits but not the precision",
            reports=("pytorch/pytorch#53635",),
        )  # fmt: skip
    for path, touched in (
        ("mkldnn.matmul", PRODUCTS), ("mkldnn.conv", CONVOLUTIONS), ("mkldnn.rnn", frozenset(("recurrent layers",))),
        ("cuda.matmul", PRODUCTS), ("cudnn.conv", CONVOLUTIONS), ("cudnn.rnn", frozenset(("recurrent layers",))),
    ):  # fmt: skip
        for value in ("ieee", "tf32", *(("bf16",) if path.startswith("mkldnn") else ())):
            needs = _cuda if path.startswith("cu") else lambda: ""
            yield Knob(
                "fp32_precision", f"torch.backends.{path}.fp32_precision = {value!r}", touched, f"torch.backends.{path}.fp32_precision = {value!r}",
                around=functools.partial(settings.fp32_precision, path, value),
                unavailable=lambda path=path, needs=needs: needs() or _has(path)(), reports=("pytorch/pytorch#107514", "pytorch/pytorch#153698"),
            )  # fmt: skip
    for name, formats in (("allow_fp16_reduced_precision_reduction", "float16"), ("allow_bf16_reduced_precision_reduction", "bfloat16")):
        yield Knob(
            "reduced-precision reductions", f"{formats} products accumulated in float32", frozenset(("16-bit products",)),
            f"torch.backends.cuda.matmul.{name} = False", around=functools.partial(settings.attribute, f"cuda.matmul.{name}", False),
            unavailable=_cuda, reports=("pytorch/pytorch#105726",),
        )  # fmt: skip
    for on in (True, False):
        yield Knob(
            "subnormals flushed", f"subnormal numbers {'flushed to zero' if on else 'kept'}", frozenset(("subnormal numbers",)), f"torch.set_flush_denormal({on})",
            around=functools.partial(settings.flushing, on),
            unavailable=lambda on=on: "" if settings.flushes() != on else "it is already set this way", reports=("pytorch/pytorch#126848",),
        )  # fmt: skip
    for device in ("cpu", *(("cuda",) if torch.cuda.is_available() else ())):
        touched, where = frozenset(("products", "convolutions")), " on CUDA" if device == "cuda" else ""
        for name in ("bfloat16", "float16"):
            yield Knob(
                "autocast", f"autocast to {name}{where}", touched, f'torch.autocast("{device}", torch.{name}) (enabled=False to turn it off)',
                around=functools.partial(torch.autocast, device, getattr(torch, name)),
                unavailable=lambda device=device: "autocast is on" if torch.is_autocast_enabled(device) else "",
            )  # fmt: skip
        yield Knob(
            "autocast", f"autocast off{where}", touched, f'torch.autocast("{device}", enabled=False)',
            around=functools.partial(torch.autocast, device, enabled=False),
            unavailable=lambda device=device: "" if torch.is_autocast_enabled(device) else "autocast is off",
        )  # fmt: skip
    for name in ("float64", "float32", "bfloat16", "float16"):
        yield Knob(
            "default dtype", f"{name} as the default dtype", EVERYTHING, f"torch.set_default_dtype(torch.{name})",
            around=functools.partial(settings.exchanged, torch.get_default_dtype, torch.set_default_dtype, getattr(torch, name)),
            unavailable=lambda name=name: "" if torch.get_default_dtype() != getattr(torch, name) else "it is already set this way",
        )  # fmt: skip


def _kernels() -> Iterator[Knob]:
    for kind in ("MATH", "FLASH_ATTENTION", "EFFICIENT_ATTENTION"):
        yield Knob(
            "SDPA kernel", f"the {kind.lower().replace('_', ' ')} kernel", frozenset(("attention",)), f"with torch.nn.attention.sdpa_kernel(SDPBackend.{kind}):",
            around=_attention(kind), unavailable=(lambda: "") if kind != "EFFICIENT_ATTENTION" else _cuda,
        )  # fmt: skip
    yield Knob(
        "encoder fast path", "the fast path of encoder layers off", frozenset(("attention",)), "torch.backends.mha.set_fastpath_enabled(False)",
        around=functools.partial(settings.exchanged, torch.backends.mha.get_fastpath_enabled, torch.backends.mha.set_fastpath_enabled, False),
        unavailable=lambda: "" if torch.backends.mha.get_fastpath_enabled() else "it is off",
    )  # fmt: skip
    for name, value in (("benchmark", True), ("benchmark", False), ("deterministic", True), ("enabled", False)):
        yield Knob(
            "cuDNN", f"torch.backends.cudnn.{name} = {value}", CONVOLUTIONS, f"torch.backends.cudnn.{name} = {value}",
            around=functools.partial(settings.attribute, f"cudnn.{name}", value), unavailable=_cuda, reports=("pytorch/pytorch#53178", "pytorch/pytorch#55381"),
        )  # fmt: skip


def _calls() -> Iterator[Knob]:
    for source, target in (
        (torch.float32, torch.float64),
        (torch.float32, torch.bfloat16),
        (torch.float32, torch.float16),
        (torch.float64, torch.float32),
    ):
        here, there = (str(dtype).removeprefix("torch.") for dtype in (source, target))
        name = f"{there} storage" if target.itemsize == 2 else f"{there} inside"
        yield Knob(name, f"{there} in place of {here}", EVERYTHING, f"model.to(torch.{there}), x.to(torch.{there})", wrap=calls.in_dtype(source, target),
                   reports=("pytorch/pytorch#91597", "microsoft/DirectML#362"))  # fmt: skip
    yield Knob("memory format", "inputs in channels-last memory", frozenset(("convolutions", "normalizations", "pooling")), "x.to(memory_format=torch.channels_last)",
               wrap=calls.channels_last, reports=("pytorch/pytorch#82060", "pytorch/pytorch#127375"))  # fmt: skip
    yield Knob(
        "contiguity",
        "inputs in contiguous memory",
        EVERYTHING,
        "x.contiguous()",
        wrap=calls.contiguous,
        reports=("pytorch/pytorch#104439", "pytorch/pytorch#162730"),
    )
    yield Knob("batch size", "one sample at a time", frozenset(("products", "convolutions")), "compare batches of the same size", wrap=calls.in_parts(0),
               reports=("pytorch/pytorch#129029", "pytorch/pytorch#58128", "vllm-project/vllm#27433"))  # fmt: skip
    for parts in (2, 4):
        yield Knob("batch size", f"the batch in {parts} parts", frozenset(("products", "convolutions")), "compare batches of the same size", wrap=calls.in_parts(parts),
                   reports=("pytorch/pytorch#32023",))  # fmt: skip
    yield Knob(
        "position in the batch",
        "the batch in reverse order",
        frozenset(("products",)),
        "compare samples at the same place in the batch",
        wrap=calls.other_position,
    )
    yield Knob(
        "grad mode",
        "torch.no_grad",
        EVERYTHING,
        "with torch.no_grad():",
        around=torch.no_grad,
        unavailable=lambda: "" if torch.is_grad_enabled() else "gradients are off",
    )
    yield Knob("grad mode", "torch.inference_mode", EVERYTHING, "with torch.inference_mode():", around=torch.inference_mode)
    yield Knob("training mode", "all modules in evaluation mode", frozenset(("dropout", "batch normalization")), "model.eval()", wrap=calls.evaluating(False),
               reports=("stackoverflow 57423150", "pytorch/pytorch#109532"))  # fmt: skip
    yield Knob(
        "training mode",
        "all modules in training mode",
        frozenset(("dropout", "batch normalization")),
        "model.train()",
        wrap=calls.evaluating(True),
    )
    yield Knob("writes in place", "in-place writes replaced by new tensors", EVERYTHING, "torch.func.functionalize(function)", wrap=calls.functionalized,
               reports=("pytorch/pytorch#198102",))  # fmt: skip
    for detail, choice in (
        ("a loop over parameters", {"foreach": False, "fused": False}),
        ("foreach kernels", {"foreach": True, "fused": False}),
        ("the fused kernel", {"foreach": False, "fused": True}),
    ):
        yield Knob(
            "optimizer implementation",
            f"optimizers that use {detail}",
            frozenset(("optimizers",)),
            ", ".join(f"{key}={value}" for key, value in choice.items()),
            wrap=calls.stepping(**choice),
        )


def _fresh_processes() -> Iterator[Knob]:
    for level in ("AVX2", "SSE41"):
        yield Knob(
            "oneDNN instruction set", f"oneDNN limited to {level}", frozenset(("convolutions", "GELU", "16-bit products")), f"ONEDNN_MAX_CPU_ISA={level}",
            environment={"ONEDNN_MAX_CPU_ISA": level}, reports=("pytorch/pytorch#54684",),
        )  # fmt: skip
    for level in ("default", "avx2"):
        yield Knob(
            "ATen instruction set", f"ATen's kernels for {level}", frozenset(("softmax", "normalizations", "sums", "elementwise functions")),
            f"ATEN_CPU_CAPABILITY={level}", environment={"ATEN_CPU_CAPABILITY": level}, reports=("pytorch/pytorch#54684",),
        )  # fmt: skip
    for level in ("COMPATIBLE", "AVX2"):
        yield Knob(
            "MKL instruction set", f"MKL_CBWR={level}", PRODUCTS, f"MKL_CBWR={level}", environment={"MKL_CBWR": level},
            algorithm="matrix products are computed without FMA and in different blocks" if level == "COMPATIBLE" else "", reports=("pytorch/pytorch#54684",),
        )  # fmt: skip
    yield Knob(
        "oneDNN math mode", "oneDNN allowed to compute in bfloat16", frozenset(("products", "convolutions")), "ONEDNN_DEFAULT_FPMATH_MODE=BF16",
        environment={"ONEDNN_DEFAULT_FPMATH_MODE": "BF16"},
    )  # fmt: skip
    yield Knob(
        "TF32", "TF32 overridden by NVIDIA_TF32_OVERRIDE=0", PRODUCTS, "NVIDIA_TF32_OVERRIDE=0", environment={"NVIDIA_TF32_OVERRIDE": "0"}, unavailable=_cuda,
        reports=("jax-ml/jax#12008",),
    )  # fmt: skip


def knobs() -> tuple[Knob, ...]:
    """All knobs of PyTorch; `unavailable` says which can't be turned here."""
    return (*_libraries(), *_precision(), *_kernels(), *_calls(), *_fresh_processes())
