"""What instructions compute: one function for each, in one file for each family of them.

A definition names its function as `family.function`: `semantics: copies.copy` is the function `copy` in
`runtime/semantics/copies.py`. That is all it takes; there is no table to enter it into. In the brewed classes of
another repository the name has the whole name of the module, `acme.semantics.filters.blur`.

A function gets the instruction and its operands, in the order of the definition: arrays of exactly the operands'
dtypes, None where an optional one is absent, a tuple of arrays for a variadic one. It returns one array (or a tuple,
for several results) in whatever wide numpy dtype it computed in, and does not round: the interpreter rounds each result
once, to the dtype of the result. An array that has the result's dtype already is taken as it is, bit for bit. A
function must not go by the dtypes that the instruction states for its operands to interpret their arrays: where a
rounding is skipped, an operand is wider than it says.

An operand that is only written is None, too. What an instruction writes through such operands its function returns
behind the result, in a tuple: an array for each of them, None for one that is absent.

A function that needs more, such as addresses or regions, is marked `@uses_machine`. It then gets a `Machine` in place
of the operands, and reads them itself.

Deliberately absent: imports of the families. Finding one function loads one family.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from runtime.access import NeuronAP
    from runtime.blocks import Block
    from runtime.engines import NeuronEngine
    from runtime.values import Operand

Array = NDArray[Any]
Positions = NDArray[np.int64]
Semantics = Callable[..., Any]
F = TypeVar("F", bound=Semantics)
OutOfBounds = Literal["error", "skip", "clamp"]
"""What becomes of a run-time index that would move a window out of its tensor.

`error` ends the run, as the hardware does by default. `skip` leaves out what that index would have copied, whose
destination keeps what it holds, as indirect DMA does where it is told to. `clamp` takes the nearest index that is in
range, which no hardware does; it is what `dynamic_slice` of StableHLO means.
Source: AWS Neuron documentation, `nki.isa.dma_copy`, `oob_mode`; StableHLO specification, `dynamic_slice`.
"""


@dataclass(frozen=True, slots=True)
class Placed:
    """A result that does not fill the access of `dst` in its own order, but goes to these elements of its tensor.

    Shapes: both alike. Where a position stands twice, the later one in row-major order wins.
    """

    values: Array
    positions: Positions


class Machine(Protocol):
    """What the interpreter offers to functions that are marked `@uses_machine`."""

    out_of_bounds: OutOfBounds

    @property
    def registers(self) -> dict[NeuronEngine, Array]:
        """What the accumulators of an engine hold, f32, one for each lane; nothing where that is not known."""

    def value(self, operand: Operand) -> Any:
        """Return the array that an operand has now; an access pattern is read."""

    def positions(self, access: NeuronAP) -> Positions:
        """Return which elements of its tensor an access touches now, as flat row-major positions.

        Shapes: the extents of the access. Units: elements of the access's dtype.
        """

    def read(self, access: NeuronAP, positions: Positions) -> Array:
        """Return these elements of the tensor of an access, in the access's dtype; each must have been written."""

    def run(self, block: Block, arguments: Sequence[Any] = ()) -> tuple[Any, ...]:
        """Run a region and return what it yields."""

    def input(self, name: str) -> Any:
        """Return the program's input of this name."""


def uses_machine(function: F) -> F:
    """Mark a function that gets `(inst, machine)` in place of `(inst, operands)`."""
    function.uses_machine = True  # type: ignore[attr-defined]  # which `Semantics` may have
    return function


def find(name: str) -> Semantics:
    """Return the function that an instruction class calls `family.function`, or `package.family.function`.

    Raises: LookupError where there is none.
    """
    family, _, function = name.rpartition(".")
    if all(part.isidentifier() for part in name.split(".")) and family and not function.startswith("_"):
        module = family if "." in family else f"{__name__}.{family}"
        found: Semantics | None = getattr(import_module(module), function, None) if _is_there(module) else None
        if callable(found):
            return found
    raise LookupError(f'runtime/semantics/ has no function "{name}"; a name is `family.function`')


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # not even the package above it
        return False
