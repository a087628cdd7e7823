"""What is said of a wrong argument: one sentence that names it, what was given and what is taken."""

from __future__ import annotations

import functools
import inspect
import os
import re
from operator import index
from typing import Callable, TypeVar

import numpy as np

from . import _core
from ._core import Context
from ._exchange import LARGEST_PLACE, dtype_name, is_array, refuse_place
from .errors import DomainError, IndexOutOfBounds

_COMPILED = "incompatible function arguments"  # how the compiled half begins
_OBJECTS = {"Operand": ("Matrix", "Vector"), "Factor": ("Matrix", "DiaMatrix")}

_INT64, _INT32 = range(-(2**63), 2**63), range(-(2**31), 2**31)
# The ints that the compiled half takes of arguments by these names; of others those of 64 bits.
_INTS = {
    **dict.fromkeys(("threads", "max_iterations", "max_steps", "searches", "pixels", "lowest", "highest", "tile_size"),
                    (_INT32, "an int of 32 bits")),
    **dict.fromkeys(("memory_limit", "device_memory_limit"), (range(-(2**63), 2**64), "an int of 64 bits")),
    **dict.fromkeys(("seed", "stream"), (range(2**64), "an int from 0 to 2^64 - 1")),
}
_PLACES = ("source", "row", "column")

Function = TypeVar("Function", bound=Callable)


def _is_whole(x):
    try:
        return getattr(x, "ndim", 0) == 0 and index(x) is not None
    except TypeError:
        return False


def _is_int(x, among=_INT64):
    return _is_whole(x) and index(x) in among


def _is_real(x):
    return not isinstance(x, (str, complex)) and getattr(x, "ndim", 0) == 0 and (hasattr(x, "__float__") or _is_int(x))


def pair(shape) -> tuple[int, int]:
    """Rows and columns. Raises TypeError, which `explained` words, for what is no pair of ints of 64 bits."""
    if isinstance(shape, (dict, set)) or not hasattr(shape, "__len__") or len(shape) != 2 or not all(map(_is_int, shape)):
        raise TypeError("a shape is a pair of ints")
    return index(shape[0]), index(shape[1])


def _is_shape(x):
    try:
        return bool(pair(x))
    except TypeError:
        return False


def _is_of_ints(x):
    return getattr(x, "__iter__", None) is not None and getattr(x, "ndim", 1) > 0 and all(_is_whole(k) and not isinstance(k, bool) for k in x)


_TESTS = {
    "int": (_is_int, "an int"),
    "float": (_is_real, "a number"),
    "str": (lambda x: isinstance(x, str), "a str"),
    "bool": (lambda x: True, ""),
    "os.PathLike": (lambda x: isinstance(x, (bytes, os.PathLike)), "a path"),
    "tuple[int, int]": (_is_shape, "a pair of ints"),
    "Iterable[int]": (_is_of_ints, "a list or an array of ints"),
    "ArrayLike": (lambda x: is_array(x) and not isinstance(x, (int, float)), "an array"),
    "None": (lambda x: x is None, "None"),
}


def _alternatives(annotation):
    """The names in an annotation: ("Vector", "None") of "Vector | None"."""
    for name in annotation.split(" | "):
        yield from _OBJECTS.get(name, (name,))


def _fits(x, name, parameter):
    if name == "int" and parameter in _INTS:
        return _is_int(x, _INTS[parameter][0])
    return _TESTS[name][0](x) if name in _TESTS else isinstance(x, getattr(_core, name))


def _words(x, name, parameter):
    if name == "int" and _is_whole(x):
        return _INTS.get(parameter, (_INT64, "an int of 64 bits"))[1]
    if name == "tuple[int, int]" and isinstance(x, (tuple, list)) and len(x) == 2 and all(map(_is_whole, x)):
        return "a pair of ints of 64 bits"
    return _TESTS[name][1] if name in _TESTS else f"a {name}"


def _given(x):
    if x is None or isinstance(x, tuple) and len(x) < 4:
        return repr(x)
    if isinstance(x, list) and x and all(isinstance(k, bool) for k in x):
        return "a list of bool"
    if isinstance(x, np.ndarray) and x.ndim:
        return f"an array of {x.dtype}, of {x.ndim} dimension{'s' if x.ndim > 1 else ''}"
    return f"{x} ({type_of(x)})" if isinstance(x, float) or _is_whole(x) else f"of type {type_of(x)}"


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
    """The error of an argument that is wrong, or None."""
    names = list(_alternatives(annotation))
    if any(n not in _TESTS and not hasattr(_core, n) or _fits(x, n, name) for n in names):
        return None
    if name in _PLACES and "int" in names and _is_whole(x):
        return IndexOutOfBounds(f"{function}: {name} is {x}; row and column numbers must lie in 0..{LARGEST_PLACE}")
    *others, last = (_words(x, n, name) for n in names)
    needed = f"{', '.join(others)} or {last}" if others else last
    return TypeError(f"{function}: {name} is {_given(x)}; {needed} is needed" + ("" if name == "out" else way_out(name, x, names)))


