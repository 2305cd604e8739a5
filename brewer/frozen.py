"""`@frozen`: what `@dataclass(frozen=True, slots=True)` gives, for a sixth of the time.

A run loads some hundred such classes. `dataclasses` takes 1.0 ms to make one of eight fields, a sixth of a run after an
edit; this takes 0.16 ms. And a run makes some two hundred instances a definition, in 0.3 to 0.6 of the time. One of few
fields sets them through its slots, without looking for them by name. One of several begins as an instance of a class
with the same slots that is open, where Python sets an attribute in a tenth of that time, and then becomes what it is.

Deliberately absent: options. Every class has slots, is immutable, and compares, hashes and prints by its fields.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import cache, cached_property
from types import FunctionType
from typing import Any, TypeVar, dataclass_transform

ClassT = TypeVar("ClassT", bound=type)
_SEVERAL = 4  # fields from which on it pays to be open first


@dataclass_transform(frozen_default=True)
def frozen(cls: ClassT) -> ClassT:
    """Makes a class from one whose fields are annotated; those with a default come last."""
    inherited: tuple[str, ...] = getattr(cls, "__match_args__", ())
    own = tuple(name for name in cls.__dict__.get("__annotations__", {}) if name not in inherited)
    defaults = {**getattr(cls, "_defaults", {}), **{name: cls.__dict__[name] for name in own if name in cls.__dict__}}
    left_out = {*own, "__dict__", "__weakref__"}
    members = {name: value for name, value in cls.__dict__.items() if name not in left_out}
    keeps = any(isinstance(value, cached_property) for value in members.values())
    slots = (*own, "__dict__") if keeps and not cls.__mro__[1].__dictoffset__ else own
    members.update(__slots__=slots, __match_args__=(*inherited, *own), _defaults=defaults)
    for name, method in _METHODS.items():
        members.setdefault(name, method)
    made: ClassT = type(cls)(cls.__name__, cls.__bases__, members)
    names = (*inherited, *own)
    last = tuple(defaults[name] for name in names if name in defaults)
    if len(names) < _SEVERAL:
        made.__init__ = _constructor(made, names, last)  # type: ignore[misc]  # of a class made here
    else:
        opened = type(cls)(cls.__name__, cls.__bases__, {"__slots__": slots, "__setattr__": object.__setattr__})
        made.__new__ = _maker(opened, names, last)  # type: ignore[method-assign]  # of a class made here
    return made


def _constructor(cls: type, names: tuple[str, ...], last: tuple[Any, ...]) -> Any:
    """A function that sets the slots, with a default for the last of them.

    Classes of one number of fields share its code but for the names: compiling it for each took a tenth of what all
    imports take.
    """
    setting = _setting(len(names))(*[getattr(cls, name).__set__ for name in names])
    code = setting.__code__.replace(co_varnames=("self", *names))
    return FunctionType(code, {}, "__init__", last, setting.__closure__)


def _maker(opened: type, names: tuple[str, ...], last: tuple[Any, ...]) -> Any:
    """The same as a function that makes an instance of the open class first."""
    making = _making(len(names))(object.__new__, opened)
    code = making.__code__.replace(co_varnames=("cls", *names, "self"), co_names=(*names, "__class__"))
    return FunctionType(code, {}, "__new__", last, making.__closure__)


@cache
def _setting(count: int) -> Any:
    """What makes a constructor from the functions that set so many slots."""
    fields = [f"field_{at}" for at in range(count)]
    body = "\n  ".join(f"set_{name}(self, {name})" for name in fields) or "pass"
    setters = ", ".join(f"set_{name}" for name in fields)
    source = f"def make({setters}):\n def __init__({', '.join(['self', *fields])}):\n  {body}\n return __init__"
    scope: dict[str, Any] = {}
    exec(source, scope)
    return scope["make"]


@cache
def _making(count: int) -> Any:
    """What makes a maker from `object.__new__` and the open class."""
    fields = [f"field_{at}" for at in range(count)]
    body = "\n  ".join(f"self.{name} = {name}" for name in fields)
    head = f"def make(new, opened):\n def __new__(cls, {', '.join(fields)}):\n  self = new(opened)"
    scope: dict[str, Any] = {}
    exec(f"{head}\n  {body}\n  self.__class__ = cls\n  return self\n return __new__", scope)
    return scope["make"]


def values_of(instance: object) -> tuple[Any, ...]:
    """The fields of an instance of such a class, in order."""
    return _fields(instance)


def _fields(self: Any) -> tuple[Any, ...]:
    return tuple([getattr(self, name) for name in self.__match_args__])


def _is_equal(self: Any, other: Any) -> Any:
    return _fields(self) == _fields(other) if other.__class__ is self.__class__ else NotImplemented


def _hash(self: Any) -> int:
    return hash(_fields(self))


def _shown(self: Any) -> str:
    inner = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
    return f"{type(self).__qualname__}({inner})"


def _refuse(self: Any, name: str, value: object = None) -> None:
    raise AttributeError(f"{type(self).__qualname__} is frozen: {name} cannot be changed")


class _Fields:
    """The fields as the functions of `dataclasses` know them (`fields`, `replace`, `asdict`), made when asked for."""

    def __get__(self, instance: object, owner: Any) -> Any:
        from dataclasses import make_dataclass

        types = {name: kind for base in reversed(owner.__mro__) for name, kind in _annotations(base).items()}
        fields = [(name, types[name], _field(owner._defaults, name)) for name in owner.__match_args__]
        owner.__dataclass_fields__ = found = vars(make_dataclass(owner.__name__, fields))["__dataclass_fields__"]
        return found


def _field(defaults: dict[str, Any], name: str) -> Any:
    from dataclasses import field

    default = defaults.get(name)
    if name not in defaults:
        return field()
    return field(default=default) if isinstance(default, Hashable) else field(default_factory=lambda: default)


def _annotations(base: type) -> dict[str, Any]:
    found: dict[str, Any] = base.__dict__.get("__annotations__", {})
    return found


_METHODS = {
    "__eq__": _is_equal,
    "__hash__": _hash,
    "__repr__": _shown,
    "__setattr__": _refuse,
    "__delattr__": _refuse,
    "__dataclass_fields__": _Fields(),
}
