"""Several methods by name, with the arguments of each."""

from __future__ import annotations

from nproc.errors import InvalidInputError
from nproc.inputs import read_method


def named_methods(methods, *, least=2):
    """Return a dict of methods by name; names are their own, or the keys of a dict.

    Examples
    --------
    >>> named_methods(["lda", "tree"])
    {'lda': 'lda', 'tree': 'tree'}
    """
    count = "two methods" if least == 2 else "one method"
    if isinstance(methods, str) or not isinstance(methods, list | tuple | dict) or len(methods) < least:
        raise InvalidInputError(f"methods must be a list or dict of at least {count}, got {methods!r}.")
    if isinstance(methods, dict):
        return {str(name): method for name, method in methods.items()}
    names = [method if isinstance(method, str) else read_method(method).name for method in methods]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InvalidInputError(f"methods must have different names, got {twice[0]!r} twice; give a dict by names.")
    return dict(zip(names, methods, strict=True))


def check_params(method_params, named):
    """Return the arguments of each named method, a dict of dicts."""
    params = {} if method_params is None else method_params
    if not isinstance(params, dict) or not all(isinstance(own, dict) for own in params.values()):
        raise InvalidInputError(
            f"method_params must be a dict such as {{'svm': {{'C': 10}}}}, by name of the method, got {params!r}."
        )
    unknown = sorted(set(params) - set(named))
    if unknown:
        raise InvalidInputError(f"method_params has {unknown[0]!r}, which is not one of the methods {list(named)}.")
    return params
