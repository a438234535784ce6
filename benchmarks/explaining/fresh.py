"""The pairs of `ports`, `signals` and `methods`: written by others than the authors of the catalog, without sight of it.

What was planted is said in their own words. Which names are right answers was decided by reading what `explain` answered, and what else would
have been true; a pair that was not explained has the names that its author's words suggest. `python -m benchmarks.explain --fresh` runs them
alone, and tells beside the shares whether what stayed unexplained is at least located: within a line of a marked one.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

import torch

from halfulp.origins.place import Place

from . import methods, ports, signals
from .registry import HONEST, SINGLE, Fresh, Pair

EDITS = ("wrong operand", "op left out", "op added", "order of operations")
RIGHT: dict[str, tuple[str, ...]] = {
    # ports
    "attn_scale_from_model_width": ("attention scale",),
    "causal_mask_sees_next_token": ("causal mask alignment", "attention mask", "shifted by one"),
    "rope_pairs_interleaved": ("RoPE layout",),
    "gqa_kv_heads_tiled": ("order of parts", "layout"),
    "second_layernorm_eps": ("layer epsilon",),
    "layernorm_unbiased_variance": ("variance estimator",),
    "rmsnorm_eps_outside_root": ("order of operations", "layer epsilon"),
    "mlp_gelu_tanh": ("GELU form",),
    "lstm_gate_order": ("gate order", "order of parts"),
    "gru_reset_before_matmul": ("GRU form",),
    "adamw_decay_coupled": ("weight decay",),
    "adam_eps_before_bias_correction": ("Adam epsilon", "Adam bias correction"),
    "label_smoothing_over_other_classes": ("label smoothing",),
    "distill_kl_mean": ("loss reduction",),
    "huber_as_smooth_l1": ("op added", "loss formula", "constant"),
    "lm_loss_mean_counts_ignored": ("loss reduction", "parameter ignored"),
    "moe_topk_not_renormalised": ("op left out", "wrong operand"),
    "token_embedding_not_scaled": ("constant", "op left out"),
    "fused_group_key_value_swapped": ("swapped operands", "order of parts", "wrong operand"),
    "key_norm_after_rope": ("order of operations",),
    "softcap_before_scale": ("softcap", "attention scale", "order of operations"),
    "relative_bias_direction": ("transposed operand", "swapped operands"),
    "mlp_residual_from_normed": ("wrong operand",),
    "peephole_output_gate_old_cell": ("wrong operand",),
    "ssm_dt_bias_outside_softplus": ("order of operations",),
    "position_ids_start_at_padding": ("op left out", "wrong operand", "shifted by one"),
    "groupnorm_strided_groups": ("layout", "normalization axis"),
    "weight_norm_misses_kernel_axis": ("axis", "normalization axis"),
    "adafactor_clip_by_grad_rms": ("wrong operand",),
    "muon_aspect_ratio_inverted": ("constant",),
    "clip_loss_same_direction_twice": ("wrong operand", "transposed operand", "transposed weight"),
    "focal_power_over_product": ("order of operations",),
    "dice_smooth_doubled": ("constant", "order of operations"),
    "zloss_square_of_mean": ("order of operations",),
    # signals
    "thumbnail_resize": ("antialias",),
    "mask_upsample_by_hand": ("align_corners",),
    "opencv_normalise": ("channel order",),
    "power_spectrogram": ("constant",),
    "mel_energies": ("constant",),
    "keyword_front_end": ("order of parts",),
    "inception_branch": ("count_include_pad",),
    "folded_batchnorm": ("layer epsilon",),
    "token_standardise": ("variance estimator",),
    "psnr_peak": ("wrong operand", "constant", "op left out"),
    "lm_perplexity": ("parameter ignored", "loss reduction"),
    "distillation_kl": ("wrong operand", "swapped operands", "loss formula"),
    "mfcc_dct": ("constant",),
    "int8_linear": ("integer division", "rounding to integers"),
    "convnext_block": ("GELU form",),
    "negative_elbo": ("loss reduction",),
    "group_membership": ("layout", "normalization axis", *EDITS),
    "swin_shift_back": ("axis",),
    "biquad_state": EDITS,
    "delta_features": ("padding mode",),
    "mulaw_roundtrip": ("constant",),
    "soft_nms_decay": ("constant", "op left out"),
    "auc_ties": ("constant", "op left out"),
    "calibration_error": EDITS,
    "verlet_energy": ("wrong operand",),
    "bigru_second_layer": ("reversed order", "op left out"),
    "yuv_digits": ("constant",),
    "srgb_encode": ("constant",),
    "heat_left_edge": ("padding mode", *EDITS),
    "lj_box": ("slice", "axis"),
    "bleu_reference_length": EDITS,
    "gmm_log_likelihood": ("axis",),
    "spectral_entropy": ("slice", "shifted by one"),
    "expert_capacity": ("order of operations", "reversed order", "op left out"),
    # methods
    "cross_attention_scale_model_dim": ("attention scale",),
    "local_attention_window_short": ("order of parts", "constant", "shifted by one"),
    "adamw_coupled_decay": ("weight decay",),
    "rmsprop_eps_inside_sqrt": ("order of operations", "Adam epsilon", "layer epsilon"),
    "dice_smooth_denominator_only": ("constant", "op left out"),
    "distill_kl_mean_reduction": ("loss reduction",),
    "smooth_l1_without_beta_division": ("constant", "op added", "loss formula"),
    "triplet_squared_distance": ("op left out", "op added", "constant", "loss formula"),
    "fpn_resize_align_corners": ("align_corners",),
    "stft_symmetric_hann": ("constant", "shifted by one"),
    "mel_loss_htk_scale": ("constant",),
    "gcn_degree_without_self_loops": (*EDITS, "another form"),
    "batchnorm_momentum_inverted": ("BatchNorm momentum",),
    "quaternion_scalar_last": ("order of parts",),
    "timestep_frequency_denominator": ("constant",),
    "convnext_gelu_tanh": ("GELU form",),
    "top_p_drops_crossing_token": ("shifted by one", "wrong operand", "op left out"),
    "mla_norm_covers_rope_key": EDITS,
    "relative_bias_clipped_one_side": ("constant", "shifted by one"),
    "mlstm_normaliser_without_abs": ("op left out", "op added"),
    "rwkv_bonus_enters_state": ("wrong operand",),
    "mamba_raw_step_in_input_matrix": ("wrong operand",),
    "nadam_lookahead_uses_current_mu": ("constant",),
    "muon_nesterov_old_buffer": ("wrong operand", "op left out"),
    "infonce_temperature_positive_only": ("op added", "op left out", "order of operations"),
    "perceptual_unit_norm_over_space": ("axis", "normalization axis"),
    "ddim_direction_alpha_of_current_step": ("wrong operand",),
    "guidance_rescale_std_over_batch": ("axis", "samples mixed", "normalization axis"),
    "box_decode_centre_shift_by_new_size": ("wrong operand",),
    "patch_merging_norm_per_patch": ("order of operations", "normalization axis"),
    "biquad_last_coefficient_not_normalised": ("constant",),
    "quant_clamp_before_zero_point": ("wrong operand", "order of operations"),
    "embedding_scale_after_positions": ("order of operations", "constant"),
    "ndcg_ideal_not_cut_at_k": ("slice",),
    "rk4_third_stage_from_first_slope": ("wrong operand",),
    "camera_y_distorted_from_new_x": ("wrong operand",),
    "weighted_std_around_plain_mean": ("wrong operand",),
}
MARKS = {"actual": "# planted", "expected": "# original"}
FRESH: dict[str, Fresh] = {}


def _enter(module: Any) -> None:
    for fresh in module.PAIRS:
        name = fresh.id if fresh.id not in FRESH else f"{fresh.id}_again"
        FRESH[name] = fresh
        names = (frozenset(RIGHT[fresh.id]),) if fresh.kind != "honest" else ()
        make = functools.partial(_made, fresh)
        (HONEST if fresh.kind == "honest" else SINGLE).append(Pair(name, make, names, None, None, fresh.gradients, fresh.cause))


def _made(fresh: Fresh, seed: int = 0) -> tuple[Any, ...]:
    with torch.random.fork_rng(devices=[]):
        return fresh.make(seed)


for _module in (ports, signals, methods):
    _enter(_module)


FILES = {Path(str(module.__file__)).name: Path(str(module.__file__)) for module in (ports, signals, methods)}


@functools.lru_cache
def _lines(file: str) -> list[str]:
    return FILES[file].read_text(encoding="utf-8").splitlines()


def is_located(place: Place | None) -> bool:
    """Whether one of the ops of a place, or a line that called its function, is within a line of the mark of its side."""
    for side, mark in MARKS.items():
        for call in place.calls(side) if place is not None else ():
            for file, number in re.findall(r"(\w+\.py):(\d+)", call.source):
                near = _lines(file)[max(0, int(number) - 2) : int(number) + 1] if file in FILES else ()
                if any(mark in line for line in near):
                    return True
    return False
