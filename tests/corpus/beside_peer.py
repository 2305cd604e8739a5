"""Prints the seconds of conversions and the casts that they leave, beside onnxruntime's converter, as Markdown.

    python -m tests.corpus.beside_peer [MODEL ...]

Deliberately absent: accuracy and validity, which `python -m tests.corpus --peers` has.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import process_time
from typing import Final, TypeVar

import passes
from frontends.onnx import load, to_proto
from tests.corpus.converters import PEERS, MissingPeerError, check_available
from tests.corpus.examine import Subject
from tests.corpus.measure import Figures, measure
from tests.corpus.models import MODELS, Model, model_named
from tests.corpus.same_nodes import converted_with_kept, kept_nodes
from tests.corpus.wheels import CorpusError

POLICY: Final = "autocast-f16"
_Made = TypeVar("_Made")


@dataclass(frozen=True)
class Seconds:
    """Of the processor, from proto to proto: the least of several conversions, each part by itself."""

    load: float
    convert: float
    export: float
    peer: float

    @property
    def whole(self) -> float:
        """Return the time of our conversion."""
        return self.load + self.convert + self.export


def seconds(subject: Subject, rounds: int) -> Seconds:
    """Return the times of a model, ours and the peer's in turn."""
    least = [float("inf")] * 4
    for _ in range(rounds):
        loading, module = _timed(load, subject.copy())
        converting, (converted, _) = _timed(passes.convert, module, POLICY)
        exporting, _ = _timed(to_proto, converted)
        del module, converted
        peer, _ = _timed(PEERS[0].convert, subject.copy())
        least = [min(pair) for pair in zip(least, (loading, converting, exporting, peer), strict=True)]
    return Seconds(*least)


def casts(subject: Subject) -> tuple[Figures, Figures]:
    """Return the figures of our result, and those of the peer's where it keeps the same nodes in f32."""
    converted = to_proto(passes.convert(load(subject.copy()), POLICY)[0])
    theirs = converted_with_kept(subject.copy(), kept_nodes(subject.proto, converted))
    return measure(subject.proto, converted, {}), measure(subject.proto, theirs, {})


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status, 2 where a model or the peer cannot be had."""
    parser = argparse.ArgumentParser(prog="python -m tests.corpus.beside_peer", description=__doc__)
    parser.add_argument("models", nargs="*", metavar="MODEL", help="names of models, all where there are none")
    parser.add_argument("--rounds", type=int, default=7, help="how often each model is converted")
    options = parser.parse_args(arguments)
    try:
        check_available(PEERS[:1])
        models = [model_named(name) for name in options.models] or list(MODELS)
        _print(models, options.rounds)
    except (CorpusError, MissingPeerError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _print(models: Sequence[Model], rounds: int) -> None:
    before = os.getloadavg()
    rows, times, leaves = [], [], []
    for model in models:
        print(model, file=sys.stderr)
        subject = Subject(model)
        times.append(seconds(subject, rounds))
        leaves.append(casts(subject))
        rows.append(_row(str(model), len(subject.proto.graph.node), times[-1], *leaves[-1]))
    summed = Seconds(*(sum(getattr(each, part) for each in times) for part in ("load", "convert", "export", "peer")))
    ours, theirs = (sum(pair[at].new_casts for pair in leaves) for at in (0, 1))
    print(
        f"- load of the machine: {before[0]:.1f} before, {os.getloadavg()[0]:.1f} after; the least of {rounds} rounds\n"
    )
    print("| model | nodes | load | convert | export | whole, ms | peer, ms | casts | joins | peer's casts |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    print("\n".join(rows))
    print(f"| all | | {_milliseconds(summed)} | {ours} | {sum(pair[0].joins for pair in leaves)} | {theirs} |")


def _row(name: str, n_nodes: int, taken: Seconds, ours: Figures, theirs: Figures) -> str:
    return f"| {name} | {n_nodes} | {_milliseconds(taken)} | {ours.new_casts} | {ours.joins} | {theirs.new_casts} |"


def _milliseconds(taken: Seconds) -> str:
    parts = (taken.load, taken.convert, taken.export, taken.whole, taken.peer)
    return " | ".join(f"{part * 1000:.1f}" for part in parts)


def _timed(action: Callable[..., _Made], *given: object) -> tuple[float, _Made]:
    gc.collect()
    start = process_time()
    made = action(*given)
    return process_time() - start, made


if __name__ == "__main__":
    sys.exit(main())
