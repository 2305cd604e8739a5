"""The class constant `INFO`: what a generated class says of itself as data."""

from __future__ import annotations

from functools import cache

from brewer.field_views import enum_constant, group_constant, value_as_held
from brewer.load import Brewable
from brewer.model import (
    Attribute,
    Definition,
    Destination,
    Fact,
    OlderValue,
    Operand,
    Port,
    Region,
    Result,
    newest_name,
)
from brewer.python_sources import PythonSources
from brewer.python_text import Call, Code, literal, prepared
from brewer.rhs_grammar import Group, Literal, Placeholder, Rhs

_EXPLODED = frozenset(
    ("results", "operands", "attributes", "regions", "rhs", "facts", "engines_by_target", "renames", "before")
)


def info_view(brewable: Brewable, groups: frozenset[str], in_memory: bool, sources: PythonSources) -> tuple[str, ...]:
    """The keyword arguments of `InstructionInfo`, defaults left out. `groups` are the names of groups of data types."""
    definition, rhs = brewable.definition, brewable.rhs
    said: dict[str, object] = {
        "version": definition.version if definition.version != 1 else None,
        "operands": tuple([_operand(operand, groups) for operand in definition.operands]),
        "attributes": tuple([_attribute(attribute) for attribute in definition.attributes]),
        "ap_indices": tuple([indices.name.value for indices in definition.ap_indices]),
        "results": _results(definition, groups),
        "dst": _destination(definition.dst, groups) if in_memory else None,
        "regions": tuple([_region(region, groups) for region in definition.regions]),
        "rhs": tuple(_rhs_parts(rhs)) if rhs else (),
        "engines": definition.engines.legal,
        "engines_by_target": dict(definition.engines.by_target),
        "capabilities": capabilities(definition),
        "op_kind": definition.op_kind,
        "facts": {name: _fact(fact) for name, fact in definition.facts if fact},
        "semantics": sources.semantics[definition.semantics.value] if definition.semantics else None,
        "renames": tuple([(rename.version, rename.old.value, rename.new.value) for rename in definition.renames]),
        "before": tuple([_older(definition, older) for older in definition.before]),
    }
    head = (
        _keyword("name", definition.name.value),
        _keyword("dialect", definition.dialect),
        _keyword("mnemonic", rhs.mnemonic.value if rhs else None),
    )
    return (*head, *[_keyword(name, value, name in _EXPLODED) for name, value in said.items() if value])


def capabilities(definition: Definition) -> frozenset[str]:
    """Those that hold."""
    return frozenset([name for name, holds in definition.capabilities if holds])


def _results(definition: Definition, groups: frozenset[str]) -> object:
    """The results; nothing where there is the usual one, of which nothing is said."""
    found = tuple([_result(result, groups) for result in definition.results])
    return Code("()") if not found else None if len(found) == 1 and found[0] is _USUAL_RESULT else found


def _result(result: Result, groups: frozenset[str]) -> object:
    name, same_as = result.name.value, result.same_as.value if result.same_as else ""
    ways = (result.optional, result.variadic, result.free_dtype)
    return _result_info(name, same_as, ways, result.dtypes, result.rank, result.precision, groups)


@cache
def _result_info(
    name: str,
    same_as: str,
    ways: tuple[bool, bool, bool],
    dtypes: tuple[str, ...],
    rank: tuple[int, ...],
    precision: str | None,
    groups: frozenset[str],
) -> object:
    said = {
        **dict(zip(("optional", "variadic", "free_dtype"), ways, strict=True)),
        "same_as": same_as,
        "dtypes": _dtypes(dtypes, groups),
        "rank": rank,
        "precision": precision,
    }
    names = () if name == "result" else (name,)
    kept = {name: value for name, value in said.items() if value}
    if not names and not kept:
        return _USUAL_RESULT
    return prepared(Call("ResultInfo", names, kept, exploded=len(kept) + len(names) > 1))


_USUAL_RESULT = prepared(Call("ResultInfo", (), {}, exploded=False))


def _destination(dst: Destination, groups: frozenset[str]) -> Call:
    said = {
        "use": dst.use if dst.use != "optional" else None,
        "memory": dst.memory,
        "dtypes": _dtypes(dst.dtypes, groups),
        "accumulates": dst.accumulates if isinstance(dst.accumulates, bool) else dst.accumulates.value,
    }
    kept = {name: value for name, value in said.items() if value}
    return Call("DstInfo", (), kept, exploded=len(kept) > 1)


def _region(region: Region, groups: frozenset[str]) -> Call:
    said = {
        "runs": region.runs if region.runs != "at_most_once" else "",
        "takes": tuple(_port(port, groups) for port in region.takes),
    }
    kept: dict[str, object] = {name: value for name, value in said.items() if value}
    if region.yields is not None:
        kept["yields"] = tuple(_port(port, groups) for port in region.yields)
    return Call("RegionInfo", (region.name.value,), kept, exploded=bool(kept))


