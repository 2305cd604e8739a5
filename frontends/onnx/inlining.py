"""Putting the nodes of local functions where these are called.

    inlined(model, {"local::Block"})

    %y = local::Block %x {alpha = 0.5}        becomes        %t = MatMul %x, %w
                                                             %y = LeakyRelu %t {alpha = 0.5}

The library does it. It gets a copy of the model without its large tensors, which come back afterwards, and in which
everything is spelled out that it forgets: the defaults of attributes, results that are arguments, operator sets that
only functions import.

Deliberately absent: a choice of functions, which depends on what it is done for (`passes/precision/inlining.py`), and
conversion of a function from one operator set to another: only one whose operators are the same in both is inlined.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import chain, count
from typing import Final

from onnx import FunctionProto, ModelProto, NodeProto, TensorProto, checker, helper, inliner

from frontends.onnx.changed_operators import graphs_in, nodes_of
from frontends.onnx.errors import InliningError
from frontends.onnx.light_models import copy_but, is_heavy
from frontends.onnx.protobuf import DecodeError
from frontends.onnx.schemas import domain_in_ir, schema_of
from runtime.generic import function_name

_STAYS: Final = " stays"  # behind the overload of a call, for as long as the library sees it
_Functions = Mapping[str, FunctionProto]  # by the names that they have in the IR


def inlined(
    model: ModelProto, names: Collection[str], calls: Collection[str] = ()
) -> tuple[ModelProto, dict[str, str]]:
    """Return a model with some local functions inlined, and those of them that are called yet, each with the reason.

    Calls whose first results have names in `calls` stay.

    Raises: InliningError where the library does not do it.
    """
    light = copy_but(model, set(), {"initializer"})
    light.graph.initializer.extend(_placeholder(one) if is_heavy(one) else one for one in model.graph.initializer)
    local = {_name_of(one): one for one in light.functions}
    chosen, left = {}, {}
    left_out = _left_out(light, local)
    for name in (one for one in local if one in names):
        why = _why_not(local[name], light, local, left_out[name])
        if why is None:
            chosen[name] = local[name]
            _import_its_sets(local[name], light)
            _tell_results_apart(local[name])
        else:
            left[name] = why
    for node in nodes_of(light.graph):
        if node.output and node.output[0] in calls and _callee(node) in chosen:
            node.overload += _STAYS
    for node in chain(nodes_of(light.graph), *map(_nodes_of, chosen.values())):
        _spell_defaults(node, chosen)
    kept = [FunctionProto.FromString(one.SerializeToString()) for one in chosen.values()]
    del light.functions[:]
    light.functions.extend(kept)
    try:
        result = inliner.inline_local_functions(light)
    except (checker.ValidationError, RuntimeError, ValueError, DecodeError) as error:
        reason = " ".join(str(error).split())
        raise InliningError(f"onnx does not inline the local functions: {reason}") from None
    for at, tensor in enumerate(model.graph.initializer):
        if is_heavy(tensor):
            result.graph.initializer[at].CopyFrom(tensor)
    for node in nodes_of(result.graph):
        if node.overload.endswith(_STAYS):
            node.overload = node.overload.removesuffix(_STAYS)
            if not node.overload:
                node.ClearField("overload")
    del result.functions[:]
    result.functions.extend(_still_called(result, model, chosen))
    return result, left


def _placeholder(tensor: TensorProto) -> TensorProto:
    """Return a small tensor of the same name, so that nothing else gets that."""
    return TensorProto(name=tensor.name, data_type=tensor.data_type, dims=[0])


def _name_of(function: FunctionProto) -> str:
    return function_name(domain_in_ir(function.domain), function.name, function.overload)


def _callee(node: NodeProto) -> str:
    return function_name(domain_in_ir(node.domain), node.op_type, node.overload)


def _nodes_of(function: FunctionProto) -> Iterator[NodeProto]:
    for node in function.node:
        yield node
        for inner in graphs_in(node):
            yield from nodes_of(inner)


def _still_called(result: ModelProto, model: ModelProto, chosen: _Functions) -> Iterator[FunctionProto]:
    """Yield the functions of a model that were not inlined, and those that they, or what came of it, call."""
    local = {_name_of(one): one for one in model.functions}
    found = {name for name in local if name not in chosen}
    found |= {_callee(node) for node in nodes_of(result.graph)} & local.keys()
    waiting = [*found]
    while waiting:
        called = {_callee(node) for node in _nodes_of(local[waiting.pop()])} & local.keys() - found
        found |= called
        waiting += called
    return (one for name, one in local.items() if name in found)


def _left_out(model: ModelProto, local: _Functions) -> dict[str, set[str]]:
    """Return the attributes without a default that a call of each function leaves out, or hands on from such a one."""
    found: dict[str, set[str]] = {name: set() for name in local}
    calls: list[tuple[str | None, NodeProto]] = [(None, node) for node in nodes_of(model.graph)]
    calls += [(name, node) for name, function in local.items() for node in _nodes_of(function)]
    calls = [(caller, node) for caller, node in calls if _callee(node) in local]
    grows = True
    while grows:
        grows = False
        for caller, call in calls:
            absent = found[caller] if caller is not None else set()
            given = {one.name for one in call.attribute if not one.ref_attr_name or one.ref_attr_name not in absent}
            more = {*local[_callee(call)].attribute} - given - found[_callee(call)]
            found[_callee(call)] |= more
            grows = grows or bool(more)
    return found


def _why_not(function: FunctionProto, model: ModelProto, local: _Functions, left_out: Collection[str]) -> str | None:
    """Return why a function cannot be inlined, some calls of which leave attributes out; None where it can."""
    sets = {domain_in_ir(one.domain): one.version for one in model.opset_import}
    own = {domain_in_ir(one.domain): one.version for one in function.opset_import}
    for node in _nodes_of(function):
        domain = domain_in_ir(node.domain)
        there, here = own.get(domain), sets.get(domain)
        if _callee(node) not in local and there is not None and here is not None and there != here:
            before, after = schema_of(domain, node.op_type, there), schema_of(domain, node.op_type, here)
            if before is None or after is None or before.since_version != after.since_version:
                return f"its {node.op_type} is of operator set {there}, and changed until {here}, which the model has"
        defaults = {one.name for one in local[_callee(node)].attribute_proto} if _callee(node) in local else ()
        for one in node.attribute:
            if one.name in defaults and one.ref_attr_name in left_out:
                return f"its call of {_callee(node)} leaves {one.name} to a default where it has no {one.ref_attr_name}"
    return None


def _import_its_sets(function: FunctionProto, model: ModelProto) -> None:
    """Let a model import the operator sets of a function, and the function the versions of the model."""
    versions = {domain_in_ir(one.domain): one.version for one in model.opset_import}
    for one in function.opset_import:
        if domain_in_ir(one.domain) in versions:
            one.version = versions[domain_in_ir(one.domain)]
        else:
            model.opset_import.add().CopyFrom(one)


def _tell_results_apart(function: FunctionProto) -> None:
    """Let each result of a function be a value of its own, which is no argument."""
    taken = {*function.input, *chain.from_iterable(node.output for node in _nodes_of(function))}
    seen = set(function.input)
    for at, name in enumerate(function.output):
        if name in seen:
            new = next(one for number in count(1) if (one := f"{name}_{number}") not in taken)
            taken.add(new)
            function.node.append(helper.make_node("Identity", [name], [new]))
            function.output[at] = new
        seen.add(name)


def _spell_defaults(call: NodeProto, functions: _Functions) -> None:
    """Give a call of a function the attributes that it leaves to their defaults."""
    function = functions.get(_callee(call))
    if function is not None:
        given = {one.name for one in call.attribute}
        call.attribute.extend(one for one in function.attribute_proto if one.name not in given)
