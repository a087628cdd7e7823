"""Contexts, and the one that calls without `ctx` use."""

from __future__ import annotations

import os

from ._core import Context

_default = None
_parents = []


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


def _leave_the_parents_gpu():
    """In a forked child, which no GPU serves that its parent used: calls without `ctx` compute on the CPU there."""
    global _default
    if _default is not None and _default.backend == "cuda":
        _parents.append(_default)  # its stream is not this process's to give up
        _default = Context(backend="cpu")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_the_parents_gpu)
