"""Question 4: PyTorch Conv2d against a NumPy loop: rounding error or mistake?"""

import numpy as np
import torch
import torch.nn.functional as F

from halfulp import order

TITLE = "4. Conv2d against a NumPy reference: rounding error or mistake?"
QUESTION = (
    "A float32 NumPy loop and F.conv2d (16 channels to 8, 5x5, 28x28) differ in 10 of 6272 elements by more than rtol 1e-4. The post has an unused "
    "switch for integer inputs; turning it on settles the question."
)


def inputs(seed):
    generator = torch.Generator().manual_seed(seed)
    return tuple(torch.randn(*shape, generator=generator) for shape in ((1, 16, 28, 28), (8, 16, 5, 5), (8,)))


def integer_inputs(seed):
    return tuple((each * 255).round() for each in inputs(seed))


def actual(images, kernels, bias):
    """The poster's routine: the same additions in the same order in float32, over all outputs at once instead of one by one."""
    padded = np.pad(images.numpy(), ((0, 0), (0, 0), (2, 2), (2, 2)))
    weights = kernels.numpy()
    channels_out, channels_in, height, width = weights.shape
    count, _, rows, columns = images.shape
    result = np.zeros((count, channels_out, rows, columns), dtype=np.float32)
    for channel in range(channels_in):
        for y in range(height):
            for x in range(width):
                window = padded[:, channel, None, y : y + rows, x : x + columns]
                result += weights[None, :, channel, y, x, None, None] * window
    result += bias.numpy()[None, :, None, None]
    return torch.from_numpy(result).type_as(images)


def expected(images, kernels, bias):
    return F.conv2d(images, kernels, bias, stride=1, padding=2)


def parts(full=False):
    yield {
        "title": "the NumPy loop against F.conv2d, random inputs",
        "actual": actual,
        "expected": expected,
        "inputs": inputs(0),
        "verdicts": ("ROUNDING",),
    }
    yield {
        "title": "the same with integer values (times 255, rounded)",
        "actual": actual,
        "expected": expected,
        "inputs": integer_inputs(0),
        "verdicts": ("IDENTICAL",),
    }


def figures(full=False):
    loop, library = actual(*inputs(0)).numpy(), expected(*inputs(0)).numpy()
    beyond = ~np.isclose(library, loop, rtol=1e-4, atol=0)
    exact = expected(*(each.double() for each in inputs(0))).numpy()
    sizes = np.abs(exact[beyond])
    typical = np.sqrt(np.mean(exact**2))
    largest = f"the largest of them is {sizes.max():.2g}" if sizes.size else "none here"
    yield (
        f"Elements beyond rtol 1e-4 here: {beyond.sum()} of {beyond.size} (post: 10 of 6272). They are the ones that cancel: results have size {typical:.0f}, and {largest}."
    )
    mine, theirs = order(actual, inputs(0)), order(expected, inputs(0))
    yield f"The order in which the NumPy loop adds: {mine.describe()}. {mine.proof}"
    yield f"The order in which F.conv2d adds: {theirs.describe()}. {theirs.proof}"
    yield f"The difference: {mine.diff(theirs)}. halfulp order examples/question_4_conv2d.py --emit DIR writes NumPy programs that give the bits of both."
