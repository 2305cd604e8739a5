"""What converts a model to a lower float: brewer under a policy, and its peers.

The peers are part of the extra `bench`, and are imported when they are first asked for.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Final

from onnx import ModelProto

import passes
from frontends.onnx import load, to_proto
from passes.precision.policy import policy_named
from passes.precision.report import PrecisionReport
from runtime.dtypes import DType, f16


@dataclass(frozen=True)
class Conversion:
    """A converted model, and what was decided where the converter says."""

    model: ModelProto
    report: PrecisionReport | None = None

    @property
    def high_reasons(self) -> Mapping[str, Counter[str]]:
        """Return why operations stay f32: for each rule the operators, and how many of them."""
        kept = self.report.kept if self.report is not None else {}
        return {
            rule.value: Counter(line.operator.removeprefix("ai.onnx::") for line in lines)
            for rule, lines in kept.items()
        }


class MissingPeerError(Exception):
    """A peer is not installed."""


@dataclass(frozen=True)
class Converter:
    """A way to convert a model; `convert` may change the model that it gets."""

    name: str
    low: DType
    convert: Callable[[ModelProto], Conversion]
    module: str | None = None  # of a peer

    def __str__(self) -> str:
        return self.name


def brewer(policy: str) -> Converter:
    """Return brewer under a policy."""

    def convert(model: ModelProto) -> Conversion:
        converted, report = passes.convert(load(model), policy)
        return Conversion(to_proto(converted), report)

    return Converter(f"brewer {policy}", policy_named(policy).low, convert)


def peer(name: str, module: str) -> Converter:
    """Return a module with `convert_float_to_float16`, which is to leave the types of inputs and outputs."""

    def convert(model: ModelProto) -> Conversion:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a warning for each constant out of range
            return Conversion(import_module(module).convert_float_to_float16(model, keep_io_types=True))

    return Converter(name, f16, convert, module)


def check_available(used: Iterable[Converter]) -> None:
    """Check that all converters can be imported.

    Raises: MissingPeerError.
    """
    for converter in used:
        try:
            if converter.module is not None:
                import_module(converter.module)
        except ImportError as error:
            raise MissingPeerError(f"{converter} cannot be imported ({error}); the extra bench has it") from None


F16: Final = brewer("autocast-f16")
BF16: Final = brewer("autocast-bf16")
PEERS: Final = (
    peer("onnxruntime", "onnxruntime.transformers.float16"),
    peer("onnxconverter-common", "onnxconverter_common.float16"),
)
