"""What a run and the table of passes look like on a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from passes.build import open_options
from passes.framework.dot_transform import DotTransform
from passes.framework.options import OptionInfo, describe_options
from passes.framework.pass_run import Kept, PassRun
from passes.pipelines import Pipeline
from passes.registry import load_pass
from runtime.statistics import Statistic


def run_report(runs: Sequence[PassRun]) -> str:
    """Return a line for each pass that ran, with what it kept, then one for each counter, with its label and unit."""
    width = max((len(run.pass_name) for run in runs), default=0)
    lines = []
    for run in runs:
        changed = "changed" if run.changed else "unchanged"
        lines.append(f"{run.pass_name:<{width}}  {run.seconds * 1e3:10.3f} ms  {changed}")
        lines += [f"    {kept}" for kept in run.kept]
    return "\n".join([*lines, *_counter_lines(runs)])


def run_json(runs: Sequence[PassRun]) -> str:
    """Return the same as JSON: `passes`, one after the other, and `totals` of the counters."""
    data = {
        "passes": [
            {
                "pass": run.pass_name,
                "changed": run.changed,
                "seconds": run.seconds,
                "counters": [_counter(statistic, count) for statistic, count in run.counted],
                "kept": [_kept(one) for one in run.kept if not one.is_changed],
                "notes": [_kept(one) for one in run.kept if one.is_changed],
            }
            for run in runs
        ],
        "totals": [_counter(statistic, count) for statistic, count in _totals(runs).items()],
    }
    return json.dumps(data, indent=1, ensure_ascii=False).encode(errors="backslashreplace").decode()


def _kept(one: Kept) -> dict[str, str]:
    return {"statement": one.statement, "function": one.function, "reason": one.reason}


def _counter(statistic: Statistic, count: int) -> dict[str, Any]:
    unit = statistic.unit.name.lower()
    return {"label": statistic.label, "unit": unit, "per_partition": statistic.is_per_partition, "value": count}


def _totals(runs: Sequence[PassRun]) -> dict[Statistic, int]:
    totals: dict[Statistic, int] = {}
    for run in runs:
        for statistic, count in run.counted:
            totals[statistic] = totals.get(statistic, 0) + count
    return totals


def counter_line(statistic: Statistic, count: int) -> str:
    """Return `Number of bytes of casts eliminated: 2048 bytes (per partition)`."""
    per = " (per partition)" if statistic.is_per_partition else ""
    return f"{statistic.label}: {count} {statistic.unit.value}".rstrip() + per


def _counter_lines(runs: Sequence[PassRun]) -> list[str]:
    """Return a line for each counter of each pass, with the pass's name."""
    totals: dict[tuple[str, Statistic], int] = {}
    for run in runs:
        for statistic, count in run.counted:
            totals[run.pass_name, statistic] = totals.get((run.pass_name, statistic), 0) + count
    return [f"{name}: {counter_line(statistic, count)}" for (name, statistic), count in totals.items()]


def pass_table(passes: Iterable[type[DotTransform]]) -> str:
    """Return the name and purpose of each pass, and under it its options."""
    lines = []
    for cls in passes:
        lines.append(f"{cls.pass_name}\n    {(cls.__doc__ or '').strip().splitlines()[0]}")
        lines += [f"    {_described(each)}" for each in describe_options(cls.Options)]
        if cls.stops_at != "rewrite":
            lines.append(f"    for --rewrite-limit and --bisect all that it does to a {cls.stops_at} is one rewrite")
    return "\n".join(lines)


def pipeline_table(pipelines: Mapping[str, Pipeline]) -> str:
    """Return the name and purpose of each pipeline, under it what it runs, and which options it hands on to whom."""
    lines = []
    for name, one in pipelines.items():
        lines.append(f"{name}\n    {one.help}\n    = {one.text}")
        taken: dict[OptionInfo, list[str]] = {}
        for pass_name, options in open_options(one.text, name).items():
            for each in describe_options(load_pass(pass_name).Options):
                if each.name in options:
                    taken.setdefault(each, []).append(pass_name)
        lines += [f"    {_described(each)} [{', '.join(names)}]" for each, names in taken.items()]
    return "\n".join(lines)


def _described(each: OptionInfo) -> str:
    return f"{each.name}={each.default} ({each.takes})" + (f": {each.help}" if each.help else "")
