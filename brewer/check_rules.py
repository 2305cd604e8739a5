"""Rules of a definition against its own fields: constraints, results, precision facts, BIR fields and renames."""

from __future__ import annotations

from collections.abc import Mapping

from brewer.attribute_values import shown
from brewer.bir_views import bir_kind
from brewer.constructor_view import has_rule
from brewer.model import ApIndices, Attribute, Condition, Constraint, Definition, FieldTerm, Operand, Text
from brewer.problems import Problems
from brewer.vocabulary import Vocabulary
from runtime.diagnostics import Note, Place, did_you_mean, listed

_PARTS = ("dtype", "rank", "shape")  # of an operand or the result, in a term
_OF_RESULT = ("shape", "dtype")  # may be serialized although they are no fields


def check_constraints(definition: Definition, problems: Problems) -> None:
    fields = {field.name.value: field for field in definition.fields if not isinstance(field, ApIndices)}
    for constraint in definition.constraints:
        if isinstance(constraint, Constraint):
            for term in (constraint.left, constraint.right):
                if isinstance(term, FieldTerm):
                    _check_term(definition, fields, term, problems)
        else:
            for name in constraint.optional:
                _check_optional(definition, name, problems)
        for condition in constraint.when:
            if condition.words:
                _check_words(definition, condition, problems)
            else:
                _check_optional(definition, condition.field, problems)


def _check_optional(definition: Definition, name: Text, problems: Problems) -> None:
    if name.value not in definition.optional_fields:
        help = problems.hint(name.place, name.value, sorted(definition.optional_fields), "optional fields")
        problems.error("D070", name.place, f'"{name}" is no optional field of "{definition.name}"', help=help)


def _check_words(definition: Definition, condition: Condition, problems: Problems) -> None:
    """Whether an attribute may be each of the words."""
    name = condition.field
    known = {a.name.value: a for a in definition.attributes if str(a.type) in ("bool", "str") or a.type.values}
    attribute = known.get(name.value)
    if attribute is None or attribute.type.is_list:
        help = problems.hint(name.place, name.value, known, "attributes with words")
        message = f'"{name}" is no enumeration, text or bool of "{definition.name}"'
        problems.error("D070", name.place, message, help=help)
        return
    legal = attribute.one_of or ((True, False) if attribute.type.word == "bool" else attribute.type.values)
    for word, place in zip(condition.words, condition.places, strict=True):
        if legal and word not in legal or isinstance(word, bool) != (attribute.type.word == "bool"):
            help = problems.hint(place, shown(word), [shown(each) for each in legal], "its words")
            problems.error("D070", place, f'"{name}" is never {shown(word)}', help=help)


def check_results(definition: Definition, vocabulary: Vocabulary, problems: Problems) -> None:
    operands = {operand.name.value: operand for operand in definition.operands}
    always = [operand for operand in definition.operands if not operand.optional and not operand.variadic]
    letters = {dim for operand in always for dim in operand.shape or () if isinstance(dim, str)}
    for index, result in enumerate(definition.results):
        if result.free_dtype and not has_rule(definition, index):
            message = f'"{result.name}" has no type whose dtype the caller could choose'
            help = "add a rule for its type, such as `same_as`; without one the caller gives all of it"
            problems.error("D072", result.name.place, message, help=help)
        if result.optional and not index:
            message = f'"{result.name}" is the first result, which is the instruction itself, and is never absent'
            problems.error("D072", result.name.place, message, help="let another one be the first")
        if result.variadic and not result.same_as and index + 1 < len(definition.results):
            message = f'nobody can tell how many of the results are "{result.name}"'
            help = "say `same_as: <operand of any number>`, or let it be the last one"
            problems.error("D072", result.name.place, message, help=help)
        if result.same_as:
            _operand_named(definition, operands, result.same_as, problems, result.variadic)
        if result.dtype and result.dtype.value not in vocabulary.dtypes:
            _dtype_source(definition, result.dtype, vocabulary, problems)
        if isinstance(result.shape, Text):
            _operand_named(definition, operands, result.shape, problems)
        for dim in result.shape if isinstance(result.shape, tuple) else ():
            if isinstance(dim, str) and dim not in letters:
                bound = f"operands bind: {', '.join(sorted(letters))}" if letters else "no operand binds a letter"
                help = f"{bound}; give an operand `shape: [{dim}]`"
                problems.error("D072", result.name.place, f'no operand binds the extent "{dim}"', help=help)


def check_facts(definition: Definition, problems: Problems) -> None:
    enums = {a.name.value: a.type for a in definition.attributes if a.type.word == "enum" and not a.type.is_list}
    parts = (part for _, fact in definition.facts if isinstance(fact, tuple) for part in fact)
    for part in parts:
        name = part.attribute
        type = enums.get(name.value)
        if type is None:
            help = problems.hint(name.place, name.value, enums, "enum attributes")
            problems.error("D073", name.place, f'"{name}" is no enum attribute of "{definition.name}"', help=help)
            continue
        for value in part.values:
            if value.value not in type.values:
                help = problems.hint(value.place, value.value, type.values, "its words")
                problems.error("D073", value.place, f'"{value}" is no word of {type.enum}', help=help)


