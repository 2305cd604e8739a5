"""What happens when the constructor of an instruction fails: nothing stays linked, and the wrong operand is named.

Deliberately absent: any check while all is well. A brewed constructor is the hottest code there is, so it takes what it
is given; where that cannot be linked, Python says which method it lacks, and this says what it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from runtime.access import NeuronAP
from runtime.engines import NeuronEngine
from runtime.info import AttributeInfo, InstructionInfo, OperandInfo
from runtime.quoting import described
from runtime.values import Operand, Value

if TYPE_CHECKING:
    from runtime.instructions import Instruction


def give_up(inst: Instruction, given: Mapping[str, Any]) -> None:
    """Take `inst`, whose constructor has failed with the arguments `given`, out of the use-lists that it is in.

    Raises: TypeError for the first argument that should be an operand, a number or a list and is none; else the caller
        goes on failing.
    """
    operands = [operand for operand in inst.INFO.operands if operand.name in given]  # a base knows fewer
    slots = [(operand, held) for operand in operands for held in _slots(operand, given[operand.name], inst)]
    for held in (*(held for _, held in slots), given.get("dst")):
        if isinstance(held, NeuronAP) and held.owner is inst or isinstance(held, Value) and inst in held.users:
            held.removeUser(inst)
    for operand, held in slots:
        if not isinstance(held, Operand) and not (held is None and operand.optional):
            raise TypeError(f"{_expected(operand, inst)}, not {described(held)}{_help(held, inst.INFO)}")
    for attribute in inst.INFO.attributes:
        if attribute.name in given and (expected := _unfit(attribute, given[attribute.name])):
            shown = described(given[attribute.name])
            raise TypeError(f'"{attribute.name}" of {inst.INFO.name} is {expected}, not {shown}')


def wrong_dst(inst: Instruction, given: object) -> TypeError:
    """Return what is said of a `dst` that is no access."""
    return TypeError(f"{inst.INFO.name} takes an access to a tensor (NeuronAP) as dst, not {described(given)}")


def checked_engine(given: NeuronEngine | None) -> NeuronEngine | None:
    """Return an engine that somebody assigns.

    Raises: TypeError for what is none, which is easily its name.
    """
    if given is None or isinstance(given, NeuronEngine):
        return given
    raise TypeError(f"an engine is a NeuronEngine or None, not {described(given)}; {meant_engine(given)}")


def meant_engine(given: object) -> str:
    """Return how the engine is written that may have been meant."""
    found = [one for one in NeuronEngine if isinstance(given, str) and one.value == given.lower()]
    return f"give NeuronEngine.{found[0].name}" if found else "one is NeuronEngine.VECTOR"


def who_uses(value: Value) -> str:
    """Return how many use a value, as the subject of a sentence."""
    count = len(value.users)
    return "1 instruction uses" if count == 1 else f"{count} instructions use"


def _slots(operand: OperandInfo, held: Any, inst: Instruction) -> tuple[Any, ...]:
    """Return what should be in the slots of an operand, which may be variadic."""
    if not operand.variadic:
        return (held,)
    if isinstance(held, Operand) or not isinstance(held, Iterable):
        raise TypeError(f'"{operand.name}" of {inst.INFO.name} is a sequence of values, not {described(held)}')
    return tuple(held)


def _unfit(attribute: AttributeInfo, held: object) -> str | None:
    """Return what an attribute takes, where a constructor cannot make that of what it was given."""
    if held is None and (attribute.optional or attribute.type != "float"):
        return None
    if attribute.type.startswith("list["):
        return None if isinstance(held, Iterable) else "a list"
    if attribute.type != "float":
        return None
    try:
        float(held)  # type: ignore[arg-type]  # where it is no number, that is the answer
    except (TypeError, ValueError):
        return "a number"
    return None


def _expected(operand: OperandInfo, inst: Instruction) -> str:
    access = ", or an access to a tensor (NeuronAP)" if inst.INFO.dialect == "neuron" else ""
    return f'{"each of " * operand.variadic}"{operand.name}" of {inst.INFO.name} is a value{access}'


def _help(given: object, info: InstructionInfo) -> str:
    """Return what may have been meant."""
    if isinstance(given, int | float):
        takes_numbers = [each.name for each in info.attributes if each.type in ("int", "float")]
        return f"; what takes numbers: {', '.join(takes_numbers)}" if takes_numbers else ""
    if hasattr(given, "__array__"):
        return "; contents are given to runtime.run, or to a tensor as its init"
    return ""
