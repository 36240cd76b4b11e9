"""Identity of Python objects: a hash of what a class or an object computes and holds.

The instructions of methods count, with the functions, classes and values that they refer to, and attributes; comments,
docstrings and the rest of the file that defines a class do not. What comes from an installed package counts by name and
version.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final

import numpy as np

from caos.foundation.storage.provenance import NOT_INSTALLED, package_version

DEEPEST: Final = 6
"""Nesting of attribute values that is looked into; below it, only types count."""
_ADDRESS: Final = re.compile(r" at 0x[0-9a-fA-F]+")
_NOT_CODE: Final = frozenset(
    {"__doc__", "__module__", "__dict__", "__weakref__", "__qualname__", "__annotations__", "__slots__"}
    | {"__firstlineno__", "__static_attributes__", "__abstractmethods__", "_abc_impl", "__annotate__"}
)
"""Attributes of a class that change nothing of what it computes, or are made from others."""


class ObjectDigest:
    """A hash that Python objects are added to, by what they compute and hold.

    Tensors, arrays and plain values count by their content; modules of torch by their parts, parameters and buffers;
    functions and classes by their instructions and by what these refer to; other objects by their class and
    attributes, to a nesting of ``DEEPEST``.
    """

    def __init__(self) -> None:
        self._sha = hashlib.sha256()
        # The objects themselves are kept: an id may be used again once its object is gone.
        self._seen: dict[tuple[int, str], tuple[int, Any]] = {}

    def hexdigest(self) -> str:
        """Return the hash of what was added so far."""
        return self._sha.hexdigest()[:16]

    def add(self, value: Any, depth: int = DEEPEST) -> None:
        """Add an object of any kind."""
        self._text(f"{type(value).__module__}.{type(value).__qualname__}" if _is_library(type(value)) else "own")
        if value is None or isinstance(value, bool | int | float | complex | str | bytes):
            self._text(repr(value))
        elif isinstance(value, np.ndarray):
            self._array(value)
        elif _is_torch(value, "Tensor"):
            self._tensor(value)
        elif isinstance(value, CodeType):
            self._code(value)
        elif isinstance(value, functools.partial):
            self.add([value.func, value.args, value.keywords], depth)
        elif isinstance(value, list | tuple | set | frozenset | dict):
            self._container(value, depth)
        elif not self._is_known(value):
            self._object(value, depth)

    def _object(self, value: Any, depth: int) -> None:
        if isinstance(value, ModuleType):
            self._text(_name_of(value))
        elif inspect.isclass(value):
            self.add_class(value)
        elif _is_torch(value, "nn.Module"):
            self.add_network(value)
        elif inspect.isroutine(value) or hasattr(value, "__wrapped__"):
            self._function(value)
        else:
            self.add_class(type(value))
            self._attributes(value, depth)

    def _attributes(self, value: Any, depth: int) -> None:
        attributes = _attributes_of(value)
        if not attributes and _is_library(type(value)):
            self._text(_ADDRESS.sub("", repr(value)))
        for name, item in sorted(attributes.items()) if depth else ():
            self._text(name)
            self.add(item, depth - 1)

    def add_class(self, kind: type[Any]) -> None:
        """Add a class: its own code and that of its bases; those of a library by name and version."""
        for base in kind.__mro__:
            if _is_library(base):
                self._text(_name_of(base))
            elif not self._is_known(base, "code"):
                for name, item in sorted(vars(base).items()):
                    if name not in _NOT_CODE:
                        self._text(name)
                        self._member(item)

    def add_network(self, network: Any) -> None:
        """Add a ``torch.nn.Module``: parts, parameters, buffers, hooks, plain attributes, code."""
        self._is_known(network)
        for name, part in network.named_modules():
            self._is_known(part)
            self._text(f"{name}:{part.extra_repr()}")
            self.add_class(type(part))
            for held in (part.named_parameters(recurse=False), part.named_buffers(recurse=False)):
                for key, tensor in held:
                    self._text(key)
                    self.add(tensor)
            for hooks in ("_forward_pre_hooks", "_forward_hooks"):
                self.add(list(getattr(part, hooks).values()))
            own = {key: item for key, item in vars(part).items() if key not in _kept_by_torch()}
            for key, item in sorted(own.items()):
                self._text(key)
                self.add(item)

    def _member(self, item: Any) -> None:
        if isinstance(item, staticmethod | classmethod):
            item = item.__func__
        if isinstance(item, property):
            self.add([item.fget, item.fset])
        elif isinstance(item, functools.cached_property):
            self.add(item.func)
        else:
            self.add(item)

    def _function(self, value: Any) -> None:
        bound = getattr(value, "__self__", None)
        if bound is not None and not isinstance(bound, ModuleType):
            self.add(bound)
        function = getattr(value, "__func__", value)
        while not hasattr(function, "__code__") and hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        if not hasattr(function, "__code__") or _is_library(function):
            self._text(_name_of(function))
            return
        self._code(function.__code__)
        self.add([function.__defaults__, function.__kwdefaults__])
        for cell in function.__closure__ or ():
            self.add(_content(cell))
        for name, item in _referred(function.__code__, function.__globals__):
            self._text(name)
            # An object that many share, such as a logger, counts by its class: its state changes while it is used.
            self.add(item, DEEPEST if isinstance(item, list | tuple | set | frozenset | dict) else 0)

    def _code(self, code: CodeType) -> None:
        """Add instructions with what they name; line numbers, comments and docstrings are not among them."""
        arguments = code.co_argcount + code.co_kwonlyargcount
        self._text(repr((code.co_argcount, code.co_kwonlyargcount, code.co_flags, code.co_varnames[:arguments])))
        for step in dis.get_instructions(code):
            self._text(step.opname)
            if isinstance(step.argval, CodeType):
                self._code(step.argval)
            elif isinstance(step.argval, frozenset):
                self.add(step.argval)
            else:
                self._text(repr(step.argval))
        self._sha.update(code.co_exceptiontable)

    def _container(self, value: Any, depth: int) -> None:
        if not depth:
            return
        if isinstance(value, set | frozenset):
            value = sorted(value, key=repr)
        items = value.items() if isinstance(value, dict) else enumerate(value)
        self._text(str(len(value)))
        for key, item in items:
            self._text(repr(key))
            self.add(item, depth - 1)

    def _array(self, value: np.ndarray[Any, Any]) -> None:
        self._text(f"{value.dtype}{value.shape}")
        self._sha.update(repr(value.tolist()).encode() if value.dtype.hasobject else np.ascontiguousarray(value).data)

    def _tensor(self, value: Any) -> None:
        import torch

        values = value.detach().cpu()
        if values.layout != torch.strided or values.is_quantized:
            values = values.dequantize() if values.is_quantized else values.to_dense()
        self._text(f"{value.dtype}{tuple(value.shape)}")
        if values.numel() and not values.is_meta:
            whole = values.resolve_conj().resolve_neg().contiguous().reshape(-1)
            self._sha.update(whole.view(torch.uint8).numpy().data)

    def _is_known(self, value: Any, kind: str = "") -> bool:
        """Whether an object was added before; then only its number counts, so that cycles end."""
        key = (id(value), kind)
        is_known = key in self._seen
        number, _ = self._seen.setdefault(key, (len(self._seen), value))
        self._text(f"{kind}#{number}")
        return is_known

    def _text(self, text: str) -> None:
        self._sha.update(text.encode() + b"\0")


def _referred(code: CodeType, names: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The global values that instructions refer to by name, and the attributes of modules of the user among them."""
    every = sorted(_all_names(code))
    for name in every:
        value = names.get(name, sys.modules.get(name))
        if isinstance(value, ModuleType) and not _is_library(value):
            yield from ((f"{name}.{key}", vars(value)[key]) for key in every if key in vars(value))
        elif name in names:
            yield name, value


