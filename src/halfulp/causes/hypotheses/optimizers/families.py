"""All optimizers that are known, and the variations of functions that step them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

from ..hypothesis import FORMULA, Around
from .adam import ADAM, ADAMAX, NADAM, RADAM
from .adaptive import ADADELTA, ADAFACTOR, ADAGRAD, RMSPROP
from .momentum import MUON, SGD
from .reading import Family, Reading, reading

FAMILIES = tuple(family for family in (ADAM, SGD, RMSPROP, ADAGRAD, ADADELTA, ADAMAX, NADAM, RADAM, ADAFACTOR, MUON) if family is not None)
"""Where two explain alike the first is named."""
REMEDIES = {
    "Adam epsilon": "PyTorch adds eps to sqrt(v hat) (in RAdam, before the bias correction); TensorFlow and Keras add it to sqrt(v), before the bias correction (epsilon hat in the paper)",
    "weight decay": "torch.optim.AdamW decouples weight decay (times the learning rate, before the step); torch.optim.Adam and SGD add it to the gradient",
    "Adam betas": "pass the same betas= to both",
    "Adam bias correction": "divide the first moment by 1 - beta1^t and, except in Adamax, the second, under the root, by 1 - beta2^t",
    "step off by one": "PyTorch counts the first step as t = 1",
    "AMSGrad": "PyTorch takes the maximum of second moments that are not corrected, and corrects the maximum",
    "SGD momentum": "torch.optim.SGD takes momentum=, dampening= and nesterov=; its buffer is momentum * buffer + (1 - dampening) * gradient, and the learning rate is applied afterwards",
    "RMSprop epsilon": "PyTorch adds eps to the root; TensorFlow adds it under the root",
    "start of the accumulator": "pass the same initial_accumulator_value= to both (the default is 0 in PyTorch and 0.1 in TensorFlow)",
    "RAdam threshold": "PyTorch rectifies where rho > 5, the paper where rho > 4",
    "Muon iteration": "PyTorch iterates five times in bfloat16, and first transposes a matrix that has more rows than columns",
}
ADVICE = "compare how the two compute the step, and compute it the same way in both"


def optimizers(kinds: set[type]) -> Iterator[Around]:
    """The variations for functions that step optimizers of these classes."""
    for family in FAMILIES:
        own = tuple(kind for kind in family.kinds if kind in kinds)
        if own:
            changed = Family(own, family.update, family.readings)
            for way in family.readings:
                wrap = functools.partial(_around, family=changed, way=way)
                yield Around(way.name, FORMULA, way.detail, wrap, remedy=REMEDIES.get(way.name, ADVICE), renumbers=True)


def _around(function: Callable[..., Any], family: Family, way: Reading) -> Callable[..., Any]:
    def run(*arguments: Any, **keywords: Any) -> Any:
        with reading(family, way):
            return function(*arguments, **keywords)

    return run
