"""Rules of a definition against its own fields: constraints, results, precision facts, BIR fields and renames."""

from __future__ import annotations

from brewer.bir_views import bir_kind
from brewer.model import Attribute, Definition, FieldTerm, Result, Text
from brewer.problems import Problems
from brewer.vocabulary import Vocabulary
from runtime.diagnostics import did_you_mean

_PARTS = ("dtype", "rank", "shape")  # of an operand or the result, in a term
_OF_RESULT = ("shape", "dtype")  # may be serialized although they are no fields


def check_constraints(definition: Definition, problems: Problems) -> None:
    for constraint in definition.constraints:
        for term in (constraint.left, constraint.right):
            if isinstance(term, FieldTerm):
                _check_term(definition, term, problems)
        if constraint.when and constraint.when.value not in definition.optional_fields:
            name = constraint.when
            known = sorted(definition.optional_fields)
            help = did_you_mean(name.value, known) or f"optional fields: {', '.join(known) or 'none'}"
            problems.error("D070", name.place, f'"{name}" is no optional field of "{definition.name}"', help=help)


def check_results(definition: Definition, vocabulary: Vocabulary, problems: Problems) -> None:
    always = [operand for operand in definition.operands if not operand.optional and not operand.variadic]
    letters = {dim for operand in always for dim in operand.shape or () if isinstance(dim, str)}
    for result in definition.results:
        if result.same_as:
            _operand_named(definition, result.same_as, problems)
        if result.dtype and result.dtype.value not in vocabulary.dtypes:
            _dtype_source(definition, result, vocabulary, problems)
        if isinstance(result.shape, Text):
            _operand_named(definition, result.shape, problems)
        for dim in result.shape if isinstance(result.shape, tuple) else ():
            if isinstance(dim, str) and dim not in letters:
                bound = f"operands bind: {', '.join(sorted(letters))}" if letters else "no operand binds a letter"
                help = f"{bound}; give an operand `shape: [{dim}]`"
                problems.error("D072", result.name.place, f'no operand binds the extent "{dim}"', help=help)


def check_facts(definition: Definition, problems: Problems) -> None:
    attributes = {attribute.name.value: attribute for attribute in definition.attributes}
    for _, fact in definition.facts:
        for part in fact if isinstance(fact, tuple) else ():
            attribute = attributes.get(part.attribute.value)
            if attribute is None or attribute.type.word != "enum" or attribute.type.is_list:
                enums = [name for name, found in attributes.items() if found.type.word == "enum"]
                help = did_you_mean(part.attribute.value, enums) or f"enum attributes: {', '.join(enums) or 'none'}"
                message = f'"{part.attribute}" is no enum attribute of "{definition.name}"'
                problems.error("D073", part.attribute.place, message, help=help)
                continue
            for value in part.values:
                if value.value not in attribute.type.values:
                    known = attribute.type.values
                    help = did_you_mean(value.value, known) or f"its words: {', '.join(known)}"
                    message = f'"{value}" is no word of {attribute.type.enum}'
                    problems.error("D073", value.place, message, help=help)


def check_serialize(definition: Definition, problems: Problems) -> None:
    """Every field once, in a kind that can hold it."""
    if not definition.serialize:
        return
    fields = {field.name.value: field for field in definition.fields}
    for entry in definition.serialize:
        name = entry.name.value
        field = fields.get(name)
        if field is None and name in _OF_RESULT:
            if entry.kind != name:
                message = f'"{name}" is serialized as {name}, not as {entry.kind}'
                problems.error("D074", entry.name.place, message)
            continue
        if field is None:
            help = did_you_mean(name, (*fields, *_OF_RESULT)) or f"fields: {', '.join(fields)}"
            problems.error("D074", entry.name.place, f'"{definition.name}" has no field "{name}"', help=help)
            continue
        fitting = bir_kind(field)
        if entry.kind != fitting:
            message = f'"{name}" is serialized as {fitting}, not as {entry.kind}'
            problems.error("D074", entry.name.place, message)
    declared = [operand.name.value for operand in definition.operands]
    order = [entry.name for entry in definition.serialize if entry.name.value in declared]
    if [name.value for name in order] != [name for name in declared if name in {text.value for text in order}]:
        message = f"operands are serialized in the order of the definition: {', '.join(declared)}"
        problems.error("D074", order[0].place, message)
    listed = {entry.name.value for entry in definition.serialize}
    for name in (name for name in fields if name not in listed):
        message = f'"serialize" leaves out the field "{name}"'
        problems.error("D074", definition.serialize[0].name.place, message, help="list every field once")


