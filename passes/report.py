"""What a run and the table of passes look like on a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from passes.framework.dot_transform import DotTransform
from passes.framework.options import describe_options
from passes.framework.pass_run import PassRun
from passes.pipelines import Pipeline
from runtime.statistics import Statistic


def run_report(runs: Sequence[PassRun]) -> str:
    """Return a line for each pass that ran, with what it kept, then one for each counter, with its label and unit."""
    width = max((len(run.pass_name) for run in runs), default=0)
    lines = []
    for run in runs:
        changed = "changed" if run.changed else "unchanged"
        lines.append(f"{run.pass_name:<{width}}  {run.seconds * 1e3:10.3f} ms  {changed}")
        lines += [f"    {kept}" for kept in run.kept]
    return "\n".join(lines + [counter_line(statistic, count) for statistic, count in _totals(runs).items()])


def run_json(runs: Sequence[PassRun]) -> str:
    """Return the same as JSON: `passes`, one after the other, and `totals` of the counters."""
    data = {
        "passes": [
            {
                "pass": run.pass_name,
                "changed": run.changed,
                "seconds": run.seconds,
                "counters": [_counter(statistic, count) for statistic, count in run.counted],
                "kept": [vars(kept) for kept in run.kept],
            }
            for run in runs
        ],
        "totals": [_counter(statistic, count) for statistic, count in _totals(runs).items()],
    }
    return json.dumps(data, indent=1, ensure_ascii=False).encode(errors="backslashreplace").decode()


def _counter(statistic: Statistic, count: int) -> dict[str, Any]:
    return {"label": statistic.label, "unit": statistic.unit.name.lower(), "value": count}


def _totals(runs: Sequence[PassRun]) -> dict[Statistic, int]:
    totals: dict[Statistic, int] = {}
    for run in runs:
        for statistic, count in run.counted:
            totals[statistic] = totals.get(statistic, 0) + count
    return totals


def counter_line(statistic: Statistic, count: int) -> str:
    """Return `Number of bytes of casts eliminated: 2048 bytes`."""
    return f"{statistic.label}: {count} {statistic.unit.value}".rstrip()


def pass_table(passes: Iterable[type[DotTransform]]) -> str:
    """Return the name and purpose of each pass, and under it its options."""
    lines = []
    for cls in passes:
        lines.append(f"{cls.pass_name}\n    {(cls.__doc__ or '').strip().splitlines()[0]}")
        for each in describe_options(cls.Options):
            lines.append(f"    {each.name}={each.default} ({each.takes}): {each.help}")
    return "\n".join(lines)


def pipeline_table(pipelines: Mapping[str, Pipeline]) -> str:
    """Return the name and purpose of each pipeline, and under it what it runs."""
    return "\n".join(f"{name}\n    {one.help}\n    = {one.text}" for name, one in pipelines.items())