def _of_call(name, parameters, arguments, pairs=True):
    """The error of one of the arguments, or of a pair of them, or None."""
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
        return TypeError(f"{name}: {a} is a {one} and {b} a {other}; they must be of one kind")
    return None


def _shown(x):
    return repr(x) if isinstance(x, (bool, int, float, str)) else type_of(x)


_SHARED = {
    "out": "out: takes the result, and is returned; without it a new object is made.",
    "mask": "mask: only its places may be written, those of entries that are not 0; structure=True: of all its entries,",
    "complement": "complement=True: all others. What out has elsewhere stays, or goes with replace=True.",
    "accum": "accum: a binary operator that joins out's old entries with the result's.",
    "kernel": "kernel: the id of one, or NotSupported; without it the plan chooses.",
}


def _told(doc, parameters):
    """A docstring with what the arguments that operations share mean, before its examples."""
    if not doc or "mask" not in parameters:
        return doc
    lines = _SHARED.copy()
    if "out" in parameters and parameters["out"].default is inspect.Parameter.empty:
        lines["out"] = "out: is written in place, and returned."
    text, mark, examples = doc.partition("    >>> ")
    shared = "\n".join(f"    {line}" for name, line in lines.items() if name in parameters)
    return f"{text.rstrip()}\n\n{shared}\n{'    ' if not mark else chr(10) + mark}{examples}"


def explained(function: Function) -> Function:
    """The function, with such a sentence for what its annotations do not allow and the compiled half refuses."""
    function.__doc__ = _told(function.__doc__, inspect.signature(function).parameters)

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
            wrong = _of_call(function.__name__, signature.parameters, arguments, pairs=compiled)
            if wrong is None and not compiled:
                raise
            if wrong is None:
                listed = ", ".join(f"{name}: {_shown(x)}" for name, x in arguments.items())
                wrong = TypeError(f"{function.__name__} does not take these arguments, or not together: {listed}")
        raise wrong

    return call


def _place_beyond(name, owner, given, named):
    """Of the places that get, set and remove were given one that 64 bits do not hold, or None."""
    if name not in ("get", "set", "remove"):
        return None
    places = [*given[1 : 2 if owner is _core.Vector else 3], *(named[k] for k in "ij" if k in named)]
    return next((x for x in places if not _is_int(x)), None) if all(map(_is_whole, places)) else None


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
        name = f"{owner.__name__}.{compiled.__name__}"
        place = _place_beyond(compiled.__name__, owner, given, named)
        if place is not None:
            raise IndexOutOfBounds(f"{name} of {place}: row and column numbers must lie in 0..{LARGEST_PLACE}")
        if any(_is_whole(x) and not _is_int(x) for x in (*given, *named.values())):
            had += ", of more than 64 bits"
        raise TypeError(f"{name} takes {taken}, not ({had})")

    return call


def explain_methods(owner: type) -> None:
    """Puts that in the place of every public method of a compiled class."""
    for name, method in list(vars(owner).items()):
        kind = type(method).__name__
        if kind in ("nb_method", "nb_func") and not name.startswith("_"):
            call = _method(method, owner, kind == "nb_func")
            setattr(owner, name, staticmethod(call) if kind == "nb_func" else call)


_streams = []


def _address(stream) -> int:
    """Of a stream of CuPy's or torch's, which lives on with the process: what a context made may go to it until the last."""
    for name in ("ptr", "cuda_stream"):
        if hasattr(stream, name):
            if not getattr(stream, name):
                raise DomainError("Context: the default stream is none to work on: make a stream")
            if stream not in _streams:
                _streams.append(stream)
            return index(getattr(stream, name))
    return index(stream)


def _context(backend: str = "auto", threads: int = 0, memory_limit: int = 0, device_memory_limit: int = 0,
             stream=0):
    for name, x in (("memory_limit", memory_limit), ("device_memory_limit", device_memory_limit)):
        if x < 0:
            raise DomainError(f"Context: {name} is {x}: give bytes, or 0 for no limit")
    return backend, index(threads), index(memory_limit), index(device_memory_limit), _address(stream)


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
        raise wrong
    return function(**arguments)


def vertices(sources) -> list[int]:
    """Several vertices. Raises IndexOutOfBounds for one that 64 bits do not hold, TypeError for truth values."""
    given = list(sources)
    if any(isinstance(s, bool) for s in given):
        raise TypeError("truth values are no vertices")
    found = [index(s) for s in given]
    for k, s in enumerate(found):
        if s not in _INT64:
            refuse_place(s, k)
    return found


def accumulator(accum, out):
    """`accum`, which combines with what `out` holds. Raises TypeError where there is no `out`."""
    if accum is not None and out is None:
        raise TypeError("accum combines with what `out` holds: give out")
    return accum
