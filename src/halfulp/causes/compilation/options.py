"""Options of inductor that change numbers, each tried on the whole function: which one makes the difference vanish?"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .internals import config
from .stages import unfused

UNFUSED = "prevent the fusion: put torch.compiler.disable on one of the functions that are fused, or make it an opaque custom op"


@dataclass(frozen=True)
class Option:
    """One change of inductor's options.

    Attributes:
        name: the cause that it tests. detail: what it does. patches: the options. remedy: the line of code. around: what else is in force.
        reports: user reports that it explained.
    """

    name: str
    detail: str
    patches: Mapping[str, Any]
    remedy: str
    around: Callable[[], contextlib.AbstractContextManager[Any]] = contextlib.nullcontext
    reports: tuple[str, ...] = field(default=())


def _options() -> Iterator[Option]:
    yield Option(
        "emulate_precision_casts", "16-bit intermediate results rounded as eager ops round them", {"emulate_precision_casts": True},
        'torch.compile(m, options={"emulate_precision_casts": True}) (TORCHINDUCTOR_EMULATE_PRECISION_CASTS=1)',
        reports=("pytorch/pytorch#159239", "pytorch/pytorch#195214", "pytorch/pytorch#136181", "pytorch/pytorch#183761"),
    )  # fmt: skip
    yield Option(
        "division rounding", "divisions rounded as eager divisions are", {"eager_numerics.division_rounding": True, "emulate_division_rounding": True},
        'torch.compile(m, options={"eager_numerics.division_rounding": True})', reports=("pytorch/pytorch#186618",),
    )  # fmt: skip
    yield Option(
        "FMA contraction", "products and sums rounded separately", {"cpp.enable_floating_point_contract_flag": "off"},
        'torch.compile(m, options={"cpp.enable_floating_point_contract_flag": "off"})', reports=("dev-discuss.pytorch.org/t/1953", "pytorch/pytorch#163435"),
    )  # fmt: skip
    yield Option(
        "FMA contraction", "products and sums fused (FMA), as in eager kernels", {"cpp.enable_floating_point_contract_flag": "fast"},
        'torch.compile(m, options={"cpp.enable_floating_point_contract_flag": "fast"})', reports=("pytorch/pytorch#73161",),
    )  # fmt: skip
    yield Option(
        "unsafe math", "no reassociation by the C++ compiler", {"cpp.enable_unsafe_math_opt_flag": False, "use_fast_math": False},
        'torch.compile(m, options={"cpp.enable_unsafe_math_opt_flag": False})',
    )  # fmt: skip
    yield Option(
        "fusion",
        "every op in a loop of its own",
        {"max_fusion_size": 1},
        UNFUSED,
        around=unfused,
    )
    yield Option(
        "choice of kernel", "no kernel chosen by timing", {"max_autotune": False, "max_autotune_gemm": False, "max_autotune_pointwise": False},
        'leave mode="max-autotune" out, or ship the cache of one run (TORCHINDUCTOR_CACHE_DIR)', reports=("pytorch/pytorch#180811", "pytorch/pytorch#185405"),
    )  # fmt: skip
    yield Option(
        "memory layout",
        "convolutions in the memory layout that the program uses",
        {"layout_optimization": False},
        'torch.compile(m, options={"layout_optimization": False})',
    )
    yield Option(
        "generated kernels", "ATen's kernels instead of generated ones", {"fallback_by_default": True, "selective_decompose": True},
        'torch.compile(m, mode="lite"), or torch.compile(m, backend="aot_eager")',
    )  # fmt: skip
    yield Option("vectorization", "scalar loops", {"cpp.simdlen": 1}, 'torch.compile(m, options={"cpp.simdlen": 1})')


def usable_options(present: Mapping[str, Any]) -> list[Option]:
    """The options that this version knows and that change something here, fewest changes first."""
    inductor = config()
    known = set(inductor.get_config_copy())
    found: list[Option] = []
    for option in _options():
        patches = {key: value for key, value in option.patches.items() if key in known}
        now = {key: present.get(key, _value(inductor, key)) for key in patches}
        if patches and now != patches:
            found.append(Option(option.name, option.detail, patches, option.remedy, around=option.around, reports=option.reports))
    return found


def _value(owner: Any, key: str) -> Any:
    for part in key.split("."):
        owner = getattr(owner, part)
    return owner
