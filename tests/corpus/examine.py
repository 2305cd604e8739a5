"""Everything that is found out about one model and one converter, as one record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median
from time import process_time
from typing import Final, TypeVar

import onnx
from onnx import ModelProto, ValueInfoProto, version_converter

import runtime
from frontends.onnx import load
from frontends.onnx.evaluate import evaluator
from frontends.onnx.protobuf import encoded
from tests.corpus import ort
from tests.corpus.accuracy import Error, errors
from tests.corpus.converters import Converter
from tests.corpus.graph_view import name_nodes
from tests.corpus.measure import Figures, measure
from tests.corpus.models import Model
from tests.corpus.signals import Array
from tests.corpus.work import Execution

PLAIN: Final = "onnxruntime without optimisations"
OPTIMISED: Final = "onnxruntime"
ROUNDED: Final = "one rounding a node"  # on the interpreter, which takes long
WAYS: Final = (PLAIN, OPTIMISED, ROUNDED)

_TIMED = 3

Result = TypeVar("Result")


@dataclass(frozen=True)
class Run:
    """The errors of the outputs in one way of running a model, or why it does not run."""

    errors: tuple[Error, ...] = ()
    failure: str | None = None

    @property
    def worst(self) -> Error | None:
        """Return the largest error."""
        return max(self.errors, key=lambda error: error.relative, default=None)


@dataclass(frozen=True)
class Examination:
    """What one converter makes of one model."""

    model: str
    converter: str
    failure: str | None = None  # the converter's own error; there is nothing else then
    figures: Figures | None = None
    seconds: float | None = None  # of the processor, from proto to proto; None where it was not asked for
    size: float = 0.0  # bytes of the converted model over those of the source
    checker: str | None = None  # what the full check complains about
    keeps_ends: bool = False  # whether inputs and outputs are declared as they were
    repeats: bool = False  # whether converting the result again changes nothing
    runs: Mapping[str, Run] = field(default_factory=dict)  # in each way that was asked for
    high_reasons: Mapping[str, Counter[str]] = field(default_factory=dict)


class Subject:
    """A model of the corpus with its inputs, and what it computes, once for all converters.

    With `operator_set`, onnx raises the model to that version of the operator set first.
    """

    def __init__(self, model: Model, operator_set: int | None = None) -> None:
        self.model = model
        self.proto = model.load()
        if operator_set is not None:
            self.proto = version_converter.convert_version(self.proto, operator_set)
        name_nodes(self.proto)
        self.feeds = model.make_feeds()

    @cached_property
    def encoded(self) -> bytes:
        """Return the bytes of the model."""
        return encoded(self.proto)

    @cached_property
    def expected(self) -> list[dict[str, Array]]:
        """Return the results of the model itself, without optimisations."""
        return ort.run_feeds(self.encoded, self.feeds, optimised=False)

    @cached_property
    def optimised(self) -> list[dict[str, Array]]:
        """Return the results of the model itself with optimisations, which make integers of quantised groups."""
        return ort.run_feeds(self.encoded, self.feeds, optimised=True)

    @cached_property
    def executions(self) -> dict[str, list[Execution]]:
        """Return the shapes at each execution of each node."""
        return ort.trace(self.encoded, self.feeds)

    def copy(self) -> ModelProto:
        """Return the model, for somebody who may change it."""
        proto: ModelProto = ModelProto.FromString(self.encoded)
        return proto


def examine(
    subject: Subject, converter: Converter, ways: Iterable[str] = (PLAIN, OPTIMISED), timed: bool = False
) -> Examination:
    """Convert a model, check, measure and run the result, in some of `WAYS`."""
    name = str(subject.model)
    try:
        conversion = converter.convert(subject.copy())  # also warms up
        converted = encoded(conversion.model)
    except Exception as error:  # whatever a converter raises is a finding about it
        return Examination(name, str(converter), failure=_first_line(error))
    again = _attempt(lambda: converter.convert(ModelProto.FromString(converted)).model)
    runs = {way: _run(subject, conversion.model, way) for way in ways}
    return Examination(
        name,
        str(converter),
        figures=measure(subject.proto, conversion.model, subject.executions),
        seconds=_seconds(subject, converter) if timed else None,
        size=len(converted) / len(subject.encoded),
        checker=_attempt(lambda: onnx.checker.check_model(conversion.model, full_check=True)),
        keeps_ends=_ends(conversion.model) == _ends(subject.proto),
        repeats=isinstance(again, ModelProto) and _canonical(again) == _canonical(conversion.model),
        runs=runs,
        high_reasons=conversion.high_reasons,
    )


def interpret(model: ModelProto, feeds: Sequence[Mapping[str, Array]]) -> list[dict[str, Array]]:
    """Return what a model computes with exactly one rounding for each result of a node."""
    module = load(model)
    compute = evaluator(module)
    inputs = {}
    for at, argument in enumerate(module.root_function.args):  # plain names, which the text form does not quote
        inputs[argument.name] = argument.name = f"corpus_input_{at}"
    outputs = [output.name for output in model.graph.output]
    results = []
    for feed in feeds:
        found = runtime.run(module, {inputs[name]: array for name, array in feed.items()}, evaluator=compute)
        results.append({name: found[at] for at, name in enumerate(outputs)})
    return results


def _run(subject: Subject, model: ModelProto, way: str) -> Run:
    """Run a converted model beside its source in the same way, so that what an optimisation changes is in both."""
    if way == ROUNDED:
        found = _attempt(lambda: interpret(model, subject.feeds))
    else:
        found = _attempt(lambda: ort.run_feeds(encoded(model), subject.feeds, optimised=way == OPTIMISED))
    expected = subject.optimised if way == OPTIMISED else subject.expected
    return Run(failure=found) if isinstance(found, str) else Run(tuple(errors(expected, found)))


def _attempt(compute: Callable[[], Result]) -> Result | str:
    try:
        return compute()
    except Exception as error:  # a library says in its own way that a model is broken
        return _first_line(error)


def _seconds(subject: Subject, converter: Converter) -> float:
    taken = []
    for _ in range(_TIMED):
        model = subject.copy()
        start = process_time()
        converter.convert(model)
        taken.append(process_time() - start)
    return median(taken)


def _ends(model: ModelProto) -> list[bytes]:
    return [_canonical(end) for end in (*model.graph.input, *model.graph.output)]


def _canonical(message: ModelProto | ValueInfoProto) -> bytes:
    return bytes(message.SerializeToString(deterministic=True))


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[0]}"
