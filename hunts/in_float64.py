"""Functions on images, signals and rotations in float32, against the same function in float64: kornia, scikit-image, SciPy, librosa, torchaudio.

A package that is not installed has no cases, and the sweep says so. Needed beside halfulp: `pip install kornia scikit-image scipy librosa`.
"""

import functools
import importlib
import inspect

import numpy as np
import torch

from halfulp.sweeps.case_sources.rounded import in_float64, natural_formats

name = "in-float64"
packages = ["kornia", "scikit-image", "scipy", "librosa", "torchaudio"]
actual_name, expected_name = "float32", "float64, rounded"


def image(draw, low=0.0, high=1.0, channels=3):
    return low + (high - low) * torch.rand(1, channels, 24, 20, generator=draw, dtype=torch.float64)


def plane(draw, mean=0.0):
    return mean + torch.randn(40, 36, generator=draw, dtype=torch.float64)


def signal(draw, mean=0.0):
    return mean + torch.randn(512, generator=draw, dtype=torch.float64)


def angles(draw, size=1.0):
    return size * torch.randn(16, 3, generator=draw, dtype=torch.float64)


def rotations(draw, size=1.0):
    """Rotation matrices, exact to float64."""
    axis = angles(draw, size)
    skew = torch.zeros(16, 3, 3, dtype=torch.float64)
    skew[:, 0, 1], skew[:, 0, 2], skew[:, 1, 2] = -axis[:, 2], axis[:, 1], -axis[:, 0]
    return torch.linalg.matrix_exp(skew - skew.transpose(1, 2))


def quaternions(draw, size=1.0):
    """Unit quaternions (w, x, y, z) of rotations by angles of that size."""
    axis = angles(draw, size)
    angle = axis.norm(dim=-1, keepdim=True)
    return torch.cat([torch.cos(angle / 2), torch.sin(angle / 2) * axis / angle], -1)


def logits(draw, classes=4):
    return torch.randn(2, classes, 8, 8, generator=draw, dtype=torch.float64)


def shares(draw):
    """Heat maps that sum to one."""
    return logits(draw).flatten(2).softmax(-1).view(2, 4, 8, 8)


def labels(draw, classes=4):
    return torch.randint(0, classes, (2, 8, 8), generator=draw)


SMALL = 1e-3
"""Radians: a thousandth is an angle between two frames of a video."""
DARK = 0.02
"""The brightest value of a dark image, of 1."""

ONE_IMAGE = (("usual", image), ("dark", functools.partial(image, high=DARK)), ("bright", functools.partial(image, low=0.98)))
ONE_ANGLE = (("usual", angles), ("small", functools.partial(angles, size=SMALL)))
ONE_ROTATION = (("usual", rotations), ("small", functools.partial(rotations, size=SMALL)))
ONE_QUATERNION = (("usual", quaternions), ("small", functools.partial(quaternions, size=SMALL)))
ONE_PLANE = (("usual", plane), ("far from zero", functools.partial(plane, mean=1000.0)))
ONE_SIGNAL = (("usual", signal), ("far from zero", functools.partial(signal, mean=1000.0)))


def twice(makers):
    """Two inputs of a kind."""
    return tuple((words, lambda draw, make=make: (make(draw), make(draw))) for words, make in makers)