def check_renames(definition: Definition, problems: Problems) -> None:
    known = {field.name.value for field in definition.fields}
    for rename in definition.renames:
        later = {other.old.value for other in definition.renames if other.version > rename.version}
        if rename.version > definition.version:
            message = f"a rename of version {rename.version}, but the definition's version is {definition.version}"
            problems.error("D075", rename.old.place, message, help=f"write `version: {rename.version}`")
        if rename.new.value not in known | later:
            help = did_you_mean(rename.new.value, known)
            problems.error("D075", rename.new.place, f'"{definition.name}" has no field "{rename.new}"', help=help)
        if rename.old.value in known:
            problems.error("D075", rename.old.place, f'"{rename.old}" is still a field of "{definition.name}"')


def _check_term(definition: Definition, term: FieldTerm, problems: Problems) -> None:
    name = term.field.value
    operands = {operand.name.value: operand for operand in definition.operands}
    attributes = {attribute.name.value: attribute for attribute in definition.attributes}
    known = ["result", *operands, *attributes]
    if name not in known:
        help = did_you_mean(name, known) or f"terms start with: {', '.join(known)}"
        problems.error("D070", term.field.place, f'"{definition.name}" has no field "{name}"', help=help)
        return
    attribute = attributes.get(name)
    if term.part not in ("", *_PARTS) or (term.index is not None and term.part != "shape"):
        _report_part(term, problems)
    elif attribute is None and not term.part:
        help = f"{name}.dtype, {name}.rank, {name}.shape or {name}.shape[0]"
        problems.error("D070", term.field.place, f'"{name}" is no value that can be compared', help=help)
    elif attribute is not None and term.part:
        _check_attribute_part(attribute, term, problems)
    if name in operands and operands[name].variadic:
        problems.error("D070", term.field.place, f'"{name}" is variadic; a constraint compares single operands')


def _report_part(term: FieldTerm, problems: Problems) -> None:
    part = term.part if term.index is None else f"{term.part}[{term.index}]"
    help = did_you_mean(term.part, _PARTS) or f"its parts: {', '.join(_PARTS)}, shape[0]"
    help = help if term.index is None or term.part not in _PARTS else "only a shape has an index"
    problems.error("D071", term.field.place, f'"{term.field}" has no part "{part}"', help=help)


def _check_attribute_part(attribute: Attribute, term: FieldTerm, problems: Problems) -> None:
    fitting = {"shape": ("rank", "shape")}.get(attribute.type.word, ())
    if term.part not in fitting or (term.part == "shape" and term.index is None):
        message = f'"{attribute.name}" is of type {attribute.type}, so it has no .{term.part}'
        problems.error("D070", term.field.place, message)


def _operand_named(definition: Definition, name: Text, problems: Problems) -> None:
    operand = next((operand for operand in definition.operands if operand.name.value == name.value), None)
    if operand is None:
        known = [operand.name.value for operand in definition.operands]
        help = did_you_mean(name.value, known) or f"operands: {', '.join(known) or 'none'}"
        problems.error("D072", name.place, f'"{definition.name}" has no operand "{name}"', help=help)
    elif operand.optional or operand.variadic:
        kind = "optional" if operand.optional else "variadic"
        problems.error("D072", name.place, f'"{name}" is {kind}; a result follows an operand that is always there')


def _dtype_source(definition: Definition, result: Result, vocabulary: Vocabulary, problems: Problems) -> None:
    assert result.dtype is not None
    name = result.dtype
    fields = [o.name.value for o in definition.operands if not o.optional and not o.variadic]
    fields += [a.name.value for a in definition.attributes if str(a.type) == "dtype" and not a.optional]
    if name.value not in fields:
        help = did_you_mean(name.value, (*vocabulary.dtypes, *fields))
        message = f'"{name}" is no data type, operand or dtype attribute of "{definition.name}"'
        problems.error("D072", name.place, message, help=help)
