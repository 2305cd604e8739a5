"""What the tensor engine asks of a product: which operands go together, and how it may be divided."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.MatMulOpGen import MatMulOpGen
from runtime.dtypes import bf16, f8e4m3, f8e4m3fn, f16, f32, f32r, tf32
from runtime.instructions import Problem
from runtime.targets import Target, trn2
from runtime.tile_rules import shown

_WIDE = (f32, f32r, tf32)


class MatMulOp(MatMulOpGen):
    """`stationary.T @ moving` on the tensor engine, accumulated in f32 in PSUM.

    Source: AWS Neuron documentation, `nki.isa.nc_matmul`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        yield from self._why_not_shapes()
        yield from self._why_not_dtypes()
        yield from self._why_not_tiling()
        if self._is_transpose and self._stationary.type.dtype not in (None, *_WIDE, f16, bf16):
            message = (
                f"stationary has elements of {self._stationary.type.dtype}; transpositions of 32 and 16 bits are known"
            )
            yield Problem(message, "stationary")
        if self.type.dtype is f16 and not self._is_transpose:
            yield Problem("the result has elements of f16; a product has f32 or bf16", "dst")
        if self._perf_mode is not None and self._is_transpose:
            yield Problem(f"a transposition has no mode {self._perf_mode}", "perf_mode")
        if self._accumulate and self._is_transpose:
            yield Problem("a transposition is not added to what dst holds", "accumulate")
        if self._accumulate and self.dst is None:
            yield Problem("a product is added to what its dst holds, and there is none", "accumulate")

    def verify_on(self, target: Target) -> Iterator[Problem]:
        dtype = self.type.dtype
        keeps = self._is_transpose and target >= trn2  # before, a transposition is a product like any other
        expected = (self._stationary.type.dtype, f32) if keeps else target.matmul_writes
        if dtype is not None and None not in expected and dtype not in expected:
            legal = " or ".join(dict.fromkeys(str(one) for one in expected))
            what = "a transposition" if self._is_transpose else "a product"
            yield Problem(f"the result has elements of {dtype}; {what} on {target} has {legal}", "dst")
        width = (self._moving.type.shape or (None,))[-1]
        per_bank = target.psum_bank_bytes // 4  # elements of f32; of bf16 no more up to trn2
        most = per_bank * target.matmul_banks * (2 if target.matmul_banks > 1 and dtype is bf16 else 1)
        if isinstance(width, int) and width > most:
            yield Problem(f"moving has {width} elements in a partition; {target} takes {most}", "moving")
        if self._tile_size is not None and target < trn2 and 32 in self._tile_size:
            yield Problem(f"{target} has no tiles of 32 rows or columns", "tile_size")

    def _why_not_shapes(self) -> Iterator[Problem]:
        rank = 2 if self._perf_mode is None else 3
        for name, operand in (("stationary", self._stationary), ("moving", self._moving)):
            shape = operand.type.shape
            if shape is None:
                continue
            if len(shape) != rank or (rank == 3 and shape[1] != 2):
                expected = "[K, 2, ...]" if rank == 3 else "of two dimensions"
                mode = f"in the mode {self._perf_mode}" if rank == 3 else "without a mode"
                yield Problem(f"{name} is {shown(shape)}; {mode} it is {expected}", name)

    def _why_not_dtypes(self) -> Iterator[Problem]:
        left, right = self._stationary.type.dtype, self._moving.type.dtype
        if left is None or right is None:
            return
        if (left in _WIDE) != (right in _WIDE):
            yield Problem(
                f"stationary has elements of {left} and moving of {right}; f32 and tf32 do not mix with others",
                "moving",
            )
        if {left, right} == {f8e4m3, f8e4m3fn}:
            yield Problem(f"stationary has elements of {left} and moving of {right}; the two do not mix", "moving")

    def _why_not_tiling(self) -> Iterator[Problem]:
        position, size = self._tile_position, self._tile_size
        if position is None or size is None:
            return
        for name, pair in (("tile_position", position), ("tile_size", size)):
            if len(pair) != 2:
                yield Problem(f"{name} has {len(pair)} numbers; expected rows and columns", name)
                return
        shape = self._stationary.type.shape or (None,)
        for what, start, extent, used in zip(("row", "column"), position, size, (shape[0], shape[-1]), strict=True):
            if start % extent or start + extent > 128:
                legal = ", ".join(map(str, range(0, 128, extent)))
                yield Problem(f"the tile starts at {what} {start}; one of {extent} starts at {legal}", "tile_position")
            if isinstance(used, int) and used > extent:
                yield Problem(f"stationary takes {used} {what}s of a tile of {extent}", "tile_size")
        if self._perf_mode is not None and size[1] != 128:
            yield Problem(f"the mode {self._perf_mode} does not go with tiles of {size[1]} columns", "tile_size")
