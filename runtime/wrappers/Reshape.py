"""What a new shape asks of the elements."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from generated.graph.ReshapeGen import ReshapeGen
from runtime.fitting import shown
from runtime.instructions import Problem


class Reshape(ReshapeGen):
    """A shape for exactly the elements that there are, at most one extent of which is not stated."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        new, count = self.new_shape, self.src.type.n_elements
        if new.count(None) > 1:
            yield Problem(
                f"new_shape {shown(new)} has {new.count(None)} extents that are not stated; at most one", "new_shape"
            )
            return
        known = [dim for dim in new if isinstance(dim, int)]
        others, is_open = prod(known), len(known) < len(new)
        if is_open and not others:
            yield Problem(f"new_shape {shown(new)} has no elements, which leaves the open extent open", "new_shape")
            return
        if count is None:
            return
        if count % others if is_open else count != others:
            yield Problem(f"src has {count} elements, which do not fit the shape {shown(new)}", "new_shape")
