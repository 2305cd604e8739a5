"""What the tensor engine asks of a product with shared scales."""

from __future__ import annotations

from collections.abc import Iterator

from generated.neuron.MatMulMxOpGen import MatMulMxOpGen
from runtime.dtypes import bf16
from runtime.instructions import Problem
from runtime.relations import extent
from runtime.scale_layouts import why_not_groups
from runtime.targets import Target

_COLUMNS = 128  # only rows are divided


class MatMulMxOp(MatMulMxOpGen):
    """A product with a scale for each 8 partitions by 4 elements of both operands.

    Source: AWS Neuron documentation, `nki.isa.nc_matmul_mx`.
    """

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        for name, scale, tile in (
            ("stationary_scale", self._stationary_scale, self._stationary),
            ("moving_scale", self._moving_scale, self._moving),
        ):
            if why := why_not_groups(name, scale.type, tile.type):
                yield Problem(why, name)
        if self._accumulate and self.dst is None:
            yield Problem("a product is added to what its dst holds, and there is none", "accumulate")
        yield from self._why_not_tiling()

    def verify_on(self, target: Target) -> Iterator[Problem]:
        width = extent(self._moving.type.shape, 1)
        most = 4 * (target.psum_bank_bytes // 4) * target.matmul_banks * (2 if self.type.dtype is bf16 else 1)
        if isinstance(width, int) and width > most:
            yield Problem(f"moving has {width} elements in a partition; {target} takes {most}", "moving")

    def _why_not_tiling(self) -> Iterator[Problem]:
        position, size = self._tile_position, self._tile_size
        if position is None or size is None:
            return
        for name, pair in (("tile_position", position), ("tile_size", size)):
            if len(pair) != 2:
                yield Problem(f"{name} has {len(pair)} numbers; expected rows and columns", name)
                return
        if size[1] != _COLUMNS:
            yield Problem(f"tile_size has {size[1]} columns; expected {_COLUMNS}", "tile_size")
        if position[1] != 0:
            yield Problem(f"tile_position has column {position[1]}; expected 0", "tile_position")
        if position[0] % size[0] or position[0] + size[0] > 128:
            legal = ", ".join(map(str, range(0, 128, size[0])))
            yield Problem(f"the tile starts at row {position[0]}; one of {size[0]} starts at {legal}", "tile_position")
        rows = extent(self._stationary.type.shape, 0)
        if isinstance(rows, int) and rows > size[0]:
            yield Problem(f"stationary takes {rows} rows of a tile of {size[0]}", "tile_size")
