"""Which local functions are put where they are called before a program is converted, so that they can be low, too.

    inlined, notes = inlined_functions(module, policy, ["fn_1"])

A local function has no types of its own: callers agree on them, so what stands in one stays f32. Those whose calls take
or give f32 are inlined, with all that they call.

Left as they are: functions of domains that runtimes have kernels for, which these prefer to a function's own nodes;
functions that a user names, to be kept in f32; all where a policy makes nothing low, and where there would be too many
nodes, since functions that call each other twice grow with powers of two.

Deliberately absent: inlining itself, which a front end does (`frontends/onnx/inlining.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeGuard

from passes.precision.local_functions import callees_first
from passes.precision.name_patterns import PatternTable
from passes.precision.overrides import labels_of, names_of
from passes.precision.policy import OpKind, Precision, PrecisionPolicy
from passes.precision.reach import OLDEST
from runtime.constants import Constant
from runtime.diagnostics import listed
from runtime.dtypes import f32
from runtime.functions import Function, Module
from runtime.generic import ONNX_DOMAIN, OnnxNode
from runtime.lazy_tensors import LazyTensor

_OF_RUNTIMES: Final = ("ai.onnx", "com.microsoft")  # and what begins with them and a dot
_MOST_NODES: Final = 250_000  # after inlining
_COUNTED: Final = 10**15  # so many are not told apart from more
_MOST_BYTES: Final = 1 << 28  # of constants that are in functions, after inlining
_SHOWN: Final = 3


def inlined_functions(
    module: Module, policy: PrecisionPolicy, keep: Sequence[str], *, with_all: bool = False
) -> tuple[Module, list[str]]:
    """Return a program in which what a policy may make low is not in local functions, and what is to be said of that.

    It is the program itself where nothing is to be inlined, else a copy.

    What the patterns in `keep` or an override of the policy mean stays. `with_all`: whatever their calls take
    and give, they are inlined.
    """
    signatures, main = module.signatures, module.root_function
    if signatures is None or len(module.functions) < 2 or main.operator_sets.get(ONNX_DOMAIN, 0) < OLDEST:
        return module, []
    names, calls = _chosen(module, _Kept(policy, keep), with_all) if _makes_low(policy) else ({}, set())
    if not names:
        return module, []
    why = _why_too_large(module, names)
    found = signatures.inlined(module, names, calls) if why is None else why
    if isinstance(found, str):
        return module, [_left(list(names), found)]
    result, left = found
    done = [name for name in names if name not in left]
    notes = [f"{_told(done)} {'were' if len(done) > 1 else 'was'} inlined"] if done else []
    return result, [*notes, *(_left([name], why) for name, why in left.items())]


def _makes_low(policy: PrecisionPolicy) -> bool:
    stated = [*(policy.precision_of(kind) for kind in OpKind), *(one.precision for one in policy.overrides)]
    return any(one is not Precision.F32 for one in stated)


class _Kept:
    """What a user wants in f32 by a pattern of `--keep` or an override: calls by their names, or by their function."""

    def __init__(self, policy: PrecisionPolicy, keep: Sequence[str]) -> None:
        overrides = [one for one in policy.overrides if one.precision is Precision.F32 and one.operand is None]
        pairs: list[tuple[str | None, str | None]] = [(pattern, None) for pattern in keep]
        self._labels = PatternTable((pattern, True) for pattern in keep)
        self._meant = PatternTable([*pairs, *((one.name, one.instruction) for one in overrides)])

    def function(self, call: OnnxNode) -> bool:
        """Whether all calls of what this one calls are meant."""
        return any(self._labels.of(labels_of(call)))

    def call(self, call: OnnxNode) -> bool:
        """Whether this call is meant."""
        labels = labels_of(call)
        return any(one is None or one in labels for one in self._meant.of(names_of(call)))


def _chosen(module: Module, kept: _Kept, with_all: bool) -> tuple[dict[str, None], set[str]]:
    """Return the functions to inline, in the order in which they are met, and the first results of calls that stay."""
    wanted: dict[str, None] = {}
    stay: set[str] = set()
    calls: set[str] = set()
    for call in _calls(module.root_function, module):
        is_meant = kept.call(call)
        if _is_of_a_runtime(call.domain) or kept.function(call) or (is_meant and not call.name):
            stay.add(call.callee)
        elif is_meant:
            calls.add(str(call.name))
        elif with_all or any(value.type.dtype in (f32, None) for value in (*call.operands(), *call.results)):
            wanted[call.callee] = None
    if with_all:  # what nobody calls is in the way as well
        wanted |= dict.fromkeys(name for name in module.functions if name != module.root_function.name)
    waiting = [name for name in wanted if name not in stay]
    chosen = dict.fromkeys(waiting)
    while waiting:
        for call in _calls(module.functions[waiting.pop()], module):
            if not (
                call.callee in chosen or call.callee in stay or _is_of_a_runtime(call.domain) or kept.function(call)
            ):
                chosen[call.callee] = None
                waiting.append(call.callee)
    return chosen, calls


def _is_of_a_runtime(domain: str) -> bool:
    return any(domain == one or domain.startswith(f"{one}.") for one in _OF_RUNTIMES)


def _calls(function: Function, module: Module) -> Iterator[OnnxNode]:
    for inst in function.insts:
        if isinstance(inst, OnnxNode) and inst.callee in module.functions:
            yield inst


def _why_too_large(module: Module, names: Mapping[str, None]) -> str | None:
    """Return why a program would be too large without functions; None where it would not."""
    sizes: dict[str, tuple[int, int]] = {}
    for function in (*callees_first(module), module.root_function):
        nodes, held = 0, 0
        for inst in function.insts:
            if not isinstance(inst, OnnxNode):
                continue
            within = sizes[inst.callee] if inst.callee in names else (1, 0)
            nodes, held = nodes + within[0], held + within[1]
            if function is not module.root_function:
                held += sum(one.type.size_in_bytes or 0 for one in inst.attributes.values() if _is_tensor(one))
        sizes[function.name] = nodes, held = min(nodes, _COUNTED), min(held, _COUNTED)
    if nodes > _MOST_NODES:
        return _over("the program would have", nodes, "nodes", _MOST_NODES)
    if held > _MOST_BYTES:
        return _over("their constants would take", held, "bytes", _MOST_BYTES)
    return None


def _over(what: str, number: int, unit: str, most: int) -> str:
    counted = f"{number:,}" if number < _COUNTED else f"{_COUNTED:,} or more"
    return f"{what} {counted} {unit} without them, and {most:,} are the most that are made"


def _is_tensor(value: object) -> TypeGuard[Constant | LazyTensor]:
    return isinstance(value, (Constant, LazyTensor))


def _told(names: Sequence[str]) -> str:
    shown = [*names[:_SHOWN], *([f"{len(names) - _SHOWN} more"] if len(names) > _SHOWN else [])]
    return f"the local function{'s' if len(names) > 1 else ''} {listed(shown, 'and')}"


def _left(names: Sequence[str], why: str) -> str:
    stay = "stay as they are" if len(names) > 1 else "stays as it is"
    return f"{_told(names)} {stay}, in f32, and {'are' if len(names) > 1 else 'is'} not inlined: {why}"