KORNIA = {
    **{
        f"color.{function}": (ONE_IMAGE, {})
        for function in (
            "rgb_to_grayscale", "rgb_to_hls", "rgb_to_hsv", "rgb_to_lab", "rgb_to_linear_rgb", "rgb_to_luv", "rgb_to_xyz", "rgb_to_ycbcr", "rgb_to_yuv",
            "hls_to_rgb", "hsv_to_rgb", "linear_rgb_to_rgb", "xyz_to_rgb", "ycbcr_to_rgb", "yuv_to_rgb",
        )
    },
    **{
        f"filters.{function}": (ONE_IMAGE, more)
        for function, more in (
            ("gaussian_blur2d", {"kernel_size": (5, 5), "sigma": (1.5, 1.5)}), ("box_blur", {"kernel_size": (3, 3)}), ("median_blur", {"kernel_size": (3, 3)}),
            ("sobel", {}), ("laplacian", {"kernel_size": 3}), ("spatial_gradient", {}), ("unsharp_mask", {"kernel_size": (3, 3), "sigma": (1.5, 1.5)}),
            ("bilateral_blur", {"kernel_size": (3, 3), "sigma_color": 0.1, "sigma_space": (1.5, 1.5)}), ("motion_blur", {"kernel_size": 5, "angle": 35.0, "direction": 0.5}),
        )
    },
    "filters.guided_blur": (twice(ONE_IMAGE), {"kernel_size": 5, "eps": 1e-3}),
    **{
        f"enhance.{function}": (ONE_IMAGE, more)
        for function, more in (
            ("adjust_brightness", {"factor": 0.2}), ("adjust_contrast", {"factor": 0.7}), ("adjust_gamma", {"gamma": 2.2}), ("adjust_hue", {"factor": 0.3}),
            ("adjust_saturation", {"factor": 1.4}), ("adjust_sigmoid", {}), ("adjust_log", {}), ("sharpness", {"factor": 0.5}), ("normalize_min_max", {}),
        )
    },
    "geometry.axis_angle_to_rotation_matrix": (ONE_ANGLE, {}),
    "geometry.axis_angle_to_quaternion": (ONE_ANGLE, {}),
    "geometry.quaternion_log_to_exp": (ONE_ANGLE, {}),
    "geometry.rotation_matrix_to_axis_angle": (ONE_ROTATION, {}),
    "geometry.rotation_matrix_to_quaternion": (ONE_ROTATION, {}),
    "geometry.quaternion_to_axis_angle": (ONE_QUATERNION, {}),
    "geometry.quaternion_exp_to_log": (ONE_QUATERNION, {}),
    "geometry.quaternion_to_rotation_matrix": (ONE_QUATERNION, {}),
    "geometry.pyrdown": (ONE_IMAGE, {}),
    "geometry.pyrup": (ONE_IMAGE, {}),
    "metrics.ssim": (twice(ONE_IMAGE), {"window_size": 5}),
    "metrics.psnr": (twice(ONE_IMAGE), {"max_val": 1.0}),
    "losses.ssim_loss": (twice(ONE_IMAGE), {"window_size": 5}),
    "losses.total_variation": (ONE_IMAGE, {}),
    "losses.kl_div_loss_2d": ((("usual", lambda draw: (shares(draw), shares(draw))),), {}),
    "losses.js_div_loss_2d": ((("usual", lambda draw: (shares(draw), shares(draw))),), {}),
    "losses.focal_loss": ((("usual", lambda draw: (logits(draw), labels(draw))),), {"alpha": 0.5, "gamma": 2.0, "reduction": "mean"}),
    "losses.dice_loss": ((("usual", lambda draw: (logits(draw), labels(draw))),), {}),
    "losses.charbonnier_loss": (twice(ONE_IMAGE), {}),
    "losses.cauchy_loss": (twice(ONE_IMAGE), {}),
    "losses.geman_mcclure_loss": (twice(ONE_IMAGE), {}),
    "losses.welsch_loss": (twice(ONE_IMAGE), {}),
    "feature.harris_response": (ONE_IMAGE, {}),
    "feature.gftt_response": (ONE_IMAGE, {}),
    "feature.hessian_response": (ONE_IMAGE, {}),
}  # fmt: skip