def _all_names(code: CodeType) -> set[str]:
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return {*code.co_names}.union(*(_all_names(one) for one in inner))


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return None


def _is_torch(value: Any, kind: str) -> bool:
    """Whether a value is of a class of torch; without torch in memory, none is."""
    torch = sys.modules.get("torch")
    if torch is None:
        return False
    wanted = torch.nn.Module if kind == "nn.Module" else torch.Tensor
    return isinstance(value, wanted)


@functools.cache
def _kept_by_torch() -> frozenset[str]:
    """The attributes that every ``torch.nn.Module`` has."""
    from torch import nn

    return frozenset(vars(nn.Module()))


def _module_of(value: Any) -> ModuleType | None:
    if isinstance(value, ModuleType):
        return value
    return sys.modules.get(getattr(value, "__module__", None) or "builtins")


def _attributes_of(value: Any) -> dict[str, Any]:
    """Attributes of an object, those in slots included."""
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ()) if hasattr(value, name)]
    return {**{name: getattr(value, name) for name in slots}, **getattr(value, "__dict__", {})}


def _is_library(value: Any) -> bool:
    """Whether a module, or the module that defines a class or function, is known by a name and a version.

    Python's own modules, this package, and installed packages whose version can be told are.
    """
    module = _module_of(value)
    if module is None:
        return False
    top = module.__name__.partition(".")[0]
    if top in sys.stdlib_module_names or top == "caos":
        return top != "__main__"
    file = getattr(module, "__file__", None) or ""
    is_installed = bool({"site-packages", "dist-packages"} & set(Path(file).parts))
    return is_installed and _version(top) is not None


def _name_of(value: Any) -> str:
    """Name of a part of a library, with the version of the library."""
    module = _module_of(value)
    full = module.__name__ if module is not None else ""
    name = getattr(value, "__qualname__", getattr(value, "__name__", type(value).__qualname__))
    return f"{full}.{name} {_version(full.partition('.')[0])}"


@functools.cache
def _version(top: str) -> str | None:
    """Version of an importable package; None for Python's own, and where it cannot be told."""
    version = getattr(sys.modules.get(top), "__version__", None)
    if isinstance(version, str) or top in sys.stdlib_module_names:
        return version
    found = package_version("caos-bench" if top == "caos" else top)
    return None if found == NOT_INSTALLED else found
