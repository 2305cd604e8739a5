"""What a value is: one immutable, interned `Type`.

Deliberately absent: layout, memory space and strides. Those belong to tensors and access patterns; a type says only
what an element is and how many there are.

Types are compared by identity. `Type.tensor(f32, (2, 3)) is Type.tensor(f32, (2, 3))` holds, so a million instructions
share a handful of types, and a dtype or shape test is a pointer comparison.
"""

from __future__ import annotations

from enum import Enum
from math import prod
from operator import index
from typing import Any, ClassVar

from runtime.dtypes import DType, UnknownDTypeError, dtype_of
from runtime.quoting import described, quoted

Dim = int | str | None  # a known extent, a named symbolic one, or an unknown one
Shape = tuple[Dim, ...]


class TypeKind(Enum):
    """Which of the five kinds of type this is."""

    TENSOR = "tensor"
    SEQUENCE = "seq"
    OPTIONAL = "opt"
    NONE = "none"
    UNKNOWN = "unknown"


_TENSOR = TypeKind.TENSOR  # a member of an Enum takes five times as long to look up as a global name


class Type:
    """A tensor, sequence, optional, none or unknown type; make one with the class methods, never with `Type()`.

    Shapes: `shape` is a tuple of extents in elements: an `int`, a `str` for a symbolic extent, `None` for an unknown
    one; the whole `shape` is `None` where the rank is unknown.
    """

    __slots__ = ("dtype", "element", "kind", "n_elements", "shape", "size_in_bytes")

    kind: TypeKind
    dtype: DType | None  # None where the element type of a tensor is unknown, and for every other kind
    shape: Shape | None
    element: Type | None  # of a sequence or an optional
    n_elements: int | None  # None where an extent is not known
    size_in_bytes: int | None  # of the elements, sub-byte ones packed and rounded up; None where not known

    # The intern tables are the one reason for the class-level state here: identity is equality.
    _tensors: ClassVar[dict[tuple[DType | None, Shape | None], Type]] = {}
    _wrapped: ClassVar[dict[tuple[TypeKind, Type | None], Type]] = {}

    def __new__(cls) -> Type:
        raise TypeError("types are interned: use Type.tensor, Type.sequence, Type.optional, Type.none or Type.unknown")

    @classmethod
    def tensor(cls, dtype: DType | None, shape: Shape | None) -> Type:
        """Return the tensor type of this element type and shape.

        Raises: TypeError for what is no dtype, or no tuple of extents.
        """
        try:
            found = cls._tensors.get((dtype, shape))
        except TypeError:  # what cannot be hashed, a list for one
            found = None
        if found is None:  # so what is checked has not been seen before, and a type that is known costs no check
            _check_dtype(dtype)
            shape = _checked_shape(shape)
            found = cls._tensors[dtype, shape] = cls._make(_TENSOR, dtype, shape, None)
        return found

    @classmethod
    def sequence(cls, element: Type) -> Type:
        """Return the type of a sequence of `element`."""
        return cls._wrap(TypeKind.SEQUENCE, element)

    @classmethod
    def optional(cls, element: Type) -> Type:
        """Return the type of a value that is an `element` or absent."""
        return cls._wrap(TypeKind.OPTIONAL, element)

    @classmethod
    def none(cls) -> Type:
        """Return the type of an instruction that has no result."""
        return cls._wrap(TypeKind.NONE, None)

    @classmethod
    def unknown(cls) -> Type:
        """Return the type of a value about which nothing is known."""
        return cls._wrap(TypeKind.UNKNOWN, None)

    @classmethod
    def _wrap(cls, kind: TypeKind, element: Type | None) -> Type:
        found = cls._wrapped.get((kind, element))
        if found is None:
            found = cls._wrapped[kind, element] = cls._make(kind, None, None, element)
        return found

    @classmethod
    def _make(cls, kind: TypeKind, dtype: DType | None, shape: Shape | None, element: Type | None) -> Type:
        new = object.__new__(cls)
        count = None if shape is None else _product(shape)
        size = None if count is None or dtype is None else (count * dtype.bits + 7) // 8
        for field, value in (("kind", kind), ("dtype", dtype), ("shape", shape), ("element", element)):
            object.__setattr__(new, field, value)
        # Counted once a type, not once a question: passes ask for the size of every instruction.
        object.__setattr__(new, "n_elements", count)
        object.__setattr__(new, "size_in_bytes", size)
        return new

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Type is immutable and shared: cannot set {name!r}")

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        if self.kind is _TENSOR:
            return (Type.tensor, (self.dtype, self.shape))
        return (Type._wrap, (self.kind, self.element))

    def __copy__(self) -> Type:
        return self

    def __deepcopy__(self, memo: object) -> Type:
        return self

    @property
    def is_tensor(self) -> bool:
        """Whether this is a tensor type, its dtype and shape known or not."""
        return self.kind is _TENSOR

    @property
    def rank(self) -> int | None:
        """Number of dimensions, or None where unknown."""
        return None if self.shape is None else len(self.shape)

    def with_dtype(self, dtype: DType) -> Type:
        """Return the tensor type of the same shape with elements of `dtype`."""
        if self.kind is not _TENSOR:
            raise TypeError(f"{self} has no element type to replace by {dtype}")
        return self._tensors.get((dtype, self.shape)) or Type.tensor(dtype, self.shape)

    def __str__(self) -> str:
        if self.kind is _TENSOR:
            name = "?" if self.dtype is None else self.dtype.name
            return f"{name}{shape_str(self.shape)}"
        if self.element is not None:
            return f"{self.kind.value}<{self.element}>"
        return str(self.kind.value)

    def __repr__(self) -> str:
        return f"<Type {self}>"


def _check_dtype(given: object) -> None:
    if given is None or isinstance(given, DType):
        return
    name = str(getattr(given, "name", None) or getattr(given, "__name__", given))  # of numpy's dtypes and types, too
    try:
        help = f'give dtype_of("{dtype_of(name)}")'
    except UnknownDTypeError as error:
        help = str(error).partition("; ")[2]
    raise TypeError(f"{described(given)}, is no dtype of runtime.dtypes; {help}")


def _checked_shape(given: Any) -> Shape | None:
    """Return a shape with numpy's integers as Python's."""
    if given is None:
        return None
    if not isinstance(given, tuple):
        raise TypeError(f"{described(given)}, is no shape; give a tuple of extents, such as (128, 512)")
    return tuple([_checked_extent(dim, given) for dim in given])


def _checked_extent(dim: Any, shape: tuple[Any, ...]) -> Dim:
    if dim is None or isinstance(dim, str):
        return dim
    try:
        return index(dim)
    except TypeError:
        help = "an extent is a whole number, a name, or None where it is not known"
        raise TypeError(f"{described(dim)}, is no extent in {shape}; {help}") from None


def shape_str(shape: Shape | None) -> str:
    """Return a shape as it stands in a type, `[128,N,?]`; `[*]` where not even the rank is known."""
    return "[*]" if shape is None else f"[{','.join(map(_dim_str, shape))}]"


def _dim_str(dim: Dim) -> str:
    if dim is None:
        return "?"
    return str(dim) if isinstance(dim, int) or (dim.isidentifier() and dim.isascii()) else quoted(dim)


def _product(shape: Shape) -> int | None:
    known = [dim for dim in shape if isinstance(dim, int)]
    return prod(known) if len(known) == len(shape) else None
