"""Instructions of foreign dialects: what holds for them whatever their operators are.

Deliberately absent: operators. How many values a region must yield, which types fit, and how often a region runs only
the front end knows.
"""

from __future__ import annotations

from collections.abc import Iterable
from reprlib import repr as shortened

from runtime.constants import Constant
from runtime.diagnostics import did_you_mean, either
from runtime.dtypes import DType
from runtime.functions import Function
from runtime.generic import AttributeReference, EmptyList, Encoded, GenericInst, Initializer, OnnxNode, Region
from runtime.lazy_tensors import LazyTensor
from runtime.types import Type
from runtime.values import BlockArgument, Value
from runtime.verifier.findings import Findings, Subject, counted
from runtime.verifier.results import why_not_type

_UNKNOWN = Type.unknown()
_KINDS = (
    "there are numbers, text, bytes, element types, types, tensors, regions, references, and tuples of one of these"
)

# What may stand together in a tuple has the same word. `True` is an int in Python, but of no kind here.
_GROUPS: dict[type, str] = {
    int: "number",
    float: "number",
    str: "text",
    bytes: "text",
    DType: "dtype",
    Type: "type",
    Constant: "tensor",
    Region: "region",
    AttributeReference: "reference",
}
_ALONE = (EmptyList, Encoded)


def check_open_attributes(inst: GenericInst, findings: Findings) -> None:
    """Check the attributes that no definition describes, and that each region is one of them."""
    regions: list[tuple[str, Region]] = []
    for name, value in inst.attributes.items():
        wrong = None if value.__class__ is int and name.__class__ is str else _why_no_attribute(name, value)
        if wrong is not None:
            message, help = wrong
            findings.add("V040", message, inst, name if isinstance(name, str) else None, help=help)
        elif isinstance(value, Region):
            regions.append((name, value))
        elif isinstance(value, tuple):
            regions += [(name, one) for one in value if isinstance(one, Region)]
    if regions or inst.blocks:
        _check_regions(inst, regions, findings)


def check_absent(inst: GenericInst, findings: Findings) -> None:
    """Check that the results said to be absent exist, each said once, and that nothing is known of them."""
    results = inst.results
    before = -1
    for at in inst.absent:
        message, part = "", f"result[{at}]"
        if not 0 <= at < len(results):
            message, part = f"it has {counted(len(results), 'result')}", "absent"
        elif at <= before:
            message, part = "they are not listed in order, each once", "absent"
        elif results[at].has_users:
            message = "it is used"
        elif results[at].name is not None:
            message = f'it is called "{results[at].name}"'
        elif results[at].type is not _UNKNOWN:
            message = f"it is of type {results[at].type}"
        if message:
            findings.add("V054", f"the instruction says that result {at} is absent, but {message}", inst, part)
            return
        before = at


def check_operator_set(inst: OnnxNode, function: Function, findings: Findings) -> None:
    """Check that the function says which version of its operator a node means; a function may say nothing at all."""
    known = function.operator_sets
    if not known or inst.domain in known:
        return
    if function.module is not None and inst.callee in function.module.functions:
        return
    stated = [str(domain) for domain in known]
    message = f'no version of the operator set "{inst.domain}" is stated; @{function.name} has {either(stated, "and")}'
    findings.add("V063", message, inst, "domain", help=did_you_mean(inst.domain, stated))


def check_operator_sets(function: Function, findings: Findings) -> None:
    """Check that the versions which a function states are numbers."""
    for domain, version in function.operator_sets.items():
        if domain.__class__ is not str or not domain or version.__class__ is not int:
            message = f"the version of the operator set {domain!r} is {version!r}; expected a name and a whole number"
            findings.add("V063", message, function)


def check_initializer(inst: Initializer, findings: Findings) -> None:
    """Check that a tensor of the program is of the type that its value has."""
    held = inst.value.type
    if held is not inst.type:
        findings.add("V082", f"the contents of {{value}} are {held}; expected {inst.type}", inst, "result", inst)


def check_default(argument: BlockArgument, findings: Findings) -> None:
    """Check what an argument holds where the caller gives nothing."""
    default = argument.default
    if not isinstance(default, (Constant, LazyTensor)):
        message = f"the default of {{value}} is {shortened(default)}; expected a tensor"
        findings.add("V082", message, argument, None, argument)
    elif why_not_type(default.type, argument.type) is not None:
        message = f"the default of {{value}} is {default.type}; expected {argument.type}"
        findings.add("V082", message, argument, None, argument)


def check_names(values: Iterable[Value], findings: Findings) -> None:
    """Check that the name of each value is text, where it has one."""
    for value in values:
        if value.name is not None and value.name.__class__ is not str:
            findings.add("V007", f"the name of a value is {shortened(value.name)}; expected text or None", value)


def check_carried(data: object, subject: Subject, findings: Findings, what: str = "") -> None:
    """Check what a front end keeps with a part of a program, with `what` of it: bytes, or None for nothing."""
    if data is not None and data.__class__ is not bytes:
        message = f"what is carried with {what or 'this'} is {shortened(data)}; expected bytes or None"
        findings.add("V007", message, subject)


def _why_no_attribute(name: object, value: object) -> tuple[str, str] | None:
    """Return what is wrong with an open attribute, and a help, or None."""
    if not isinstance(name, str):
        return f"an attribute is called {name!r}; expected text", ""
    if isinstance(value, tuple) and value:
        groups = {_group(one) for one in value}
        if None in groups:
            at = next(at for at, one in enumerate(value) if _group(one) is None)
            return f'item {at} of the attribute "{name}" is {shortened(value[at])}, which is no item of a list', _KINDS
        if len(groups) > 1:
            return f'the attribute "{name}" is {shortened(value)}; expected items of one kind', ""
        return None
    if _group(value) is not None or isinstance(value, _ALONE):
        return None
    if isinstance(value, tuple):
        return f'the attribute "{name}" is a list of nothing; expected an empty list of some kind', ""
    return f'the attribute "{name}" is {shortened(value)}, which is no value of an attribute', _KINDS


def _group(value: object) -> str | None:
    found = _GROUPS.get(value.__class__)
    return "tensor" if found is None and isinstance(value, LazyTensor) else found


def _check_regions(inst: GenericInst, named: Iterable[tuple[str, Region]], findings: Findings) -> None:
    """Check that each region is that of one attribute."""
    count = len(inst.blocks)
    first: dict[int, str] = {}
    for name, region in named:
        at = region.index
        if at.__class__ is not int or not 0 <= at < count:
            message = f'the attribute "{name}" is region {at!r}; the instruction has {counted(count, "region")}'
        elif at in first:
            message = f'the attribute "{name}" is region {at}, as "{first[at]}" is already'
        else:
            first[at] = name
            continue
        findings.add("V006", message, inst, name)
        return  # which one is left over would be the same mistake
    for at in range(count):
        if at not in first:
            findings.add("V006", f"no attribute is region {at} of the instruction", inst)
