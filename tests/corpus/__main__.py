"""Converts, checks, runs and measures the models of the corpus, and prints what was found as Markdown."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from passes.precision.policy import POLICIES
from runtime.dtypes import f16
from tests.corpus import converters, limits, report
from tests.corpus.examine import OPTIMISED, PLAIN, ROUNDED, Examination, Subject, examine
from tests.corpus.models import MODELS, Model, model_named
from tests.corpus.wheels import FOLDER_VARIABLE, CorpusError, cache_folder

FINDINGS: Final = Path(__file__).with_name("FINDINGS.md")
"""What was found out about the models that do not meet a bound; it ends a report on all models."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status, 2 where a model or a peer cannot be had."""
    options = _parser().parse_args(arguments)
    try:
        models = [model_named(name) for name in options.models] or list(MODELS)
        if options.list:
            print("\n".join(f"{model.name}: {model.kind}; {model.wheel or 'onnx'}, {model.member}" for model in models))
            return 0
        used = [converters.brewer(policy) for policy in options.policy or ["autocast-f16"]]
        used += converters.PEERS if options.peers else ()
        converters.check_available(used)
        print(report.header(sys.argv[1:] if arguments is None else arguments), end="\n\n")
        _run(models, used, options)
    except (CorpusError, converters.MissingPeerError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _run(models: Sequence[Model], used: Sequence[converters.Converter], options: argparse.Namespace) -> None:
    rounded = (ROUNDED,) if options.rounded else ()
    ways = (PLAIN, OPTIMISED, *rounded)
    found: list[tuple[Examination, limits.Limits]] = []
    for model in models:
        subject = Subject(model, options.operator_set)
        for converter in used:
            print(f"{model.name}: {converter}", file=sys.stderr)
            asked = limits.limits_for(model, converter.low) if converter.module is None else limits.Limits()
            possible = ways if converter.low is f16 else rounded  # onnxruntime has no bf16 on the CPU
            found.append((examine(subject, converter, possible, timed=True), asked))
    examinations = [examination for examination, _ in found]
    parts = (
        report.table(examinations, ways),
        report.summary(examinations, used, ways),
        report.objections(found),
        report.reasons(examinations),
    )
    print(*parts, *([] if options.models else [FINDINGS.read_text(encoding="utf-8").rstrip()]), sep="\n\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.corpus", description=__doc__)
    parser.add_argument("models", nargs="*", metavar="MODEL", help="names of models, all where there are none")
    parser.add_argument("--policy", action="append", choices=list(POLICIES), help="may be given more than once")
    parser.add_argument(
        "--peers", action="store_true", help="beside onnxruntime's and onnxconverter-common's converter"
    )
    parser.add_argument("--rounded", action="store_true", help="also run on the interpreter, which takes minutes")
    parser.add_argument("--operator-set", type=int, metavar="N", help="raise the models to this version first")
    parser.add_argument("--list", action="store_true", help="only list the models")
    parser.epilog = f"Wheels are kept in {cache_folder()}; the variable {FOLDER_VARIABLE} names another folder."
    return parser


if __name__ == "__main__":
    sys.exit(main())
