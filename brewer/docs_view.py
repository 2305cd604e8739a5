"""The docstrings of a generated class and module: what a definition says, in the words of people who read code.

Facts of a field stand on the line of its name and prose below it, so that one more fact does not fill the prose anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from brewer.attribute_values import shown
from brewer.bir_views import bir_fields
from brewer.info_view import capabilities
from brewer.model import (
    Attribute,
    Constraint,
    Definition,
    Destination,
    Engines,
    Fact,
    Operand,
    Port,
    Region,
    Result,
    Rule,
    Source,
    Text,
)
from brewer.python_sources import PythonSources
from brewer.python_text import LINE_LENGTH, docstring, fits_as_it_is, wrapped
from brewer.rule_views import all_rules
from runtime.diagnostics import listed

Lines = Sequence[str]
_INDENT = 4
PRECISION_WORDS = {"keep": "never converted", "f32": "always f32", "index": "an index"}
RELATION_WORDS = {
    "equal": "equals",
    "not_equal": "differs from",
    "less": "is below",
    "at_most": "is at most",
    "at_least": "is at least",
    "multiple_of": "is a multiple of",
}
PRESENCE_WORDS = {
    "exactly_one": "exactly one is present of {}",
    "at_most_one": "at most one is present of {}",
    "together": "all are present, or none, of {}",
}


def module_docstring(definition: Definition) -> tuple[str, ...]:
    """The same whatever the definition says, so that another summary is one changed line."""
    return (f'"""The brewed class `{definition.name}Gen`."""',)


def class_docstring(definition: Definition, in_memory: bool, sources: PythonSources) -> tuple[str, ...]:
    """Summary, description, then a section for each kind of field and rule that there is."""
    paragraphs = [definition.summary]
    for paragraph in definition.doc.split("\n\n") if definition.doc else ():
        paragraphs += ["", " ".join(paragraph.split())]
    use = "on which other definitions stand" if definition.abstract else "which the parser builds"
    sections = [
        _section("Operands", [_operand(definition, operand, in_memory) for operand in definition.operands]),
        _section("Attributes", [_attribute(definition, attribute) for attribute in definition.attributes]),
        _section("Index lists", [_field(definition, i.name, [], i.doc) for i in definition.ap_indices]),
        _section("Results", [_result(definition, result, sources) for result in definition.results]),
        _section("Regions", [_region(region) for region in definition.regions]),
        _section("Rules", _rules(definition)),
        _section("Engines", _engines(definition.engines)),
        _section("Passes", _facts(definition)),
        _section("Text", _text(definition)),
        _section(f"BIR, version {definition.version}", _bir(definition)),
        _section("Examples", [_example(example.value) for example in definition.examples]),
        _section("Source", [_source(source) for source in definition.source]),
        _line("Semantics", str(definition.semantics or "none") if not definition.abstract else ""),
        _line("Wrapper", f"`{definition.wrapper}` of {sources.where('wrappers')}, {use}" if definition.wrapper else ""),
        _line("Since", definition.since),
        _line("Deprecated", definition.deprecated),
    ]
    lines = [line for section in sections for line in section]
    return tuple(docstring(paragraphs, _INDENT, ["", *lines] if lines else []))


def _section(title: str, entries: Sequence[Lines]) -> list[str]:
    return [f"{title}:", *[line for entry in entries for line in entry]] if entries else []


def _line(title: str, text: str) -> list[str]:
    return _wrapped(f"{title}: {text}") if text else []


@cache  # many definitions say the same of a field or rule: a third of the time of a docstring
def _entry(name: str, facts: str = "", doc: str = "") -> Lines:
    """The name with its facts, and the prose below."""
    head = _wrapped(f"    {name}: {facts}" if facts else f"    {name}")
    return (*head, *_wrapped(f"        {' '.join(doc.split())}", 8)) if doc else tuple(head)


def _wrapped(text: str, hang: int = 0) -> list[str]:
    if len(text) <= LINE_LENGTH - _INDENT and fits_as_it_is(text):
        return [text]  # as nearly all do
    margin = len(text) - len(text.lstrip())
    return wrapped(text, _INDENT, hang or margin + 4)


def _field(definition: Definition, name: Text, facts: list[str], doc: str) -> Lines:
    """A field; the prose about an inherited one stands where it is declared, and only there."""
    if definition.says(name):
        return _entry(name.value, ", ".join(facts), doc)
    base = name.place.file.rpartition("/")[2].removesuffix(".yaml")
    return _entry(name.value, ", ".join([*facts, f"of {base}"]))


def _operand(definition: Definition, operand: Operand, in_memory: bool) -> Lines:
    facts = [operand.access.replace("_", "/").upper()] if in_memory else []
    facts += ["optional"] * operand.optional + ["any number"] * operand.variadic
    if operand.memory:
        facts.append(f"in {' or '.join(operand.memory)}")
    if operand.dtypes:
        facts.append("/".join(operand.dtypes))
    if operand.shape is not None:
        facts.append(f"[{', '.join(map(str, operand.shape))}]")
    elif operand.rank:
        facts.append(f"rank {' or '.join(map(str, operand.rank))}")
    if operand.precision:
        facts.append(PRECISION_WORDS[operand.precision])
    return _field(definition, operand.name, facts, operand.doc)


def _attribute(definition: Definition, attribute: Attribute) -> Lines:
    facts = [str(attribute.type)] + ["optional"] * attribute.optional
    if attribute.default is not None:
        facts.append(f"by default {shown(attribute.default.value)}")
    for words, bound in (("at least", attribute.min), ("at most", attribute.max)):
        facts += [f"{words} {bound}"] * (bound is not None)
    facts += [f"a multiple of {attribute.multiple_of}"] * (attribute.multiple_of is not None)
    facts += [f"one of {', '.join(map(shown, attribute.one_of))}"] * bool(attribute.one_of)
    return _field(definition, attribute.name, facts, attribute.doc)


def _result(definition: Definition, result: Result, sources: PythonSources) -> Lines:
    return _entry(result.name.value, *result_rule(definition, result, sources))


def result_rule(definition: Definition, result: Result, sources: PythonSources) -> tuple[str, str]:
    """How the type of a result is found, and what else is said of it."""
    doc = result.doc
    if result.same_as:
        rule = f"any number, of the types of {result.same_as}" if result.variadic else f"the type of {result.same_as}"
    elif result.infer:
        rule = f"by `{result.infer}`"
        said = sources.inference[result.infer.value].doc.removeprefix("Return ")
        doc = doc or said[:1].upper() + said[1:]
    elif result.shape is not None:
        fixed = isinstance(result.shape, tuple)
        shape = f"[{', '.join(map(str, result.shape))}]" if isinstance(result.shape, tuple) else result.shape
        names = {operand.name.value for operand in definition.operands}
        dtype = f"dtype of {result.dtype}" if str(result.dtype) in names else f"{result.dtype}"
        rule = f"{dtype}, {shape}" if fixed else f"{dtype}, shape of {shape}"
    else:
        rule = "any number, of types that the caller gives" if result.variadic else "of a type that the caller gives"
    facts = ["it may be absent"] * result.optional + ["/".join(result.dtypes)] * bool(result.dtypes)
    facts += [f"rank {' or '.join(map(str, result.rank))}"] * bool(result.rank)
    facts += [PRECISION_WORDS[result.precision]] if result.precision else []
    facts += ["the caller may choose the dtype"] * result.free_dtype
    return "; ".join([rule, *facts]), doc


def _region(region: Region) -> Lines:
    return _entry(region.name.value, "; ".join(region_facts(region)), region.doc)


def region_facts(region: Region) -> list[str]:
    """How often a region runs, what it receives and hands out, where something is said of it."""
    runs = {"once": ["runs once"], "any": ["runs any number of times"]}
    said = list(runs.get(region.runs, ()))
    said += [f"takes {', '.join(map(_port, region.takes))}"] * bool(region.takes)
    if region.yields is not None:
        said.append(f"yields {', '.join(map(_port, region.yields)) or 'nothing'}")
    return said


def _port(port: Port) -> str:
    along = f" along {port.along}" if port.along else ""
    facts = [f"like {port.same_as}"] * bool(port.same_as) + [f"an item of {port.item_of}{along}"] * bool(port.item_of)
    facts += ["/".join(port.dtypes)] * bool(port.dtypes)
    facts += [f"rank {' or '.join(map(str, port.rank))}"] * bool(port.rank)
    return f"{port.name} ({' of '.join(facts)})" if facts else str(port.name)


def _rules(definition: Definition) -> list[Lines]:
    said = destination_rules(definition.dst)
    return [_entry("dst", ", ".join(said))] * bool(said) + [
        _constraint(constraint) for constraint in all_rules(definition)
    ]


def destination_rules(dst: Destination) -> list[str]:
    """What holds of the tensor that is written, beyond that there may be one."""
    if dst.use == "forbidden":
        return ["none, it gives values only"] * (dst.place is not None)
    said = [dst.use] * (dst.use != "optional")
    said += [f"in {' or '.join(dst.memory)}"] * bool(dst.memory) + ["/".join(dst.dtypes)] * bool(dst.dtypes)
    if isinstance(dst.accumulates, bool):
        return said + ["accumulates"] * dst.accumulates
    return [*said, f"accumulates where {dst.accumulates} says so"]


def _constraint(constraint: Rule) -> Lines:
    if isinstance(constraint, Constraint):
        rule = f"{constraint.left} {RELATION_WORDS[constraint.relation]} {constraint.right}"
    else:
        rule = PRESENCE_WORDS[constraint.relation].format(", ".join(map(str, constraint.optional)))
    rule += f", where {' and '.join(map(str, constraint.when))}" if constraint.when else ""
    return _entry(constraint.label.value, rule)


def _text(definition: Definition) -> list[Lines]:
    """What a reviewer compares to know whether old text still means the same."""
    if definition.rhs_str is None:
        return []
    form = " ".join(definition.rhs_str.value.split())
    hidden = [name for name in definition.field_names if f"{{{name}}}" not in form]
    glued = form.replace("(? ", "(?\N{NO-BREAK SPACE}")  # a line does not end inside of the mark of a group
    lines = [line.replace("\N{NO-BREAK SPACE}", " ") for line in _wrapped(f"    {glued}")]
    return [lines, *([_entry("in the dictionary", ", ".join(hidden))] if hidden else [])]


def _bir(definition: Definition) -> list[Lines]:
    """The same for stored programs: operands by position, fields by name, and older names."""
    if definition.abstract:
        return []
    entries = bir_fields(definition)
    parts = {
        "operands": [entry.name.value for entry in entries if entry.kind == "var"],
        "fields": [entry.name.value for entry in entries if entry.kind != "var"],
    }
    lines = [_entry(part, ", ".join(names)) for part, names in parts.items() if names]
    lines += [_entry(r.new.value, f"was {r.old} before version {r.version}") for r in definition.renames]
    return lines + [_entry(o.name.value, f"{shown(o.value)} before version {o.version}") for o in definition.before]


def _example(text: str) -> Lines:
    return [f"    {line}".rstrip() for line in text.strip("\n").split("\n")]


def _source(source: Source) -> Lines:
    return _wrapped(f"    {source.document}{', ' * bool(source.section)}{source.section}")


def _engines(engines: Engines) -> list[Lines]:
    others = "other targets" if engines.by_target else "any target"
    lines = [_entry(others, ", ".join(engines.legal))] if engines.legal else []
    return lines + [_entry(target, ", ".join(legal)) for target, legal in engines.by_target]


def _facts(definition: Definition) -> list[Lines]:
    """What the passes read: the kind of operation, the facts that hold, the capabilities."""
    lines = [_entry("op_kind", definition.op_kind)] if definition.op_kind else []
    lines += [_entry(name, condition(fact)) for name, fact in definition.facts if fact]
    holding = ", ".join(sorted(capabilities(definition)))
    return lines + ([_entry("capabilities", holding)] if holding else [])


def condition(fact: Fact) -> str:
    """When a fact holds."""
    if isinstance(fact, bool):
        return "always"
    parts = (f"{part.attribute} is {listed(v.value for v in part.values)}" for part in fact)
    return f"where {' or '.join(parts)}"
