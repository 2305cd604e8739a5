"""What a generated class consists of, from its syntax tree; and which keys of the definition each part comes from."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from brewer.definition_keys import FACTS
from brewer.origins.trees import KeyPath

# The keys that decide about a part, where no field and no rule is known that a line is about.
KEYS_OF_MEMBERS: Mapping[str, KeyPath] = {
    "class": ("base",),
    "__slots__": ("name",),
    "engine_hint": ("engine",),
    "is_terminator": ("capabilities", "terminator"),
    "__init__": ("base",),  # its frame is that of the runtime class
    "operands": ("operands",),
    "_link_operands": ("operands",),
    "replaceUseOfWith": ("operands",),
    "loadTensor": ("operands",),
    "storeTensor": ("operands",),
    "blocks": ("regions",),
    "dst_mode": ("dst",),
    "enumerate_ap_indices": ("ap_indices",),
    "remove_ap_index": ("ap_indices",),
    "updateAPIndicies": ("ap_indices",),
    "rhs_str": ("rhs_str",),
    "infer_result_type": ("results",),
    "infer_result_types": ("results",),
    "serialize": ("serialize",),
    "verify": ("constraints",),
}
KEYS_OF_INFO: Mapping[str, KeyPath] = {
    "name": ("name",),
    "dialect": ("name",),
    "mnemonic": ("rhs_str",),
    "version": ("version",),
    "operands": ("operands",),
    "attributes": ("attributes",),
    "ap_indices": ("ap_indices",),
    "results": ("results",),
    "dst": ("dst",),
    "regions": ("regions",),
    "rhs": ("rhs_str",),
    "engines": ("engines",),
    "engines_by_target": ("engines",),
    "capabilities": ("capabilities",),
    "op_kind": ("op_kind",),
    "facts": (),  # by its name
    "semantics": ("semantics",),
    "renames": ("renames",),
    "before": ("before",),
}
KEYS_OF_SECTIONS: Mapping[str, KeyPath] = {
    "Operands": ("operands",),
    "Attributes": ("attributes",),
    "Index lists": ("ap_indices",),
    "Results": ("results",),
    "Regions": ("regions",),
    "Rules": ("constraints",),
    "Engines": ("engines",),
    "Passes": (),
    "Text": ("rhs_str",),
    "BIR": ("serialize",),
    "Examples": ("examples",),
    "Source": ("source",),
    "Semantics": ("semantics",),
    "Wrapper": ("wrapper",),
    "Since": ("since",),
    "Deprecated": ("deprecated",),
}
_SECTION = re.compile(r"    ([A-Z][A-Za-z]*(?: [a-z]+)?)(?:, version [0-9]+)?:(?: |$)")
_ENTRY = re.compile(r"        (\w+)(?::|$)")


@dataclass(frozen=True, slots=True)
class Member:
    """A part of a generated class, with its lines; `INFO.operands.src` lies within `INFO`."""

    name: str
    start: int
    end: int
    keys: KeyPath = ()  # where they are known from the part itself


def members_of(text: str) -> tuple[Member, ...]:
    """The parts of the class in a generated module, outer ones before inner ones."""
    lines = text.split("\n")
    (made,) = [node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]
    found = [Member("class", made.lineno, made.end_lineno or made.lineno)]
    for node in made.body:
        start = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        end = node.end_lineno or node.lineno
        if isinstance(node, ast.Expr):
            found.append(Member("docstring", start, end))
            found += _sections(lines, start, end)
        elif isinstance(node, ast.FunctionDef):
            found.append(Member(node.name, start, end))
        else:
            name, value = _assigned(node)
            found.append(Member(name, start, end))
            found += _of_info(value) if name == "INFO" and isinstance(value, ast.Call) else []
    return tuple(found)


def _assigned(node: ast.stmt) -> tuple[str, ast.expr | None]:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return name, value
        case ast.AnnAssign(target=ast.Name(id=name), value=value):
            return name, value
    raise AssertionError(f"a generated class has no statement such as line {node.lineno}")


def _of_info(call: ast.Call) -> Iterator[Member]:
    for keyword in call.keywords:
        name = str(keyword.arg)
        keys = KEYS_OF_INFO[name]
        yield _member(("INFO", name), keyword, keys)
        if isinstance(keyword.value, ast.Tuple):
            for item in keyword.value.elts:
                if isinstance(item, ast.Call) and name in ("operands", "attributes", "results") and item.args:
                    yield from _of_field(item, ("INFO", name), keys)
        if isinstance(keyword.value, ast.Dict) and name == "facts":
            for key, value in zip(keyword.value.keys, keyword.value.values, strict=True):
                assert isinstance(key, ast.Constant) and isinstance(key.value, str)
                fact = str(key.value)
                yield Member(f"INFO.facts.{fact}", key.lineno, value.end_lineno or key.lineno, (fact,))


def _of_field(call: ast.Call, path: Sequence[str], keys: KeyPath) -> Iterator[Member]:
    """A field of the definition: `OperandInfo("src", dtypes=FLOATS)`."""
    name, *further = call.args
    assert isinstance(name, ast.Constant)
    here = (*path, str(name.value))
    keys = (*keys, str(name.value))
    yield _member(here, call, keys)
    for argument in further:  # the type of an attribute
        yield _member((*here, "type"), argument, (*keys, "type"))
    for keyword in call.keywords:
        key = {"enum": "type"}.get(str(keyword.arg), str(keyword.arg))
        yield _member((*here, str(keyword.arg)), keyword, (*keys, key))


def _member(path: Sequence[str], node: ast.expr | ast.keyword, keys: KeyPath) -> Member:
    return Member(".".join(path), node.lineno, node.end_lineno or node.lineno, keys)


def _sections(lines: list[str], start: int, end: int) -> Iterator[Member]:
    """The parts of a class docstring, line by line: summary, description, then sections with their entries."""
    section: KeyPath | None = None
    entry: KeyPath = ()
    for number in range(start, end + 1):
        line = lines[number - 1]
        title = _SECTION.match(line)
        if title and title[1] in KEYS_OF_SECTIONS:
            section, entry = KEYS_OF_SECTIONS[title[1]], ()
        elif section is not None and (name := _ENTRY.match(line)):
            entry = _entry_keys(section, name[1])
        keys = ("summary",) if number == start else ("doc",) if section is None else entry or section
        yield Member(f"docstring.{'.'.join(keys)}" if keys else "docstring", number, number, keys)


def _entry_keys(section: KeyPath, name: str) -> KeyPath:
    """What an entry is about: a field, a rule, a fact."""
    if section:
        return (*section, name)
    return (name,) if name in (*FACTS, "op_kind", "capabilities") else ()
