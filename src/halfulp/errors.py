"""Every error that halfulp raises on purpose.

    HalfulpError
    ├── InputError            what was given cannot be used: a value, a dtype, an argument
    │   ├── CaseFileError     a case file that does not import, lacks a name, or fails
    │   ├── TensorFileError   a file of tensors that is corrupt, refused, or of an unknown kind
    │   └── TraceError        a trace that is missing, damaged, in the way, or holds less than was asked of it
    ├── InternalError         halfulp itself failed on a kind of value: a mistake of halfulp's
    ├── RunError              the user's own function raised: which side, in which variant, on which input
    └── BackendError          a backend that can't do what it was asked
        ├── Unsupported       it lacks the op, the dtype or the kind of model
        ├── MissingBackend    it isn't here: a package, a device, its own environment
        └── WorkerError       its process died, hung, ran out of memory, or answered nonsense

Each message says what was got, what is needed, why, and the next step.
"""


class HalfulpError(Exception):
    """Base of all errors raised by halfulp."""


class InputError(HalfulpError, ValueError):
    """What was given cannot be used."""


class CaseFileError(InputError):
    """A case file that does not import, lacks a name, or has an `inputs` that fails."""


class TensorFileError(InputError):
    """A file of tensors that is corrupt, refused, or of an unknown kind."""


class TraceError(InputError):
    """A trace that is missing, damaged, in the way, or holds less than was asked of it."""


class InternalError(HalfulpError):
    """Halfulp itself failed: a mistake of halfulp's, worth a report."""


class RunError(HalfulpError):
    """One of the two functions under comparison raised."""


class BackendError(HalfulpError):
    """A backend can't do what it was asked."""


class Unsupported(BackendError):
    """A backend lacks the op, the dtype or the kind of model."""


class MissingBackend(BackendError):
    """A backend isn't here: a package, a device, or its own environment."""


class WorkerError(BackendError):
    """A backend's process died, hung, ran out of memory, or answered what can't be read."""


def shortened(text: str, *, lines: int = 12, characters: int = 1200) -> str:
    """A text of somebody else's, as long as a screen has room for: its beginning, and how much is left out."""
    kept = "\n".join(text.strip().splitlines()[:lines]) if lines > 1 else " ".join(text.split())
    kept = kept[:characters].rstrip()
    left = len(text.strip()) - len(kept)
    return f"{kept} ... ({left:,} more characters)" if left > lines else kept


def install_command(extra: str) -> str:
    """The command that installs halfulp with one of its extras: from its repository, since it is not on PyPI.

    Example:
        >>> print(install_command("report"))
        pip install 'halfulp[report] @ git+https://github.com/halfulp/halfulp'
    """
    return f"pip install 'halfulp[{extra}] @ git+https://github.com/halfulp/halfulp'"
