"""Names of fields, and the hand-written code that a definition names: base classes, wrappers, functions."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping as Table

from brewer.model import Definition, Result, Text
from brewer.problems import Problems
from brewer.python_sources import PythonClass, PythonFunction, PythonSources
from brewer.read_fields import RESERVED
from runtime.diagnostics import Note, Place, did_you_mean, either


def check_fields(definition: Definition, problems: Problems) -> None:
    """Operands, attributes, lists of indices and regions share one namespace; so do results among themselves."""
    names = [field.name for field in definition.fields] + list(definition.regions)
    _report_twice(definition, names, "fields", problems)


def check_clashes(
    definition: Definition, bases: Iterable[Definition], sources: PythonSources, problems: Problems
) -> None:
    """A field would hide a member of a runtime base class, or of a base's wrapper.

    `bases` are the definition and those that it stands on, nearest first.
    """
    chain = tuple(bases)
    classes = list(sources.lineage(chain[-1].base.value))
    for base in chain[1:]:
        if base.wrapper and base.wrapper.value in sources.wrappers:
            classes.append(sources.wrappers[base.wrapper.value])
    for name in (*(field.name for field in definition.fields), *definition.regions):
        if definition.says(name) and name.value not in RESERVED:
            _report_clash(name, classes, problems)


def check_wrapper(definition: Definition, sources: PythonSources, problems: Problems) -> None:
    wrapper = definition.wrapper
    if wrapper is None:
        return
    found = sources.wrappers.get(wrapper.value)
    if found is None:
        near = did_you_mean(wrapper.value, sources.wrappers)
        help = near or f"write class {wrapper}({definition.name}Gen) in runtime/wrappers/"
        problems.error("D060", wrapper.place, f'runtime/wrappers/ has no class "{wrapper}"', help=help)
        return
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
            dialect, name = wrapper.imports.get(base, "..").split(".")[1], base.removesuffix("Gen")
            if base == name or wrapper.name in named or name in unread:
                continue
            definition = known.get((dialect, name)) or next((d for (_, n), d in known.items() if n == name), None)
            if definition is None:
                help = f"remove the class, or write defs/{dialect or '<dialect>'}/{name}.yaml"
                message = f'"{wrapper.name}" stands on {base}, but there is no definition "{name}"'
                _report_in_python("D064", wrapper.place, message, help, (), problems)
            elif "wrapper" not in definition.misspelled and definition.wrapper is None:
                help = f"write `wrapper: {wrapper.name}` in {definition.file}, or remove the class"
                message = f'"{wrapper.name}" stands on {base}, but its definition names no wrapper'
                notes = [Note("the definition", definition.name.place)]
                _report_in_python("D064", wrapper.place, message, help, notes, problems)


def check_functions(definition: Definition, sources: PythonSources, problems: Problems) -> None:
    """The functions of the runtime that a definition names exist."""
    if definition.semantics and definition.semantics.value not in sources.semantics:
        name = definition.semantics
        help = did_you_mean(name.value, (*sources.semantics, "none")) or "`none` stands for no semantics yet"
        problems.error("D062", name.place, f'runtime/semantics/ has no function "{name}"', help=help)
    for result in definition.results:
        if result.infer and result.infer.value not in sources.inference:
            help = did_you_mean(result.infer.value, sources.inference)
            message = f'runtime/infer.py has no function "{result.infer}"'
            problems.error("D063", result.infer.place, message, help=help)
        elif result.infer and definition.fields_are_known:
            _check_parameters(definition, result, sources.inference[result.infer.value], problems)


def _check_parameters(definition: Definition, result: Result, function: PythonFunction, problems: Problems) -> None:
    """An inference function gets the types of operands and the values of attributes by the names of its parameters."""
    assert result.infer is not None
    known = [operand.name.value for operand in definition.operands]
    known += [attribute.name.value for attribute in definition.attributes] + ["dtype"] * bool(result.dtype)
    missing = [parameter for parameter in function.parameters if parameter not in known]
    if missing:
        what = "field" if len(missing) == 1 else "fields"
        message = f'"{result.infer}" needs the {what} {either(missing, "and")}, which "{definition.name}" does not have'
        help = did_you_mean(missing[0], known) if len(missing) == 1 else ""
        help = help or f"it has: {', '.join(known) or 'no fields'}"
        notes = [Note("the function and its parameters", function.place)]
        problems.error("D063", result.infer.place, message, help=help, notes=notes)


def _report_in_python(
    code: str, place: Place, message: str, help: str, notes: Iterable[Note], problems: Problems
) -> None:
    with open(place.file, encoding="utf-8", errors="replace") as stream:
        problems.add_source(place.file, stream.read())
    problems.error(code, place, message, help=help, notes=notes)


def _report_twice(definition: Definition, names: Iterable[Text], kind: str, problems: Problems) -> None:
    first: dict[str, Text] = {}
    for name in names:
        other = first.setdefault(name.value, name)
        if other is not name:
            notes = [Note("the other one", other.place)]
            message = f'two {kind} of "{definition.name}" are called "{name}"'
            problems.error("D035", name.place, message, notes=notes)


def _report_clash(name: Text, classes: Iterable[PythonClass], problems: Problems) -> None:
    members: Table[str, PythonClass] = {member: found for found in reversed(tuple(classes)) for member in found.members}
    for member in (name.value, f"_{name}"):
        if member in members:
            owner = members[member]
            place = Place(owner.place.file, owner.members[member], 1)
            message = f'"{name}" is already a member of the base class {owner.name}'
            problems.error(
                "D034", name.place, message, help="choose another name", notes=[Note("it stands here", place)]
            )
            return
