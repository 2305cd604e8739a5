"""The results as a page of Markdown."""

import re
from collections.abc import Sequence
from itertools import groupby

from bench.benchmarks import BENCHMARKS
from bench.layouts import layout_table
from bench.measure import growth_exponent
from bench.run import Plan, Row

BREWING_HEAD = "## Brewing"
_LAST_SECTION = "## Layouts"
GROWTH_FROM = 10_000
"""Instructions; below this, what a run costs once weighs on the figures."""


def write_page(
    rows: Sequence[Row], plan: Plan, facts: Sequence[tuple[str, str]], sections: Sequence[Sequence[str]] = ()
) -> str:
    """The whole of RESULTS.md: how the figures were taken, the figures at one size, and how they grow.

    `sections` are about what is measured in other ways.
    """
    return "\n".join(
        [
            "# Results",
            "",
            *[f"- {name}: {value}" for name, value in facts],
            "",
            "Each figure is the median of CPU times (user and system), taken after `gc.collect()` with the collector",
            "as the library leaves it, each contender in a process of its own: of seven up to 10,000 instructions, of",
            f"three beyond, of one where three would take over {plan.seconds_a_figure:.0f} s with their preparation; a",
            "dash where one would. Sizes are in instructions.",
            "",
            "## At one size",
            "",
            *write_main_table(rows, plan),
            "",
            "## Growth",
            "",
            "Seconds in all, and the exponent of the growth by least squares on logarithms, from 10,000 on.",
            "",
            *write_growth_table(rows, plan),
            "",
            *[line for section in sections for line in (*section, "")],
            _LAST_SECTION,
            "",
            "The alternatives for an instruction with two operands, in a chain where each value has two users,",
            "without the collector. The last one was chosen.",
            "",
            *layout_table(),
            "",
        ]
    )


def with_section(page: str, section: Sequence[str]) -> str:
    """The page with a section in place of the one with the same head, or in front of the last; all else as it is."""
    parts = re.split("^(?=## )", page, flags=re.M)
    heads = [part.partition("\n")[0] for part in parts]
    text = "\n".join((*section, "", ""))
    if section[0] in heads:
        parts[heads.index(section[0])] = text
    else:
        parts.insert(heads.index(_LAST_SECTION), text)
    return "".join(parts)


def write_main_table(rows: Sequence[Row], plan: Plan) -> list[str]:
    """A row for each contender; the last column compares it with the first contender of its benchmark."""
    lines = ["| benchmark | at | contender | figure | beside the first |", "|---|---:|---|---:|---:|"]
    for name, group in groupby(rows, key=lambda row: row.benchmark):
        benchmark, size = BENCHMARKS[name], plan.size_of(BENCHMARKS[name])
        first: float | None = None
        for row in group:
            figure = dict(row.figures).get(size)
            first = figure if first is None else first
            cells = [f"{name}: {benchmark.summary}", f"{size:,}", row.label]
            cells.append(f"{_scaled(figure, size, benchmark.of_memory)} {benchmark.unit}")
            cells.append("-" if figure is None or not first else f"{figure / first:.2f}x")
            lines.append(_line(cells))
    return lines


def write_growth_table(rows: Sequence[Row], plan: Plan) -> list[str]:
    """A row for each contender in each benchmark of time, a column for each size."""
    lines = [
        _line(["benchmark", "contender", *[f"{size:,}" for size in plan.sizes], "exponent"]),
        _line(["---", "---", *["---:" for _ in plan.sizes], "---:"]),
    ]
    for row in rows:
        if BENCHMARKS[row.benchmark].of_memory:
            continue
        figures = dict(row.figures)
        cells = [f"{figures[size]:.4g}" if size in figures else "-" for size in plan.sizes]
        large = {size: figure for size, figure in figures.items() if size >= min(GROWTH_FROM, plan.sizes[-2])}
        exponent = f"{growth_exponent(tuple(large), tuple(large.values())):.2f}" if len(large) > 1 else "-"
        lines.append(_line([row.benchmark, row.label, *cells, exponent]))
    return lines


def _scaled(figure: float | None, size: int, of_memory: bool) -> str:
    if figure is None:
        return "-"
    return f"{figure / size:,.0f}" if of_memory else f"{figure / size * 1e6:,.2f}"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
