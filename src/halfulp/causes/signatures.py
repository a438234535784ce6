"""What PyTorch's functions are called, and their arguments."""

from __future__ import annotations

import contextlib
import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

PARAMETERS = {
    "conv1d": "input weight bias stride padding dilation groups",
    "conv2d": "input weight bias stride padding dilation groups",
    "conv3d": "input weight bias stride padding dilation groups",
    "conv_transpose1d": "input weight bias stride padding output_padding groups dilation",
    "conv_transpose2d": "input weight bias stride padding output_padding groups dilation",
    "conv_transpose3d": "input weight bias stride padding output_padding groups dilation",
    "linear": "input weight bias",
    "addmm": "input mat1 mat2",
    "baddbmm": "input batch1 batch2",
    "matmul": "input other",
    "mm": "input mat2",
    "bmm": "input mat2",
    "gelu": "input",
    "softmax": "input dim dtype",
    "log_softmax": "input dim dtype",
    "avg_pool1d": "input kernel_size stride padding ceil_mode count_include_pad",
    "avg_pool2d": "input kernel_size stride padding ceil_mode count_include_pad divisor_override",
    "avg_pool3d": "input kernel_size stride padding ceil_mode count_include_pad divisor_override",
    "scaled_dot_product_attention": "query key value attn_mask dropout_p is_causal",
    "layer_norm": "input normalized_shape weight bias eps",
    "rms_norm": "input normalized_shape weight eps",
    "group_norm": "input num_groups weight bias eps",
    "batch_norm": "input weight bias running_mean running_var training momentum eps cudnn_enabled",
    "instance_norm": "input weight bias running_mean running_var use_input_stats momentum eps cudnn_enabled",
    "lstm": "input hx params has_biases num_layers dropout train bidirectional batch_first",
    "gru": "input hx params has_biases num_layers dropout train bidirectional batch_first",
    "lstm_cell": "input hx w_ih w_hh b_ih b_hh",
    "gru_cell": "input hx w_ih w_hh b_ih b_hh",
    "leaky_relu": "input negative_slope inplace",
    "elu": "input alpha",
    "softplus": "input beta threshold",
    "var": "input dim unbiased keepdim",
    "std": "input dim unbiased keepdim",
    "var_mean": "input dim unbiased keepdim",
    "tril": "input diagonal",
    "triu": "input diagonal",
    "masked_fill": "input mask value",
    "where": "condition input other",
    "cumsum": "input dim",
    "sum": "input dim keepdim",
    "mean": "input dim keepdim",
    "logsumexp": "input dim keepdim",
    "cdist": "x1 x2 p compute_mode",
    "div": "input other",
    "add": "input other",
    "sub": "input other",
    "mul": "input other",
    "clamp": "input min max",
    "gt": "input other",
    "ge": "input other",
    "lt": "input other",
    "le": "input other",
    "flatten": "input start_dim end_dim",
    "round": "input",
    "cumprod": "input dim",
    "repeat_interleave": "input repeats dim",
    "pow": "input exponent",
}
"""What builtin functions call their arguments, in order; Python functions are asked (`inspect.signature`)."""

ALIASES = {
    "truediv": "div", "divide": "div", "true_divide": "div", "multiply": "mul", "subtract": "sub", "rsub": "sub", "rmul": "mul",
    "radd": "add", "iadd": "add", "imul": "mul", "isub": "sub", "itruediv": "div", "rtruediv": "rdiv", "rmatmul": "rmatmul", "clip": "clamp",
    "floordiv": "floor_divide", "rfloordiv": "rfloordiv", "mod": "remainder", "concat": "cat", "concatenate": "cat",
    "rdiv": "rdiv", "max_pool2d_with_indices": "max_pool2d", "_max_pool2d": "max_pool2d", "_max_pool1d": "max_pool1d", "getitem": "getitem",
    "__getitem__": "getitem",
}  # fmt: skip

DESCENDED = ("multi_head_attention_forward",)
"""Python functions made of calls that matter more than they do."""


@functools.lru_cache(maxsize=4096)
def parameters_of(function: Callable[..., Any], name: str) -> tuple[str, ...]:
    """The names of the positional arguments of a function, as far as they are known."""
    if isinstance(function, types.FunctionType):
        with contextlib.suppress(ValueError):  # a wrapper of a builtin function has none
            return tuple(inspect.signature(function).parameters)
    return tuple(PARAMETERS.get(name, "input").split())


@functools.lru_cache(maxsize=4096)
def name_of(function: Any) -> str:
    """The name of a function without the underscores of operators and in-place forms."""
    raw = getattr(function, "__name__", "") or type(function).__name__
    bare = raw.strip("_")
    if raw.startswith("__i") and raw.endswith("__") and bare[1:] in ("add", "mul", "sub", "truediv", "floordiv"):
        bare = bare[1:]
    return ALIASES.get(raw, ALIASES.get(bare, bare))
