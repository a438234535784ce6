"""The table of ops: one record for each op of PyTorch's ATen, and the only list of their names.

What it says is read by noise (`halfulp.noise`), by the replay of recorded runs (`halfulp.origins`), by audits of dtypes, by evidence about
precision, and by the limits on what a trace may run. Formulas are registered under the same names in `ops/formulas/`.

A row: facts, and the ops that they are true of. The first word is the kind (`Kind`), the others are fields of `OpRecord`.

Ulps are the largest errors that the OpenCL C specification (3.0, section 7.4, full profile, single precision) allows a library. It is the
only published bound that libraries of all vendors for CPUs, GPUs and accelerators are written to meet. Functions that it leaves out
(gamma and Bessel functions, inverse erf) get its largest bound.
"""

from __future__ import annotations

import functools
from typing import Any

from .record import Kind, OpRecord, parsed

_ROWS = {
    "exact": """
        _assert_async _conj _conj_physical _local_scalar_dense _make_dual _reshape_alias _unsafe_index _upsample_nearest_exact2d _view_copy
        all amax amin any argmax argmin argsort as_strided cat chunk collapse collapse_view concat conj constant_pad_nd device_put diagonal
        diagonal_backward embedding equal expand_copy flip gather hardtanh_backward imag index index_copy index_select iota is_same_size
        isclose item masked_select max max_pool2d_with_indices max_pool3d_with_indices min movedim new_ones new_zeros nonzero one_hot
        ones_like pad permute_copy pixel_shuffle pixel_unshuffle real reflection_pad1d reflection_pad2d reflection_pad3d repeat
        repeat_interleave replication_pad1d replication_pad2d replication_pad3d resize resolve_conj resolve_neg roll scatter select
        select_backward select_copy select_scatter set slice slice_backward slice_scatter sort split split_dim split_with_sizes squeeze
        stack swapaxes take_along_dim tensor_split threshold_backward topk transpose_copy unbind unfold unsafe_chunk unsafe_split
        unsafe_split_with_sizes unsqueeze upsample_nearest1d upsample_nearest2d upsample_nearest3d view_as_complex view_as_real view_copy
        view_of zero zeros_like
    """,
    "exact each": """
        abs bitwise_and bitwise_not bitwise_or bitwise_xor clamp clamp_max clamp_min eq ge gt hardtanh isfinite isinf isnan le logical_and
        logical_not logical_or logical_xor lt nan_to_num ne positive sgn sign signbit threshold
    """,
    "exact closed": "_pin_memory lift_fresh_copy overlay wait_tensor",
    "exact cut each": "relu",
    "exact fills": "tril triu",
    "exact fills each": "masked_fill",
    "exact makes": """
        bartlett_window eye fft_fftfreq fft_rfftfreq ones tri zeros
    """,
    "exact whole each": "ceil floor round trunc",
    "exact moves": "_unsafe_view contiguous expand permute reshape transpose",
    "exact promotes each": "floor_divide fmod maximum minimum remainder",
    "exact torch": """
        _upsample_nearest_exact1d _upsample_nearest_exact3d absolute adaptive_max_pool2d adaptive_max_pool3d alias_copy aminmax
        as_strided_copy as_strided_scatter bitwise_left_shift bitwise_right_shift block_diag broadcast_in_dim bucketize channel_shuffle
        clip complex count_nonzero cummax cummin diag diag_embed diagonal_copy diagonal_scatter fix fmax fmin frac frexp gcd greater
        greater_equal hardshrink heaviside histc im2col index_fill isin isneginf isposinf kthvalue lcm ldexp less less_equal
        masked_scatter max_unpool2d max_unpool3d median meshgrid mode nanmedian narrow_copy negative nextafter not_equal relu6 rot90
        searchsorted split_with_sizes_copy squeeze_copy t_copy take unbind_copy unfold_copy unsqueeze_copy view_as
    """,
    "exact unwritten": "empty_like new_empty new_empty_strided",
    "exact direct cut each": "neg",
    "exact makes unwritten": "empty empty_permuted empty_strided",
    "exact moves transparent": "alias detach t",
    "exact moves unfit": "view",
    "exact promotes fills each": "where",
    "exact promotes torch": "copysign",
    "exact python torch": "lift",
    "exact torch finite": "lu_unpack",
    "exact direct cut moves": "clone",
    "exact fills python closed": "lift_fresh",
    "cast": "to",
    "cast fills": "fill full_like new_full",
    "cast makes": "logspace",
    "cast torch": "convert_element_type",
    "cast direct cut": "_to_copy",
    "cast fills makes": "scalar_tensor",
    "cast makes by_number": "arange range",
    "cast direct cut moves": "copy",
    "cast fills makes by_number": "full",
    "rounded": "divide exponential_ fma multiply normal_ square uniform_",
    "rounded direct": "reciprocal sqrt",
    "rounded promotes": "true_divide",
    "rounded torch": "deg2rad rad2deg subtract",
    "rounded direct cut promotes": "div mul",
    "rounded direct promotes adds": "rsub",
    "rounded direct cut promotes adds": "add sub",
    "library ulps=16 family=gamma": "mvlgamma",
    "library ulps=2": "cbrt rsqrt",
    "library ulps=2 family=log": "log1p",
    "library ulps=3 family=exp": "expm1",
    "library ulps=3 family=exp scales": "exp2",
    "library ulps=3 family=log": "log10 log2",
    "library ulps=4 family=arcsin": "acos asin",
    "library ulps=4 family=arsinh": "acosh asinh",
    "library ulps=4 family=exp": "cosh sinh",
    "library ulps=4 family=sin": "cos sin",
    "library ulps=5 family=arcsin": "atan",
    "library ulps=5 family=arsinh": "atanh",
    "library ulps=5 family=sin": "tan",
    "library ulps=16 direct family=erf": "erf",
    "library ulps=16 promotes": "pow",
    "library ulps=16 torch family=bessel": "i0",
    "library ulps=16 torch family=erf": "erfc erfinv special_erfcx",
    "library ulps=16 torch family=gamma": "digamma igamma igammac lgamma polygamma",
    "library ulps=3 direct family=log": "log",
    "library ulps=4 torch family=arcsin": "arccos arcsin",
    "library ulps=4 torch family=arsinh": "arccosh arcsinh",
    "library ulps=4 torch family=sin": "sinc",
    "library ulps=5 torch family=arcsin": "arctan",
    "library ulps=5 torch family=arsinh": "arctanh",
    "library ulps=6 promotes family=arcsin": "atan2",
    "library ulps=6 torch family=arcsin": "angle arctan2",
    "library ulps=3 direct cut family=exp": "exp",
    "library ulps=4 promotes torch": "hypot",
    "library ulps=5 direct cut family=tanh": "tanh",
    "factors": "cumprod",
    "factors unfit": "prod",
    "sum": "avg_pool1d avg_pool2d avg_pool3d mean nanmean nansum",
    "sum torch": "col2im",
    "sum direct magnitudes": "sum",
    "scan direct": "cumsum",
    "scatter": "_index_put_impl _unsafe_index_put index_put",
    "scatter direct": "index_add scatter_add",
    "scatter direct inside=rows_of_weight": "embedding_dense_backward",
    "product": "convolution_backward_overrideable matmul vdot",
    "product addend=0": "addbmm addr",
    "product addend=2": "_linear_pointwise convolution_overrideable mkldnn_linear_pointwise",
    "product convolution": "cudnn_convolution",
    "product addend=0 direct": "addmv",
    "product addend=2 convolution": "mkldnn_convolution",
    "product direct magnitudes": "bmm dot mv",
    "product addend=0 direct magnitudes": "baddbmm",
    "product addend=2 direct magnitudes": "linear",
    "product direct magnitudes convolution": "convolution_backward",
    "product direct rows magnitudes": "mm",
    "product addend=0 direct rows magnitudes": "addmm",
    "product addend=2 direct magnitudes convolution": "_convolution convolution",
    "transform torch": "_fft_c2c _fft_c2r _fft_r2c",
    "factorization torch finite": """
        _linalg_det _linalg_eigh _linalg_eigvals _linalg_slogdet _linalg_solve_ex _linalg_svd cholesky cholesky_inverse cholesky_solve
        linalg_cholesky_ex linalg_eig linalg_eigvals linalg_householder_product linalg_inv_ex linalg_ldl_factor_ex linalg_lu
        linalg_lu_factor_ex linalg_matrix_exp linalg_qr linalg_solve_triangular ormqr triangular_solve
    """,
    "factorization torch inside=pivoted finite": "linalg_lu_solve",
    "range makes torch": "linspace",
    "range makes": "blackman_window hamming_window hann_window kaiser_window",
    "random": "bernoulli native_dropout rand_like randint randn_like randperm",
    "random makes": "normal rand randn",
    "composite": """
        _adaptive_avg_pool2d_backward _adaptive_avg_pool3d_backward _fused_rms_norm _log_softmax _log_softmax_backward_data
        _prelu_kernel _prelu_kernel_backward _safe_softmax _scaled_dot_product_attention_math _scaled_dot_product_attention_math_for_mps
        _scaled_dot_product_cudnn_attention _scaled_dot_product_efficient_attention _scaled_dot_product_flash_attention
        _softmax _softmax_backward_data _upsample_nearest_exact2d_backward
        adaptive_avg_pool1d adaptive_avg_pool2d avg_pool2d_backward avg_pool3d_backward cudnn_batch_norm elu elu_backward gelu
        gelu_backward hardsigmoid hardswish huber_loss l1_loss leaky_relu leaky_relu_backward log_sigmoid_forward log_softmax
        logaddexp logaddexp2 logsumexp miopen_batch_norm mish mse_loss mse_loss_backward native_group_norm native_layer_norm prelu
        rms_norm sigmoid sigmoid_backward
        silu silu_backward smooth_l1_loss softmax softplus softplus_backward special_xlog1py std tanh_backward unfold_backward
        upsample_bilinear2d_backward upsample_linear1d_backward upsample_nearest1d_backward upsample_nearest2d_backward
        upsample_nearest3d_backward upsample_trilinear3d_backward var var_mean xlogy
    """,
    "composite closed": "mkldnn_rnn_layer",
    "composite inside=alike": "_fused_adam _fused_adamw _fused_sgd",
    "composite inside=attended": "_scaled_dot_product_flash_attention_for_cpu_backward",
    "composite inside=per_channel": """
        _batch_norm_with_update _native_batch_norm_legit _native_batch_norm_legit_no_training native_batch_norm
        native_batch_norm_backward
    """,
    "composite inside=per_row": "_fused_rms_norm_backward native_layer_norm_backward",
    "composite inside=pooled2": "max_pool2d_with_indices_backward",
    "composite inside=pooled3": "max_pool3d_with_indices_backward",
    # Of flash attention PyTorch's own parts give the probabilities where its backward op expects their logarithms summed.
    "composite own": """
        _adaptive_avg_pool2d _adaptive_avg_pool3d _scaled_dot_product_flash_attention_for_cpu native_dropout_backward
        native_group_norm_backward upsample_bilinear2d upsample_linear1d upsample_trilinear3d
    """,
    "composite promotes": "addcdiv addcmul lerp",
    "composite torch": """
        _cdist_forward _euclidean_dist _int_mm _pdist_forward affine_grid_generator binary_cross_entropy binary_cross_entropy_backward
        celu dist glu glu_backward hardsigmoid_backward hardswish_backward huber_loss_backward
        index_reduce linear_backward log_sigmoid_backward logcumsumexp logit logit_backward mish_backward pairwise_distance polar
        reflection_pad1d_backward reflection_pad2d_backward reflection_pad3d_backward renorm replication_pad1d_backward
        replication_pad2d_backward replication_pad3d_backward scatter_reduce selu smooth_l1_loss_backward soft_margin_loss
        soft_margin_loss_backward softshrink softshrink_backward std_mean trace upsample_bicubic2d upsample_bicubic2d_backward
    """,
    "composite unfit": "binary_cross_entropy_with_logits norm",
    "composite own inside=classes": "nll_loss2d_backward nll_loss2d_forward nll_loss_backward nll_loss_forward",
    "composite torch finite": "linalg_cross",
    "composite torch inside=distances": "_cdist_backward",
    "composite torch inside=on_grid": "grid_sampler_2d_backward grid_sampler_3d_backward",
    "composite torch inside=own_distances": "_pdist_backward",
    "composite torch inside=pooled2": "adaptive_max_pool2d_backward",
    "composite torch inside=pooled3": "adaptive_max_pool3d_backward",
    "composite own unfit": "grid_sampler_2d grid_sampler_3d",
    "composite own unfit inside=resized": """
        _upsample_bicubic2d_aa _upsample_bicubic2d_aa_backward _upsample_bilinear2d_aa _upsample_bilinear2d_aa_backward
    """,
    "composite torch size=attention": "_native_multi_head_attention _transformer_encoder_layer_fwd",
    "composite unfit finite": "linalg_vector_norm",
    "measured torch": """
        special_airy_ai special_bessel_j0 special_bessel_j1 special_bessel_y0 special_bessel_y1 special_entr special_i0e special_i1
        special_i1e special_log_ndtr special_modified_bessel_i0 special_modified_bessel_i1 special_modified_bessel_k0
        special_modified_bessel_k1 special_ndtr special_ndtri special_scaled_modified_bessel_k0 special_scaled_modified_bessel_k1
        special_spherical_bessel_j0 special_zeta
    """,
}

