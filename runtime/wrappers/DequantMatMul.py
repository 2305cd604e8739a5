"""What a product with packed weights asks of them, by their scheme."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.DequantMatMulGen import DequantMatMulGen
from runtime.dtypes import f32, i8, u8
from runtime.instructions import Problem
from runtime.packed import BLOCKED, GGUF, HALVES, scale_block, why_not_weights
from runtime.relations import may_be_equal
from runtime.types import Dim

_SCALED = (*BLOCKED, "nvfp4_block")
_WITH_SCALE = (*_SCALED, "fp8_e4m3", "fp8_e5m2")


class DequantMatMul(DequantMatMulGen):
    """A product whose further operands are those of its scheme."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from self._present()
        wanted = i8 if self.scheme in ("int8_block", "int8_block_asym") else u8
        if self.weights.type.dtype not in (None, wanted):
            yield Problem(f"weights of {self.scheme} are {wanted}, not {self.weights.type.dtype}", "weights")
        stored = u8 if self.scheme == "nvfp4_block" else f32
        if self.scale is not None and self.scale.type.dtype not in (None, stored):
            yield Problem(f"a scale of {self.scheme} is {stored}, not {self.scale.type.dtype}", "scale")
        yield from self._packed() if self.scheme in GGUF else self._extents()

    def _present(self) -> Iterator[Problem]:
        """Yield what the scheme needs and has not, or has and does not know."""
        for name, value, needed, known in (
            ("scale", self.scale, self.scheme in _SCALED, self.scheme in _WITH_SCALE),
            ("zero_point", self.zero_point, *(2 * (self.scheme == "int8_block_asym",))),
            ("global_scale", self.global_scale, False, self.scheme == "nvfp4_block"),
            ("block_size", self.block_size, *(2 * (self.scheme in BLOCKED,))),
        ):
            if value is None and needed:
                yield Problem(f"{self.scheme} needs {name}", "scheme")
            elif value is not None and not known:
                yield Problem(f"{self.scheme} has no {name}", name)

    def _packed(self) -> Iterator[Problem]:
        shape, src = self.weights.type.shape, self.src.type.shape
        if shape is not None and len(shape) != 1:
            yield Problem(f"weights of {self.scheme} are one list of bytes, not {self.weights.type}", "weights")
            return
        for name, message in why_not_weights(self.scheme, self.weights.type):
            yield Problem(message, name)
        held = GGUF[self.scheme].count(shape[0]) if shape and isinstance(shape[0], int) else None
        summed = src[1] if src is not None and len(src) == 2 else None
        if held is not None and isinstance(summed, int) and (held % summed if summed else held):
            yield Problem(f"weights hold {held} elements, no whole number of rows of {summed}", "weights")

    def _extents(self) -> Iterator[Problem]:
        src, shape = self.src.type.shape, self.weights.type.shape
        if src is None or len(src) != 2 or self.type.shape is None or len(self.type.shape) != 2:
            return
        summed, columns = src[1], self.type.shape[1]
        if self.scheme in HALVES:
            yield from self._half_bytes(summed, columns)
        elif shape is not None and (len(shape) != 2 or not may_be_equal(shape[0], summed)):
            yield Problem(f"weights have the type {self.weights.type}; expected {summed} rows", "weights")
        block = scale_block(self.scheme, self.block_size)
        blocks = -(-summed // block) if block and block > 0 and isinstance(summed, int) else None
        for name, value in (("scale", self.scale), ("zero_point", self.zero_point)):
            expected: tuple[Dim, ...] = (columns,) if self.scheme not in _SCALED else (blocks, columns)
            found = None if value is None else value.type.shape
            if found is not None and (len(found) != len(expected) or not all(map(may_be_equal, found, expected))):
                yield Problem(f"{name} has the extents {list(found)}; expected {list(expected)}", name)

    def _half_bytes(self, summed: Dim, columns: Dim) -> Iterator[Problem]:
        count = self.weights.type.n_elements
        if count is None or not isinstance(summed, int) or not isinstance(columns, int):
            return
        expected = -(-summed * columns // 2)
        if count != expected:
            yield Problem(f"weights have {count} bytes; expected {expected}, one for two codes", "weights")
