"""What the verifier must know of an instruction class, worked out once a class from its `INFO` and its methods.

    plan = ClassPlan.of(ActivationOp)  # which keeps it: the next program with one finds it there

A class keeps its own plan, so the two go together, and one that is defined anew has another one. Where somebody gives a
class another `INFO`, rule or inference, its plan is made again.

Deliberately absent: what depends on a target (`runtime/verifier/on_target.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from runtime.builtin import Opaque
from runtime.generic import GenericInst, Initializer
from runtime.info import AttributeInfo, DstInfo, InstructionInfo, OperandInfo
from runtime.instructions import Instruction, NeuronInst, Problem
from runtime.targets import Target
from runtime.types import Type
from runtime.verifier.attribute_kinds import Kind, kind_of

_KEPT: Final = "__class_plan__"
"""Where a class has its plan: a name that no definition gives a member."""


@dataclass(frozen=True, slots=True)
class ClassPlan:
    """How the instructions of one class are checked."""

    info: InstructionInfo
    operands: tuple[OperandInfo, ...]
    slots: tuple[tuple[str, bool, OperandInfo], ...]  # name, whether any one value is legal, and all that is known
    attributes: tuple[tuple[AttributeInfo, Kind], ...]
    indices: tuple[str, ...]
    infer: Callable[[Instruction], tuple[Type | None, ...]] | None  # None where the definition says nothing
    infer_one: Callable[[Any], Type] | None  # the same, where there is one result that is no `dst`
    infers_all: bool  # whether it also says how many results there are
    asks_of_results: bool  # whether the definition says what its results may be, or which of them may be absent
    dst: DstInfo
    requires_dst: bool
    is_neuron: bool
    takes_accesses: bool  # whether its slots may hold accesses, which then have the modes that its `INFO` says
    has_own_rules: bool
    brewed_rules: Callable[[Any], Iterator[Problem]] | None  # those of the definitions alone
    is_generic: bool
    is_initializer: bool
    target_rules: Callable[[Any, Target], Iterator[Problem]]  # what a wrapper's `verify_on` says of a target
    made_from: tuple[object, ...]  # of the class; where it has something else by now, this is the plan no more

    @classmethod
    def of(cls, made: type[Instruction]) -> ClassPlan:
        """Return the plan of a class; to make one takes 10 to 15 microseconds, a tenth of which finds it."""
        sources = _sources(made)
        known: ClassPlan | None = vars(made).get(_KEPT)  # not that of a base
        if known is None or known.made_from != sources:
            known = cls._make(made, sources)
            setattr(made, _KEPT, known)
        return known

    @classmethod
    def _make(cls, made: type[Instruction], sources: tuple[object, ...]) -> ClassPlan:
        info = made.INFO
        # `Opaque` has no definition, and holds its values and attributes in its own way.
        defined = info.dialect != "builtin"
        return cls(
            info=info,
            operands=info.operands,
            slots=tuple(
                (one.name, not (one.variadic or one.dtypes or one.rank or not one.access.is_load), one)
                for one in info.operands
            ),
            attributes=tuple((attribute, kind_of(attribute)) for attribute in info.attributes) if defined else (),
            indices=info.ap_indices,
            infer=_inference(made),
            infer_one=None if info.many_results else _single_inference(made),
            infers_all=hasattr(made, "infer_result_types") or not info.many_results,
            asks_of_results=len(info.results) > 1 or any(result.dtypes or result.rank for result in info.results),
            dst=info.dst or DstInfo(),
            requires_dst=info.dst is not None and info.dst.is_required,
            is_neuron=issubclass(made, NeuronInst),
            takes_accesses=made.is_terminator or issubclass(made, NeuronInst | Opaque),
            has_own_rules=made.verify is not Instruction.verify,
            brewed_rules=_brewed_rules(made),
            is_generic=issubclass(made, GenericInst),
            is_initializer=issubclass(made, Initializer),
            target_rules=getattr(made, "verify_on", _no_rules),
            made_from=sources,
        )


def _sources(made: type[Instruction]) -> tuple[object, ...]:
    """Return all that a plan is made from and somebody may replace."""
    info = made.INFO
    inferences = [getattr(made, f"_infer_{result.name}", None) for result in info.results] if info.many_results else ()
    together, on_target = getattr(made, "infer_result_types", None), getattr(made, "verify_on", None)
    return info, made.verify, made.infer_result_type, together, on_target, *inferences


def _no_rules(inst: Instruction, target: Target) -> Iterator[Problem]:
    return iter(())


def _brewed_rules(made: type[Instruction]) -> Callable[[Any], Iterator[Problem]] | None:
    """Return the rules of the definition and of those that it stands on, without what their wrappers ask."""
    brewed = [one for one in reversed(made.__mro__) if (info := vars(one).get("INFO")) and _is_brewed(one, info)]
    names = dict.fromkeys(name for one in brewed for name in vars(one) if name.startswith("_verify_"))
    if not names:
        return None

    def rules(inst: Instruction) -> Iterator[Problem]:
        for name in names:
            yield from getattr(inst, name)()

    return rules


def _is_brewed(made: type, info: InstructionInfo) -> bool:
    return made.__name__ == f"{info.name}Gen"


def _inference(made: type[Instruction]) -> Callable[[Instruction], tuple[Type | None, ...]] | None:
    together = getattr(made, "infer_result_types", None)
    if together is not None:
        return lambda inst: tuple(together(inst))
    if made.INFO.many_results:
        rules = [getattr(made, f"_infer_{result.name}", None) for result in made.INFO.results]
        return _by_result(made.INFO, rules) if any(rules) else None
    one = _single_inference(made)
    return None if one is None else lambda inst: (one(inst),)


def _single_inference(made: type[Instruction]) -> Callable[[Any], Type] | None:
    if made.infer_result_type is Instruction.infer_result_type or hasattr(made, "infer_result_types"):
        return None
    return made.infer_result_type


def _by_result(
    info: InstructionInfo, rules: list[Callable[[Instruction], Any] | None]
) -> Callable[[Instruction], tuple[Type | None, ...]]:
    """Return what gives the types of those results that have a rule, up to those of which nobody knows the number."""

    def infer(inst: Instruction) -> tuple[Type | None, ...]:
        types: list[Type | None] = []
        for result, rule in zip(info.results, rules, strict=True):
            if rule is None and result.variadic:
                break
            found = None if rule is None else rule(inst)
            types += found if isinstance(found, tuple) else (found,)
        return tuple(types)

    return infer