_FAMILIES = {
    "linalg_solve linalg_lstsq linalg_inv linalg_q linalg_eig linalg_c linalg_lu _linalg_ cholesky lu_ triangular_solve ormqr geqrf svd "
    "inverse": "factorization",
}
"""Ops by the beginning of their names, for those that have no row of their own."""

OPS: dict[str, OpRecord] = {name: parsed(name, facts) for facts, names in _ROWS.items() for name in names.split()}
"""Name -> what is known of the op."""

LARGEST_ULPS = max(record.ulps for record in OPS.values() if record.ulps is not None)
"""No library function is further than so many ulps from its exact result: what is further is another function."""

_UNKNOWN = OpRecord("", Kind.MEASURED)

SMALL_POWERS = (0, 1, 2, 3, 0.5, -1, -2)
"""Exponents for which a power is made of rounded operations everywhere, and not a library function."""


@functools.cache
def record_of(name: str) -> OpRecord:
    """What is known of an op.

    Args:
        name: without namespace and overload; an op in place ("add_") or on lists ("_foreach_add") has the record of the plain one.

    Returns:
        Its record; one of kind MEASURED for an op that no row names.
    """
    plain = name[:-1] if name.endswith("_") and not name.endswith("__") else name
    for spelling in (name, plain, plain.removeprefix("_foreach_")):
        if spelling in OPS:
            return OPS[spelling]
    for beginnings, facts in _FAMILIES.items():
        if plain.startswith(tuple(beginnings.split())):
            return parsed(plain, facts)
    return _UNKNOWN.named(plain)


@functools.cache
def called(op: Any) -> tuple[str, OpRecord]:
    """The name of an overload that a dispatch mode of PyTorch sees, without its namespace, and its record."""
    name = op._schema.name.partition("::")[2]
    return name, record_of(name)
