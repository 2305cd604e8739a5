"""The hand-written classes on top of generated ones: that they are there, named, and fit what they stand on.

Deliberately absent: their types and their behaviour, which mypy and the tests see.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from brewer.model import Definition, Text
from brewer.problems import Problems
from brewer.python_sources import PythonClass, PythonSources, text_of
from brewer.rule_views import all_rules
from runtime.diagnostics import Note, Place, did_you_mean

# Methods of generated classes that no class of the runtime has.
_WITHOUT_MEMBERS = frozenset(("object", "ABC", "Generic", "Protocol"))
_GENERATED = frozenset(("result_types", "infer_result_types"))


def check_wrapper(chain: Sequence[Definition], sources: PythonSources, problems: Problems) -> None:
    """`chain` is the definition and those that it stands on, nearest first."""
    definition = chain[0]
    wrapper = definition.wrapper
    if wrapper is None:
        return
    found = sources.wrappers.get(wrapper.value)
    if found is None and not sources.modules.wrappers:
        message = f'there is no class "{wrapper}", since [tool.brewer] names no `wrappers`'
        help = f'write wrappers = "acme.wrappers" there, and class {wrapper}({definition.name}Gen) in that module'
        problems.error("D060", wrapper.place, message, help=help)
        return
    if found is None:
        near = did_you_mean(wrapper.value, sources.wrappers)
        help = near or f"write class {wrapper}({definition.name}Gen) in {sources.where('wrappers')}"
        problems.error("D060", wrapper.place, f'{sources.where("wrappers")} has no class "{wrapper}"', help=help)
        return
    before = problems.complaints
    _check_what_it_defines(definition, wrapper, found, problems)
    if problems.complaints == before and definition.fields_are_known:
        _check_what_it_uses(chain, found, sources, problems)


def _check_what_it_defines(definition: Definition, wrapper: Text, found: PythonClass, problems: Problems) -> None:
    defined = [member for member in ("__init__", "__new__") if member in found.members]
    for member in defined + ["__slots__"] * bool(found.slots):
        place = Place(found.place.file, found.members[member], 1)
        message = f'the wrapper "{wrapper}" defines {member}, which the generated class has'
        help = "a wrapper adds verify and hooks; fields and their order belong in the definition"
        problems.error("D061", wrapper.place, message, help=help, notes=[Note("it stands here", place)])
    if f"{definition.name}Gen" not in found.bases:
        message = f'the wrapper "{wrapper}" does not derive from {definition.name}Gen'
        help = f"write class {wrapper}({definition.name}Gen)"
        problems.error("D061", wrapper.place, message, help=help, notes=[Note("it stands here", found.place)])


def _check_what_it_uses(
    chain: Sequence[Definition], wrapper: PythonClass, sources: PythonSources, problems: Problems
) -> None:
    """A field or rule that was renamed or removed leaves its name behind in the wrapper."""
    definition = chain[0]
    known = members_below(chain, sources)
    bases = [base for base in wrapper.bases if base != f"{definition.name}Gen"]
    if has_members_from_elsewhere(chain, sources) or any(base not in sources.classes for base in bases):
        return
    unknown: dict[str, Place] = {}
    for name, node in _names_used(wrapper.node, f"{definition.name}Gen"):
        if name not in known and not hasattr(object, name):
            place = Place(wrapper.place.file, node.lineno, node.col_offset + 1)
            unknown[name] = min(place, unknown.get(name, place))
    for name, place in unknown.items():
        message = f'"{wrapper.name}" uses "{name}", which {definition.name}Gen does not have'
        notes = [Note("the definition", definition.name.place)]
        report_in_python("D065", place, message, did_you_mean(name, known), notes, problems)


def has_members_from_elsewhere(chain: Sequence[Definition], sources: PythonSources) -> bool:
    """Whether what a definition stands on is known in part only: it has a base of another library, or `__getattr__`."""
    wrappers = [sources.wrappers[d.wrapper.value] for d in chain if d.wrapper and d.wrapper.value in sources.wrappers]
    classes = [*sources.lineage(chain[-1].base.value), *wrappers]
    generated = {f"{definition.name}Gen" for definition in chain}
    bases = {base for found in classes for base in found.bases} - generated - _WITHOUT_MEMBERS
    asks = any({"__getattr__", "__getattribute__"} & found.members.keys() for found in classes)
    return asks or any(base not in sources.classes for base in bases)


def members_below(
    chain: Sequence[Definition], sources: PythonSources, *, with_own_wrapper: bool = False
) -> frozenset[str]:
    """What the generated class of a definition answers to, inherited or not; if asked for, what its wrapper adds."""
    members = set(_GENERATED)
    for found in sources.lineage(chain[-1].base.value):
        members.update(found.members)
    for definition in chain:
        names = [field.name.value for field in definition.fields] + [region.name.value for region in definition.regions]
        if definition.has_many_results:
            names += [result.name.value for result in definition.results]
            members.update(f"_infer_{result.name}" for result in definition.results)
        members.update(form for name in names for form in (name, f"_{name}"))
        members.update(f"{region.name}_" for region in definition.regions)  # where the name is a keyword of Python
        members.update(f"_verify_{rule.label}" for rule in all_rules(definition))
        is_asked_for = with_own_wrapper or definition is not chain[0]
        if is_asked_for and definition.wrapper and definition.wrapper.value in sources.wrappers:
            members.update(sources.wrappers[definition.wrapper.value].members)
    return frozenset(members)


def _names_used(wrapper: ast.ClassDef, generated: str) -> Iterator[tuple[str, ast.expr | ast.stmt]]:
    """Members of the generated class that a wrapper reaches for, or whose rules it replaces."""
    own = {node.name: node for node in wrapper.body if isinstance(node, ast.FunctionDef)}
    members = _own_members(wrapper)
    of_self: list[ast.Attribute] = []
    for node in ast.walk(wrapper):
        match node:
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super"), args=[])):
                yield node.attr, node
            case ast.Attribute(value=ast.Name(id=name)) if name == generated:
                yield node.attr, node
            case ast.Attribute(value=ast.Name(id="self")):
                of_self.append(node)
    yield from ((node.attr, node) for node in of_self if node.attr not in members)
    used = {node.attr for node in of_self}
    yield from ((name, node) for name, node in own.items() if name.startswith("_verify_") and name not in used)


def _own_members(wrapper: ast.ClassDef) -> frozenset[str]:
    assigned = [node.targets for node in wrapper.body if isinstance(node, ast.Assign)]
    names = [target.id for targets in assigned for target in targets if isinstance(target, ast.Name)]
    names += [node.name for node in wrapper.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    annotated = (node.target for node in wrapper.body if isinstance(node, ast.AnnAssign))
    return frozenset([*names, *(target.id for target in annotated if isinstance(target, ast.Name))])


def check_unnamed_wrappers(
    definitions: Iterable[Definition], unread: Iterable[str], sources: PythonSources, problems: Problems
) -> None:
    """A class in `runtime/wrappers/` that stands on a generated one is the wrapper of that one's definition.

    Else the parser would build another class than the one that somebody wrote, or an import would fail later.
    `unread` are the names of definitions that could not be read.
    """
    known = {(definition.dialect, definition.name.value): definition for definition in definitions}
    named = {definition.wrapper.value for definition in known.values() if definition.wrapper}
    for wrapper in sources.wrappers.values():
        for base in wrapper.bases:
            module, name = wrapper.imports.get(base, ""), base.removesuffix("Gen")
            dialect = f".{module}".split(".")[-2]
            is_elsewhere = bool(module) and not f"{module}.".startswith(f"{sources.modules.package}.")
            if base == name or wrapper.name in named or name in unread or is_elsewhere:
                continue
            definition = known.get((dialect, name)) or next((d for (_, n), d in known.items() if n == name), None)
            if definition is None:
                help = f"remove the class, or write defs/{dialect or '<dialect>'}/{name}.yaml"
                message = f'"{wrapper.name}" stands on {base}, but there is no definition "{name}"'
                report_in_python("D064", wrapper.place, message, help, (), problems)
            elif "wrapper" not in definition.misspelled and definition.wrapper is None:
                help = f"write `wrapper: {wrapper.name}` in {definition.file}, or remove the class"
                message = f'"{wrapper.name}" stands on {base}, but its definition names no wrapper'
                notes = [Note("the definition", definition.name.place)]
                report_in_python("D064", wrapper.place, message, help, notes, problems)


def report_in_python(
    code: str, place: Place, message: str, help: str, notes: Iterable[Note], problems: Problems
) -> None:
    """Reports a mistake in a hand-written file, whose text is read for the source line."""
    problems.add_source(place.file, text_of(Path(place.file)))
    problems.error(code, place, message, help=help, notes=notes)
