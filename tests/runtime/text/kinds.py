"""Instructions with fields of every kind, made from their `INFO` alone: what no brewed instruction may have yet."""

from __future__ import annotations

from typing import Any

from runtime.blocks import Block
from runtime.dtypes import dtype_of
from runtime.info import AttributeInfo, Group, InstructionInfo, OperandInfo, RegionInfo, ResultInfo, Show
from runtime.instructions import GraphInst, Instruction, NeuronInst
from runtime.names import Names
from runtime.text.attributes import attribute_text
from runtime.types import Type
from runtime.values import Operand

KINDS = ("int", "float", "bool", "str", "dtype", "shape", "tensor", "type", "enum")
WORDS = ("one", "two", "three_4")

_ALL = tuple(AttributeInfo(f"a_{kind}", kind, optional=True, one_of=WORDS if kind == "enum" else ()) for kind in KINDS)
_LISTS = tuple(
    AttributeInfo(f"l_{kind}", f"list[{kind}]", default=(), one_of=WORDS if kind == "enum" else ()) for kind in KINDS
)
_DEFAULTS = (
    AttributeInfo("d_float", "float", default=0.0),
    AttributeInfo("d_bool", "bool", default=True),
    AttributeInfo("d_int", "int", default=3),
    AttributeInfo("d_dtype", "dtype", default="bf16"),
)

INFOS = (
    InstructionInfo("Hidden", "test", "test.hidden", attributes=(*_ALL, *_LISTS, *_DEFAULTS)),
    InstructionInfo(
        "Shown",
        "test",
        "test.shown",
        attributes=tuple(AttributeInfo(f"a_{kind}", kind, one_of=WORDS if kind == "enum" else ()) for kind in KINDS),
        rhs=tuple(part for kind in KINDS for part in (f"{kind}:", Show(f"a_{kind}"), ";")),
    ),
    InstructionInfo(
        "Lists",
        "test",
        "test.lists",
        attributes=_LISTS,
        rhs=tuple(part for kind in KINDS for part in (f"{kind}:", Show(f"l_{kind}"))),
    ),
    InstructionInfo(
        "Groups",
        "test",
        "test.groups",
        operands=(OperandInfo("src"), OperandInfo("bias", optional=True), OperandInfo("rest", variadic=True)),
        attributes=(AttributeInfo("times", "int", default=1),),
        rhs=(
            "[",
            Show("src"),
            "]",
            Group("bias", ("bias:[", Show("bias"), "]")),
            Group("times", ("x", Show("times"))),
            "of",
            Show("rest"),
        ),
    ),
    InstructionInfo(
        "Operands",
        "test",
        "test.operands",
        operands=(OperandInfo("first"), OperandInfo("maybe", optional=True), OperandInfo("many", variadic=True)),
        ap_indices=("marks",),
    ),
    InstructionInfo(
        "Scan",
        "test",
        "test.scan",
        operands=(OperandInfo("init", variadic=True),),
        results=(ResultInfo(variadic=True),),
        regions=(RegionInfo("body"), RegionInfo("else")),
        rhs=("over", Show("init")),
    ),
    InstructionInfo("Sync", "test", "test.sync", results=()),
)


def define(info: InstructionInfo) -> type[Instruction]:
    """Return a class with this `INFO`, whose constructor, operands and text follow from it."""
    base = NeuronInst if info.ap_indices else GraphInst

    class Made(base):  # type: ignore[valid-type, misc]  # the base is computed
        INFO = info

        def __init__(self, *, result_type: Type | None = None, result_types: Any = (), **fields: Any) -> None:
            common = {name: fields.pop(name) for name in ("dst", "engine", "loc") if name in fields}
            defaults: dict[str, Any] = {attribute.name: _default(attribute) for attribute in info.attributes}
            defaults |= {operand.name: () if operand.variadic else None for operand in info.operands}
            defaults |= dict.fromkeys(info.ap_indices, ())
            assert fields.keys() <= defaults.keys(), f"no such fields: {fields.keys() - defaults.keys()}"
            for name, value in (defaults | fields).items():
                setattr(self, name, value)
            self.regions = tuple(Block(self) for _ in info.regions)
            if info.many_results:
                result_type = result_types[0] if result_types else Type.none()
            if result_type is None:
                result_type = common["dst"].type if common.get("dst") else Type.none()
            super().__init__(result_type, **common)
            self._add_results(result_types[1:])
            self._link_operands()

        @property
        def blocks(self) -> tuple[Block, ...]:
            return self.regions

        def operands(self) -> tuple[Operand, ...]:
            found: list[Operand] = []
            for operand in info.operands:
                value = getattr(self, operand.name)
                found += value if operand.variadic else [] if value is None else [value]
            return tuple(found)

        def rhs_str(self, names: Names | None = None) -> str:
            return " ".join([str(info.mnemonic), *self._parts(info.rhs, names)])

        def _parts(self, parts: tuple[str | Show | Group, ...], names: Names | None) -> list[str]:
            texts: list[str] = []
            for part in parts:
                if isinstance(part, str):
                    texts.append(part)
                elif isinstance(part, Show):
                    texts.append(self._shown(part.name, names))
                elif getattr(self, part.field) not in (None, defaults[part.field]):
                    texts += self._parts(part.parts, names)
            return [text for text in texts if text]

        def _shown(self, name: str, names: Names | None) -> str:
            value = getattr(self, name)
            if name in words:
                return str(value)
            if isinstance(value, tuple) and all(isinstance(item, Operand) for item in value) and name in variadic:
                return ", ".join(item.use_str(names) for item in value)
            return str(value.use_str(names)) if isinstance(value, Operand) else attribute_text(value)

    words = {attribute.name for attribute in info.attributes if attribute.type == "enum"}
    variadic = {operand.name for operand in info.operands if operand.variadic}
    defaults = {operand.name: None for operand in info.operands} | {a.name: a.default for a in info.attributes}
    Made.__name__ = info.name
    return Made


def _default(attribute: AttributeInfo) -> Any:
    """The default, a dtype as such and not by its name."""
    return dtype_of(str(attribute.default)) if attribute.name == "d_dtype" else attribute.default


CLASSES: dict[str, type[Instruction]] = {str(info.mnemonic): define(info) for info in INFOS}
