"""What is said of a wrong argument: one sentence that names it, what was given and what is taken."""

from __future__ import annotations

import functools
import inspect
import re
from operator import index
from typing import Callable, TypeVar

from . import _core
from ._core import Context
from ._exchange import dtype_name
from .errors import DomainError

_COMPILED = "incompatible function arguments"  # how the compiled half begins
_OBJECTS = {"Operand": ("Matrix", "Vector"), "Factor": ("Matrix", "DiaMatrix")}

Function = TypeVar("Function", bound=Callable)


def _is_int(x):
    try:
        return getattr(x, "ndim", 0) == 0 and -(2**63) <= index(x) < 2**64
    except TypeError:
        return False


def _is_real(x):
    return not isinstance(x, (str, complex)) and getattr(x, "ndim", 0) == 0 and (hasattr(x, "__float__") or _is_int(x))


def _is_shape(x):
    try:
        rows, columns = x
    except (TypeError, ValueError):
        return False
    return _is_int(rows) and _is_int(columns)


_TESTS = {
    "int": (_is_int, "an int"),
    "float": (_is_real, "a number"),
    "str": (lambda x: isinstance(x, str), "a str"),
    "bool": (lambda x: True, ""),
    "tuple[int, int]": (_is_shape, "a pair of ints"),
    "None": (lambda x: x is None, "None"),
}


def _alternatives(annotation):
    """The names in an annotation: ("Vector", "None") of "Vector | None"."""
    for name in annotation.split(" | "):
        yield from _OBJECTS.get(name, (name,))


def _fits(x, name):
    return _TESTS[name][0](x) if name in _TESTS else isinstance(x, getattr(_core, name))


def _words(name):
    return _TESTS[name][1] if name in _TESTS else f"a {name}"


def type_of(x) -> str:
    """The type of an object as a message names it: "Matrix", "float", "scipy.csr_array"."""
    home, name = type(x).__module__.partition(".")[0], type(x).__qualname__
    return name if home in ("builtins", "nonzero", "__main__") else f"{home}.{name}"


def way_out(name, x, wanted) -> str:
    """How `x` becomes one of the objects that are wanted, or nothing."""
    if isinstance(x, str) and "Matrix" in wanted:
        return f": nonzero.load({name}) reads one"
    if hasattr(x, "tocsr") and "Matrix" in wanted:
        return f": nonzero.from_scipy({name}) makes one"
    if hasattr(x, "nodes") and "Matrix" in wanted:
        return f": nonzero.from_networkx({name}) makes one"
    dimensions = 1 if isinstance(x, (list, tuple)) else getattr(x, "ndim", 0)
    if dimensions == 1 and "Vector" in wanted:
        return f": nonzero.dense({name}) makes one"
    if dimensions == 2 and "Matrix" in wanted:
        return f": nonzero.from_scipy(scipy.sparse.csr_array({name})) makes one"
    return ""


def _of_argument(function, name, x, annotation):
    """What is wrong with an argument, or None."""
    names = list(_alternatives(annotation))
    if any(n not in _TESTS and not hasattr(_core, n) or _fits(x, n) for n in names):
        return None
    given = f"{x!r} ({type_of(x)})" if isinstance(x, (bool, int, float)) else "None" if x is None else f"of type {type_of(x)}"
    needed = " or ".join(map(_words, names)) + (" of 64 bits" if isinstance(x, int) and "int" in names else "")
    return f"{function}: {name} is {given}; {needed} is needed" + ("" if name == "out" else way_out(name, x, names))


def _of_call(name, parameters, arguments, pairs=True):
    """What is wrong with one of the arguments, or with a pair of them, or None."""
    together = {}
    for parameter, x in arguments.items():
        annotation = parameters[parameter].annotation
        if annotation is inspect.Parameter.empty:
            continue
        wrong = _of_argument(name, parameter, x, annotation)
        if wrong:
            return wrong
        if pairs and x is not None and annotation.split(" | ")[0] in _OBJECTS:
            together.setdefault(type_of(x), parameter)
    if len(together) > 1:
        (one, a), (other, b) = list(together.items())[:2]
        return f"{name}: {a} is a {one} and {b} a {other}; they must be of one kind"
    return None


