import importlib
import inspect
import pkgutil

import pytest

import halfulp


def test_every_public_name_loads_and_is_documented():
    for name in halfulp.__all__:
        value = getattr(halfulp, name)
        assert inspect.getdoc(value), name
    assert set(dir(halfulp)) == set(halfulp.__all__)
    assert {"check", "compare", "judge", "assert_equivalent", "report"} <= set(halfulp.__all__)


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = halfulp.nothing
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = halfulp.verdicts.nothing


def public_functions():
    for module in pkgutil.walk_packages(halfulp.__path__, "halfulp."):
        # A formula is its own statement, registered under the name of its op.
        if ".kernels" in module.name or ".ops.formulas." in module.name or ".benchmarks" in module.name or ".examples" in module.name:
            continue
        loaded = importlib.import_module(module.name)
        for name, value in vars(loaded).items():
            if inspect.isfunction(value) and value.__module__ == module.name and not name.startswith("_"):
                yield f"{module.name}.{name}", value


def test_every_public_function_says_what_it_answers():
    missing = [name for name, function in public_functions() if not inspect.getdoc(function)]
    assert missing == []


def test_error_tree_is_as_drawn():
    from halfulp import errors

    drawn = errors.__doc__
    for name, value in vars(errors).items():
        if inspect.isclass(value):
            assert name in drawn
            assert issubclass(value, errors.HalfulpError)