def _port(port: Port, groups: frozenset[str]) -> Call:
    names = {"same_as": port.same_as, "item_of": port.item_of, "along": port.along}
    said: dict[str, object] = {key: name.value for key, name in names.items() if name}
    said |= {"dtypes": _dtypes(port.dtypes, groups)} if port.dtypes else {}
    said |= {"rank": port.rank} if port.rank else {}
    return Call("PortInfo", (port.name.value,), said, exploded=False)


def _operand(operand: Operand, groups: frozenset[str]) -> object:
    name, ways = operand.name.value, (operand.optional, operand.variadic)
    rank = operand.rank or ((len(operand.shape),) if operand.shape is not None else ())
    return _operand_info(name, operand.access, ways, operand.dtypes, operand.memory, rank, operand.precision, groups)


@cache  # many definitions have the same operands, attributes and results: half of the time of `INFO`
def _operand_info(
    name: str,
    access: str,
    ways: tuple[bool, bool],
    dtypes: tuple[str, ...],
    memory: tuple[str, ...],
    rank: tuple[int, ...],
    precision: str | None,
    groups: frozenset[str],
) -> object:
    said = {
        "access": None if access == "load" else Code(f"AccessMode.{access.upper()}"),
        **dict(zip(("optional", "variadic"), ways, strict=True)),
        "dtypes": _dtypes(dtypes, groups),
        "memory": memory,
        "rank": rank,
        "precision": precision,
    }
    kept = {name: value for name, value in said.items() if value}
    return prepared(Call("OperandInfo", (name,), kept, exploded=bool(kept)))


def _dtypes(words: tuple[str, ...], groups: frozenset[str]) -> object:
    """The tuple of a group where that is all, else names, with groups unpacked among them."""
    if len(words) == 1 and words[0] in groups:
        return Code(group_constant(words[0]))
    return tuple([Code(f"*{group_constant(word)}") if word in groups else word for word in words])


def _attribute(attribute: Attribute) -> object:
    type, default = attribute.type, attribute.default
    value = None if default is None else value_as_held(type, default.value)
    bounds = (attribute.min, attribute.max, attribute.multiple_of)
    values = (value, attribute.one_of, bounds)
    return _attribute_info(
        attribute.name.value, type.word, type.is_list, type.enum, attribute.optional, values, repr(values)
    )


@cache
def _attribute_info(
    name: str,
    word: str,
    is_list: bool,
    enum: str,
    optional: bool,
    values: tuple[object, tuple[object, ...], tuple[float | None, ...]],
    exactly: str,
) -> object:
    """`exactly` is how the values are written: 1, 1.0 and True are equal, and so are zeros of either sign."""
    default, one_of, bounds = values
    said: dict[str, object] = {}
    if optional:
        said["optional"] = True
    if default is not None:
        said["default"] = default
    if enum:
        said["enum"] = enum
    if one_of or enum:
        said["one_of"] = one_of or Code(enum_constant(enum))
    pairs = zip(("min", "max", "multiple_of"), bounds, strict=True)
    said.update({name: bound for name, bound in pairs if bound is not None})
    return prepared(Call("AttributeInfo", (name, f"list[{word}]" if is_list else word), said, exploded=bool(said)))


def _older(definition: Definition, older: OlderValue) -> tuple[int, str, object]:
    name = newest_name(definition.renames, older.version, older.name.value)
    attribute = next(attribute for attribute in definition.attributes if attribute.name.value == name)
    assert older.value is not None, "loading has refused a value that does not fit"
    return older.version, older.name.value, value_as_held(attribute.type, older.value)


def _keyword(name: str, value: object, explode: bool = False) -> str:
    return f"{name}={literal(value, 8, len(name) + 1, explode=explode)}"


def _rhs_parts(rhs: Rhs) -> list[object]:
    """Literals without the spaces around them, which the parser skips."""
    parts: list[object] = []
    for part in rhs.parts:
        if isinstance(part, Group):
            inner = tuple([_rhs_part(piece) for piece in part.parts if _says_something(piece)])
            parts.append(Call("Group", (part.fields[0].field, inner), {}, exploded=False))
        elif _says_something(part):
            parts.append(_rhs_part(part))
    return parts


def _rhs_part(part: Literal | Placeholder) -> object:
    return part.text.strip() if isinstance(part, Literal) else _show(part.field)


@cache
def _show(field: str) -> object:
    return prepared(Call("Show", (field,), {}, exploded=False))


def _says_something(part: Literal | Placeholder) -> bool:
    return isinstance(part, Placeholder) or bool(part.text.strip())


def _fact(fact: Fact) -> object:
    if isinstance(fact, bool):
        return fact
    return {part.attribute.value: tuple(value.value for value in part.values) for part in fact}
