"""What was found out about the corpus, as Markdown."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from functools import partial
from importlib import metadata

from tests.corpus.converters import Converter
from tests.corpus.examine import OPTIMISED, PLAIN, ROUNDED, Examination, Run
from tests.corpus.limits import Limits, complaints

_SHORT = {PLAIN: "plain", OPTIMISED: "optimised", ROUNDED: "rounded"}

HEADER = (
    *("model", "converter", "nodes", "casts", "own", "new", "lost", "joins", "repeated", "idle", "mistyped"),
    *("low nodes", "low work", "CPU s", "size", "check", "ends", "again"),
)

_LEGEND = """\
- casts: *own* ones are the program's, *new* ones the converter's, *lost* ones were the program's; a *join* gives a
  value the type that it has or had before; *repeated* ones are beyond the first of a value to a type; *idle*
  ones lead to or from low values that no product touches; *mistyped* ones are declared as something else
- low: of Conv, ConvTranspose, MatMul, Gemm and recurrent nodes that compute floats, and of their multiply-adds
- CPU s: from proto to proto, warm, the median of three; size: of the file, over the source's
- check: by `onnx.checker`, with types and shapes inferred; ends: inputs and outputs are declared as before; again: a
  second conversion changes nothing
- plain, optimised: the largest error of an output on onnxruntime, without and with its optimisations, against the
  source that is run in the same way; over the largest value, and absolute; of integers the share that differs
- rounded: the same on the interpreter, one rounding for each node"""

_LONGEST = 160  # characters of a complaint

_Property = Callable[[Examination], bool]

_PROPERTIES: dict[str, _Property] = {
    "converts": lambda found: found.figures is not None,
    "passes the full check": lambda found: found.figures is not None and found.checker is None,
    "declares its inputs and outputs as before": lambda found: found.keeps_ends,
    "a second conversion changes nothing": lambda found: found.repeats,
    "all that is asked of a model, without exceptions": lambda found: not complaints(found, Limits()),
}


def header(arguments: Sequence[str]) -> str:
    """Return what the figures are about: command, date, machine and releases."""
    packages = ("brewer", "onnx", "onnxruntime", "onnxconverter-common", "numpy")
    versions = (f"{name} {_version(name)}" for name in packages)
    return f"""# Figures of the corpus

- command: `{" ".join(["python -m tests.corpus", *arguments])}`
- date: {date.today().isoformat()}
- machine: {platform.system()} {platform.machine()}, {os.cpu_count()} logical cores, CPython {platform.python_version()}
- releases: {", ".join(versions)}

{_LEGEND}"""


def table(examinations: Sequence[Examination], ways: Sequence[str]) -> str:
    """Return a row for each examination; errors are over the largest value, then absolute."""
    lines = [_row([*HEADER, *(_SHORT[way] for way in ways)])]
    lines.append(_row(["---"] * 2 + ["---:"] * (len(HEADER) + len(ways) - 2)))
    for found in examinations:
        lines.append(_row([found.model, found.converter, *_cells(found, ways)]))
    return "\n".join(lines)


def summary(examinations: Sequence[Examination], converters: Iterable[Converter], ways: Sequence[str]) -> str:
    """Return, for each converter, of how many models each property holds, and some figures over all of them."""
    names = [str(converter) for converter in converters]
    by = [[found for found in examinations if found.converter == name] for name in names]
    rows = [["", *names], ["---", *["---:"] * len(names)]]
    for what, holds in {**_PROPERTIES, **_runs(ways)}.items():
        rows.append([what, *(f"{sum(map(holds, group))} of {len(group)}" for group in by)])
    for what in ("new_casts", "joins", "repeated_casts", "idle_casts", "mistyped_casts"):
        totals = (sum(getattr(found.figures, what, 0) for found in group) for group in by)
        rows.append([what.replace("_", " "), *map(str, totals)])
    for what in ("nodes", "work"):
        rows.append([f"low {what}", *(_share(group, f"low_{what}", f"heavy_{what}") for group in by)])
    rows.append(["CPU seconds", *(f"{sum(found.seconds or 0 for found in group):.2f}" for group in by)])
    return "\n".join(map(_row, rows))


def reasons(examinations: Iterable[Examination]) -> str:
    """Return why operations stay f32, as far as a converter says it."""
    rows = [["model", "converter", "stays f32 because", "operators"], ["---"] * 4]
    for found in examinations:
        for rule, operators in found.high_reasons.items():
            counts = ", ".join(f"{count} {operator}" for operator, count in operators.most_common())
            rows.append([found.model, found.converter, rule, counts])
    return "\n".join(map(_row, rows))


def objections(examinations: Iterable[tuple[Examination, Limits]]) -> str:
    """Return what does not hold that is asked of a model without exceptions, and where less is asked, why."""
    rows = [["model", "converter", "does not hold", "known"], ["---"] * 4]
    for found, asked in examinations:
        said = complaints(found, Limits())
        rows += [[found.model, found.converter, _shortened(line), asked.why] for line in said]
        if asked.why and not said:
            rows.append([found.model, found.converter, "(all holds now)", asked.why])
    return "\n".join(map(_row, rows))


def _share(group: Sequence[Examination], low: str, heavy: str) -> str:
    """Return which part of a figure another one is, over all models."""
    part, whole = (sum(getattr(found.figures, name, 0) for found in group) for name in (low, heavy))
    return f"{part / whole:.1%}" if whole else "-"


def _cells(found: Examination, ways: Sequence[str]) -> list[str]:
    figures = found.figures
    if figures is None:
        return ["cannot convert", *["-"] * (len(HEADER) + len(ways) - 3)]
    return [
        *map(str, (figures.nodes, figures.casts, figures.own_casts, figures.new_casts, figures.lost_casts)),
        *map(str, (figures.joins, figures.repeated_casts, figures.idle_casts, figures.mistyped_casts)),
        f"{figures.low_nodes}/{figures.heavy_nodes}",
        f"{figures.low_share_of_work:.1%}",
        "-" if found.seconds is None else f"{found.seconds:.3f}",
        f"{found.size:.2f}",
        *("yes" if holds else "no" for holds in (found.checker is None, found.keeps_ends, found.repeats)),
        *(_error(found.runs.get(way)) for way in ways),
    ]


def _error(run: Run | None) -> str:
    if run is None:
        return "-"
    if run.failure is not None:
        return "crashes" if "crashed" in run.failure else "fails"
    worst = run.worst
    return "-" if worst is None else f"{worst.relative:.1e} / {worst.absolute:.1e}"


def _runs(ways: Sequence[str]) -> dict[str, _Property]:
    """Return two properties for each way of running."""
    found: dict[str, _Property] = {}
    for way in ways:
        found[f"{way}: runs"] = partial(_does_run, way)
        found[f"{way}: errors are small"] = partial(_is_accurate, way)
    return found


def _does_run(way: str, found: Examination) -> bool:
    return way in found.runs and found.runs[way].failure is None


def _is_accurate(way: str, found: Examination) -> bool:
    limits = Limits()
    return _does_run(way, found) and all(limits.allows(error) for error in found.runs[way].errors)


def _shortened(text: str) -> str:
    line = text.replace("|", "/").strip()
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..."


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "(not installed)"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
