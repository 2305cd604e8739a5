"""The ports of regions against the fields of a definition."""

from __future__ import annotations

from brewer.model import Definition, Port, Text
from brewer.problems import Problems


def check_regions(definition: Definition, problems: Problems) -> None:
    """Reports a port that is like nothing that the definition has."""
    sources = [operand.name.value for operand in definition.operands] + [r.name.value for r in definition.results]
    axes = [attribute.name.value for attribute in definition.attributes if str(attribute.type) == "int"]
    for region in definition.regions:
        for port in (*region.takes, *(region.yields or ())):
            _check(definition, port.same_as or port.item_of, sources, "operand or result", problems)
            _check(definition, port.along, axes, "int attribute", problems)
            _check_name(port, definition, problems)


def _check(definition: Definition, name: Text | None, known: list[str], what: str, problems: Problems) -> None:
    if name is not None and name.value not in known:
        help = problems.hint(name.place, name.value, known)
        problems.error("D122", name.place, f'"{name}" is no {what} of "{definition.name}"', help=help)


def _check_name(port: Port, definition: Definition, problems: Problems) -> None:
    """Reports a port that is like a result which may be absent."""
    source = port.same_as or port.item_of
    result = next((r for r in definition.results if source and r.name.value == source.value), None)
    if result is not None and result.optional:
        message = f'"{source}" may be absent; a port is like what is always there'
        problems.error("D122", port.name.place, message)
