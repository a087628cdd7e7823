"""Contexts, and the one that calls without `ctx` use."""

from __future__ import annotations

from ._core import Context

_default = None


def default_context() -> Context:
    """The context that calls without `ctx` use: made at the first need, Context() unless set.

    >>> default_context().backend in ("cpu", "cuda")
    True
    """
    global _default
    if _default is None:
        _default = Context()
    return _default


def set_default_context(ctx: Context) -> None:
    """Makes `ctx` the context that calls without `ctx` use from now on, e.g. Context(backend="cpu", threads=1)."""
    global _default
    if not isinstance(ctx, Context):
        raise TypeError("a nonzero.Context is needed")
    _default = ctx


def chosen(ctx):
    if ctx is not None and not isinstance(ctx, Context):
        raise TypeError(f"ctx is of type {type(ctx).__qualname__}; a nonzero.Context is needed")
    return default_context() if ctx is None else ctx
