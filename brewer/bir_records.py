"""What the BIR record of an instruction may hold, by its definition or, for those of the runtime, by hand.

Deliberately absent: the forms of values (brewer/bir_schema.py), and whether an instruction makes sense.
"""

from __future__ import annotations

from brewer.bir_views import bir_fields
from brewer.frozen import frozen
from brewer.load import Brewable, Instructions
from brewer.model import Attribute, AttributeType, Definition
from brewer.model import Literal as PlainValue
from brewer.python_sources import PythonSources
from brewer.vocabulary import Vocabulary


@frozen
class SlotView:
    """An entry of `args`."""

    name: str
    optional: bool = False
    variadic: bool = False


@frozen
class FieldForm:
    """An entry of `fields`."""

    name: str  # as the newest version calls it
    type: str  # of an attribute; `indices`, or `open` for a dictionary of any attributes
    is_list: bool = False
    optional: bool = False  # null is legal
    required: bool = False
    required_since: int = 1  # the first version in which leaving it out is a mistake
    words: tuple[PlainValue, ...] = ()  # the legal values where they are few
    min: float | None = None
    max: float | None = None
    multiple_of: int | None = None


@frozen
class RecordForm:
    """One instruction in BIR."""

    mnemonic: str
    summary: str
    version: int = 1
    slots: tuple[SlotView, ...] = ()
    fields: tuple[FieldForm, ...] = ()
    renames: tuple[tuple[int, str, str], ...] = ()  # the first version with the new name, the old name, the new one
    max_results: int | None = 1  # None: any number
    has_dst: bool = False
    needs_dst: bool = False
    has_engine: bool = False
    n_regions: int | None = 0  # None: any number
    is_open: bool = False  # whether it has `attributes` that no definition names, and `carried` bytes

    @property
    def n_needed(self) -> int:
        """How many operands there are up to the last one that cannot be absent."""
        return max((at for at, slot in enumerate(self.slots, 1) if not (slot.optional or slot.variadic)), default=0)

    def needed_in(self, version: int) -> tuple[FieldForm, ...]:
        """The fields that a record of a version cannot leave out."""
        return tuple(field for field in self.fields if field.required and version >= field.required_since)

    def name_in(self, version: int, name: str) -> str:
        """What a version calls a field that has this name in the newest one."""
        for since in sorted({since for since, _, _ in self.renames if version < since}, reverse=True):
            name = next((old for at, old, new in self.renames if at == since and new == name), name)
        return name


_VALUES = SlotView("values", variadic=True)
OF_THE_RUNTIME = (
    RecordForm("return", "Ends a function.", slots=(_VALUES,), max_results=0),
    RecordForm("yield", "Ends a region.", slots=(_VALUES,), max_results=0),
    RecordForm(
        "opaque",
        "An instruction without a definition.",
        slots=(_VALUES,),
        fields=(FieldForm("label", "str", required=True), FieldForm("attributes", "open", required=True)),
        max_results=None,
    ),
    RecordForm(
        "onnx.node",
        "A node of an ONNX model.",
        slots=(SlotView("values", optional=True, variadic=True),),
        fields=(
            FieldForm("op_type", "str", required=True, min=1),
            FieldForm("domain", "str", min=1),
            FieldForm("overload", "str"),
            FieldForm("node_name", "str", optional=True),
            FieldForm("absent", "int", is_list=True),
        ),
        max_results=None,
        n_regions=None,
        is_open=True,
    ),
    RecordForm("onnx.initializer", "A tensor of an ONNX model.", fields=(FieldForm("value", "tensor", required=True),)),
)
"""The instructions that are written by hand; a test compares them with their classes."""


def record_forms(instructions: Instructions, sources: PythonSources) -> tuple[RecordForm, ...]:
    """The records of all instructions, in order of their mnemonics."""
    forms = [
        _form(found, found.rhs.mnemonic.value, instructions.vocabulary, sources)
        for found in instructions.brewables
        if found.rhs
    ]
    return tuple(sorted((*OF_THE_RUNTIME, *forms), key=lambda form: form.mnemonic))


def _form(brewable: Brewable, mnemonic: str, vocabulary: Vocabulary, sources: PythonSources) -> RecordForm:
    definition = brewable.definition
    init = next(found.init for found in sources.lineage(brewable.root) if found.init)
    parameters = {parameter.name for parameter in init}
    any_number = any(result.variadic for result in definition.results)
    return RecordForm(
        mnemonic,
        definition.summary,
        definition.version,
        tuple(SlotView(slot.name.value, slot.optional, slot.variadic) for slot in definition.operands),
        _fields(definition, vocabulary),
        tuple((rename.version, rename.old.value, rename.new.value) for rename in definition.renames),
        max_results=None if any_number else len(definition.results),
        has_dst="dst" in parameters and definition.dst.use != "forbidden",
        needs_dst=definition.dst.use == "required",
        has_engine="engine" in parameters,
        n_regions=len(definition.regions),
    )


def _fields(definition: Definition, vocabulary: Vocabulary) -> tuple[FieldForm, ...]:
    """Attributes and lists of indices, then what `serialize` derives from the operands."""
    fields = [_field(definition, attribute, vocabulary) for attribute in definition.attributes]
    fields += [FieldForm(indices.name.value, "indices") for indices in definition.ap_indices]
    known = {field.name.value for field in definition.fields}
    derived = [
        FieldForm(entry.name.value, entry.kind) for entry in bir_fields(definition) if entry.name.value not in known
    ]
    return (*fields, *derived)


def _field(definition: Definition, attribute: Attribute, vocabulary: Vocabulary) -> FieldForm:
    type = attribute.type
    older = definition.older_values.get(attribute.name.value, ())
    return FieldForm(
        attribute.name.value,
        type.word,
        type.is_list,
        attribute.optional,
        attribute.required,
        max((each.version for each in older), default=1) if attribute.required else 1,
        attribute.one_of or _words(type, vocabulary),
        attribute.min,
        attribute.max,
        attribute.multiple_of,
    )


def _words(type: AttributeType, vocabulary: Vocabulary) -> tuple[str, ...]:
    enum = vocabulary.enum(type.enum) if type.enum else None
    return enum.values if enum else type.values