SKIMAGE = {
    "filters.gaussian": (ONE_PLANE, {"sigma": 1.5}),
    "filters.sobel": (ONE_PLANE, {}),
    "filters.laplace": (ONE_PLANE, {}),
    "filters.unsharp_mask": ((("usual", lambda draw: plane(draw).sigmoid()),), {"preserve_range": True}),
    "filters.threshold_local": (ONE_PLANE, {"block_size": 5}),
    "filters.threshold_niblack": (ONE_PLANE, {"window_size": 5}),
    "filters.threshold_sauvola": (ONE_PLANE, {"window_size": 5, "r": 128}),
    "filters.threshold_otsu": (ONE_PLANE, {}),
    "metrics.structural_similarity": (twice(ONE_PLANE), {"data_range": 8.0}),
    "metrics.peak_signal_noise_ratio": (twice(ONE_PLANE), {"data_range": 8.0}),
    "metrics.normalized_root_mse": (twice(ONE_PLANE), {}),
    "metrics.normalized_mutual_information": (twice(ONE_PLANE), {}),
    "feature.match_template": ((("usual", lambda draw: (plane(draw), plane(draw)[:5, :5])), ("far from zero", lambda draw: (plane(draw, 1000.0), plane(draw, 1000.0)[:5, :5]))), {}),
    "feature.corner_harris": (ONE_PLANE, {}),
    "feature.hessian_matrix_det": (ONE_PLANE, {}),
    "restoration.denoise_tv_chambolle": (ONE_PLANE, {"max_num_iter": 20}),
    "restoration.wiener": ((("usual", lambda draw: (plane(draw), torch.ones(3, 3, dtype=torch.float64) / 9)),), {"balance": 0.1, "clip": False}),
    "transform.integral_image": (ONE_PLANE, {}),
    "transform.radon": ((("usual", lambda draw: plane(draw)[:36]),), {"circle": False}),
    "exposure.adjust_gamma": ((("usual", lambda draw: plane(draw).sigmoid()),), {"gamma": 2.2}),
    "exposure.rescale_intensity": (ONE_PLANE, {}),
    "measure.moments": (ONE_PLANE, {}),
    "measure.moments_central": (ONE_PLANE, {}),
}  # fmt: skip

SCIPY = {
    **{
        f"signal.{function}": (ONE_SIGNAL, more)
        for function, more in (
            ("detrend", {}), ("hilbert", {}), ("welch", {"nperseg": 128}), ("periodogram", {}), ("spectrogram", {"nperseg": 64}), ("savgol_filter", {"window_length": 9, "polyorder": 3}),
            ("medfilt", {}), ("wiener", {"mysize": 5}), ("decimate", {"q": 2}), ("resample", {"num": 300}), ("stft", {"nperseg": 64}),
        )
    },
    "signal.fftconvolve": (twice(ONE_SIGNAL), {}),
    "signal.oaconvolve": (twice(ONE_SIGNAL), {}),
    "signal.correlate": (twice(ONE_SIGNAL), {}),
    "signal.coherence": (twice(ONE_SIGNAL), {"nperseg": 64}),
    "signal.csd": (twice(ONE_SIGNAL), {"nperseg": 64}),
    **{
        f"ndimage.{function}": (ONE_PLANE, more)
        for function, more in (
            ("gaussian_filter", {"sigma": 1.5}), ("uniform_filter", {"size": 5}), ("uniform_filter1d", {"size": 7}), ("laplace", {}), ("sobel", {}), ("zoom", {"zoom": 1.7}),
            ("rotate", {"angle": 30.0}), ("shift", {"shift": 0.3}), ("spline_filter", {}), ("variance", {}), ("standard_deviation", {}), ("mean", {}), ("center_of_mass", {}),
        )
    },
    **{f"stats.{function}": (ONE_SIGNAL, {}) for function in ("kurtosis", "skew", "sem", "variation", "zscore", "gstd", "entropy", "circvar", "circmean", "moment")},
    **{f"special.{function}": (ONE_SIGNAL, {}) for function in ("logsumexp", "softmax", "log_softmax", "expit", "erfcx", "ndtr", "log_ndtr")},
}  # fmt: skip