def _shown(x):
    return repr(x) if isinstance(x, (bool, int, float, str)) else type_of(x)


def explained(function: Function) -> Function:
    """The function, with such a sentence for what its annotations do not allow and the compiled half refuses."""

    @functools.wraps(function)
    def call(*given, **named):
        try:
            return function(*given, **named)
        except (AttributeError, TypeError) as why:
            signature = inspect.signature(function)
            try:
                arguments = signature.bind(*given, **named).arguments
            except TypeError:
                raise why from None
            compiled = _COMPILED in str(why)
            text = _of_call(function.__name__, signature.parameters, arguments, pairs=compiled)
            if text is None and not compiled:
                raise
            if text is None:
                listed = ", ".join(f"{name}: {_shown(x)}" for name, x in arguments.items())
                text = f"{function.__name__} does not take these arguments, or not together: {listed}"
        raise TypeError(text)

    return call


def _method(compiled, owner, is_static):
    """The same for a method of the compiled half, from what nanobind says."""

    @functools.wraps(compiled)
    def call(*given, **named):
        try:
            return compiled(*given, **named)
        except TypeError as why:
            if _COMPILED not in str(why):
                raise
            taken = " or ".join(re.findall(r"^ +\d+\. \w+(\(.*\)) ->", str(why), re.MULTILINE))
            had = str(why).partition("Invoked with types: ")[2]
        if not is_static:
            taken, had = taken.replace("(self, ", "(").replace("(self)", "()"), had.partition(", ")[2]
        taken, had = (s.replace("nonzero._core.", "").replace(", /", "") for s in (taken, had))
        raise TypeError(f"{owner.__name__}.{compiled.__name__} takes {taken}, not ({had})")

    return call


def explain_methods(owner: type) -> None:
    """Puts that in the place of every public method of a compiled class."""
    for name, method in list(vars(owner).items()):
        kind = type(method).__name__
        if kind in ("nb_method", "nb_func") and not name.startswith("_"):
            call = _method(method, owner, kind == "nb_func")
            setattr(owner, name, staticmethod(call) if kind == "nb_func" else call)


def _context(backend: str = "auto", threads: int = 0, memory_limit: int = 0, device_memory_limit: int = 0):
    for name, x in (("memory_limit", memory_limit), ("device_memory_limit", device_memory_limit)):
        if x < 0:
            raise DomainError(f"Context: {name} is {x}: give bytes, or 0 for no limit")
    return backend, max(-1, min(index(threads), 2**31 - 1)), index(memory_limit), index(device_memory_limit)


def _matrix(ctx: Context, dtype, rows: int, columns: int):
    return ctx, dtype_name(dtype), index(rows), index(columns)


def _vector(ctx: Context, dtype, size: int):
    return ctx, dtype_name(dtype), index(size)


_CONSTRUCTORS = {"Context": _context, "Matrix": _matrix, "DiaMatrix": _matrix, "Vector": _vector}
_MAKERS = {"Matrix": "load, from_coo, from_csr and from_scipy", "Vector": "dense, build and full",
           "DiaMatrix": "DiaMatrix.from_matrix and DiaMatrix.from_scipy"}


def of_constructor(name: str, given: tuple, named: dict) -> tuple:
    """The arguments of a constructor of the compiled half, checked and in order."""
    function = _CONSTRUCTORS[name]
    signature = inspect.signature(function)
    try:
        arguments = signature.bind(*given, **named).arguments
    except TypeError as why:
        made = f"; {_MAKERS[name]} make one of entries" if name in _MAKERS else ""
        raise TypeError(f"{name}({', '.join(signature.parameters)}): {why}{made}") from None
    wrong = _of_call(name, signature.parameters, arguments)
    if wrong:
        raise TypeError(wrong)
    return function(**arguments)


def accumulator(accum, out):
    """`accum`, which combines with what `out` holds. Raises TypeError where there is no `out`."""
    if accum is not None and out is None:
        raise TypeError("accum combines with what `out` holds: give out")
    return accum
