"""What the constants of a function hold, and what small ones give when they are computed with.

    %a = Constant 1e-4        %b = Mul %a, %a        %c = Unsqueeze %b        %b and %c hold 1e-8
    %t = Constant [1, 1e-8]   %i = Gather %t, 1      %i holds 1e-8

A constant that only comes about when the program runs may be out of range as well as one that stands in it. Only small
ones are computed, in the dtype that the program has for them, since they are computed to be judged and nothing else.

Deliberately absent: constants that depend on shapes, and a change of the program.
"""

from __future__ import annotations

from math import prod
from typing import Any, Final

from passes.precision.groups import Group
from passes.precision.survey import Survey, SurveyedNode
from runtime.constants import Constant
from runtime.dtypes import f64
from runtime.folding import ARRANGEMENTS, arrange, fold
from runtime.generic import GenericInst
from runtime.instructions import Instruction
from runtime.lazy_tensors import LazyTensor
from runtime.small_arrays import MOST_ELEMENTS
from runtime.values import Operand

Array = Any  # of numpy, which passes do not import
_NO_NUMBERS: Final = "OSU"


class Constants:
    """The constant values of a function, found when this is made; contents are fetched when somebody asks."""

    def __init__(self, survey: Survey) -> None:
        self.held: dict[Operand, Constant | LazyTensor | Array | None] = {}  # None: not known, though constant
        self._fetched: dict[LazyTensor, Array] = {}
        self._numbers: dict[Operand, float | None] = {}
        for argument in survey.function.args:
            if argument.default is not None:  # a weight that a caller may replace, and hardly ever does
                self.held[argument] = argument.default
        self.held.update([(inst, inst.value) for inst in survey.initializers])
        stated = survey.nodes_of([form for form in survey.forms if form.contents and not form.has_regions])
        self.held.update([(node.inst, held) for node in stated if (held := _stated(node)) is not None])
        if any(self._reads_constants_alone(group) for group in survey.groups):
            for node in survey.nodes.values():
                if not node.form.has_regions and node.inst not in self.held:
                    self._look_at(node)

    def __contains__(self, value: object) -> bool:
        """Whether a value is the same whenever the program runs."""
        return value in self.held

    def contents(self, value: Operand) -> Array | None:
        """Return the elements of a constant, of a filled tensor the one element; None where they are not known."""
        held = self.held.get(value)
        if isinstance(held, (Constant, LazyTensor)):
            return None if held.dtype is None else self.elements(held)
        return held

    def small_contents(self, value: Operand) -> Array | None:
        """Return the elements of a small constant; None where they are not known, or many."""
        held = self.held.get(value)
        return None if held is None or prod(held.shape) > MOST_ELEMENTS else self.contents(value)

    def number(self, value: Operand) -> float | None:
        """Return the one number that a constant holds; None where it holds several, or is none."""
        if value not in self._numbers:
            held = self.held.get(value)
            contents = self.contents(value) if held is not None and prod(held.shape) == 1 else None
            is_number = contents is not None and contents.dtype.kind not in _NO_NUMBERS
            self._numbers[value] = float(contents.item()) if contents is not None and is_number else None
        return self._numbers[value]

    def elements(self, held: Constant | LazyTensor) -> Array:
        """Return the elements of a tensor; small ones of a model are fetched once, since most are rounded, too."""
        if isinstance(held, Constant):
            return held.array
        array = self._fetched.get(held)
        if array is None:
            array = held.array
            if array.size <= MOST_ELEMENTS:
                self._fetched[held] = array
        return array

    def _reads_constants_alone(self, group: Group) -> bool:
        """Whether a node of a group computes with constants and nothing else: of hardly any program, one does."""
        slots, held = [at for at, one in enumerate(group.operands) if one is not None], self.held
        if not slots or group.form.has_regions:
            return False
        first, *others = slots
        found = [values for values in group.values if values[first] in held]
        return any(all(values[at] in held for at in others) for values in found)

    def _look_at(self, node: SurveyedNode) -> None:
        for value in node.values:
            if value is not None and value not in self.held:
                return
        operands = [value for value in node.values if value is not None]
        if not operands:
            return
        for result in node.inst.results:
            self.held[result] = None
        word = node.facts.computes if node.facts is not None else None
        if word is not None and len(node.inst.results) == 1:
            self.held[node.inst] = self._computed(word, node)

    def _computed(self, word: str, node: SurveyedNode) -> Array | None:
        arrays: list[Array | None] = []
        for operand in node.values[:1] if word in ("same", "convert") else node.values:
            if operand is None:
                arrays.append(None)
                continue
            held = self.held[operand]
            if held is None or prod(held.shape) > MOST_ELEMENTS or (array := self.contents(operand)) is None:
                return None
            arrays.append(array)
        if word in ARRANGEMENTS:
            return arrange(word, arrays, {name: node.attribute(name) for name in _attributes_of(node.inst)})
        return fold(word, [one for one in arrays if one is not None], node.inst.type)


def _attributes_of(inst: Instruction) -> list[str]:
    return [*inst.attributes] if isinstance(inst, GenericInst) else [one.name for one in inst.INFO.attributes]


def _stated(node: SurveyedNode) -> Constant | LazyTensor | None:
    """Return what an attribute says that the result holds."""
    for name, facts in node.form.contents:
        held = node.attribute(name, facts.default)
        if isinstance(held, (Constant, LazyTensor)):
            return held
        numbers = held if isinstance(held, tuple) else (held,)
        if all(isinstance(one, (int, float)) for one in numbers):
            return Constant.of(numbers if isinstance(held, tuple) else held, f64)
    return None