LIBROSA = {
    "feature.melspectrogram": (ONE_SIGNAL, {"sr": 8000, "n_fft": 128}),
    "feature.mfcc": (ONE_SIGNAL, {"sr": 8000, "n_fft": 128, "n_mels": 20}),
    "feature.rms": (ONE_SIGNAL, {"frame_length": 128}),
    "feature.zero_crossing_rate": (ONE_SIGNAL, {"frame_length": 128}),
    "feature.spectral_centroid": (ONE_SIGNAL, {"sr": 8000, "n_fft": 128}),
    "feature.spectral_flatness": (ONE_SIGNAL, {"n_fft": 128}),
    "stft": (ONE_SIGNAL, {"n_fft": 128}),
    "amplitude_to_db": ((("usual", lambda draw: signal(draw).abs()),), {}),
    "pcen": ((("usual", lambda draw: signal(draw).abs().view(16, 32)),), {}),
    "effects.preemphasis": (ONE_SIGNAL, {}),
}  # fmt: skip
TORCHAUDIO = {
    "functional.amplitude_to_DB": ((("usual", lambda draw: signal(draw).abs()),), {"multiplier": 10.0, "amin": 1e-10, "db_multiplier": 0.0}),
    "functional.lowpass_biquad": (ONE_SIGNAL, {"sample_rate": 8000, "cutoff_freq": 20.0}),
    "functional.highpass_biquad": (ONE_SIGNAL, {"sample_rate": 8000, "cutoff_freq": 20.0}),
    "functional.deemphasis": (ONE_SIGNAL, {}),
    "functional.compute_deltas": ((("usual", lambda draw: signal(draw).view(1, 8, 64)),), {}),
    "functional.resample": (ONE_SIGNAL, {"orig_freq": 3, "new_freq": 2}),
}  # fmt: skip
PACKAGES = {"kornia": KORNIA, "skimage": SKIMAGE, "scipy": SCIPY, "librosa": LIBROSA, "torchaudio": TORCHAUDIO}
OF_TENSORS = ("kornia", "torchaudio")
"""Packages whose functions take tensors; the others take arrays."""


def subjects():
    return [f"{package}.{function}" for package, functions in PACKAGES.items() for function in functions]


def cases(subject, seed):
    package, _, path = subject.partition(".")
    makers, more = PACKAGES[package][path]
    function = functools.partial(found(package, path), **more)
    call = function if package in OF_TENSORS else on_arrays(function, is_named=is_named(function, package))
    for words, make in makers:
        made = make(torch.Generator().manual_seed(seed))
        inputs = made if isinstance(made, tuple) else (made,)
        given = tuple(value.float() if value.is_floating_point() else value for value in inputs)
        wide = in_float64(call, torch.float32, natural_formats(call, given, {}))
        yield {"actual": call, "expected": wide, "inputs": given, "setting": words, "call": written(package, path, more, function)}


def written(package, path, more, function):
    """How the two calls read in Python."""
    name, arrays = f"{package}.{path}", package not in OF_TENSORS
    first = "y=x, " if arrays and is_named(function, package) else "*x, "
    named = ", ".join(f"{key}={value!r}" for key, value in more.items())
    text = f"(lambda {'x' if first == 'y=x, ' else '*x'}: {name}({first}{named}))" if more or first == "y=x, " else name
    return {"actual": text, "expected": text, "taken": "numpy" if arrays else "", "given": "numpy float64" if arrays else "float64"}


def is_named(function, package):
    """Whether the first input is given by its name, as librosa asks for."""
    return package == "librosa" and "y" in inspect.signature(function).parameters


def found(package, path):
    """The function; what importing it raises is passed on, and the sweep says it."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(".".join(filter(None, (package, module)))), name)


def on_arrays(function, *, is_named):
    def call(*inputs):
        arrays = [value.numpy() for value in inputs]
        return leaves(function(y=arrays[0]) if is_named else function(*arrays))

    return call


def leaves(value):
    """The numbers of a result as tensors: arrays, and numbers among them."""
    if isinstance(value, (tuple, list)):
        return tuple(leaves(part) for part in value)
    array = np.asarray(value)
    return torch.from_numpy(np.ascontiguousarray(array)) if array.dtype.kind in "fciub" else torch.zeros(0)