def check_serialize(definition: Definition, problems: Problems) -> None:
    """Every field once, in a kind that can hold it."""
    if not definition.serialize:
        return
    kinds = {field.name.value: bir_kind(field) for field in definition.fields}
    written = kinds | {name: name for name in _OF_RESULT if name not in kinds}
    for entry in definition.serialize:
        name = entry.name
        fitting = written.get(name.value)
        if fitting is None:
            help = problems.hint(name.place, name.value, written, "fields")
            problems.error("D074", name.place, f'"{definition.name}" has no field "{name}"', help=help)
        elif entry.kind != fitting:
            problems.error("D074", name.place, f'"{name}" is serialized as {fitting}, not as {entry.kind}')
    listed = {entry.name.value: entry.name for entry in definition.serialize}
    declared = [operand.name.value for operand in definition.operands]
    operands = frozenset(declared)
    order = [name for name in listed if name in operands]
    if order != [name for name in declared if name in listed]:
        message = f"operands are serialized in the order of the definition: {', '.join(declared)}"
        problems.error("D074", listed[order[0]].place, message)
    place = definition.serialize[0].name.place
    fields = {field.name.value: field.name for field in definition.fields}
    for left_out in (name for name in kinds if name not in listed):
        if definition.says(fields[left_out]) and not definition.says(definition.serialize[0].name):
            message = f'"{definition.name}" inherits "serialize", which leaves out its field "{left_out}"'
            notes = [Note("it stands here", place)]
            help = "state `serialize` here, too, with every field once"
            problems.error("D074", fields[left_out].place, message, help=help, notes=notes)
        else:
            message = f'"serialize" leaves out the field "{left_out}"'
            problems.error("D074", place, message, help="list every field once")


def check_renames(definition: Definition, problems: Problems) -> None:
    known = {field.name.value for field in definition.fields}
    last = {rename.old.value: rename.version for rename in sorted(definition.renames, key=lambda r: r.version)}
    for rename in definition.renames:
        old, new = rename.old, rename.new
        if rename.version > definition.version:
            message = f"a rename of version {rename.version}, but the definition's version is {definition.version}"
            problems.error("D075", old.place, message, help=f"write `version: {rename.version}`")
        if new.value not in known and last.get(new.value, 0) <= rename.version:  # a later version renames it again
            help = problems.hint(new.place, new.value, known)
            problems.error("D075", new.place, f'"{definition.name}" has no field "{new}"', help=help)
        if old.value in known:
            problems.error("D075", old.place, f'"{old}" is still a field of "{definition.name}"')


def _check_term(
    definition: Definition, fields: Mapping[str, Operand | Attribute], term: FieldTerm, problems: Problems
) -> None:
    name, place = term.field.value, term.field.place
    field = fields.get(name)
    if field is None and name != "result":
        help = problems.hint(place, name, ["result", *fields], "terms start with")
        problems.error("D070", place, f'"{definition.name}" has no field "{name}"', help=help)
        return
    if term.part not in ("", *_PARTS) or (term.index is not None and term.part != "shape"):
        _report_part(term, problems)
    elif not isinstance(field, Attribute) and not term.part:
        help = f"{name}.dtype, {name}.rank, {name}.shape or {name}.shape[0]"
        problems.error("D070", place, f'"{name}" is no value that can be compared', help=help)
    elif isinstance(field, Attribute) and term.part:
        _check_attribute_part(field, term, problems)
    if isinstance(field, Operand) and field.variadic:
        problems.error("D070", place, f'"{name}" is variadic; a constraint compares single operands')
    elif isinstance(field, Operand) and term.index is not None:
        _check_dimension(field, term.index, place, problems)


def _check_dimension(operand: Operand, index: int, place: Place, problems: Problems) -> None:
    """Reports a dimension that the operand never has: a rule about it would hold whatever the program is."""
    ranks = operand.rank if operand.shape is None else (len(operand.shape),)
    if ranks and not any(-rank <= index < rank for rank in ranks):
        has = f"rank {listed(map(str, ranks))}; its dimensions are counted from 0"
        problems.error("D070", place, f'"{operand.name}" has no dimension {index}', help=f"it has {has}")


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


def _operand_named(
    definition: Definition, operands: Mapping[str, Operand], name: Text, problems: Problems, variadic: bool = False
) -> None:
    operand = operands.get(name.value)
    if operand is None:
        help = problems.hint(name.place, name.value, operands, "operands")
        problems.error("D072", name.place, f'"{definition.name}" has no operand "{name}"', help=help)
    elif variadic and not operand.variadic:
        message = f'"{name}" is one operand; a result of any number has the types of an operand of any number'
        problems.error("D072", name.place, message)
    elif operand.optional or operand.variadic and not variadic:
        kind = "optional" if operand.optional else "variadic"
        problems.error("D072", name.place, f'"{name}" is {kind}; a result follows an operand that is always there')


def _dtype_source(definition: Definition, name: Text, vocabulary: Vocabulary, problems: Problems) -> None:
    fields = [o.name.value for o in definition.operands if not o.optional and not o.variadic]
    fields += [a.name.value for a in definition.attributes if str(a.type) == "dtype" and not a.optional]
    if name.value not in fields:
        help = problems.hint(name.place, name.value, (*vocabulary.dtypes, *fields))
        message = f'"{name}" is no data type, operand or dtype attribute of "{definition.name}"'
        problems.error("D072", name.place, message, help=help)
