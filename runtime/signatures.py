"""What a front end knows of the operators of its dialect: the types that they take and give, and what they compute.

Deliberately absent: the tables. A front end hangs what it knows on the module that it reads (`Module.signatures`), so
passes ask whether a type is legal, and the interpreter runs the operators, without its library.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from runtime.dtypes import DType

if TYPE_CHECKING:
    from runtime.functions import Module
    from runtime.interpreter.machine import Evaluator
    from runtime.values import Operand


@dataclass(frozen=True, slots=True)
class SlotTypes:
    """What one operand or result may be.

    Dtypes: those of a tensor; a slot that takes no tensor has none.
    """

    name: str
    variable: str | None  # all slots of one type variable have one type; None: this one is by itself
    dtypes: frozenset[DType]


@dataclass(frozen=True, slots=True)
class Signature:
    """The slots of one version of an operator; a variadic last one stands for any number."""

    operands: tuple[SlotTypes, ...]
    results: tuple[SlotTypes, ...]
    variadic_operands: bool = False
    variadic_results: bool = False

    def operand(self, at: int) -> SlotTypes | None:
        """Return what the operand at a position may be; None where the operator has none there."""
        return _slot(self.operands, at, self.variadic_operands)

    def result(self, at: int) -> SlotTypes | None:
        """Return what the result at a position may be; None where the operator has none there."""
        return _slot(self.results, at, self.variadic_results)


class Signatures(Protocol):
    """What a front end knows of the operators of its dialect. It is asked once for every node, so it remembers."""

    def signature(self, domain: str, op_type: str, version: int) -> Signature | None:
        """Return the signature that an operator has at a version of its operator set; None where there is none."""

    def raised(self, module: Module, version: int) -> Module | str:
        """Return a copy of a module in a newer version of the main operator set, or why it cannot be had."""

    def inlined(
        self, module: Module, names: Collection[str], calls: Collection[str] = ()
    ) -> tuple[Module, dict[str, str]] | str:
        """Return a copy of a module in which some functions stand where they were called, or why it cannot be had.

        Also returned are those of them that are called yet, each with the reason. `calls` stay: they are given by the
        names of their first results.
        """

    def largest_elsewhere(self, module: Module, inputs: Mapping[str, Any]) -> dict[Operand, float] | str:
        """Return the largest finite magnitudes of values when a runtime of others runs a module, or why there are none.

        `inputs` are arrays by name. What is in regions is not measured.
        """

    def evaluator(self, module: Module) -> Evaluator:
        """Return what computes the operators of a module, as `runtime.run` takes it."""


def _slot(slots: tuple[SlotTypes, ...], at: int, variadic: bool) -> SlotTypes | None:
    if at < len(slots):
        return slots[at]
    return slots[-1] if variadic and slots else None
