"""The command line of the benchmarks.

python -m bench                    all of them, written to bench/RESULTS.md
python -m bench parse build        some of them, printed
python -m bench brewing            that of brewing, its section written; as well `importing`, `interpreter`, `passes`,
                                   `precision`
python -m bench --smoke            all of them at tiny sizes, to see that they run
"""

import argparse
import platform
import sys
from collections.abc import Callable, Mapping
from datetime import date
from importlib.metadata import version
from os import cpu_count
from pathlib import Path

from bench import brewing, importing, interpreter, mixed_precision, pass_growth
from bench.benchmarks import BENCHMARKS
from bench.contender import CONTENDERS, load_contender
from bench.report import with_section, write_growth_table, write_main_table, write_page
from bench.run import SMOKE_SIZES, Plan, Row, run_benchmarks

RESULTS = Path(__file__).with_name("RESULTS.md")
SECTIONS: Mapping[str, Callable[[bool], list[str]]] = {
    "brewing": lambda smoke: brewing.write_section(brewing.SMOKE_SIZES if smoke else brewing.SIZES),
    "importing": lambda smoke: importing.write_section(importing.SMOKE_REPEATS if smoke else importing.REPEATS),
    "interpreter": lambda smoke: interpreter.write_section(
        *(interpreter.SMOKE_SIZES, interpreter.SMOKE_STAGES) if smoke else (interpreter.SIZES,)
    ),
    "passes": lambda smoke: pass_growth.write_section(pass_growth.SMOKE_SIZES if smoke else pass_growth.SIZES),
    "precision": lambda smoke: mixed_precision.write_section(
        *(mixed_precision.SMOKE_NODES, mixed_precision.SMOKE_SIZES) if smoke else ()
    ),
}
"""The benchmarks with peers of their own, of whole processes, of running a model and of passes: each measures, at tiny
sizes where it is told to, and returns its section of the results."""
NAMES = (*BENCHMARKS, *SECTIONS)


def main() -> int:
    options = _read_command_line()
    plan = Plan(sizes=SMOKE_SIZES) if options.smoke else Plan()
    rows: list[Row] = []
    names = options.names or NAMES
    in_process = [name for name in names if name in BENCHMARKS]
    for row in run_benchmarks(in_process, options.contender or tuple(CONTENDERS), plan):
        print(f"{row.benchmark}: {row.label} measured", file=sys.stderr, flush=True)
        rows.append(row)
    tables = [[*write_main_table(rows, plan), "", *write_growth_table(rows, plan)]] if rows else []
    sections = [write(options.smoke) for name, write in SECTIONS.items() if name in names and not options.contender]
    tables += sections
    print("\n\n".join("\n".join(table) for table in tables))
    if not (options.smoke or options.names or options.contender):
        RESULTS.write_text(write_page(rows, plan, _facts(), sections), encoding="utf-8")
        print(f"\nwritten to bench/{RESULTS.name}")
    elif sections and not rows and not options.smoke:
        page = RESULTS.read_text(encoding="utf-8")
        for section in sections:
            page = with_section(page, section)
        RESULTS.write_text(page, encoding="utf-8")
        print(f"\nwritten to bench/{RESULTS.name}")
    return 0


def _read_command_line() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Benchmarks of brewer, beside its peers.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"a benchmark: {', '.join(NAMES)}; default: all")
    parser.add_argument("--smoke", action="store_true", help="tiny sizes, nothing written: do they run at all?")
    parser.add_argument(
        "--contender", action="append", choices=sorted(CONTENDERS), help="may be repeated; default: all"
    )
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in NAMES]:
        parser.error(f"no benchmark is called {', '.join(unknown)}; there are {', '.join(NAMES)}")
    return options


def _facts() -> list[tuple[str, str]]:
    contenders = [f"{name} {version(load_contender(name).distribution)}" for name in CONTENDERS]
    return [
        ("command", "`python -m bench`"),
        ("date", date.today().isoformat()),
        ("machine", f"{_processor()}, {cpu_count()} logical cores, {platform.system()} {platform.machine()}"),
        ("Python", f"{platform.python_implementation()} {platform.python_version()}"),
        ("contenders", ", ".join(contenders)),
    ]


def _processor() -> str:
    """The name of the processor, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown processor"


if __name__ == "__main__":
    sys.exit(main())
