"""The arithmetic that an instruction with a definition is, by the name of its semantics: guards look for it.

    graph.binary sub %a, %b        semantics graph.binary, op sub: `subtract`, as ONNX's Sub

Whoever adds an instruction with semantics that stand here need not come here. Of others nothing is known but their
facts, so no constant is computed with them, and no pattern has them.

Deliberately absent: instructions by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

CONVERT: Final = "convert"

_ROLES: Final[Mapping[str, Mapping[int, str]]] = {
    "divide": {1: "divisor"},
    "power": {1: "scalar"},
    "reciprocal": {0: "divisor"},
}
"""What the operands of an operation are, where it matters that one becomes zero; as in the facts about ONNX."""


@dataclass(frozen=True)
class Arithmetic:
    """One word for all instructions of some semantics, or one for each value of an enum attribute."""

    word: str | None = None
    attribute: str | None = None
    words: Mapping[str, str] = field(default_factory=dict)

    def of(self, value: object) -> str | None:
        """Return the word where the attribute has this value."""
        return self.word if self.attribute is None else self.words.get(str(value))


_SCALED: Final = Arithmetic(attribute="function", words={"cos": "periodic", "log": "log", "sin": "periodic"})
"""Functions after a product and a sum: of these, nothing but what they are taken of matters."""

ARITHMETIC_OF: Final[Mapping[str, Arithmetic]] = {
    "activations.activate2": _SCALED,
    "activations.activation_accumulation": _SCALED,
    "copies.copy": Arithmetic(CONVERT),
    "engines.activation": _SCALED,
    "engines.tensor_tensor": Arithmetic(
        attribute="op",
        words={
            "add": "add",
            "divide": "divide",
            "max": "maximum",
            "min": "minimum",
            "mult": "multiply",
            "pow": "power",
            "subtract": "subtract",
        },
    ),
    "elementwise.compare": Arithmetic(
        attribute="op",
        words={"eq": "equal", "ge": "compare", "gt": "compare", "le": "compare", "lt": "compare", "ne": "equal"},
    ),
    "graph.activation": Arithmetic(
        attribute="function",
        words={
            "abs": "absolute",
            "copy": "same",
            "cos": "periodic",
            "exp": "exp",
            "log": "log",
            "neg": "negative",
            "reciprocal": "reciprocal",
            "relu": "relu",
            "round": "round",
            "sign": "compare",
            "sin": "periodic",
            "sqrt": "sqrt",
            "square": "square",
        },
    ),
    "graph.binary": Arithmetic(
        attribute="op",
        words={
            "add": "add",
            "div": "divide",
            "max": "maximum",
            "min": "minimum",
            "mul": "multiply",
            "pow": "power",
            "sub": "subtract",
        },
    ),
    "graph.cast": Arithmetic(CONVERT),
    "movement.concat": Arithmetic("concatenate"),
    "movement.expand": Arithmetic("same"),
    "movement.gather": Arithmetic("gather"),
    "movement.reshape": Arithmetic("same"),
    "movement.top_k": Arithmetic("order"),
    "movement.transpose": Arithmetic("transpose"),
}
"""By the name of the semantics, sorted."""

CONTENTS: Final[Mapping[str, str]] = {"graph.constant": "value"}
"""By the name of the semantics: the attribute that says what the result holds."""


def roles_of(word: str | None) -> Mapping[int, str]:
    """Return what the operands of an operation are, by slot."""
    return _ROLES.get(word, {}) if word is not None else {}
