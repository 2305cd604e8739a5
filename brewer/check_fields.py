"""Names of fields against each other and the base classes, and the functions that a definition names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Mapping as Table

from brewer.check_wrappers import members_below
from brewer.field_keys import RESERVED
from brewer.model import Definition, Operand, Result, Text
from brewer.problems import Problems
from brewer.python_sources import PythonClass, PythonFunction, PythonSources
from runtime.diagnostics import Note, Place, did_you_mean, either


def check_fields(definition: Definition, problems: Problems) -> None:
    """Operands, attributes, lists of indices and regions share one namespace; so do results among themselves."""
    names = [field.name for field in definition.fields] + [region.name for region in definition.regions]
    _report_twice(definition, [*names, *_named_results(definition)], "fields", problems)


def check_clashes(
    definition: Definition, bases: Iterable[Definition], sources: PythonSources, problems: Problems
) -> None:
    """A field would hide a member of a runtime base class, or of a base's wrapper.

    `bases` are the definition and those that it stands on, nearest first.
    """
    chain = tuple(bases)
    owners = sources.owners_in(chain[-1].base.value)
    wrappers = [base.wrapper.value for base in reversed(chain[1:]) if base.wrapper]
    found = [sources.wrappers[wrapper] for wrapper in wrappers if wrapper in sources.wrappers]
    if found:
        owners = {**{member: wrapper for wrapper in found for member in wrapper.members}, **owners}
    names = [field.name for field in definition.fields] + [region.name for region in definition.regions]
    for name in (*names, *_named_results(definition)):
        if definition.says(name) and name.value not in RESERVED:
            _report_clash(name, owners, problems)


def _named_results(definition: Definition) -> tuple[Text, ...]:
    """The results that are properties: those of an instruction that has several."""
    return tuple(result.name for result in definition.results) if len(definition.results) > 1 else ()


def check_required(chain: Sequence[Definition], sources: PythonSources, problems: Problems) -> None:
    """A base class reads fields that it does not have itself: it declares them as properties for type checkers."""
    definition = chain[0]
    lineage = [found for found in sources.lineage(chain[-1].base.value) if found.required]
    if definition.abstract or not lineage:
        return
    operands = {operand.name.value: operand for operand in definition.operands}
    for found in lineage:
        for name, line in found.required.items():
            operand = operands.get(name)
            is_there = operand is not None and not operand.optional and not operand.variadic
            if is_there or (operand is None and _has_member(chain, name, sources)):
                continue
            state = "does not have" if operand is None else "has as optional" if operand.optional else "has as variadic"
            message = f'{found.name} needs the operand "{name}", which "{definition.name}" {state}'
            others = operands.keys() - {each for one in lineage for each in one.required}
            help = did_you_mean(name, others) or f"give it an operand `{name}`, or another base"
            help = f"take `{'optional' if operand.optional else 'variadic'}` back" if operand else help
            notes = [Note("it is declared here", Place(found.place.file, line, 1))]
            problems.error("D067", _place_of_lack(chain, operand), message, help=help, notes=notes)


def _has_member(chain: Sequence[Definition], name: str, sources: PythonSources) -> bool:
    """Whether the generated class has it from elsewhere; the bases are asked first, since they know soonest."""
    of_bases = any(name in found.members for found in sources.lineage(chain[-1].base.value))
    return of_bases or name in members_below(chain, sources, with_own_wrapper=True)


def _place_of_lack(chain: Sequence[Definition], operand: Operand | None) -> Place:
    if operand is not None:
        return operand.name.place
    return chain[0].base.place if len(chain) == 1 else chain[0].name.place


def check_functions(definition: Definition, sources: PythonSources, problems: Problems) -> None:
    """The functions of the runtime that a definition names exist."""
    if definition.semantics and definition.semantics.value not in sources.semantics:
        name = definition.semantics
        near = did_you_mean(name.value, (*sources.semantics, "none"))
        help = f"{near} If not, {_how_to_write(name.value, sources)}" if near else _how_to_write(name.value, sources)
        owner = f"{sources.where('semantics')} has no function" if sources.modules.semantics else "there is no function"
        problems.error("D062", name.place, f'{owner} "{name}"', help=help)
    for result in definition.results:
        if result.infer and result.infer.value not in sources.inference:
            help = did_you_mean(result.infer.value, sources.inference)
            message = f'{sources.where("inference")} has no function "{result.infer}"'
            problems.error("D063", result.infer.place, message, help=help)
        elif result.infer and definition.fields_are_known:
            _check_parameters(definition, result, sources.inference[result.infer.value], problems)


def _how_to_write(name: str, sources: PythonSources) -> str:
    """What gives an instruction its semantics."""
    family, dot, function = name.partition(".")
    if not dot or not f"{family}{function}".isidentifier():
        return "write `family.function`, or `none` as long as there is no function"
    written, where = f"write `def {function}(inst, operands)` in", sources.where("semantics")
    if not sources.modules.semantics:
        return f'{written} a module of yours, and name that in [tool.brewer], semantics = "acme.semantics"'
    if where.endswith("/"):
        return f"{written} {where}{family}.py"
    named = f"{where.rpartition('/')[2].removesuffix('.py')}.{function}"
    return f"{written} {where}" + f", and name it `{named}`" * (named != name)


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


def _report_twice(definition: Definition, names: Iterable[Text], kind: str, problems: Problems) -> None:
    first: dict[str, Text] = {}
    for name in names:
        other = first.setdefault(name.value, name)
        if other is not name:
            notes = [Note("the other one", other.place)]
            message = f'two {kind} of "{definition.name}" are called "{name}"'
            problems.error("D035", name.place, message, notes=notes)


def _report_clash(name: Text, owners: Table[str, PythonClass], problems: Problems) -> None:
    for member in (name.value, f"_{name}"):
        if member in owners:
            owner = owners[member]
            place = Place(owner.place.file, owner.members[member], 1)
            message = f'"{name}" is already a member of the base class {owner.name}'
            notes = [Note("it stands here", place)]
            problems.error("D034", name.place, message, help="choose another name", notes=notes)
            return
