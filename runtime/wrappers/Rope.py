"""What a rotation asks of its heads and tables."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.RopeGen import RopeGen
from runtime.heads import sequence, why_not_heads
from runtime.instructions import Problem
from runtime.relations import may_be_equal


class Rope(RopeGen):
    """A rotation with a row of its tables for each place."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        wrong = why_not_heads(self.src.type, self.layout, None, self.head_dim)
        if wrong is not None:
            yield Problem(wrong, "src")
        src, table = self.src.type.shape, self.cos.type.shape
        if src is None or table is None or len(src) not in (3, 4) or len(table) not in (2, 3):
            return
        if isinstance(table[-1], int) and table[-1] < self.n_rot // 2:
            yield Problem(f"cos has {table[-1]} columns; expected at least {self.n_rot // 2}", "cos")
        expected = (src[0], sequence(src, self.layout))[-(len(table) - 1) :]
        if not all(map(may_be_equal, table[:-1], expected)):
            yield Problem(
                f"cos has the extents {list(table[:-1])} before its columns; expected {list(expected)}", "cos"
            )
