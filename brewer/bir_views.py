"""How the fields of a definition are written to BIR: the method of `BirWriter` for each, in which order."""

from __future__ import annotations

from collections.abc import Iterable

from brewer.field_views import FieldView
from brewer.frozen import frozen
from brewer.model import ApIndices, Attribute, BirField, Definition, Operand
from brewer.python_text import LINE_LENGTH

_INDENT = 12

_OF_TYPE = {
    "int": "number",
    "float": "number",
    "str": "word",
    "enum": "word",
    "bool": "flag",
    "tensor": "constant",
}


@frozen
class KeywordView:
    """A field that `serialize` hands up by keyword: `scale=ctx.number(self._scale)`."""

    name: str
    method: str  # of the writer
    value: str
    is_list: bool = False  # the method is called for each item
    optional: bool = False  # the value may be None

    @property
    def text(self) -> str:
        """The argument; black puts what is too long for a line between parentheses."""
        call = (
            f"[ctx.{self.method}(item) for item in {self.value}]"
            if self.is_list
            else f"ctx.{self.method}({self.value})"
        )
        whole = f"None if {self.value} is None else {call}" if self.optional else call
        fits = _INDENT + len(self.name) + 1 + len(whole) < LINE_LENGTH
        return f"{self.name}={whole}" if fits else f"{self.name}=(\n{' ' * (_INDENT + 4)}{whole}\n{' ' * _INDENT})"


@frozen
class SerializeView:
    collected: tuple[FieldView, ...]  # operands and lists of indices, which the writer collects
    keywords: tuple[KeywordView, ...]


def serialize_view(definition: Definition, fields: Iterable[FieldView]) -> SerializeView | None:
    """None where there is nothing to write beyond what the runtime class writes."""
    views = {field.name: field for field in fields}
    entries = bir_fields(definition)
    ours = [views[entry.name.value] for entry in entries if entry.name.value in views]
    collected = tuple(field for field in ours if field.kind != "attribute")
    keywords = _keywords(definition, entries)
    return SerializeView(collected, keywords) if collected or keywords else None


def bir_kind(field: Operand | Attribute | ApIndices) -> str:
    """The kind that fits a field; `dtype`, `shape` and `type` bear the names of their types."""
    if isinstance(field, Operand):
        return "var"
    if isinstance(field, ApIndices):
        return "indices"
    return "list" if field.type.is_list else _OF_TYPE.get(field.type.word, field.type.word)


def bir_fields(definition: Definition) -> tuple[BirField, ...]:
    """The BIR fields in order: those of `serialize`, or operands, lists of indices and attributes as declared."""
    if definition.serialize:
        return definition.serialize
    fields: tuple[Operand | ApIndices | Attribute, ...]
    fields = (*definition.operands, *definition.ap_indices, *definition.attributes)
    return tuple([BirField(field.name, bir_kind(field)) for field in fields])


def _keywords(definition: Definition, entries: Iterable[BirField]) -> tuple[KeywordView, ...]:
    attributes = {attribute.name.value: attribute for attribute in definition.attributes}
    # Shape and dtype are those of what is copied, as in the source: the first operand has the element type.
    of_result = {"shape": "self.shape"}
    if definition.operands:
        of_result["dtype"] = f"self._{definition.operands[0].name}.dtype"
    keywords = []
    for entry in entries:
        name = entry.name.value
        attribute = attributes.get(name)
        if attribute is None and entry.kind == name and name in of_result:
            keywords.append(KeywordView(name, name, of_result[name]))
        elif attribute is not None and entry.kind == "list":
            item = _OF_TYPE.get(attribute.type.word, attribute.type.word)
            keywords.append(KeywordView(name, item, f"self._{name}", is_list=True, optional=attribute.optional))
        elif attribute is not None:
            keywords.append(KeywordView(name, entry.kind, f"self._{name}"))
    return tuple(keywords)
