"""State: the tensors that outlive a call, by name; put back after each run, and put into another precision for some.

Parameters, buffers and their gradients, captured tensors, and what optimizers keep. The tensors stay the same objects and only their
data is exchanged, so modules inside functions, modules that can't be copied and recurrent modules (which compare dtypes themselves)
are reached too.
"""

from __future__ import annotations

import collections
import contextlib
import operator
from collections.abc import Callable, Generator, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from ..process.alone import alone
from ..process.interrupts import surely
from .dependencies import Dependencies

# Devices whose backends refuse float64.
WITHOUT_FLOAT64 = ("mps", "privateuseone", "xla")


def device_for(dtype: torch.dtype, device: torch.device) -> torch.device:
    """Where data of a device is computed with in a dtype: on the device, or on the processor where the device has no float64."""
    has_float64 = device.type not in WITHOUT_FLOAT64
    if device.type == "xpu":  # some Intel GPUs compute in float64 and others store it only
        try:
            has_float64 = bool(torch.xpu.get_device_properties(device).has_fp64)
        except (AssertionError, AttributeError, RuntimeError):
            has_float64 = False
    return device if has_float64 or dtype != torch.float64 else torch.device("cpu")


class State:
    """The named tensors that a callable keeps.

    Args:
        dependencies: what the callable reaches.
    """

    def __init__(self, dependencies: Dependencies) -> None:
        self.optimizers, self._arrays = dependencies.optimizers, dependencies.arrays
        self._array_places = dependencies.array_places
        self._arrays_inside: list[npt.NDArray[Any]] | None = None
        self.makes_scalars = dependencies.makes_scalars
        self._modules = dependencies.modules
        self.owned: dict[str, torch.Tensor] = {}
        self._buffers: set[int] = set()
        self._places: dict[int, list[tuple[torch.nn.Module, str]]] = {}
        for place, module in enumerate(dependencies.modules):
            prefix = f"{place}." if len(dependencies.modules) > 1 else ""
            for name, tensor in [*module.named_parameters(), *module.named_buffers()]:
                self.owned[prefix + name.replace("_orig_mod.", "")] = tensor
            self._buffers |= {id(buffer) for buffer in module.buffers()}
            for part in module.modules():
                for key, tensor in (*part.named_parameters(recurse=False), *part.named_buffers(recurse=False)):
                    self._places.setdefault(id(tensor), []).append((part, key))
        known = {id(tensor) for tensor in self.owned.values()}
        stepped = {id(item) for optimizer in self.optimizers for group in optimizer.param_groups for item in group["params"]}
        loose = [tensor for tensor in dependencies.tensors if id(tensor) not in known]
        # A parameter that an optimizer steps has to stay the object that the optimizer holds.
        self.owned |= {f"parameter {place}": tensor for place, tensor in enumerate(loose) if id(tensor) in stepped}
        self.captured = {f"captured tensor {place}": tensor for place, tensor in enumerate(loose) if id(tensor) not in stepped}
        self._saved: dict[str, torch.Tensor] | None = None
        self._copies: dict[tuple[int, torch.dtype], tuple[torch.Tensor, int]] = {}
        self._lender: State | None = None
        self._written: set[int] = set()
        self._changed: set[str] | None = None

    def borrows(self, lender: State) -> None:
        """Take conversions from another state, where its tensor of that name (or the same tensor) holds the same numbers."""
        self._lender = lender

    @contextlib.contextmanager
    def _attributes_kept(self) -> Generator[None]:
        """The modules hold the same tensors afterwards: what a run hangs on them (caches, buffers replaced) is of its precision."""
        parts = {id(part): part for module in self._modules for part in module.modules()}.values()
        mappings: list[Any] = [part.__dict__ for part in parts]
        mappings += [item.get(kind) for item in mappings for kind in ("_parameters", "_buffers")]
        kept: list[tuple[dict[str, Any], dict[str, Any]]] = [(item, dict(item)) for item in mappings if isinstance(item, dict)]

        def put_back() -> None:
            for mapping, before in kept:
                if mapping.keys() == before.keys() and all(map(operator.is_, mapping.values(), before.values())):
                    continue
                for name in [*before, *(name for name in mapping if name not in before)]:
                    now, then = mapping.get(name), before.get(name)
                    if now is then or not (isinstance(now, torch.Tensor) or isinstance(then, torch.Tensor)):
                        continue
                    if name in before:
                        mapping[name] = then
                    else:
                        del mapping[name]

        try:
            yield
        finally:
            surely(put_back)

    @property
    def arrays(self) -> list[npt.NDArray[Any]]:
        """Captured arrays of NumPy; in another precision, the ones that are used there."""
        return self._arrays if self._arrays_inside is None else self._arrays_inside

    @contextlib.contextmanager
    def _arrays_retyped(self, sources: frozenset[torch.dtype], target: torch.dtype) -> Generator[None]:
        """Captured arrays of a source dtype in another precision inside, wherever they are: NumPy computes in what it is given."""
        names = {str(dtype).removeprefix("torch.") for dtype in sources}
        wanted = str(target).removeprefix("torch.")
        places = [(put, array) for put, array in self._array_places if array.dtype.name in names]
        if not places or not hasattr(np, wanted):  # bfloat16
            yield
            return
        converted = {id(array): array.astype(wanted) for _, array in places}

        def put_back() -> None:
            self._arrays_inside = None
            for put, array in places:
                with contextlib.suppress(Exception):
                    put(array)

        try:
            for put, array in places:
                with contextlib.suppress(Exception):  # a container that takes nothing: the array is used as it is
                    put(converted[id(array)])
            self._arrays_inside = [converted.get(id(array), array) for array in self._arrays]
            yield
        finally:
            surely(put_back)

    def tensors(self) -> dict[str, torch.Tensor]:
        """Parameters, buffers and captured tensors by name."""
        return self.owned | self.captured

    def current(self) -> dict[str, torch.Tensor]:
        """All tensors of the state now, with gradients ("weight.grad") and what optimizers keep ("optimizer 0: weight.exp_avg")."""
        found = self.tensors()
        names = {id(tensor): name for name, tensor in found.items()}
        for name, tensor in list(found.items()):
            if tensor.is_leaf and tensor.grad is not None:
                found[f"{name}.grad"] = tensor.grad
        for place, optimizer in enumerate(self.optimizers):
            for parameter, kept in optimizer.state.items():
                name = names.get(id(parameter), "parameter")
                found |= {f"optimizer {place}: {name}.{key}": item for key, item in kept.items() if isinstance(item, torch.Tensor)}
        return found

    def saved(self) -> dict[str, torch.Tensor]:
        """Copies of the state as it was when this was asked first."""
        if self._saved is None:
            others = {} if self._lender is None else self._lender.saved()
            self._saved = {}
            for name, tensor in self.current().items():
                other = others.get(name)
                is_known = other is not None and tensor.dtype == other.dtype and tensor.device == other.device
                self._saved[name] = other if is_known and other is not None and _same(tensor.detach(), other) else tensor.detach().clone()
        return self._saved

    def changed(self) -> dict[str, torch.Tensor]:
        """The tensors that are not what they were.

        Values are compared, because some ops (batch normalization's running statistics, writes through `.data`) leave no trace in a
        tensor's version counter.
        """
        before = self.saved()
        found = {name: tensor for name, tensor in self.current().items() if name not in before or not _same(tensor, before[name])}
        self._written |= {id(tensor) for tensor in found.values()}  # conversions of these are of no use to a second run
        self._changed = set(found)
        return found

    @contextlib.contextmanager
    def put_back(self) -> Generator[None]:
        """Restore the state afterwards. Where `changed` is asked inside, it is asked last."""
        before, self._changed = self.saved(), None

        def put_back() -> None:
            for name, tensor in self.tensors().items():
                if (name in self._changed) if self._changed is not None else not _same(tensor, before[name]):
                    tensor.data = before[name].clone()
            self._changed = None

        with self._attributes_kept(), self._gradients_aside() as gradients, self._optimizers_aside(torch.clone):
            _lend(gradients, torch.clone)
            try:
                yield
            finally:
                surely(put_back)

    @contextlib.contextmanager
    def retyped(self, sources: frozenset[torch.dtype], target: torch.dtype, *, gradients: bool) -> Generator[None]:
        """Everything of a source dtype in another precision inside; the originals come back afterwards.

        Unless gradients are wanted, parameters want none inside: recording a graph for every sample costs more than the ops. Captured
        tensors are left to `Retyping`, which sees where they are used.
        """

        def convert(tensor: torch.Tensor) -> torch.Tensor:
            return tensor.to(target, copy=True) if tensor.dtype in sources else tensor.clone()

        exchanged: list[tuple[torch.Tensor, torch.Tensor, Callable[[], None], bool]] = []

        def put_back() -> None:
            for tensor, _, give_back, wanted in exchanged:
                tensor.grad = None
                give_back()
                if tensor.is_leaf:
                    tensor.requires_grad_(wanted)

        with alone(), self._gradients_aside() as originals:
            try:
                for name, tensor in {
                    id(tensor): (name, tensor) for name, tensor in self.owned.items()
                }.values():  # each once, whatever names it has
                    is_buffer = id(tensor) in self._buffers
                    if tensor.dtype not in sources and not is_buffer:
                        continue
                    wanted = tensor.requires_grad
                    if tensor.dtype not in sources:  # a counter, say: may change inside, too
                        data = tensor.data.to(device_for(target, tensor.device), copy=True)
                    else:
                        # Data that the call may change is converted anew for every run.
                        data = self._converted(
                            name, tensor, target, keep=not is_buffer and not self.optimizers and id(tensor) not in self._written
                        )
                    wants = wanted and (gradients or tensor.dtype not in sources or not tensor.is_leaf)
                    lent, give, give_back = self._given(name, tensor, data, wants)
                    exchanged.append((tensor, lent, give_back, wanted))  # before it is given: an interrupt may come in between
                    give()
                    if lent is tensor and tensor.is_leaf:
                        tensor.requires_grad_(wants)
                places = {id(tensor): lent for tensor, lent, _, _ in exchanged}
                _lend(
                    [
                        (places[id(tensor)], gradient.to(places[id(tensor)].device))
                        for tensor, gradient in originals
                        if id(tensor) in places
                    ],
                    convert,
                )
                with self._optimizers_aside(convert), self._attributes_kept(), self._arrays_retyped(sources, target):
                    yield
            finally:
                surely(put_back)

    @contextlib.contextmanager
    def exchanged(self, change: Callable[[str, torch.Tensor], torch.Tensor] | None) -> Generator[None]:
        """The data of all floating-point parameters and buffers changed inside, by name; nothing happens for None."""
        kept = [(name, tensor, tensor.data) for name, tensor in self.owned.items() if change is not None and tensor.is_floating_point()]

        def put_back() -> None:
            for _, tensor, data in kept:
                tensor.data = data

        with alone():
            try:
                for name, tensor, data in kept:
                    assert change is not None
                    tensor.data = change(name, data)
                yield
            finally:
                surely(put_back)

    @contextlib.contextmanager
    def _gradients_aside(self) -> Generator[list[tuple[torch.Tensor, torch.Tensor]]]:
        """No tensor has a gradient inside; yields (tensor, gradient) of those that had one and get it back."""
        leaves = [tensor for tensor in self.tensors().values() if tensor.is_leaf]
        originals = [(tensor, tensor.grad) for tensor in leaves]

        def put_back() -> None:
            for tensor, gradient in originals:
                tensor.grad = gradient

        try:
            for tensor in leaves:
                tensor.grad = None
            yield [(tensor, gradient) for tensor, gradient in originals if gradient is not None]
        finally:
            surely(put_back)

    @contextlib.contextmanager
    def _optimizers_aside(self, copy: Callable[[torch.Tensor], torch.Tensor]) -> Generator[None]:
        """Optimizers work on copies of what they keep inside."""
        kept = [(optimizer, optimizer.state, [dict(group) for group in optimizer.param_groups]) for optimizer in self.optimizers]

        def put_back() -> None:
            for optimizer, state, groups in kept:
                optimizer.state = state
                for group, original in zip(optimizer.param_groups, groups):
                    group.clear()
                    group.update(original)

        try:
            for optimizer, state, _ in kept:
                copies: dict[Any, dict[str, Any]] = collections.defaultdict(dict)
                for parameter, entries in state.items():
                    copies[parameter] = {key: copy(entry) if isinstance(entry, torch.Tensor) else entry for key, entry in entries.items()}
                optimizer.state = copies  # pyright: ignore[reportAttributeAccessIssue]
            yield
        finally:
            surely(put_back)

    def _given(
        self, name: str, tensor: torch.Tensor, data: torch.Tensor, wants: bool
    ) -> tuple[torch.Tensor, Callable[[], None], Callable[[], None]]:
        """How a tensor gets other data: the tensor that has it then, what gives it, and what gives back the old.

        Args:
            name, tensor, data: which tensor, and its new data. wants: whether it takes part in gradients.
        """
        if torch._has_compatible_shallow_copy_type(tensor, data):  # pyright: ignore[reportPrivateImportUsage, reportPrivateUsage]
            original = tensor.data
            return tensor, lambda: setattr(tensor, "data", data), lambda: setattr(tensor, "data", original)
        # A tensor of DirectML or XLA can't be given data of the processor: another tensor takes its places in the modules.
        places = self._places.get(id(tensor), [])
        if not places or self.optimizers:
            raise TypeError(f"the data of {name} can't be moved from {tensor.device} to {data.device}: it is held outside of modules")
        other = torch.nn.Parameter(data, wants) if isinstance(tensor, torch.nn.Parameter) else data
        names = [word for word, owned in self.owned.items() if owned is tensor]

        def put(held: torch.Tensor) -> None:
            for module, key in places:
                setattr(module, key, held)  # recurrent modules keep a list of their weights, which this brings up to date
            self.owned.update(dict.fromkeys(names, held))

        return other, lambda: put(other), lambda: put(tensor)

    def _converted(self, name: str, tensor: torch.Tensor, target: torch.dtype, *, keep: bool) -> torch.Tensor:
        """The data in the target dtype; with `keep`, for what the function doesn't write, converted once and used for every run."""
        key = (id(tensor), target)
        known = self._copies.get(key)
        if keep and known is not None and known[1] == known[0]._version:
            return known[0]
        borrowed = self._lender.lent(name, tensor, target) if keep and self._lender is not None else None
        converted = tensor.data.to(device=device_for(target, tensor.device), dtype=target) if borrowed is None else borrowed
        if keep:
            self._copies[key] = (converted, converted._version)
        return converted

    def lent(self, name: str, tensor: torch.Tensor, target: torch.dtype) -> torch.Tensor | None:
        """What the same numbers were converted to before; None where they were not."""
        own = self.owned.get(name)
        for known in (tensor, own):
            found = self._copies.get((id(known), target))
            if known is None or found is None or found[1] != found[0]._version:
                continue
            if known is tensor or (known.shape == tensor.shape and known.device == tensor.device and torch.equal(known.data, tensor.data)):
                return found[0]
        return None


def _lend(gradients: Iterable[tuple[torch.Tensor, torch.Tensor]], copy: Callable[[torch.Tensor], torch.Tensor]) -> None:
    """Give tensors a copy of the gradient that was set aside."""
    for tensor, gradient in gradients:
        tensor.grad = copy(gradient.detach())


def _same(left: torch.Tensor, right: torch.Tensor) -> bool:
    if left.shape != right.shape or left.dtype != right.dtype:
        return False
    if left.layout != torch.strided or right.layout != torch.strided:
        return left.layout == right.layout and _same(left.detach().to_dense(), right.detach().to_dense())
    if torch.equal(left, right):
        return True
    if not (left.is_floating_point() or left.is_complex()):
        return False
    return bool(((left == right) | (torch.isnan(left) & torch.isnan(right))).all())
