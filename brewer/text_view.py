"""The method `rhs_str` of a generated class: the printed form as an f-string, and conditions for optional groups."""

from __future__ import annotations

import re

from brewer.field_views import default_text
from brewer.load import Brewable
from brewer.model import ApIndices, Attribute, Definition, Operand
from brewer.python_text import LINE_LENGTH
from brewer.rhs_grammar import Group, Literal, Placeholder

_INDENT = 8


def rhs_lines(brewable: Brewable) -> tuple[str, ...]:
    """The body of `rhs_str`, without its indent; empty for an abstract definition."""
    definition, rhs = brewable.definition, brewable.rhs
    if rhs is None:
        return ()
    shown = [definition.field_named[part.field] for part in rhs.parts if isinstance(part, Placeholder)]
    before = [line for field in shown for line in _prepared(field)]
    runs: list[list[str] | Group] = [[rhs.mnemonic.value]]
    for part in rhs.parts:
        if isinstance(part, Group):
            runs.append(part)
        elif isinstance(runs[-1], list):
            runs[-1].append(_piece(definition, part))
        else:
            runs.append([_piece(definition, part)])
    if len(runs) == 1 and isinstance(runs[0], list):
        return (*before, *_formatted("return", runs[0]))
    lines = list(before)
    for index, run in enumerate(runs):
        if isinstance(run, Group):
            lines += _group(definition, run)
        else:
            lines += _formatted("text +=" if index else "text =", run)
    return (*lines, "return text")


def _group(definition: Definition, group: Group) -> list[str]:
    field = definition.field_named[group.fields[0].field]
    inner = [_piece(definition, part, present=True) for part in group.parts]
    lines = [*_prepared(field, present=True), *_formatted("text +=", inner, _INDENT + 4)]
    return [f"if {_is_present(field)}:", *(f"    {line}" for line in lines)]


def _is_present(field: Operand | Attribute | ApIndices) -> str:
    name = field.name.value
    if isinstance(field, ApIndices):
        return f"self._{name}"
    if field.optional:
        return f"self._{name} is not None"
    assert isinstance(field, Attribute)
    if field.type.is_list and field.default and field.default.value == ():
        return f"self._{name}"
    if field.type.word == "bool" and field.default:
        return f"not self._{name}" if field.default.value else f"self._{name}"
    if field.type.word == "float" and field.default and field.default.value == 0:
        return f'str(self._{name}) != "{field.default.value}"'  # -0.0 is another value
    different = "is not" if field.type.word == "dtype" and not field.type.is_list else "!="
    return f"self._{name} {different} {default_text(field)}"


def _piece(definition: Definition, part: Literal | Placeholder, *, present: bool = False) -> str:
    """A part of an f-string; `present`: the field is known to be there."""
    if isinstance(part, Literal):
        return part.text.replace("\\", "\\\\").replace('"', '\\"')
    field = definition.field_named[part.field]
    if present and isinstance(field, Attribute) and field.type.word == "bool" and field.default:
        return "false" if field.default.value else "true"  # a group shows what is not the default
    return f"{{{f'{part.field}_text' if _prepared(field, present=present) else _text_of(field)}}}"


def _prepared(field: Operand | Attribute | ApIndices, *, present: bool = False) -> list[str]:
    """A local variable for a field that may be absent, or whose text is long."""
    name = field.name.value
    if isinstance(field, ApIndices) or (isinstance(field, Attribute) and field.type.is_list):
        item = _text_of(field).replace(f"self._{name}", "item")
        text = f"f\"[{{', '.join({item if item != 'item' else 'str(item)'} for item in self._{name})}}]\""
    elif isinstance(field, Operand) and field.variadic:
        return [f'{name}_text = ", ".join(operand.use_str(names) for operand in self._{name})']
    elif present or not field.optional:
        return []
    else:
        text = _text_of(field)
    absent = not isinstance(field, ApIndices) and field.optional and not present
    return [f'{name}_text = "none" if self._{name} is None else {text}' if absent else f"{name}_text = {text}"]


def _text_of(field: Operand | Attribute | ApIndices) -> str:
    """The expression for the text of a value that is there, of an item where it is a list."""
    value = f"self._{field.name}"
    if isinstance(field, Operand):
        return f"{value}.use_str(names)"
    if isinstance(field, ApIndices):
        return value
    return {"str": f"quoted({value})", "bool": f"str({value}).lower()"}.get(field.type.word, value)


def _formatted(start: str, pieces: list[str], indent: int = _INDENT) -> list[str]:
    """`start f"..."`, cut into several strings where it is too long for a line."""
    whole = f'{start} {_string("".join(pieces))}'
    if indent + len(whole) <= LINE_LENGTH:
        return [whole]
    lines = [""]
    for chunk in _chunks("".join(pieces)):
        if lines[-1] and indent + 4 + len(lines[-1]) + len(chunk) + 3 > LINE_LENGTH:
            lines.append("")
        lines[-1] += chunk
    return [f"{start} (", *(f"    {_string(line)}" for line in lines), ")"]


def _chunks(text: str) -> list[str]:
    """The text cut before its words, so that a word stays with the value after it: ` bias {bias}`; and at commas."""
    return re.split(r"(?= [^ {])|(?<=,)(?= {)", text)


def _string(text: str) -> str:
    return f'f"{text}"' if "{" in text else f'"{text}"'
